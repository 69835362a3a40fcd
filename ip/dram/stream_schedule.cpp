// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/stream_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace levee::dram {

StreamSchedule::StreamSchedule(const Parameters& parameters, const Clocks& clocks,
                               const AddressMap& map)
    : parameters_(&parameters), map_(&map),
      lines_(parameters.organisation.channels, ChannelSchedule(parameters, clocks, Course::Live)),
      next_times_(lines_.size())
{
}

StreamSchedule::Id StreamSchedule::add(const FiniteStream& stream)
{
    forget_released();
    const auto gone = std::find_if(sources_.begin(), sources_.end(), [](const Source& source) {
        return !source.is_active && source.in_flight == 0 && source.done_at != no_time;
    });
    const auto id = static_cast<Id>(gone - sources_.begin());
    Source source(BurstWalk(stream.pattern, stream.bytes, parameters_->burst_bytes(), stream.seed));
    source.write = stream.direction == Direction::Write;
    source.is_active = true;
    source.group = stream.group;
    source.bytes = static_cast<double>(stream.bytes);
    fetch(source);
    if (gone == sources_.end())
        sources_.push_back(source);
    else
        *gone = source;
    turns_.push_back(id);
    ask_at_ = now_;
    return id;
}

void StreamSchedule::cancel(Id id)
{
    Source& source = sources_[id];
    source.is_active = false;
    source.asks = false;
    source.done_at = std::min(source.done_at, now_);
    if (source.write || source.in_flight == 0)
        return;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
        lines_[line].withdraw(id, false);
        next_times_[line] = lines_[line].next_time();
    }
    source.in_flight = 0;
    ask_at_ = now_;
}

void StreamSchedule::forget_released()
{
    for (std::size_t turn = turns_.size(); turn-- > 0;)
        if (!sources_[turns_[turn]].is_active && done(turns_[turn]))
            leave(turn);
}

void StreamSchedule::leave(std::size_t turn)
{
    turns_.erase(turns_.begin() + static_cast<std::ptrdiff_t>(turn));
    if (turn < turn_)
        --turn_;
    else if (turn == turn_ && !turns_.empty()) {
        turn_ = turn_ == 0 ? turns_.size() - 1 : turn_ - 1;
        next_turn();
    }
}

void StreamSchedule::set_pace(Id id, double bytes_per_clock, double passed)
{
    Source& source = sources_[id];
    source.pace = bytes_per_clock;
    source.pace_from = now_;
    source.pace_from_bytes = passed;
    ask_at_ = now_;
}

double StreamSchedule::moved(Id id) const
{
    const Source& source = sources_[id];
    return source.write ? source.asked : source.served;
}

double StreamSchedule::end_at_pace(Id id) const
{
    const Source& source = sources_[id];
    return static_cast<double>(source.pace_from) +
           (source.bytes - source.pace_from_bytes) / source.pace;
}

double StreamSchedule::behind_pace(Id id, Clock clock) const
{
    const Source& source = sources_[id];
    if (source.pace == at_once)
        return source.bytes - source.asked;
    const double passed =
        source.pace_from_bytes +
        source.pace * (static_cast<double>(clock) - static_cast<double>(source.pace_from));
    return std::min(source.bytes, passed) - source.asked;
}

bool StreamSchedule::idle() const
{
    return std::ranges::none_of(sources_, &Source::asks) &&
           std::ranges::all_of(lines_, &ChannelSchedule::idle);
}

void StreamSchedule::fetch(Source& source)
{
    source.asks = !source.walk.done();
    if (!source.asks)
        return;
    source.step = source.walk.next();
    const std::uint64_t row_part = source.step.burst >> map_->low_column_bits();
    if (row_part == source.row_part)
        return; // another column of the same row
    source.row_part = row_part;
    const Location at = map_->locate(source.step.burst);
    source.channel = at.channel;
    source.bank = at.rank * parameters_->banks_per_rank() + at.bank;
    source.row = at.row;
}

bool StreamSchedule::ahead(const Source& source) const
{
    const double done = std::max(0.0, source.asked - lockstep_bytes) / source.bytes;
    return done > 0.0 && std::ranges::any_of(turns_, [&](Id id) {
               const Source& other = sources_[id];
               return other.group == source.group && other.asked / other.bytes < done;
           });
}

/// Whether a stream asks now; if its pace forbids it, it will be looked at again.
bool StreamSchedule::may_ask(Source& source)
{
    if (!source.asks || ahead(source))
        return false;
    if (source.pace == at_once)
        return true;
    const double missing = source.asked - source.pace_from_bytes;
    const double clocks = missing / source.pace;
    if (clocks <= static_cast<double>(now_ - source.pace_from))
        return true;
    if (clocks < static_cast<double>(no_time / 2))
        ask_at_ = std::min(ask_at_, source.pace_from + static_cast<Clock>(std::ceil(clocks)));
    return false;
}

void StreamSchedule::next_turn()
{
    turn_ = turn_ + 1 == turns_.size() ? 0 : turn_ + 1;
    sources_[turns_[turn_]].credit += parameters_->controller.bytes_per_turn;
}

/// Fills the queues: each stream in turn, equal bytes each; a full queue holds up all of them.
void StreamSchedule::arbitrate()
{
    ask_at_ = no_time;
    std::size_t passed = 0;
    while (passed < turns_.size()) {
        Source& source = sources_[turns_[turn_]];
        const bool asks = may_ask(source);
        if (!asks || source.credit <= 0) {
            passed = asks ? 0 : passed + 1;
            if (!asks)
                source.credit = 0; // a turn not used is lost
            next_turn();
            continue;
        }
        passed = 0;
        if (!lines_[source.channel].room(source.write))
            return;
        ask(turns_[turn_]);
    }
}

void StreamSchedule::ask(Id id)
{
    Source& source = sources_[id];
    WaitingBurst burst{age_++, source.row, id, static_cast<std::uint16_t>(source.step.useful_bytes),
                       false};
    lines_[source.channel].arrive(source.bank, source.write, burst, now_);
    next_times_[source.channel] = now_; // to be looked at
    source.credit -= source.step.useful_bytes;
    source.asked += source.step.useful_bytes;
    ++source.in_flight;
    fetch(source);
    if (!source.asks && source.write)
        finish(source, now_);
}

void StreamSchedule::served(const ChannelSchedule::Served& burst)
{
    ++served_;
    Source& source = sources_[burst.burst.stream];
    --source.in_flight;
    source.served += burst.burst.useful_bytes;
    if (!source.write && !source.asks && source.in_flight == 0)
        finish(source, burst.data_end);
}

void StreamSchedule::finish(Source& source, Clock clock)
{
    source.done_at = clock;
    group_done_ |= source.is_active && std::ranges::all_of(turns_, [&](Id id) {
                       return sources_[id].group != source.group || done(id);
                   });
}

Clock StreamSchedule::next_event()
{
    return std::min(ask_at_, *std::ranges::min_element(next_times_));
}

/// What is asked, then what the channels do.
void StreamSchedule::do_clock(Clock clock)
{
    now_ = clock;
    if (ask_at_ <= now_)
        arbitrate();
    bool made_room = false;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
        if (next_times_[line] > now_)
            continue;
        ChannelSchedule& channel = lines_[line];
        while ((next_times_[line] = channel.next_time()) <= now_) {
            ChannelSchedule::Served burst{};
            if (channel.issue(burst)) {
                served(burst);
                made_room = true;
            } else if (channel.opened()) {
                ++rows_;
            }
        }
    }
    now_ = clock + 1;
    if (made_room)
        ask_at_ = std::min(ask_at_, now_);
}

void StreamSchedule::run(Clock clock, std::uint64_t bursts, bool to_end_of_group)
{
    bursts += served_;
    group_done_ = false;
    while (now_ < clock && served_ < bursts && !(to_end_of_group && group_done_)) {
        const Clock next = std::max(next_event(), now_);
        if (next >= clock)
            now_ = clock;
        else
            do_clock(next);
    }
}

void StreamSchedule::run_until(Clock clock, std::uint64_t bursts)
{
    run(clock, bursts, false);
}

bool StreamSchedule::run_to_end_of_group(Clock clock, std::uint64_t bursts)
{
    run(clock, bursts, true);
    return group_done_;
}

void StreamSchedule::pass_over(double clocks, const std::vector<double>& bytes_per_clock)
{
    for (const Id id : turns_) {
        Source& source = sources_[id];
        source.pace_from_bytes += source.pace == at_once ? 0.0 : source.pace * clocks;
        if (!source.asks || id >= bytes_per_clock.size())
            continue;
        const auto burst = static_cast<double>(source.step.useful_bytes);
        const auto bytes = static_cast<std::uint64_t>(
            std::clamp(bytes_per_clock[id] * clocks, 0.0, source.bytes - source.asked - burst));
        source.walk.skip(bytes);
        source.asked += static_cast<double>(bytes);
        source.served += static_cast<double>(bytes);
    }
    ask_at_ = now_;
}

} // namespace levee::dram
