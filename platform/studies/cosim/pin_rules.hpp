// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::cosim {

/// A pin's bits, lowest first.
using Bits = std::vector<bool>;
/// All pins of a cycle, by name.
using PinValues = std::map<std::string, Bits>;

/// Conditions under which the values of a boundary's outputs are compared (PortRow).
class PinRules {
public:
    explicit PinRules(const std::vector<RtlPort>& ports);

    /// Bits of `output` (as many as it has in `pins`) that count in this cycle.
    [[nodiscard]] Bits counts(const std::string& output, const PinValues& pins) const;
    /// Ends the cycle.
    void edge(const PinValues& pins);

private:
    struct Condition {
        std::string pin;
        std::string channel; ///< empty: in this cycle
        std::optional<std::uint64_t> value;
    };

    std::map<std::string, std::vector<Condition>> rules_;
    std::map<std::string, std::uint64_t> transferred_; ///< Counts by "pin@channel".
};

} // namespace levee::cosim
