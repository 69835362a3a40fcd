// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "ip/dram/mix_schedule.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::dram {

/// The properties of a stream that decide its price: its pattern without address and length.
struct CanonicalStream {
    /// Only the offset within a burst is kept of the address; if rows are not hashed into the bank,
    /// also the page among the pages of a row of all banks.
    AccessPattern pattern;
    Direction direction = Direction::Read;
    unsigned turns = 1;
    /// Bursts of the stream for each burst of the canonical pattern with the same number of bytes:
    /// short isolated runs use only parts of bursts.
    double burst_factor = 1.0;
    bool brief = false; ///< the stream ends before the memory reaches a steady state

    [[nodiscard]] std::vector<std::uint64_t> key() const;
};

/// Canonical form of one stream.
[[nodiscard]] CanonicalStream canonical(const FlowUse& use, const Parameters& parameters);

/// Approximate relative rates of streams if no stream gets more than it demands and the bus is
/// divided fairly: 4 for streams that take all they get, 1 for those that demand less than half of
/// that.
class TurnsByDemand {
public:
    /// The result is valid until the next call.
    [[nodiscard]] std::span<const unsigned> of(std::span<const double> demand_bytes_per_ps,
                                               double peak_bytes_per_ps);

private:
    std::vector<double> sorted_;
    std::vector<unsigned> turns_;
};

} // namespace levee::dram
