// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/mix_schedule.hpp"

#include <algorithm>

namespace levee::dram {

namespace {

constexpr std::uint16_t first_core = 0xff00; ///< streams from here on are cores
constexpr std::size_t most_cores = 4;

// Limits of the samples from which mean times are computed.
constexpr std::uint64_t bursts_seen = 32;     // Fewest bursts of a stream with a full share.
constexpr std::uint64_t rare_bursts_seen = 4; // Fewest bursts of any stream.
constexpr std::uint64_t core_reads_seen = 64; // Fewest reads of the cores.
constexpr unsigned most_retries = 2;          // Repeats of batches with a refresh, per channel.

/// A refresh interval of more spans than this is not scheduled.
constexpr std::uint64_t most_spans_per_refresh = 64;

/// Parts of a byte in which turns are counted: the smallest share of a byte is one of them.
constexpr std::int64_t parts = std::int64_t{1} << 2 * MixStream::most_quarterings;

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
                   static_cast<std::int64_t>(parameters.controller.bytes_per_turn) *
                       (parts >> 2 * stream.quarterings),
                   std::max(rare_bursts_seen, bursts_seen >> 2 * stream.quarterings),
                   0,
                   {}});
        advance(sources_.back());
    }
    for (unsigned ch = 0; ch < parameters.organisation.channels; ++ch)
        lines_.push_back(Line{ChannelSchedule(parameters, clocks), 0, false, false, {}, 0});
    next_times_.resize(lines_.size());
    for (std::size_t line = 0; line < lines_.size(); ++line)
        touch(line);
    const auto writes =
        static_cast<std::size_t>(std::ranges::count(sources_, true, &Source::write));
    turns_ = writes > 0 && (writes < mix.size() || core_every > 0);
    start_tally();
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

/// Fills the queues. Streams take turns; a stream keeps its turn while the queue of its next burst
/// is full, so streams get their shares whatever their demand.
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
        source.credit -= source.step.useful_bytes * parts;
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
    if (line.wrote && !burst.write) {
        const double turning = std::max(0.0, took - static_cast<double>(c_.burst));
        took -= turning;
        end_batch(line, turning);
    }
    if (turns_ && !line.wrote && burst.write) {
        line.batch.assign(sources_.size(), {});
        line.refreshes_before = line.schedule.rank_refreshes();
    }
    line.data_end = burst.data_end;
    line.wrote = burst.write;
    if (burst.burst.stream >= first_core) {
        tally_.core_clocks += took;
        served_core(cores_[burst.burst.stream - first_core], burst);
        return;
    }
    const auto count = [&](Moved& moved) {
        moved.clocks += took;
        moved.bytes += burst.burst.useful_bytes;
    };
    count(tally_.moved[burst.burst.stream]);
    if (burst.write && !line.batch.empty())
        count(line.batch[burst.burst.stream]);
}

/// Counts a complete batch of writes, after which the bus was idle for `turning`.
void MixSchedule::end_batch(Line& line, double turning)
{
    tally_.turning += turning;
    if (line.batch.empty())
        return;
    if (retries_ > 0 && line.schedule.rank_refreshes() != line.refreshes_before) {
        --retries_;
        line.batch.clear();
        fill_write_queues();
        return;
    }
    tally_.batch_turning += turning;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        tally_.batches[i].clocks += line.batch[i].clocks;
        tally_.batches[i].bytes += line.batch[i].bytes;
    }
    line.batch.clear();
}

void MixSchedule::start_tally()
{
    tally_ = Tally{};
    tally_.moved.resize(sources_.size());
    tally_.batches.resize(sources_.size());
    tally_.rows.resize(sources_.size());
    for (Line& line : lines_)
        line.batch.clear();
}

void MixSchedule::touch(std::size_t line)
{
    if (!lines_[line].is_touched)
        touched_.push_back(line);
    lines_[line].is_touched = true;
}

void MixSchedule::look_again()
{
    for (const std::size_t line : touched_) {
        next_times_[line] = lines_[line].schedule.next_time();
        lines_[line].is_touched = false;
    }
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
    touch(at);
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

bool MixSchedule::is_enough(const Moved& moved, std::size_t source) const
{
    return moved.bytes >= sources_[source].bursts_needed *
                              std::max<std::uint64_t>(1, sources_[source].step.useful_bytes);
}

/// Whether all streams have been seen, except writes that may wait for their batch.
bool MixSchedule::seen_all() const
{
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (!(turns_ && sources_[i].write) && !is_enough(tally_.moved[i], i))
            return false;
    return core_every_ == 0 || tally_.core_reads >= core_reads_seen;
}

/// Whether these tallies have enough bursts of each stream that writes.
bool MixSchedule::has_writes(const std::vector<Moved>& moved) const
{
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (sources_[i].write && !is_enough(moved[i], i))
            return false;
    return true;
}

/// Extends the schedule until batches of each stream that writes are complete. Rare writes would
/// wait long for theirs, so the queues are filled for them. The time of refreshes has been counted
/// before, so batches with a refresh are repeated.
void MixSchedule::complete_batches()
{
    if (!has_writes(tally_.batches))
        fill_write_queues();
    retries_ = most_retries * static_cast<unsigned>(lines_.size());
    while (!has_writes(tally_.batches))
        step();
    retries_ = 0;
}

/// Lets streams that write request as many bursts at once as are missing for a batch.
void MixSchedule::fill_write_queues()
{
    const Controller& controller = parameters_.controller;
    const unsigned batch = controller.batching == BatchingMode::ReadsFirst ? controller.write_queue
                                                                           : controller.write_high;
    std::int64_t missing = 0;
    for (const Line& line : lines_)
        missing += batch - std::min(batch, line.schedule.queued(true));
    const std::int64_t writers = std::ranges::count(sources_, true, &Source::write);
    for (Source& source : sources_)
        if (source.write)
            source.credit += missing * source.step.useful_bytes * parts / writers;
}

/// Computes the cost from the tally of a span. If the span has too few writes, they cost what
/// complete batches took in tally_, which continues the span. All costs are scaled, so that the
/// bytes of the span took its time.
MixCost MixSchedule::cost(const Tally& span, double elapsed_clocks) const
{
    MixCost result;
    const bool in_span = !turns_ || has_writes(span.moved);
    const std::vector<Moved>& written = in_span ? span.moved : tally_.batches;
    double writes = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i)
        writes += sources_[i].write ? written[i].clocks : 0.0;
    // Turns of the bus are charged to the writes: with reads alone there would be none.
    const double turning = in_span ? span.turning : tally_.batch_turning;
    const double per_write = writes > 0.0 ? 1.0 + turning / writes : 1.0;
    double clocks = span.core_clocks;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        const bool write = sources_[i].write;
        const Moved& moved = write ? written[i] : span.moved[i];
        const double per_byte =
            moved.clocks * (write ? per_write : 1.0) / static_cast<double>(moved.bytes);
        clocks += per_byte * static_cast<double>(span.moved[i].bytes);
        result.ps_per_byte.push_back(per_byte);
        const Tally& opened = write && !in_span ? tally_ : span;
        result.rows_per_byte.push_back(static_cast<double>(opened.rows[i]) /
                                       static_cast<double>(opened.moved[i].bytes));
    }
    const double ps_per_clock =
        elapsed_clocks * static_cast<double>(parameters_.timing.clock) / clocks;
    for (double& cost : result.ps_per_byte)
        cost *= ps_per_clock;
    if (span.core_reads > 0) {
        const auto reads = static_cast<double>(span.core_reads);
        result.core_latency_ps =
            span.core_latency / reads * static_cast<double>(parameters_.timing.clock);
        result.core_service_ps = span.core_clocks * ps_per_clock / reads;
    }
    return result;
}

/// With several ranks, all-bank refreshes postponed at the start are made up for while bursts go to
/// another rank. Skips this time, since a span in it would have too many refreshes.
void MixSchedule::make_up_for_refreshes()
{
    const unsigned ranks = parameters_.organisation.ranks;
    if (parameters_.refresh != RefreshMode::AllBank || ranks == 1)
        return;
    const Clock made_up = parameters_.controller.refresh_slack * c_.refi;
    const Clock from = between_refreshes(std::max(now_, made_up), c_, ranks);
    while (now_ < from)
        step();
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

std::uint64_t MixSchedule::rank_refreshes() const
{
    std::uint64_t sum = 0;
    for (const Line& line : lines_)
        sum += line.schedule.rank_refreshes();
    return sum;
}

/// Whether a span must have as many refreshes as became due. When a full queue stalls all streams,
/// other channels are idle for a moment: they make up for postponed refreshes, and postpone later
/// ones. With several ranks the numbers differ for other reasons.
bool MixSchedule::balances_refreshes() const
{
    return parameters_.refresh == RefreshMode::AllBank && parameters_.organisation.ranks == 1;
}

MixCost MixSchedule::observe(const Span& span)
{
    const std::uint64_t from = now_;
    const std::uint64_t bursts_before = served_;
    const std::uint64_t refreshes_before = rank_refreshes();
    start_tally();
    while (served_ - bursts_before < span.seen * lines_.size() || !seen_all())
        step();
    const double refreshing =
        parameters_.refresh == RefreshMode::AllBank ? see_refreshes(from) : 1.0;
    const std::uint64_t due = (now_ - from) / c_.refi * lines_.size(); // in one rank
    balanced_ = refreshing > 1.0 || rank_refreshes() - refreshes_before == due;
    const Clock elapsed = now_ - from;
    const Tally seen = tally_;
    if (turns_ && !has_writes(seen.moved))
        complete_batches();
    return cost(seen, static_cast<double>(elapsed) * refreshing);
}

MixCost MixSchedule::run(const Span& span)
{
    pump(0);
    while (served_ < span.warm_up * lines_.size())
        step();
    make_up_for_refreshes();
    MixCost result = observe(span);
    if (!balances_refreshes())
        return result;
    // Postponed refreshes are made up for within `refresh_slack` intervals, and new ones postponed
    // within as many.
    for (unsigned left = 2 * parameters_.controller.refresh_slack; !balanced_ && left > 0; --left) {
        const Clock from = between_refreshes(now_, c_, 1);
        while (now_ < from)
            step();
        result = observe(span);
    }
    return result;
}

} // namespace levee::dram
