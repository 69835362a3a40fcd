// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "ip/dram/address_map.hpp"
#include "ip/dram/canonical.hpp"
#include "ip/dram/known_costs.hpp"
#include "ip/dram/mix_schedule.hpp"
#include "ip/dram/parameters.hpp"
#include "ip/dram/price_choice.hpp"
#include "ip/dram/running_mix.hpp"
#include "ip/dram/single_reads.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::dram {

/// Cost of a core's access of a few bytes.
struct CoreAccessCost {
    Picoseconds latency = 0; ///< time from the request to the last data
    double service_ps = 0;   ///< service time that the access takes from the running streams
};

/// Times the streams of a DRAM by one of two methods, which PriceChoice selects. By kind: a time
/// per byte, from a command schedule that is simulated once for each kind of mix. By schedule: each
/// command of the running streams is scheduled.
class DramTiming : public FlowResource {
public:
    /// Throws std::invalid_argument, listing every fault, if the parameters are not valid. Costs
    /// are looked up in `shared` and added to it; it must outlive this object; null: costs are not
    /// shared.
    DramTiming(std::string name, const Parameters& parameters, KnownCosts* shared = known_costs());
    DramTiming(const DramTiming&) = delete;
    DramTiming& operator=(const DramTiming&) = delete;

    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override;

    /// Call when a stream of `bytes` is about to start at `now`; may change schedules().
    void begins(std::uint64_t bytes, Picoseconds now) { choice_.begins(bytes, now); }
    [[nodiscard]] const PriceChoice& choice() const { return choice_; }
    [[nodiscard]] bool schedules() const override { return choice_.schedules(); }
    void schedule(Picoseconds now, std::span<ScheduledStream> mix) override;
    [[nodiscard]] Picoseconds holds_until() const override { return running_mix_.holds_until(); }

    /// Time of a stream in addition to the price of its bytes, if nothing else runs: from its first
    /// request to its first data. With scheduled streams: only the time after the last command.
    [[nodiscard]] Picoseconds unloaded_latency(Direction direction) const;

    /// Cost of a core's access of `bytes` (at most a page) while the streams of `mix` load the
    /// memory.
    [[nodiscard]] CoreAccessCost core_access(Direction direction, unsigned bytes,
                                             std::span<const FlowUse* const> mix);

    /// Latency of a core's access at `now`, which must not decrease. If nothing runs, it depends on
    /// open rows and on refresh. While a mix runs, it is the mean of core_access(). If
    /// the mix leaves the memory partly idle, it is between this mean and the latency with no mix.
    [[nodiscard]] Picoseconds core_latency(Direction direction, std::uint64_t address,
                                           unsigned bytes, Picoseconds now);

    /// Refresh commands to one channel's ranks in `elapsed`: all-bank or per-bank, as configured.
    [[nodiscard]] std::uint64_t refreshes(Picoseconds elapsed) const;

    /// Enables rows_per_byte(), which takes host time for each kind of mix.
    void count_rows() { counts_rows_ = true; }
    /// Rows opened by streams until `now` while they were scheduled.
    [[nodiscard]] std::uint64_t scheduled_rows(Picoseconds now) const
    {
        return running_mix_.rows_opened(now);
    }
    /// Rows opened per byte of `use`, a stream of the mix priced last. Rows that another stream or
    /// a refresh has closed, and that are opened again, count again. 0 without count_rows(), and
    /// while streams are scheduled.
    [[nodiscard]] double rows_per_byte(const FlowUse& use) const;
    /// Rows opened by a core's accesses until now.
    [[nodiscard]] std::uint64_t core_rows() const { return core_rows_ + single_reads_.rows(); }

    [[nodiscard]] const Parameters& parameters() const { return parameters_; }

private:
    using Key = std::vector<std::uint64_t>;

    [[nodiscard]] Picoseconds first_access(Direction direction) const;
    void find_busy();

    /// A mix as it was requested, and its prices.
    struct Priced {
        Key asked;
        std::vector<double> ps_per_byte, rows_per_byte;
    };

    void price_by_kind(std::span<const FlowUse* const> mix, std::span<const unsigned> quarterings,
                       Priced& priced);
    /// The rows opened per byte of each of the mix's streams.
    const std::vector<double>& rows_of(std::span<const MixStream> mix);
    const MixCost& scheduled(std::span<const MixStream> mix, const MixEffort& effort,
                             unsigned core_bytes);
    [[nodiscard]] MixCost schedule_of(std::span<const MixStream> mix, const MixEffort& effort,
                                      unsigned core_bytes) const;

    Parameters parameters_;
    Clocks clocks_;
    AddressMap map_;
    SingleReads single_reads_;
    PriceChoice choice_;
    RunningMix running_mix_;       ///< used only while streams are scheduled
    std::map<Key, MixCost> costs_; ///< costs by kind of mix
    KnownCosts* shared_;           ///< costs of this process; null: none are shared
    /// The shared costs for this memory.
    const KnownCosts::OfMemory* known_ = nullptr;
    std::vector<Priced> priced_; ///< the latest prices, by a hash of the request
    Key asked_;
    Shares shares_;
    std::vector<FlowUse> running_;                        ///< the mix priced last
    std::vector<std::pair<const FlowUse*, double>> rows_; ///< rows opened per byte of each stream
    bool counts_rows_ = false;
    std::uint64_t core_rows_ = 0; ///< rows opened by cores, except those of single_reads_
    /// Share of time for which the running mix's demands can keep the memory busy.
    double busy_ = 0.0;
    std::vector<StreamDemand> demands_; ///< demands of the mix priced last, until busy_ is known
};

} // namespace levee::dram
