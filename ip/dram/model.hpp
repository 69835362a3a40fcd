// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/flow.hpp"
#include "ip/dram/address_map.hpp"
#include "ip/dram/canonical.hpp"
#include "ip/dram/mix_schedule.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace levee::dram {

/// A core's access of a few bytes.
struct CoreAccessCost {
    Picoseconds latency = 0; ///< from the request to its last data
    double service_ps = 0;   ///< that it takes from the streams running
};

/// The timing of a DRAM: prices mixes of streams by the steady state of their command schedule,
/// each kind of mix scheduled once.
class DramTiming : public FlowResource {
public:
    /// Throws std::invalid_argument with every fault if the parameters are not valid.
    DramTiming(std::string name, const Parameters& parameters);
    DramTiming(const DramTiming&) = delete;
    DramTiming& operator=(const DramTiming&) = delete;

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand_bytes_per_ps,
               std::span<double> ps_per_byte) override;

    /// From the first request of a stream to its first data, nothing else running.
    [[nodiscard]] Picoseconds unloaded_latency(Direction direction) const;

    /// A core's access of `bytes` (at most a page) while the streams of `mix` keep the memory busy.
    [[nodiscard]] CoreAccessCost core_access(Direction direction, unsigned bytes,
                                             std::span<const FlowUse* const> mix);

    /// The same for the mix last priced; where demands leave the memory idle in part, the latency
    /// lies between the unloaded and the loaded one in proportion.
    [[nodiscard]] Picoseconds core_latency(Direction direction, unsigned bytes);

    /// Refresh commands of one channel's ranks in `elapsed`: all-bank or per-bank, as configured.
    [[nodiscard]] std::uint64_t refreshes(Picoseconds elapsed) const;

    /// Rows opened in order to move `bytes` of `pattern` on its own.
    [[nodiscard]] std::uint64_t activates(const AccessPattern& pattern, std::uint64_t bytes) const;

    [[nodiscard]] const Parameters& parameters() const { return parameters_; }

private:
    using Key = std::vector<std::uint64_t>;

    /// A mix as it was asked for, and its prices.
    struct Priced {
        Key asked;
        std::vector<double> ps_per_byte;
    };

    void price_by_kind(std::span<const FlowUse* const> mix, std::span<const unsigned> turns,
                       std::span<double> ps_per_byte);
    /// Schedules the mix if it has not been met before.
    const MixCost& cost_of(std::span<const MixStream> mix, bool brief, unsigned core_bytes);

    Parameters parameters_;
    Clocks clocks_;
    AddressMap map_;
    std::map<Key, MixCost> costs_; ///< by kind
    std::vector<Priced> priced_;   ///< the latest, by a hash of what was asked
    Key asked_;
    TurnsByDemand turns_;
    std::vector<FlowUse> running_; ///< the mix last priced
    double busy_ = 0.0;            ///< share of the time it can keep the memory busy
};

} // namespace levee::dram
