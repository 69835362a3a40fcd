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
    /// The address keeps only its offset within a burst. If rows are not hashed into the bank, it
    /// also keeps the page's place within one row of all banks.
    AccessPattern pattern;
    Direction direction = Direction::Read;
    unsigned quarterings = 0; ///< as in MixStream
    /// Bursts of the stream for each burst of the canonical pattern with the same number of bytes:
    /// short isolated runs use only parts of bursts.
    double burst_factor = 1.0;
    bool brief = false; ///< the stream has too few bursts for a steady state

    [[nodiscard]] std::vector<std::uint64_t> key() const;
};

/// Canonical form of one stream.
[[nodiscard]] CanonicalStream canonical(const FlowUse& use, const Parameters& parameters);

/// Approximate shares of a mix's streams in its bytes, as the controller divides them: streams of
/// one activity in proportion to their bytes, the longest streams of activities equally. If an
/// activity demands less than half of its equal share, its share is divided by four.
class Shares {
public:
    /// Returns MixStream::quarterings of each stream. The result is valid until the next call.
    [[nodiscard]] std::span<const unsigned> of(std::span<const FlowUse* const> mix,
                                               std::span<const StreamDemand> demand,
                                               double peak_bytes_per_ps);

private:
    struct Together {
        std::size_t activity;
        double bytes = 0;   ///< bytes of all its streams
        double longest = 0; ///< bytes of its longest stream
        double demand = 0;  ///< bytes per ps of its longest stream
    };

    void find_activities(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand);
    [[nodiscard]] double fair_rate(double peak_bytes_per_ps) const;

    std::vector<Together> activities_; ///< by rising demand
    std::vector<unsigned> quarterings_;
};

} // namespace levee::dram
