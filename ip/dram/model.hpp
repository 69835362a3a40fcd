// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/flow.hpp"
#include "ip/dram/address_map.hpp"
#include "ip/dram/canonical.hpp"
#include "ip/dram/mix_schedule.hpp"
#include "ip/dram/parameters.hpp"
#include "ip/dram/single_reads.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace levee::dram {

/// Cost of a core's access of a few bytes.
struct CoreAccessCost {
    Picoseconds latency = 0; ///< from the request to the last data
    double service_ps = 0;   ///< service time taken from the running streams
};

/// The timing of a DRAM: a mix of streams is priced by the steady state of its command schedule,
/// which is simulated once for each kind of mix.
class DramTiming : public FlowResource {
public:
    /// Throws std::invalid_argument, listing every fault, if the parameters are not valid.
    DramTiming(std::string name, const Parameters& parameters);
    DramTiming(const DramTiming&) = delete;
    DramTiming& operator=(const DramTiming&) = delete;

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand_bytes_per_ps,
               std::span<double> ps_per_byte) override;

    /// From a stream's first request to its first data, with nothing else running.
    [[nodiscard]] Picoseconds unloaded_latency(Direction direction) const;

    /// Cost of a core's access of `bytes` (at most a page) while the streams of `mix` load the
    /// memory.
    [[nodiscard]] CoreAccessCost core_access(Direction direction, unsigned bytes,
                                             std::span<const FlowUse* const> mix);

    /// Latency of a core's access at `now`, which must not decrease. With nothing running it
    /// depends on the rows left open and on refresh; while a mix runs it is the mean of
    /// core_access, and where the mix leaves the memory partly idle, between that and the unloaded
    /// one.
    [[nodiscard]] Picoseconds core_latency(Direction direction, std::uint64_t address,
                                           unsigned bytes, Picoseconds now);

    /// Refresh commands to one channel's ranks in `elapsed`: all-bank or per-bank, as configured.
    [[nodiscard]] std::uint64_t refreshes(Picoseconds elapsed) const;

    /// Rows activated to move `bytes` of `pattern` alone.
    [[nodiscard]] std::uint64_t activates(const AccessPattern& pattern, std::uint64_t bytes) const;

    [[nodiscard]] const Parameters& parameters() const { return parameters_; }

private:
    using Key = std::vector<std::uint64_t>;

    /// A mix as requested, and its prices.
    struct Priced {
        Key asked;
        std::vector<double> ps_per_byte;
    };

    void price_by_kind(std::span<const FlowUse* const> mix, std::span<const unsigned> turns,
                       std::span<double> ps_per_byte);
    /// Returns the cost of a mix, scheduling it if it is new.
    const MixCost& cost_of(std::span<const MixStream> mix, bool brief, unsigned core_bytes);

    Parameters parameters_;
    Clocks clocks_;
    AddressMap map_;
    SingleReads single_reads_;
    std::map<Key, MixCost> costs_; ///< by kind
    std::vector<Priced> priced_;   ///< the latest, by a hash of the request
    Key asked_;
    TurnsByDemand turns_;
    std::vector<FlowUse> running_; ///< the mix priced last
    double busy_ = 0.0; ///< share of the time for which its demands can occupy the memory
};

} // namespace levee::dram
