// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <memory>

namespace levee::dram {

/// Policy, without a state: when the data bus turns between reads and writes. With bursts waiting
/// in one direction only, it is that one; how many reads wait counts only as far as there are any.
class Batching {
public:
    virtual ~Batching() = default;

    /// The direction of the next burst, given the present one, the bursts waiting in each and how
    /// many have gone since the last turn.
    [[nodiscard]] virtual bool writes_next(bool writing, unsigned reads, unsigned writes,
                                           unsigned in_a_row) const = 0;
};

[[nodiscard]] std::shared_ptr<const Batching> make_batching(const Controller& controller);

} // namespace levee::dram
