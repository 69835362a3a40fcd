// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// A signal in a waveform that is not one of the design's own: a signal of the transaction track,
/// or an expected output.
struct WaveSignal {
    std::string name; ///< Scopes and name, separated by spaces: "transaction tag".
    unsigned bits = 1;
    bool is_integer = false;            ///< The value is a signed 32-bit number; -1: none.
    std::vector<std::uint32_t> words{}; ///< Value of the signal, lowest word first.
    std::vector<std::string> names{};   ///< Names of the values 0, 1, ...; empty: shown as numbers.
};

class WaveSignals {
public:
    /// Adds a signal and returns its index.
    std::size_t add(std::string name, unsigned bits)
    {
        all_.push_back({std::move(name), bits});
        all_.back().words.resize((bits + 31) / 32);
        return all_.size() - 1;
    }
    /// Adds a signed 32-bit signal, initially -1. Returns its index.
    std::size_t add_integer(std::string name, std::vector<std::string> names = {})
    {
        all_.push_back({std::move(name), 32, true, {~0u}, std::move(names)});
        return all_.size() - 1;
    }
    /// Sets a signal's value. Bits beyond the signal's width are ignored.
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
    std::filesystem::path fst; ///< Path of the file; empty: none.
    /// Additional signals of the file. They must be valid until the file is closed.
    const WaveSignals* beside = nullptr;
    bool only_marks = false; ///< Records only at mark(), not in each cycle.
};

/// Error message for designs that were built without support for waveforms but should write one.
inline constexpr const char* without_waves =
    "waves: the RTL designs of this build cannot write waves "
    "(LEVEE_RTL_TRACE=OFF); expected a build with "
    "LEVEE_RTL_TRACE=ON";

/// Clock period, in picoseconds, in the waveform of a design that runs outside a system.
inline constexpr std::uint64_t standalone_period_ps = 1000;

} // namespace levee
