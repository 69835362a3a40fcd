// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/mix_schedule.hpp"

#include <algorithm>
#include <numeric>

namespace levee::dram {

namespace {

constexpr std::uint16_t first_core = 0xff00; ///< streams from here on are cores
constexpr std::size_t most_cores = 4;

// Samples required for a mean.
constexpr std::uint64_t bursts_seen = 32;     // of each stream, at least
constexpr std::uint64_t core_reads_seen = 64; // at least

constexpr std::uint64_t most_spans_per_refresh = 64; // scheduled for one all-bank refresh

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
                   {}});
        advance(sources_.back());
    }
    for (unsigned ch = 0; ch < parameters.organisation.channels; ++ch)
        lines_.push_back(Line{ChannelSchedule(parameters, clocks)});
    next_times_.resize(lines_.size());
    for (std::size_t line = 0; line < lines_.size(); ++line)
        touched_.push_back(line);
    tally_.clocks.resize(mix.size());
    tally_.bytes.resize(mix.size());
    tally_.rows.resize(mix.size());
    if (core_every > 0)
        cores_.resize(std::min(most_cores, lines_.size()));
    for (std::size_t core = 0; core < cores_.size(); ++core) // staggered
        cores_[core].at = core_every * (core + 1);
}

MixSchedule::Place MixSchedule::place_of(std::uint64_t burst) const
{
    const Location at = map_.locate(burst);
    return Place{at.channel, at.rank * parameters_.banks_per_rank() + at.bank, at.row};
}

void MixSchedule::advance(Source& source)
{
    source.step = source.walk.next();
    const std::uint64_t row_part = source.step.burst >> map_.low_column_bits();
    if (row_part == source.row_part)
        return; // another column of the same row
    source.row_part = row_part;
    source.place = place_of(source.step.burst);
}

/// Fills the queues: each stream in turn, which waits while the queue of its next burst is full, so
/// that streams get equal bytes whatever their demand.
void MixSchedule::pump(std::uint64_t now)
{
    while (!sources_.empty()) {
        Source& source = sources_[turn_];
        if (source.credit <= 0) {
            turn_ = turn_ + 1 == sources_.size() ? 0 : turn_ + 1;
            sources_[turn_].credit += sources_[turn_].allowance;
            continue;
        }
        Line& line = lines_[source.place.channel];
        if (!line.schedule.room(source.write))
            return;
        WaitingBurst burst{age_++, source.place.row, static_cast<std::uint16_t>(turn_),
                           static_cast<std::uint16_t>(source.step.useful_bytes), false};
        line.schedule.arrive(source.place.bank, source.write, burst, now);
        touch(source.place.channel);
        source.credit -= source.step.useful_bytes;
        advance(source);
    }
}

void MixSchedule::core_read(Core& core, std::size_t number)
{
    const std::uint64_t bursts =
        (core_bytes_ + parameters_.burst_bytes() - 1) / parameters_.burst_bytes();
    const std::uint64_t first = mix_bits(++core_reads_) / bursts * bursts;
    for (std::uint64_t b = 0; b < bursts; ++b) {
        const Place place = place_of(first + b);
        WaitingBurst burst{age_++, place.row, static_cast<std::uint16_t>(first_core + number), 0,
                           true};
        lines_[place.channel].schedule.arrive(place.bank, false, burst, core.at);
        touch(place.channel);
    }
    core = Core{no_time, core.at, 0, static_cast<unsigned>(bursts)};
}

void MixSchedule::served_core(Core& core, const ChannelSchedule::Served& burst)
{
    core.end = std::max(core.end, burst.data_end);
    if (--core.bursts > 0)
        return;
    ++tally_.core_reads;
    tally_.core_latency += static_cast<double>(core.end - core.asked);
    core.at = core.end + core_every_;
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
    if (burst.burst.stream >= first_core) {
        tally_.core_clocks += took;
        served_core(cores_[burst.burst.stream - first_core], burst);
        return;
    }
    tally_.clocks[burst.burst.stream] += took;
    tally_.bytes[burst.burst.stream] += burst.burst.useful_bytes;
}

void MixSchedule::touch(std::size_t line)
{
    if (std::find(touched_.begin(), touched_.end(), line) == touched_.end())
        touched_.push_back(line);
}

void MixSchedule::look_again()
{
    for (const std::size_t line : touched_)
        next_times_[line] = lines_[line].schedule.next_time();
    touched_.clear();
}

/// Issues the next command of any channel, or the core's next read.
void MixSchedule::step()
{
    look_again();
    const auto next = std::min_element(next_times_.begin(), next_times_.end());
    now_ = *next;
    const auto core = std::min_element(cores_.begin(), cores_.end(),
                                       [](const Core& a, const Core& b) { return a.at < b.at; });
    if (core != cores_.end() && core->at <= now_) {
        core_read(*core, static_cast<std::size_t>(core - cores_.begin()));
        return;
    }
    const auto at = static_cast<std::size_t>(next - next_times_.begin());
    touched_.push_back(at);
    ChannelSchedule::Served burst{};
    if (!lines_[at].schedule.issue(burst)) {
        if (const auto stream = lines_[at].schedule.opened(); stream && *stream < first_core)
            ++tally_.rows[*stream];
        return;
    }
    ++served_;
    served(lines_[at], burst);
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
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        const auto bytes = static_cast<double>(tally_.bytes[i]);
        result.ps_per_byte.push_back(share[i] * ps_per_share / bytes);
        result.rows_per_byte.push_back(static_cast<double>(tally_.rows[i]) / bytes);
    }
    if (tally_.core_reads > 0) {
        const auto reads = static_cast<double>(tally_.core_reads);
        result.core_latency_ps =
            tally_.core_latency / reads * static_cast<double>(parameters_.timing.clock);
        result.core_service_ps = tally_.core_clocks * ps_per_share / reads;
    }
    return result;
}

/// Extends the span to whole refresh intervals, for the long-run rate of refreshes. An interval far
/// beyond the span is not scheduled: the time of its refresh is added, as a factor.
double MixSchedule::see_refreshes(std::uint64_t from)
{
    const std::uint64_t span = now_ - from;
    if (c_.refi / most_spans_per_refresh > span) {
        const auto refi = static_cast<double>(c_.refi);
        return refi / (refi - static_cast<double>(c_.rfc_all));
    }
    const std::uint64_t until = from + (span + c_.refi - 1) / c_.refi * c_.refi;
    while (now_ < until)
        step();
    return 1.0;
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
                   std::vector<std::uint64_t>(sources_.size()),
                   0,
                   0,
                   0,
                   0};
    while (served_ - bursts_before < span.seen * lines_.size() || !seen_all())
        step();
    const double refreshing =
        parameters_.refresh == RefreshMode::AllBank ? see_refreshes(from) : 1.0;
    return cost(static_cast<double>(now_ - from) * refreshing);
}

} // namespace levee::dram
