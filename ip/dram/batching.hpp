// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <memory>

namespace levee::dram {

/// Stateless policy that determines when the data bus turns between reads and writes. If bursts
/// wait in only one direction, that direction is chosen. The result depends on whether reads wait,
/// not on how many.
class Batching {
public:
    virtual ~Batching() = default;

    /// Returns the direction of the next burst. `writing`: the present direction. `reads`,
    /// `writes`: waiting bursts. `in_a_row`: bursts since the last turn.
    [[nodiscard]] virtual bool writes_next(bool writing, unsigned reads, unsigned writes,
                                           unsigned in_a_row) const = 0;
};

[[nodiscard]] std::shared_ptr<const Batching> make_batching(const Controller& controller);

} // namespace levee::dram
