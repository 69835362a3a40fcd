// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace levee::dram {

namespace {

const Parameters& checked(const std::string& name, const Parameters& parameters)
{
    std::string faults;
    for (const std::string& fault : validate(parameters))
        faults += "\n  " + fault;
    if (!faults.empty())
        throw std::invalid_argument(name + ": invalid DRAM parameters:" + faults);
    return parameters;
}

using Effort = MixEffort;

constexpr Effort one_sequential{{128, 384}, 1};
// How often sequential streams collide in a bank depends on the banks in which they begin. The mix
// is therefore measured with three different placements.
constexpr Effort many_sequential{{128, 384}, 3};
// Mixes of three or more streams that read and write take longer to settle.
constexpr Effort many_turning{{512, 384}, 3};
// Rare streams seldom collide with the one that moves most of the bytes.
constexpr Effort one_with_rare{{128, 384}, 1};
constexpr unsigned rare = 2; ///< quarterings
// Irregular bursts fill the channels' queues unevenly and take longer to settle.
constexpr Effort one_irregular{{1024, 1024}, 1};
constexpr Effort many_irregular{{1024, 2048}, 1};
// A brief mix lasts only as long as its shortest stream, which ends before the queues settle. With
// only one placement, the time of a short write during a read is off by up to 4 %.
constexpr Effort brief_mix{{32, 128}, 3};
// Streams of long runs open few rows, some of them because refresh has closed them. The span
// therefore has several refresh intervals, after the refreshes that were postponed at first.
constexpr Effort few_rows{{8192, 16384}, 1};
constexpr unsigned bursts_of_long_runs = 8;

/// Whether one placement suffices. With refreshes of all banks, the mean of several is needed: each
/// placement has its own phase of refreshes.
bool is_one_with_rare(std::span<const MixStream> mix, RefreshMode refresh)
{
    const auto frequent = std::ranges::count_if(
        mix, [](const MixStream& stream) { return stream.quarterings < rare; });
    return refresh == RefreshMode::PerBank && frequent == 1;
}

/// Whether the mix reads and writes.
bool turns(std::span<const MixStream> mix)
{
    return std::ranges::any_of(
        mix, [&](const MixStream& stream) { return stream.direction != mix.front().direction; });
}

const Effort& effort_for(std::span<const MixStream> mix, bool brief, RefreshMode refresh)
{
    const bool irregular = std::ranges::any_of(mix, &MixStream::irregular);
    if (mix.size() == 1 && !irregular)
        return one_sequential;
    if (brief)
        return brief_mix;
    if (mix.size() == 1)
        return one_irregular;
    if (irregular)
        return many_irregular;
    if (is_one_with_rare(mix, refresh))
        return one_with_rare;
    return mix.size() > 2 && turns(mix) ? many_turning : many_sequential;
}

/// An arbitrary address for each stream of a mix. The price does not depend on the exact place,
/// except for the part that the canonical form keeps.
std::uint64_t place(std::size_t stream, const Parameters& parameters)
{
    constexpr std::uint64_t step = 4096;
    const std::uint64_t capacity = parameters.organisation.capacity_bytes;
    const std::uint64_t keep =
        parameters.mapping.bank_hash ? step : capacity / parameters.organisation.rows;
    return mix_bits(stream + 0x51ed) % capacity / keep * keep;
}

MixCost mean(const std::vector<MixCost>& costs)
{
    MixCost result = costs.front();
    for (std::size_t k = 1; k < costs.size(); ++k) {
        for (std::size_t i = 0; i < result.ps_per_byte.size(); ++i) {
            result.ps_per_byte[i] += costs[k].ps_per_byte[i];
            result.rows_per_byte[i] += costs[k].rows_per_byte[i];
        }
        result.core_latency_ps += costs[k].core_latency_ps;
        result.core_service_ps += costs[k].core_service_ps;
    }
    const auto cases = static_cast<double>(costs.size());
    for (double& cost : result.ps_per_byte)
        cost /= cases;
    for (double& rows : result.rows_per_byte)
        rows /= cases;
    result.core_latency_ps /= cases;
    result.core_service_ps /= cases;
    return result;
}

/// The kind of a mix: its streams in canonical form and order.
struct Kind {
    /// `quarterings`: MixStream::quarterings of each stream; empty: streams have equal shares.
    Kind(std::span<const FlowUse* const> mix, std::span<const unsigned> quarterings,
         const Parameters& parameters);

    std::vector<CanonicalStream> forms;           ///< in the order of the mix
    std::vector<std::vector<std::uint64_t>> keys; ///< in the order of the mix
    /// Numbers of the mix's streams, sorted, so that a mix is found again whatever the order in
    /// which its streams started.
    std::vector<std::size_t> order;
    std::vector<MixStream> streams; ///< sorted by `order`
    bool brief = false;
};

Kind::Kind(std::span<const FlowUse* const> mix, std::span<const unsigned> quarterings,
           const Parameters& parameters)
    : order(mix.size())
{
    for (std::size_t i = 0; i < mix.size(); ++i) {
        forms.push_back(canonical(*mix[i], parameters));
        forms[i].quarterings = quarterings.empty() ? 0 : quarterings[i];
        keys.push_back(forms[i].key());
        // A stream with a small share lasts as long as the longer ones of its activity.
        brief |= forms[i].brief && forms[i].quarterings == 0;
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) -> const auto& { return keys[i]; });
    for (const std::size_t i : order)
        streams.push_back(MixStream{forms[i].pattern, forms[i].direction, forms[i].quarterings});
}

// A model's layers and steps request the same mixes again and again.
constexpr std::size_t latest_mixes = 2048;

/// Appends everything on which a stream's price depends, except the other streams.
void append(std::vector<std::uint64_t>& key, const FlowUse& use, unsigned quarterings,
            const Parameters& parameters)
{
    const AccessPattern& p = use.pattern;
    key.push_back(std::uint64_t{quarterings} << 2 | (use.direction == Direction::Write ? 2U : 0U) |
                  (p.scattered ? 1U : 0U));
    key.push_back(parameters.mapping.bank_hash ? p.address % parameters.burst_bytes() : p.address);
    key.push_back(p.run_bytes);
    for (std::size_t level = 0; level < p.count.size(); ++level) {
        key.push_back(p.count[level]);
        key.push_back(static_cast<std::uint64_t>(p.stride[level]));
    }
    key.push_back(use.bytes);
}

std::size_t slot_of(std::span<const std::uint64_t> key)
{
    std::uint64_t hash = key.size();
    for (const std::uint64_t word : key)
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL + (hash >> 32); // odd: 2^64 / golden ratio
    return mix_bits(hash) % latest_mixes;
}

Picoseconds to_ps(double ps)
{
    return static_cast<Picoseconds>(std::llround(ps));
}

} // namespace

DramTiming::DramTiming(std::string name, const Parameters& parameters, KnownCosts* shared)
    : FlowResource({FlowAccount::Kind::Storage, std::move(name)}),
      parameters_(checked(flow_name(), parameters)), clocks_(clocks(parameters_)),
      map_(parameters_), single_reads_(parameters_, clocks_, map_), choice_(parameters_),
      running_mix_(parameters_, clocks_, map_), shared_(shared), priced_(latest_mixes)
{
    if (shared_ != nullptr)
        known_ = &shared_->of(parameters_);
}

const std::vector<double>& DramTiming::rows_of(std::span<const MixStream> mix)
{
    const bool long_runs = std::ranges::all_of(mix, [this](const MixStream& stream) {
        return !stream.irregular() ||
               (!stream.pattern.scattered &&
                stream.pattern.run_bytes >= bursts_of_long_runs * parameters_.burst_bytes());
    });
    return scheduled(mix, long_runs ? few_rows : effort_for(mix, false, parameters_.refresh), 0)
        .rows_per_byte;
}

const MixCost& DramTiming::scheduled(std::span<const MixStream> mix, const Effort& effort,
                                     unsigned core_bytes)
{
    Key key{core_bytes, effort.span.seen};
    for (const MixStream& stream : mix) {
        const CanonicalStream form{stream.pattern, stream.direction, stream.quarterings, 1.0,
                                   false};
        const Key words = form.key();
        key.insert(key.end(), words.begin(), words.end());
    }
    const auto found = costs_.find(key);
    if (found != costs_.end())
        return found->second;
    if (known_ != nullptr)
        if (const auto known = known_->find(key); known != known_->end())
            return costs_.emplace(std::move(key), known->second).first->second;
    const MixCost cost = schedule_of(mix, effort, core_bytes);
    if (shared_ != nullptr)
        shared_->add(parameters_, key, cost);
    return costs_.emplace(std::move(key), cost).first->second;
}

MixCost DramTiming::schedule_of(std::span<const MixStream> mix, const Effort& effort,
                                unsigned core_bytes) const
{
    std::vector<MixCost> seen;
    for (unsigned k = 0; k < effort.placements; ++k) {
        std::vector<MixStream> placed(mix.begin(), mix.end());
        for (std::size_t i = 0; i < placed.size(); ++i)
            placed[i].pattern.address += place(k * mix.size() + i, parameters_);
        // The core computes between its accesses; the interval hardly affects their latency.
        const std::uint64_t core_every = core_bytes > 0 ? clocks_.rc : 0;
        MixSchedule schedule(parameters_, clocks_, map_, placed, core_every, core_bytes);
        seen.push_back(schedule.run(effort.span));
    }
    return mean(seen);
}

void DramTiming::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
                       std::span<double> ps_per_byte)
{
    running_.clear();
    rows_.clear();
    demands_.clear();
    busy_ = 0.0;
    single_reads_.forget();
    if (mix.empty())
        return;
    const std::span<const unsigned> quarterings = shares_.of(
        mix, demand, parameters_.peak_bytes_per_s() / static_cast<double>(ps_per_second));
    asked_.clear();
    for (std::size_t i = 0; i < mix.size(); ++i)
        append(asked_, *mix[i], quarterings[i], parameters_);
    Priced& latest = priced_[slot_of(asked_)];
    if (latest.asked != asked_) {
        price_by_kind(mix, quarterings, latest);
        latest.asked = asked_;
    }
    std::copy(latest.ps_per_byte.begin(), latest.ps_per_byte.end(), ps_per_byte.begin());
    for (std::size_t i = 0; i < mix.size(); ++i) {
        running_.push_back(*mix[i]);
        rows_.emplace_back(mix[i], latest.rows_per_byte[i]);
        busy_ += demand[i].bytes_per_ps * ps_per_byte[i];
    }
    busy_ = std::min(busy_, 1.0);
}

void DramTiming::schedule(Picoseconds now, std::span<ScheduledStream> mix)
{
    running_.clear();
    rows_.clear();
    demands_.clear();
    single_reads_.forget();
    for (const ScheduledStream& stream : mix) {
        running_.push_back(*stream.use);
        demands_.push_back(StreamDemand{stream.bytes_per_ps, stream.activity});
    }
    try {
        running_mix_.change(now, mix);
    } catch (const std::logic_error& error) {
        throw std::logic_error(flow_name() + ": " + error.what());
    }
}

/// Finds the share of time for which the mix that was scheduled last keeps the memory busy, from
/// its price. Needed only if a core reads.
void DramTiming::find_busy()
{
    const std::vector<FlowUse> uses = running_;
    const std::vector<StreamDemand> demands = std::exchange(demands_, {});
    std::vector<const FlowUse*> mix;
    for (const FlowUse& use : uses)
        mix.push_back(&use);
    std::vector<double> prices(mix.size());
    price(mix, demands, prices);
}

void DramTiming::price_by_kind(std::span<const FlowUse* const> mix,
                               std::span<const unsigned> quarterings, Priced& priced)
{
    priced.ps_per_byte.resize(mix.size());
    priced.rows_per_byte.resize(mix.size());
    const Kind kind(mix, quarterings, parameters_);
    const auto& [forms, keys, order, streams, brief] = kind;
    const MixCost& cost = scheduled(streams, effort_for(streams, brief, parameters_.refresh), 0);
    const std::vector<double> rows_per_byte =
        counts_rows_ ? rows_of(streams) : std::vector<double>(mix.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        double sum = 0.0, rows = 0.0;
        for (; end < order.size() && keys[order[end]] == keys[order[first]]; ++end) {
            sum += cost.ps_per_byte[end];
            rows += rows_per_byte[end];
        }
        // Equal streams have equal prices.
        const auto equal = static_cast<double>(end - first);
        for (std::size_t k = first; k < end; ++k) {
            priced.ps_per_byte[order[k]] = sum / equal * forms[order[k]].burst_factor;
            priced.rows_per_byte[order[k]] = rows / equal * forms[order[k]].burst_factor;
        }
        first = end;
    }
}

Picoseconds DramTiming::core_latency(Direction direction, std::uint64_t address, unsigned bytes,
                                     Picoseconds now)
{
    if (running_.empty()) {
        const Picoseconds clock = parameters_.timing.clock;
        if (direction == Direction::Write) {
            single_reads_.write(address, bytes, now / clock);
            return parameters_.controller.latency;
        }
        return parameters_.controller.latency +
               single_reads_.read(address, bytes, now / clock) * clock;
    }
    ++core_rows_;
    if (direction == Direction::Read && schedules())
        if (const auto clocks = running_mix_.core_read(address, bytes, now))
            return parameters_.controller.latency + *clocks * parameters_.timing.clock;
    if (!demands_.empty())
        find_busy();
    std::vector<const FlowUse*> mix;
    for (const FlowUse& use : running_)
        mix.push_back(&use);
    const Picoseconds unloaded = core_access(direction, bytes, {}).latency;
    const Picoseconds loaded = core_access(direction, bytes, mix).latency;
    if (loaded <= unloaded)
        return loaded;
    return unloaded + to_ps(busy_ * static_cast<double>(loaded - unloaded));
}

double DramTiming::rows_per_byte(const FlowUse& use) const
{
    if (schedules())
        return 0.0; // the rows of scheduled streams are counted as they are opened
    const auto at = std::ranges::find(rows_, &use, [](const auto& of_use) { return of_use.first; });
    return at == rows_.end() ? 0.0 : at->second;
}

Picoseconds DramTiming::unloaded_latency(Direction direction) const
{
    if (schedules())
        return parameters_.controller.latency +
               running_mix_.after_last(direction) * parameters_.timing.clock;
    return first_access(direction);
}

/// Latency if nothing else runs and another row is open.
Picoseconds DramTiming::first_access(Direction direction) const
{
    const Clocks& c = clocks_;
    const std::uint64_t in_dram = direction == Direction::Read
                                      ? c.rp + c.rcd_read + c.read_latency + c.burst
                                      : c.rp + c.rcd_write + c.write_latency + c.burst;
    return parameters_.controller.latency + in_dram * parameters_.timing.clock;
}

CoreAccessCost DramTiming::core_access(Direction direction, unsigned bytes,
                                       std::span<const FlowUse* const> mix)
{
    const unsigned bursts =
        std::max(1U, (bytes + parameters_.burst_bytes() - 1) / parameters_.burst_bytes());
    const Picoseconds unloaded =
        first_access(direction) + (bursts - 1) * clocks_.ccd_l * parameters_.timing.clock;
    // A write is done when the controller accepts it.
    if (direction == Direction::Write)
        return CoreAccessCost{parameters_.controller.latency, 0.0};
    if (mix.empty())
        return CoreAccessCost{unloaded, 0.0};
    const Kind kind(mix, {}, parameters_);
    const MixCost& cost =
        scheduled(kind.streams, effort_for(kind.streams, kind.brief, parameters_.refresh),
                  bursts * parameters_.burst_bytes());
    return CoreAccessCost{parameters_.controller.latency + to_ps(cost.core_latency_ps),
                          cost.core_service_ps};
}

std::uint64_t DramTiming::refreshes(Picoseconds elapsed) const
{
    const std::uint64_t per_rank =
        parameters_.refresh == RefreshMode::AllBank ? 1 : parameters_.banks_per_rank();
    return elapsed / parameters_.timing.refi * per_rank * parameters_.organisation.ranks;
}

} // namespace levee::dram
