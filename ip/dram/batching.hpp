// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <memory>

namespace levee::dram {

/// Policy: when the data bus turns between reads and writes.
class Batching {
public:
    virtual ~Batching() = default;
    [[nodiscard]] virtual std::unique_ptr<Batching> clone() const = 0;

    /// The direction of the next burst, given the present one, the bursts waiting in each and how
    /// many have gone since the last turn.
    [[nodiscard]] virtual bool writes_next(bool writing, unsigned reads, unsigned writes,
                                           unsigned in_a_row) const = 0;
};

[[nodiscard]] std::unique_ptr<Batching> make_batching(const Controller& controller);

} // namespace levee::dram
