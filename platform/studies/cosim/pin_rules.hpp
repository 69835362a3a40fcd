// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::cosim {

/// A pin's bits, lowest first.
using Bits = std::vector<bool>;
/// All pins of a cycle, by name.
using PinValues = std::map<std::string, Bits>;

/// When the values of a boundary's outputs count: pins.tsv in its folder, a line for each output,
///
///     PIN  always | CONDITION...
///
/// of which all must hold in the cycle. A condition is PIN, of one bit, or of one for each lane of
/// the output; PIN=VALUE; or `PIN@CHANNEL=VALUE`, what the pin was in the last transfer on the
/// channel.
class PinRules {
public:
    /// Throws std::runtime_error if there is no such file, or a line cannot be read.
    explicit PinRules(const std::filesystem::path& file);

    /// Throws std::runtime_error if an output has no line, or a line no output.
    void check(const std::vector<std::string>& outputs) const;
    /// The bits of `output`, of as many as it has in `pins`, that count in this cycle.
    [[nodiscard]] Bits counts(const std::string& output, const PinValues& pins) const;
    /// Ends the cycle.
    void edge(const PinValues& pins);

private:
    struct Condition {
        std::string pin;
        std::string channel; ///< empty: in this cycle
        std::optional<std::uint64_t> value;
    };

    void read_line(const std::string& line, const std::string& place);

    std::filesystem::path file_;
    std::map<std::string, std::vector<Condition>> rules_;
    std::map<std::string, std::uint64_t> transferred_; ///< by "pin@channel"
};

} // namespace levee::cosim
