// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/running_mix.hpp"

#include <algorithm>
#include <cmath>

namespace levee::dram {

namespace {

/// Bursts per channel that are scheduled at a change at most, in two halves: rates are those of the
/// second. A property of the method, not of the memory.
constexpr std::uint64_t most_bursts = 2048;
/// Longest time looked ahead, in refresh intervals: very slow streams are at their pace by then.
constexpr Clock most_intervals = 4;

/// Ends are rounded up to a picosecond, perhaps twice: no reason to begin a clock later.
constexpr Picoseconds rounding_ps = 2;

/// Relative change of a pace that is worth a new schedule, as in FairShares.
constexpr double other_pace = 0.01;

bool same_pace(double a, double b)
{
    return a == b || std::abs(a - b) < other_pace * b;
}

/// The pattern itself, or a burst for what has no place.
AccessPattern placed(const AccessPattern& pattern, unsigned burst_bytes)
{
    return pattern.bytes() > 0 ? pattern
                               : AccessPattern{0, burst_bytes, {1, 1, 1}, {0, 0, 0}, false};
}

} // namespace

RunningMix::RunningMix(const Parameters& parameters, const Clocks& clocks, const AddressMap& map)
    : parameters_(parameters), c_(clocks), present_(parameters, clocks, map), ahead_(present_)
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
    const bool still_ahead = looked_ahead_ && (extrapolates_ || local_clock(now) <= ahead_.now());
    if (!still_ahead || !same_streams(mix)) {
        go_on_to(now);
        end_streams(mix);
        start_streams(mix);
        look_ahead();
    }
    answer(now, mix);
}

bool RunningMix::same_streams(std::span<const ScheduledStream> mix) const
{
    return std::ranges::equal(mix, running_,
                              [](const ScheduledStream& stream, const Running& running) {
                                  return stream.use == running.use &&
                                         same_pace(stream.bytes_per_ps, running.bytes_per_ps);
                              });
}

void RunningMix::go_on_to(Picoseconds now)
{
    bool over = false;
    const Clock clock = local_clock(now);
    for (Running& running : running_)
        running.is_done = looked_ahead_ && ahead_.done(running.id) &&
                          ahead_.done_at(running.id) <= clock + after_last(Direction::Read) + 1;
    if (looked_ahead_ && ahead_.now() <= clock + 1 && now > changed_at_) {
        std::swap(present_, ahead_);
        over = extrapolates_;
    }
    looked_ahead_ = false;
    changed_at_ = now;
    if (!over)
        present_.run_until(std::min(clock, present_.now() + most_intervals * c_.refi),
                           most_bursts / 2 * parameters_.organisation.channels);
    if (present_.now() >= clock)
        return;
    const Clock clocks = clock - present_.now();
    present_.pass_over(static_cast<double>(clocks), rates_);
    rows_passed_over_ += rows_per_clock_ * static_cast<double>(clocks);
    passed_over_ += clocks;
}

void RunningMix::end_streams(std::span<const ScheduledStream> mix)
{
    std::erase_if(running_, [&](const Running& running) {
        const bool stays = std::ranges::any_of(
            mix, [&](const ScheduledStream& stream) { return stream.use == running.use; });
        if (!stays && running.is_done)
            present_.release(running.id);
        else if (!stays)
            present_.cancel(running.id);
        return !stays;
    });
}

void RunningMix::start_streams(std::span<const ScheduledStream> mix)
{
    // Those that stay keep their order, new ones come after them, an activity's together.
    for (std::size_t i = 0; i < mix.size(); ++i) {
        const bool with_last = i > 0 && mix[i].activity == mix[i - 1].activity;
        if (i == running_.size())
            start(*mix[i].use, with_last ? running_[i - 1].group : started_ + 1);
        set_pace(running_[i], mix[i]);
    }
}

void RunningMix::start(const FlowUse& use, std::uint64_t group)
{
    const FiniteStream stream{placed(use.pattern, parameters_.burst_bytes()), use.direction,
                              use.bytes, ++started_, group};
    running_.push_back(Running{&use, present_.add(stream), group, StreamSchedule::at_once, false});
}

void RunningMix::set_pace(Running& running, const ScheduledStream& stream)
{
    if (same_pace(stream.bytes_per_ps, running.bytes_per_ps))
        return;
    running.bytes_per_ps = stream.bytes_per_ps;
    present_.set_pace(running.id,
                      stream.bytes_per_ps * static_cast<double>(parameters_.timing.clock),
                      static_cast<double>(running.use->bytes) * (1.0 - stream.remaining));
}

void RunningMix::look_ahead()
{
    if (running_.empty()) { // nothing to ask for: what is queued goes on at the next change
        rates_.clear();
        rows_per_clock_ = 0.0;
        return;
    }
    ahead_ = present_;
    looked_ahead_ = true;
    extrapolates_ = std::ranges::any_of(
        running_, [&](const Running& running) { return !ahead_.done(running.id); });
    Seen from = seen();
    const std::uint64_t half = most_bursts / 2 * parameters_.organisation.channels;
    const Clock span = most_intervals / 2 * c_.refi;
    if (extrapolates_ && !ahead_.run_to_end_of_group(ahead_.now() + span, half)) {
        const Seen middle = seen();
        extrapolates_ = !ahead_.run_to_end_of_group(ahead_.now() + span, half);
        if (extrapolates_)
            from = middle;
    } else {
        extrapolates_ = false;
    }
    measure(from);
}

RunningMix::Seen RunningMix::seen() const
{
    Seen now{ahead_.now(), ahead_.rows_opened(), {}};
    for (const Running& running : running_)
        now.moved.push_back(ahead_.moved(running.id));
    return now;
}

/// Rates since then. A stream of which nothing has moved is taken to move a burst next.
void RunningMix::measure(const Seen& from)
{
    rates_.clear();
    const auto clocks = static_cast<double>(std::max<Clock>(1, ahead_.now() - from.clock));
    for (std::size_t i = 0; i < running_.size(); ++i) {
        const Running& running = running_[i];
        const double moved = ahead_.moved(running.id) - from.moved[i];
        if (rates_.size() <= running.id)
            rates_.resize(running.id + std::size_t{1});
        rates_[running.id] = std::max(moved, 1.0) / clocks;
    }
    rows_per_clock_ = static_cast<double>(ahead_.rows_opened() - from.rows) / clocks;
}

void RunningMix::answer(Picoseconds now, std::span<ScheduledStream> mix) const
{
    const auto period = static_cast<double>(parameters_.timing.clock);
    for (std::size_t i = 0; i < mix.size(); ++i) {
        const Running& running = running_[i];
        Clock after = 0; // what the activity's latency has of it
        for (const Running& other : running_)
            if (other.group == running.group)
                after = std::max(after, after_last(other.use->direction));
        const double end = end_of(running) - static_cast<double>(after);
        const double in_time = (end + static_cast<double>(passed_over_)) * period;
        mix[i].ends_in = std::max(0.0, in_time - static_cast<double>(now));
        mix[i].is_bound = is_bound(running, end);
    }
}

/// Clock at which all is done but for the latency: the last data, or the last burst taken.
double RunningMix::end_of(const Running& running) const
{
    if (ahead_.done(running.id))
        return static_cast<double>(ahead_.done_at(running.id));
    const auto more = static_cast<double>(after_last(running.use->direction));
    return static_cast<double>(ahead_.now()) + ahead_.left(running.id) / rates_[running.id] + more;
}

/// Whether a stream ends later than at its pace, by more than it waits in a full queue and for a
/// row; or, where its end is estimated, than the estimate is good for.
bool RunningMix::is_bound(const Running& running, double end) const
{
    if (running.bytes_per_ps == StreamSchedule::at_once)
        return true;
    const double at_pace = ahead_.end_at_pace(running.id);
    const auto waits = static_cast<double>(c_.rc + parameters_.controller.read_queue * c_.burst);
    const double to_go = std::max(0.0, at_pace - static_cast<double>(ahead_.now()));
    return end > at_pace + waits + other_pace * to_go;
}

std::uint64_t RunningMix::rows_opened(Picoseconds now) const
{
    RunningMix until = *this;
    until.go_on_to(now);
    return until.present_.rows_opened() + static_cast<std::uint64_t>(until.rows_passed_over_);
}

} // namespace levee::dram
