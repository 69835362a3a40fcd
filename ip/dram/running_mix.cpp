// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/running_mix.hpp"

#include "core/flow/fair_shares.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace levee::dram {

namespace {

/// Most bursts per channel in one look-ahead. It has two halves, and rates are measured in the
/// second. The limit is a property of the method, not of the memory.
constexpr std::uint64_t most_bursts = 2048;
/// Longest look-ahead, in refresh intervals. Very slow streams run at their pace by then.
constexpr Clock most_intervals = 4;
/// A mix in which nothing starts or ends is estimated after bursts_watched bursts. A quarter of
/// them is enough after this many refresh intervals, and any number after eight times as many.
constexpr std::uint64_t fewer_bursts = RunningMix::bursts_watched / 4;
constexpr Clock intervals_watched = 64;
/// Least number of whole refresh intervals over which the rates of an estimate are measured.
constexpr Clock intervals_measured = 4;
/// An estimate holds for this many times the time for which the mix has been watched.
constexpr Clock times_watched = 4;

/// Ends may be rounded up to a picosecond twice. This must not move a start to the next clock.
constexpr Picoseconds rounding_ps = 2;

bool same_pace(double a, double b)
{
    return a == b || std::abs(a - b) < other_pace * b;
}

/// Returns `pattern`, or one burst if it is empty.
AccessPattern placed(const AccessPattern& pattern, unsigned burst_bytes)
{
    return pattern.bytes() > 0 ? pattern
                               : AccessPattern{0, burst_bytes, {1, 1, 1}, {0, 0, 0}, false};
}

} // namespace

RunningMix::RunningMix(const Parameters& parameters, const Clocks& clocks, const AddressMap& map)
    : parameters_(parameters), c_(clocks), present_(parameters, clocks, map), probe_(present_),
      ahead_(present_), before_(present_)
{
}

Clock RunningMix::after_last(Direction direction) const
{
    return direction == Direction::Read ? c_.read_latency + c_.burst : 0;
}

Clock RunningMix::local_clock(Picoseconds now) const
{
    const Picoseconds period = parameters_.timing.clock;
    const Clock clock = (now + period - 1 - std::min(rounding_ps, period - 1)) / period;
    return clock > passed_over_ ? clock - passed_over_ : 0;
}

void RunningMix::change(Picoseconds now, std::span<ScheduledStream> mix)
{
    if (!looked_ahead_ || local_clock(now) >= holds_until_ || !same_streams(mix)) {
        const bool starts = std::ranges::any_of(mix, [this](const ScheduledStream& stream) {
            return std::ranges::find(running_, stream.use, &Running::use) == running_.end();
        });
        go_on_to(now, starts);
        end_streams(mix);
        start_streams(mix);
        look_ahead();
    }
    answer(now, mix);
}

Picoseconds RunningMix::holds_until() const
{
    return looked_ahead_ && holds_until_ != no_time
               ? (holds_until_ + passed_over_) * parameters_.timing.clock
               : forever;
}

bool RunningMix::same_streams(std::span<const ScheduledStream> mix) const
{
    return std::ranges::equal(mix, running_,
                              [](const ScheduledStream& stream, const Running& running) {
                                  return stream.use == running.use &&
                                         same_pace(stream.bytes_per_ps, running.bytes_per_ps);
                              });
}

/// Continues the schedule to `now`. The commands of the present clock may already be scheduled,
/// unless streams start in this clock.
void RunningMix::go_on_to(Picoseconds now, bool starts)
{
    bool over = false;
    const Clock clock = local_clock(now);
    if (starts || ended_in_ != clock)
        take_back(clock);
    for (Running& running : running_)
        running.is_done = looked_ahead_ && ahead_.done(running.id) &&
                          ahead_.done_at(running.id) <= clock + after_last(Direction::Read) + 1;
    if (looked_ahead_ && ahead_.now() <= clock + (starts ? 0 : 1) && now > changed_at_) {
        if (ahead_.now() > clock) {
            std::swap(before_, present_);
            ended_in_ = clock;
        }
        std::swap(present_, ahead_);
        over = extrapolates_;
    }
    looked_ahead_ = false;
    changed_at_ = now;
    if (!over)
        present_.run_until(std::min(clock, present_.now() + most_intervals * c_.refi),
                           most_bursts * parameters_.organisation.channels);
    if (present_.now() >= clock)
        return;
    const Clock clocks = clock - present_.now();
    pass_over(clocks);
    rows_passed_over_ += rows_per_clock_ * static_cast<double>(clocks);
    passed_over_ += clocks;
}

/// Advances streams by estimated bytes. `settled_` advances by the same bytes, so that rates count
/// only bytes that were scheduled.
void RunningMix::pass_over(Clock clocks)
{
    const Seen before = seen(present_);
    present_.pass_over(static_cast<double>(clocks), rates_);
    if (!settled_)
        return;
    const Seen after = seen(present_);
    for (const Running& running : running_)
        settled_->paced[running.id] += after.paced[running.id] - before.paced[running.id];
}

/// Undoes the commands of the clock in which an activity ended: streams that start in this clock
/// make their requests before them.
void RunningMix::take_back(Clock clock)
{
    if (ended_in_ == clock) {
        std::swap(present_, before_);
        present_.run_until(clock, no_time);
        for (const Running& ended : ended_)
            end(ended);
        for (const Running& running : running_)
            set_pace(running);
    }
    ended_in_.reset();
    ended_.clear();
}

void RunningMix::end(const Running& running)
{
    running.is_done ? present_.release(running.id) : present_.cancel(running.id);
}

void RunningMix::end_streams(std::span<const ScheduledStream> mix)
{
    const std::size_t gone = std::erase_if(running_, [&](const Running& running) {
        const bool stays = std::ranges::any_of(
            mix, [&](const ScheduledStream& stream) { return stream.use == running.use; });
        if (!stays)
            end(running);
        if (!stays && ended_in_)
            ended_.push_back(running);
        return !stays;
    });
    if (gone > 0)
        watch();
}

void RunningMix::watch()
{
    watched_from_ = present_.now() + passed_over_;
    watched_from_burst_ = present_.bursts();
    settled_.reset();
}

/// Whether enough of this mix has been scheduled for an estimate.
bool RunningMix::watched_enough() const
{
    const std::uint64_t bursts = present_.bursts() - watched_from_burst_;
    const Clock intervals = watched() / c_.refi;
    return (bursts >= bursts_watched && owes_all()) ||
           (bursts >= fewer_bursts && intervals >= intervals_watched) ||
           intervals >= 8 * intervals_watched;
}

/// Whether as many refreshes are postponed as permitted. From then on refreshes are issued as often
/// as they become due.
bool RunningMix::owes_all() const
{
    return watched() >= parameters_.controller.refresh_slack * c_.refi;
}

/// Clocks since the last start or end.
Clock RunningMix::watched() const
{
    return present_.now() + passed_over_ - watched_from_;
}

void RunningMix::start_streams(std::span<const ScheduledStream> mix)
{
    // Running streams keep their order. New ones follow, grouped by activity.
    for (std::size_t i = 0; i < mix.size(); ++i) {
        const bool with_last = i > 0 && mix[i].activity == mix[i - 1].activity;
        if (i == running_.size())
            start(mix[i], with_last ? running_[i - 1].group : started_ + 1);
        set_pace(running_[i], mix[i]);
    }
}

/// Schedules the rest of a stream. Its first bytes may have been priced by kind.
void RunningMix::start(const ScheduledStream& stream, std::uint64_t group)
{
    const FlowUse& use = *stream.use;
    const double passed = static_cast<double>(use.bytes) * (1.0 - stream.remaining);
    const FiniteStream finite{placed(use.pattern, parameters_.burst_bytes()),
                              use.direction,
                              use.bytes,
                              ++started_,
                              group,
                              std::min(static_cast<std::uint64_t>(passed), use.bytes - 1)};
    watch();
    running_.push_back(Running{&use, present_.add(finite), group, StreamSchedule::at_once, false});
    running_.back().before =
        static_cast<double>(watched_from_) -
        static_cast<double>(changed_at_) / static_cast<double>(parameters_.timing.clock);
}

void RunningMix::set_pace(Running& running, const ScheduledStream& stream)
{
    if (same_pace(stream.bytes_per_ps, running.bytes_per_ps))
        return;
    running.bytes_per_ps = stream.bytes_per_ps;
    settled_.reset();
    set_pace(running);
}

void RunningMix::set_pace(const Running& running)
{
    present_.set_pace(running.id,
                      running.bytes_per_ps * static_cast<double>(parameters_.timing.clock));
}

void RunningMix::look_ahead()
{
    rates_.clear();
    rows_per_clock_ = 0.0;
    extrapolates_ = false;
    holds_until_ = no_time;
    if (running_.empty()) // queued bursts continue at the next change
        return;
    ahead_ = present_;
    looked_ahead_ = true;
    const Clock begin = ahead_.now();
    const bool estimates = watched_enough();
    Seen from = seen(ahead_);
    if (std::ranges::any_of(running_, [&](const Running& r) { return !ahead_.done(r.id); })) {
        const bool settles = !settled_ && owes_all();
        const Clock between = between_refreshes(begin + 1, c_, parameters_.organisation.ranks);
        if (!run_to_an_end(begin,
                           estimates || settles ? Limit{between, no_time} : half_a_piece())) {
            if (settles)
                settled_ = seen(ahead_);
            from = settled_ ? *settled_ : seen(ahead_);
            extrapolates_ = !run_to_an_end(begin, estimates ? whole_intervals() : half_a_piece());
            while (extrapolates_ && stands_still(from))
                extrapolates_ = !run_to_an_end(begin, whole_intervals());
        }
        if (!extrapolates_)
            look_past(next_end(begin));
        holds_until_ = ahead_.now() + 1;
    }
    if (extrapolates_)
        holds_until_ =
            ahead_.now() +
            (estimates ? times_watched * (ahead_.now() + passed_over_ - watched_from_) : 0);
    measure(from);
}

RunningMix::Limit RunningMix::half_a_piece() const
{
    return {ahead_.now() + most_intervals / 2 * c_.refi,
            ahead_.bursts() + most_bursts / 2 * parameters_.organisation.channels};
}

/// A span that starts and ends between refreshes, so it has as many refreshes as intervals.
RunningMix::Limit RunningMix::whole_intervals() const
{
    return {ahead_.now() + intervals_measured * c_.refi, no_time};
}

/// Looks ahead until `limit` or until an activity ends after `from`. Returns whether one has ended.
bool RunningMix::run_to_an_end(Clock from, const Limit& limit)
{
    while (ahead_.now() < limit.clock && ahead_.bursts() < limit.bursts) {
        const double end = next_end(from);
        if (end <= static_cast<double>(ahead_.now()))
            return true;
        const Clock to = end < static_cast<double>(limit.clock) ? static_cast<Clock>(std::ceil(end))
                                                                : limit.clock;
        ahead_.run_to_end_of_group(to, limit.bursts - ahead_.bursts());
    }
    return next_end(from) <= static_cast<double>(ahead_.now());
}

/// Schedules beyond the first known end. A write's last burst is accepted after its activity's end,
/// later by the latency of the activity's reads, so another activity may end before `first`.
void RunningMix::look_past(double first)
{
    double most = 0.0;
    for (std::size_t at = 0; at < running_.size();) {
        const Group group = group_at(at);
        at += group.size();
        if (std::ranges::any_of(group, [this](const Running& running) {
                return running.use->direction == Direction::Write && !ahead_.done(running.id);
            }))
            most = std::max(most, latency_of(group));
    }
    if (most > 0.0)
        ahead_.run_until(static_cast<Clock>(std::ceil(first + most)), no_time);
}

/// The first clock after `from` at which an activity ends whose streams are done and whose pace
/// permits its end.
double RunningMix::next_end(Clock from)
{
    double next = StreamSchedule::at_once;
    for (std::size_t first = 0; first < running_.size();) {
        const Group group = group_at(first);
        first += group.size();
        double pace = 0.0, done = 0.0;
        for (const Running& running : group) {
            pace = std::max(pace, end_at_pace(ahead_, running));
            done = std::max(done, static_cast<double>(ahead_.done_at(running.id)));
        }
        const double end = std::max(pace, done - latency_of(group));
        if (end > static_cast<double>(from))
            next = std::min(next, end);
    }
    return next;
}

/// The streams of the activity whose first stream is `first`.
RunningMix::Group RunningMix::group_at(std::size_t first)
{
    std::size_t last = first + 1;
    while (last < running_.size() && running_[last].group == running_[first].group)
        ++last;
    return Group(running_).subspan(first, last - first);
}

/// The part of an activity's latency that is included in the times of its streams.
double RunningMix::latency_of(Group group) const
{
    Clock most = 0;
    for (const Running& running : group)
        most = std::max(most, after_last(running.use->direction));
    return static_cast<double>(most);
}

/// The clock at which a stream ends if only its pace limits it, exact to the picosecond.
double RunningMix::end_at_pace(const StreamSchedule& schedule, const Running& running) const
{
    return schedule.end_at_pace(running.id) - running.before;
}

RunningMix::Seen RunningMix::seen(const StreamSchedule& schedule) const
{
    Seen now{schedule.now(), schedule.rows_opened(), {}};
    for (const Running& running : running_) {
        now.paced.resize(std::max(now.paced.size(), running.id + std::size_t{1}));
        now.paced[running.id] = schedule.paced(running.id);
    }
    return now;
}

void RunningMix::measure(const Seen& from)
{
    rates_.assign(extrapolates_ ? from.paced.size() : 0, 0.0);
    for (std::size_t first = 0; first < running_.size();) {
        const Group group = group_at(first);
        first += group.size();
        measure(group, from);
    }
    const auto clocks = static_cast<double>(std::max<Clock>(1, ahead_.now() - from.clock));
    rows_per_clock_ = static_cast<double>(ahead_.rows_opened() - from.rows) / clocks;
}

/// Ends of an activity's streams, none of them earlier than its pace permits. Streams that are not
/// done advance together, whatever their lengths.
void RunningMix::measure(Group group, const Seen& from)
{
    // A stream that is not done ends after the look-ahead, even if its block has all of its bytes.
    const auto now = static_cast<double>(ahead_.now());
    const double estimate = std::max(estimated_end(group, from), now + 2.0);
    for (Running& running : group) {
        const double latency = latency_of(group);
        const auto done = static_cast<double>(ahead_.done_at(running.id));
        if (!ahead_.done(running.id) && extrapolates_ && estimate > now)
            rates_[running.id] = ahead_.left(running.id) / (estimate - now);
        const double work =
            ahead_.done(running.id)
                ? done - latency
                : estimate + static_cast<double>(after_last(running.use->direction)) - latency;
        running.end = std::max(work, running.bytes_per_ps == StreamSchedule::at_once
                                         ? 0.0
                                         : end_at_pace(ahead_, running));
    }
}

/// Estimated end, without latency, of an activity's unfinished streams. It assumes that they
/// continue at their common rate since `from`: the times of single streams that advance in step may
/// differ by much.
double RunningMix::estimated_end(Group group, const Seen& from) const
{
    const auto [moved, left] = progress(group, from);
    const auto now = static_cast<double>(ahead_.now());
    const double clocks = std::max(1.0, now - static_cast<double>(from.clock));
    return now + left * clocks / std::max(1.0, moved);
}

/// Bytes that an activity's unfinished streams have moved since `from`, and those left.
RunningMix::Progress RunningMix::progress(Group group, const Seen& from) const
{
    Progress all;
    for (const Running& running : group) {
        if (ahead_.done(running.id))
            continue;
        const double paced = ahead_.paced(running.id);
        all.moved += paced - from.paced[running.id];
        all.left += static_cast<double>(running.use->bytes) - paced;
    }
    return all;
}

/// Whether an activity has moved nothing since `from`. The schedule must then continue before the
/// activity's end can be estimated. Throws if this lasts longer than longest_wait().
bool RunningMix::stands_still(const Seen& from)
{
    for (std::size_t first = 0; first < running_.size();) {
        const Group group = group_at(first);
        first += group.size();
        const auto [moved, left] = progress(group, from);
        if (moved > 0.0 || left == 0.0)
            continue;
        if (ahead_.now() - from.clock >= longest_wait())
            refuse_standstill(group, from);
        return true;
    }
    return false;
}

/// Upper bound of the time in which an activity moves nothing. A burst waits at most for the bursts
/// of full queues, for those that overtake it and for a turn of each stream. At least one burst is
/// served between two refreshes (validate()).
Clock RunningMix::longest_wait() const
{
    const Controller& controller = parameters_.controller;
    const Clock turns =
        running_.size() * (controller.bytes_per_turn / parameters_.burst_bytes() + 1);
    return (turns + controller.read_queue + controller.write_queue + controller.patience) * c_.refi;
}

void RunningMix::refuse_standstill(Group group, const Seen& from) const
{
    std::uint64_t bytes = 0;
    for (const Running& running : group)
        bytes += ahead_.done(running.id) ? 0 : running.use->bytes;
    throw std::logic_error(
        "an operation whose streams have " + std::to_string(bytes) +
        " bytes moved none of them in " +
        std::to_string((ahead_.now() - from.clock) * parameters_.timing.clock) +
        " ps although nothing delayed it. This is an error in the model of the DRAM: please report "
        "it, and run with controller.prices: by_kind, which does not use this schedule");
}

void RunningMix::answer(Picoseconds now, std::span<ScheduledStream> mix) const
{
    const auto period = static_cast<double>(parameters_.timing.clock);
    for (std::size_t i = 0; i < mix.size(); ++i) {
        const double in_time = (running_[i].end + static_cast<double>(passed_over_)) * period;
        mix[i].ends_in = std::max(0.0, in_time - static_cast<double>(now));
        mix[i].is_bound = is_bound(running_[i]);
    }
}

/// Whether the memory limits a stream. A stream is limited if it ends later than its pace permits,
/// by more than the wait for a full queue and a row plus the error of an estimate.
bool RunningMix::is_bound(const Running& running) const
{
    if (running.bytes_per_ps == StreamSchedule::at_once)
        return true;
    const double at_pace = end_at_pace(present_, running);
    const auto waits = static_cast<double>(c_.rc + parameters_.controller.read_queue * c_.burst);
    const double to_go = std::max(0.0, at_pace - static_cast<double>(ahead_.now()));
    return running.end > at_pace + waits + other_pace * to_go;
}

std::optional<Clock> RunningMix::core_read(std::uint64_t address, unsigned bytes, Picoseconds now)
{
    const Clock clock = local_clock(now);
    if (!looked_ahead_ || (extrapolates_ && clock > ahead_.now()))
        return std::nullopt;
    present_.run_until(clock, no_time);
    probe_ = present_;
    const std::uint64_t burst_bytes = parameters_.burst_bytes();
    const std::uint64_t last = (address + std::max(bytes, 1U) - 1) / burst_bytes;
    return probe_.read_by_core(address / burst_bytes, last) - clock;
}

std::uint64_t RunningMix::rows_opened(Picoseconds now) const
{
    RunningMix until = *this;
    until.go_on_to(now, false);
    return until.present_.rows_opened() + static_cast<std::uint64_t>(until.rows_passed_over_);
}

} // namespace levee::dram
