// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/groups.hpp"
#include "ip/cpq/pins.hpp"

#include <cstdint>

namespace levee::cpq {

/// Model of the timing of the pins. The timing depends on no values except the number of levels
/// that a group makes. The RTL is checked against this model in every cycle. If a group is taken in
/// cycle c:
///
/// - its levels come in cycles c + 37, c + 73, ... (level_cycles apart),
/// - its result comes in cycle c + cycles_of(kind, levels) and stays until it is taken,
/// - the next group is taken at the earliest in the cycle in which the result is taken.
class Boundary {
public:
    void reset() { *this = {}; }
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    void edge(const Inputs& inputs);

private:
    bool busy_ = false;
    std::uint64_t cycle_ = 0; ///< Cycles since the group was taken.
    std::uint64_t openings_ = 0, due_ = 0;
};

} // namespace levee::cpq
