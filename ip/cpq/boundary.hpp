// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/groups.hpp"
#include "ip/cpq/pins.hpp"

#include <cstdint>

namespace levee::cpq {

/// Timing of the pins, which depends on no values except the number of levels that a group makes.
/// The RTL is checked against this contract clock by clock. With c the cycle that takes a group:
///
/// - its levels come in c + 37, c + 73, ... (level_cycles apart),
/// - its result in c + cycles_of(kind, levels), and stays until it is taken,
/// - the next group is taken in the cycle in which the result is, or later.
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
