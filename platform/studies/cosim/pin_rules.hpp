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
/// All pins' values in a cycle, by name.
using PinValues = std::map<std::string, Bits>;

/// The conditions under which a boundary's outputs are compared (PortRow).
class PinRules {
public:
    explicit PinRules(const std::vector<RtlPort>& ports);

    /// Returns, for each bit of `output`, whether it is compared in this cycle. The result has the
    /// pin's width in `pins`.
    [[nodiscard]] Bits counts(const std::string& output, const PinValues& pins) const;
    /// Called at the end of a cycle. Stores the pins if a transfer has taken place.
    void edge(const PinValues& pins);

private:
    struct Condition {
        std::string pin;
        std::string channel; ///< the pin's value at the last transfer on this channel counts;
                             ///< empty: its current value counts
        std::optional<std::uint64_t> value;
    };

    std::map<std::string, std::vector<Condition>> rules_;
    std::map<std::string, std::uint64_t> transferred_; ///< values of pins at the last transfer, by
                                                       ///< "pin@channel"
};

} // namespace levee::cosim
