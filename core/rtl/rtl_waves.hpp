// SPDX-License-Identifier: Apache-2.0
// Waveforms of a design: the signals in a file besides the design's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// A signal that a waveform shows in addition to the design's: of the transaction track, or an
/// expected output.
struct WaveSignal {
    std::string name; ///< scopes and name, with spaces between them: "transaction tag"
    unsigned bits = 1;
    bool is_integer = false;            ///< Whether the value is a signed 32-bit number; -1: none.
    std::vector<std::uint32_t> words{}; ///< Value of the signal, lowest word first.
    std::vector<std::string> names{};   ///< Names of the values 0, 1, ...; empty: shown as numbers.
};

/// Signals in the order in which they were added.
class WaveSignals {
public:
    /// Returns its index.
    std::size_t add(std::string name, unsigned bits)
    {
        all_.push_back({std::move(name), bits});
        all_.back().words.resize((bits + 31) / 32);
        return all_.size() - 1;
    }
    /// Adds a signed signal of 32 bits, -1 at first. Returns its index.
    std::size_t add_integer(std::string name, std::vector<std::string> names = {})
    {
        all_.push_back({std::move(name), 32, true, {~0u}, std::move(names)});
        return all_.size() - 1;
    }
    /// Bits beyond the signal's are ignored.
    void set(std::size_t index, std::span<const std::uint32_t> words)
    {
        WaveSignal& signal = all_[index];
        for (std::size_t i = 0; i < signal.words.size(); ++i)
            signal.words[i] = i < words.size() ? words[i] : 0;
        if (const unsigned rest = signal.bits % 32; rest != 0)
            signal.words.back() &= (1u << rest) - 1;
    }
    void set(std::size_t index, std::int64_t value)
    {
        all_[index].words[0] = static_cast<std::uint32_t>(value);
    }
    [[nodiscard]] const std::vector<WaveSignal>& all() const { return all_; }

private:
    std::vector<WaveSignal> all_;
};

/// A waveform file to write. Times are in picoseconds.
struct WaveFile {
    std::filesystem::path fst; ///< empty: none
    /// Additional signals of the file; must be valid until the file is closed.
    const WaveSignals* beside = nullptr;
    bool only_marks = false; ///< Records only at mark(), not in each cycle.
};

/// Error for a request for waveforms from designs that cannot write any.
inline constexpr const char* without_waves = "waves: the designs of this build cannot write any "
                                             "(LEVEE_RTL_TRACE=OFF); expected a build with "
                                             "LEVEE_RTL_TRACE=ON";

/// Period of a design's clock in a waveform outside of a system, in picoseconds.
inline constexpr std::uint64_t standalone_period_ps = 1000;

} // namespace levee
