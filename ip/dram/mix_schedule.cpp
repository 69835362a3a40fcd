// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/mix_schedule.hpp"

#include <algorithm>
#include <numeric>

namespace levee::dram {

namespace {

constexpr std::uint16_t core_stream = 0xffff;

// Samples required for a mean.
constexpr std::uint64_t bursts_seen = 32;      // of each stream, at least
constexpr std::uint64_t core_reads_seen = 128; // at least

} // namespace

MixSchedule::MixSchedule(const Parameters& parameters, const Clocks& clocks, const AddressMap& map,
                         std::span<const MixStream> mix, std::uint64_t core_every,
                         unsigned core_bytes)
    : parameters_(parameters), c_(clocks), map_(map), core_every_(core_every),
      core_bytes_(core_bytes)
{
    for (const MixStream& stream : mix) {
        const std::uint64_t seed = mix_bits(sources_.size() + 1);
        sources_.push_back(
            Source{BurstWalk(stream.pattern, no_time, parameters.burst_bytes(), seed),
                   stream.direction == Direction::Write,
                   static_cast<std::int64_t>(parameters.controller.bytes_per_turn) * stream.turns,
                   0,
                   {},
                   {}});
        advance(sources_.back());
    }
    for (unsigned ch = 0; ch < parameters.organisation.channels; ++ch)
        lines_.push_back(Line{ChannelSchedule(parameters, clocks)});
    tally_.clocks.resize(mix.size());
    tally_.bytes.resize(mix.size());
    if (core_every > 0)
        core_at_ = core_every;
}

void MixSchedule::advance(Source& source)
{
    source.step = source.walk.next();
    source.place = map_.locate(source.step.burst);
}

/// Fills the queues: each stream in turn, which waits while the queue of its next burst is full, so
/// that streams get equal bytes whatever their demand.
void MixSchedule::pump(std::uint64_t now)
{
    while (!sources_.empty()) {
        Source& source = sources_[turn_];
        if (source.credit <= 0) {
            turn_ = (turn_ + 1) % sources_.size();
            sources_[turn_].credit += sources_[turn_].allowance;
            continue;
        }
        Line& line = lines_[source.place.channel];
        if (!line.schedule.room(source.write))
            return;
        WaitingBurst burst{age_++, source.place.row, static_cast<std::uint16_t>(turn_),
                           static_cast<std::uint16_t>(source.step.useful_bytes), false};
        line.schedule.arrive(source.place.rank, source.place.bank, source.write, burst, now);
        source.credit -= source.step.useful_bytes;
        advance(source);
    }
}

void MixSchedule::core_read(std::uint64_t now)
{
    const std::uint64_t bursts =
        (core_bytes_ + parameters_.burst_bytes() - 1) / parameters_.burst_bytes();
    const std::uint64_t first = mix_bits(++core_reads_) / bursts * bursts;
    for (std::uint64_t b = 0; b < bursts; ++b) {
        const Location place = map_.locate(first + b);
        WaitingBurst burst{age_++, place.row, core_stream, 0, true};
        lines_[place.channel].schedule.arrive(place.rank, place.bank, false, burst, now);
    }
    core_bursts_ = static_cast<unsigned>(bursts);
    core_asked_ = now;
    core_end_ = 0;
    core_at_ = no_time;
}

void MixSchedule::served_core(const ChannelSchedule::Served& burst)
{
    core_end_ = std::max(core_end_, burst.data_end);
    if (--core_bursts_ > 0)
        return;
    ++tally_.core_reads;
    tally_.core_latency += static_cast<double>(core_end_ - core_asked_);
    core_at_ = core_end_ + core_every_;
}

void MixSchedule::served(Line& line, const ChannelSchedule::Served& burst)
{
    auto took = static_cast<double>(burst.data_end - line.data_end);
    if (line.wrote && !burst.write && took > static_cast<double>(c_.burst)) {
        tally_.turning += took - static_cast<double>(c_.burst);
        took = static_cast<double>(c_.burst);
    }
    line.data_end = burst.data_end;
    line.wrote = burst.write;
    if (burst.burst.stream == core_stream) {
        tally_.core_clocks += took;
        served_core(burst);
        return;
    }
    tally_.clocks[burst.burst.stream] += took;
    tally_.bytes[burst.burst.stream] += burst.burst.useful_bytes;
}

std::size_t MixSchedule::next_line()
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < lines_.size(); ++i)
        if (lines_[i].schedule.next_time() < lines_[best].schedule.next_time())
            best = i;
    return best;
}

/// Issues the next command of any channel, or the core's next read.
void MixSchedule::step()
{
    Line& line = lines_[next_line()];
    now_ = line.schedule.next_time();
    if (core_at_ <= now_) {
        core_read(core_at_);
        return;
    }
    ChannelSchedule::Served burst{};
    if (!line.schedule.issue(burst))
        return;
    ++served_;
    served(line, burst);
    pump(now_ + 1);
}

bool MixSchedule::seen_all() const
{
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (tally_.bytes[i] <
            bursts_seen * std::max<std::uint64_t>(1, sources_[i].step.useful_bytes))
            return false;
    return core_every_ == 0 || tally_.core_reads >= core_reads_seen;
}

MixCost MixSchedule::cost(double elapsed_clocks) const
{
    MixCost result;
    std::vector<double> share = tally_.clocks;
    double writes = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i)
        writes += sources_[i].write ? share[i] : 0.0;
    // Turns of the bus are charged to the writes: with reads alone there would be none.
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (sources_[i].write && writes > 0.0)
            share[i] += tally_.turning * tally_.clocks[i] / writes;
    double total = tally_.core_clocks;
    for (const double clocks : share)
        total += clocks;
    const double ps_per_share =
        elapsed_clocks * static_cast<double>(parameters_.timing.clock) / total;
    for (std::size_t i = 0; i < sources_.size(); ++i)
        result.ps_per_byte.push_back(share[i] * ps_per_share /
                                     static_cast<double>(tally_.bytes[i]));
    if (tally_.core_reads > 0) {
        const auto reads = static_cast<double>(tally_.core_reads);
        result.core_latency_ps =
            tally_.core_latency / reads * static_cast<double>(parameters_.timing.clock);
        result.core_service_ps = tally_.core_clocks * ps_per_share / reads;
    }
    return result;
}

MixCost MixSchedule::run(const Span& span)
{
    pump(0);
    while (served_ < span.warm_up * lines_.size())
        step();
    const std::uint64_t from = now_;
    const std::uint64_t bursts_before = served_;
    tally_ = Tally{std::vector<double>(sources_.size()),
                   std::vector<std::uint64_t>(sources_.size()),
                   0,
                   0,
                   0,
                   0};
    while (served_ - bursts_before < span.seen * lines_.size() || !seen_all())
        step();
    if (parameters_.refresh == RefreshMode::AllBank) {
        // The span is extended to whole refresh intervals, for the long-run rate of refreshes.
        const std::uint64_t until = from + (now_ - from + c_.refi - 1) / c_.refi * c_.refi;
        while (now_ < until)
            step();
    }
    return cost(static_cast<double>(now_ - from));
}

} // namespace levee::dram
