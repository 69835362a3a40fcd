// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/stream_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace levee::dram {

namespace {

/// Relative rounding error of a quotient of paces. This must not delay a request by a clock.
constexpr double rounding = 1e-12;

/// std::ceil for values below 2^63, without a function call.
Clock rounded_up(double clocks)
{
    clocks -= clocks * rounding;
    const auto whole = static_cast<std::int64_t>(clocks);
    return static_cast<Clock>(whole) + (static_cast<double>(whole) < clocks ? 1 : 0);
}

} // namespace

StreamSchedule::StreamSchedule(const Parameters& parameters, const Clocks& clocks,
                               const AddressMap& map)
    : parameters_(&parameters), map_(&map),
      spacing_(std::max({clocks.burst, std::min(clocks.ccd_s, clocks.ccd_l),
                         Clock{parameters.command_bus.column_clocks}})),
      lines_(parameters.organisation.channels,
             Line{ChannelSchedule(parameters, clocks, Course::Live), 0, 0, true})
{
}

StreamSchedule::Id StreamSchedule::add(const FiniteStream& stream)
{
    forget_released();
    const auto gone = std::find_if(sources_.begin(), sources_.end(), [this](const Source& source) {
        return !source.is_active && source.in_flight == 0 && source.done_at != no_time &&
               &source != &sources_[turns_[turn_]];
    });
    const auto id = static_cast<Id>(gone - sources_.begin());
    Source source(BurstWalk(stream.pattern, stream.bytes, parameters_->burst_bytes(), stream.seed));
    source.write = stream.direction == Direction::Write;
    source.is_active = true;
    source.group = stream.group;
    source.bytes = static_cast<double>(stream.bytes);
    if (turns_.empty() && now_ > 0) // No other stream runs, so this one has a whole turn.
        source.credit = parameters_->controller.bytes_per_turn;
    if (stream.passed > 0) {
        source.walk.skip(stream.passed);
        source.served = static_cast<double>(stream.passed);
        has_asked(source, source.served);
    }
    fetch(source);
    if (gone == sources_.end())
        sources_.push_back(source);
    else
        *gone = source;
    waiting_at_.resize(sources_.size() * lines_.size());
    turns_.push_back(id);
    note_company();
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
        lines_[line].schedule.withdraw(id, false);
        lines_[line].is_stale = true;
        waiting_at(id, line) = 0;
    }
    source.in_flight = 0;
    ask_at_ = now_;
}

/// Removes released streams that are done from turns_, except the one whose turn it is: the next
/// turn belongs to the stream after it, which might not have started yet.
void StreamSchedule::forget_released()
{
    for (std::size_t turn = turns_.size(); turn-- > 0;)
        if (turn != turn_ && !sources_[turns_[turn]].is_active && done(turns_[turn]))
            leave(turn);
}

void StreamSchedule::leave(std::size_t turn)
{
    turns_.erase(turns_.begin() + static_cast<std::ptrdiff_t>(turn));
    if (turn < turn_)
        --turn_;
    note_company();
}

/// Notes which streams must advance in step with others of their group.
void StreamSchedule::note_company()
{
    for (const Id id : turns_) {
        Source& source = sources_[id];
        source.in_step = std::ranges::any_of(
            turns_, [&](Id other) { return other != id && sources_[other].group == source.group; });
        find_shares(source);
    }
}

void StreamSchedule::set_pace(Id id, double bytes_per_clock)
{
    Source& source = sources_[id];
    if (bytes_per_clock == source.pace)
        return;
    pace_from_now(source, bytes_per_clock, source.pace == at_once ? source.asked : paced(id));
    ask_at_ = now_;
}

/// Continues at a new pace from the present clock, after `passed` bytes.
void StreamSchedule::pace_from_now(Source& source, double bytes_per_clock, double passed) const
{
    source.pace = bytes_per_clock;
    source.pace_from = now_;
    source.pace_from_bytes = passed;
    find_asks_from(source);
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

double StreamSchedule::paced(Id id) const
{
    const Source& source = sources_[id];
    if (source.pace == at_once)
        return moved(id);
    const double passed =
        source.pace_from_bytes +
        source.pace * (static_cast<double>(now_) - static_cast<double>(source.pace_from));
    return std::min(source.asks ? source.asked + lockstep_bytes : source.bytes, passed);
}

bool StreamSchedule::idle() const
{
    return std::ranges::none_of(sources_, &Source::asks) &&
           std::ranges::all_of(lines_, [](const Line& line) { return line.schedule.idle(); });
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

/// Whether no stream of the source's group lags behind by more than a block's buffer.
bool StreamSchedule::in_step(const Source& source) const
{
    if (!source.in_step)
        return true;
    return std::ranges::all_of(turns_, [&](Id id) {
        const Source& other = sources_[id];
        return other.group != source.group || &other == &source ||
               other.share >= source.share_of_all;
    });
}

void StreamSchedule::has_asked(Source& source, double bytes)
{
    source.asked += bytes;
    if (source.in_step)
        find_shares(source);
    find_asks_from(source);
}

void StreamSchedule::find_shares(Source& source)
{
    source.share = source.asked / source.bytes;
    source.share_of_all = std::max(0.0, source.asked - lockstep_bytes) / source.bytes;
}

void StreamSchedule::find_asks_from(Source& source)
{
    source.asks_from = source.pace == at_once ? 0 : paced_from(source, source.asked);
}

/// The clock from which a stream's pace permits `bytes` in total.
Clock StreamSchedule::paced_from(const Source& source, double bytes)
{
    const double clocks = (bytes - source.pace_from_bytes) / source.pace;
    if (!(clocks < static_cast<double>(no_time) / 2))
        return no_time;
    return source.pace_from + (clocks > 0.0 ? rounded_up(clocks) : 0);
}

/// Whether a stream may issue a request now. If only its pace forbids it, ask_at_ is set.
bool StreamSchedule::may_ask(const Source& source)
{
    if (!source.asks || !in_step(source))
        return false;
    if (source.asks_from <= now_)
        return true;
    ask_at_ = std::min(ask_at_, source.asks_from);
    return false;
}

void StreamSchedule::next_turn()
{
    turn_ = turn_ + 1 == turns_.size() ? 0 : turn_ + 1;
    sources_[turns_[turn_]].credit += parameters_->controller.bytes_per_turn;
}

/// Fills the queues. Streams take turns with equal bytes; a full queue stalls all of them.
void StreamSchedule::arbitrate()
{
    ask_at_ = no_time;
    full_line_.reset();
    std::size_t passed = 0;
    while (passed < turns_.size()) {
        const Id id = turns_[turn_];
        Source& source = sources_[id];
        bool asks = may_ask(source);
        for (; asks && source.credit > 0; asks = may_ask(source)) {
            passed = 0;
            advance(source.channel, now_);
            if (!lines_[source.channel].schedule.room(source.write)) {
                full_line_ = source.channel;
                full_write_ = source.write;
                ask_at_ = no_time;
                return;
            }
            ask(id);
        }
        passed = asks ? 0 : passed + 1;
        if (!asks)
            source.credit = 0; // an unused turn is lost
        next_turn();
    }
}

/// After arbitrate(): the stream whose turn it is continues with its requests, clock by clock
/// before `until`, while no other stream may issue one. It gets the turn at each clock.
void StreamSchedule::go_on_asking(Clock until)
{
    const Id id = turns_[turn_];
    Source& source = sources_[id];
    const Company company = company_of(id);
    ask_at_ = company.asks_from;
    until = std::min(until, company.asks_from);
    while (source.asks && source.share_of_all <= company.least_share) {
        if (source.asks_from > now_) // the rest of its turn is lost
            source.credit = parameters_->controller.bytes_per_turn;
        if (source.asks_from >= until) {
            ask_at_ = std::min(ask_at_, source.asks_from);
            return;
        }
        now_ = std::max(now_, source.asks_from);
        ask_at_ = now_; // on an early return, arbitrate() continues at this clock
        if (source.credit <= 0)
            return;
        advance(source.channel, now_);
        if (!lines_[source.channel].schedule.room(source.write))
            return;
        ask(id);
        if (!source.asks || source.share >= company.share_waited_for)
            return;
        ask_at_ = company.asks_from;
    }
    source.credit = parameters_->controller.bytes_per_turn;
}

/// Returns the limits that other streams impose on one stream while they make no requests.
StreamSchedule::Company StreamSchedule::company_of(Id id) const
{
    Company company;
    for (const Id other_id : turns_) {
        const Source& other = sources_[other_id];
        const bool together = other.group == sources_[id].group;
        if (other_id == id)
            continue;
        if (together)
            company.least_share = std::min(company.least_share, other.share);
        if (other.asks && in_step(other))
            company.asks_from = std::min(company.asks_from, other.asks_from);
        else if (other.asks && together)
            company.share_waited_for = std::min(company.share_waited_for, other.share_of_all);
    }
    return company;
}

void StreamSchedule::ask(Id id)
{
    Source& source = sources_[id];
    WaitingBurst burst{age_++, source.row, id, static_cast<std::uint16_t>(source.step.useful_bytes),
                       false};
    Line& line = lines_[source.channel];
    line.is_stale |= line.schedule.arrive(source.bank, source.write, burst, now_);
    ++waiting_at(id, source.channel);
    source.credit -= source.step.useful_bytes;
    if (now_ > source.asks_from && source.pace != at_once) // the block may have stalled
        source.pace_from +=
            now_ - std::min(now_, paced_from(source, source.asked + lockstep_bytes));
    has_asked(source, source.step.useful_bytes);
    ++source.in_flight;
    fetch(source);
    if (source.asks)
        return;
    if (source.write)
        finish(source, now_);
    else
        no_end_before_ = 0;
}

void StreamSchedule::served(const ChannelSchedule::Served& burst, std::size_t line)
{
    const unsigned bursts = burst.burst.bursts;
    served_ += bursts;
    if (burst.burst.stream == core) {
        core_data_ = std::max(core_data_, burst.data_end);
        --core_waits_;
        return;
    }
    Source& source = sources_[burst.burst.stream];
    source.in_flight -= bursts;
    waiting_at(burst.burst.stream, line) -= bursts;
    source.served += bursts * burst.burst.useful_bytes;
    source.data_end = std::max(source.data_end, burst.data_end); // channels differ in time
    if (!source.write && !source.asks && source.in_flight == 0)
        finish(source, source.data_end);
}

void StreamSchedule::finish(Source& source, Clock clock)
{
    source.done_at = clock;
    group_done_ |= source.is_active && std::ranges::all_of(turns_, [&](Id id) {
                       return sources_[id].group != source.group || done(id);
                   });
}

/// Chooses the channel's next command again, after all arrivals of a clock.
void StreamSchedule::look_again(Line& line)
{
    if (line.is_stale)
        line.next = line.schedule.next_time();
    line.is_stale = false;
}

/// Issues a channel's next command, or a train of bursts of one row before `until`. Returns whether
/// this moved data in the direction `write`.
bool StreamSchedule::issue(std::size_t index, bool write, Clock until)
{
    Line& line = lines_[index];
    ChannelSchedule::Served burst{};
    const bool is_column = line.schedule.issue(burst, until);
    line.next = line.schedule.next_time();
    if (is_column)
        served(burst, index);
    else if (line.schedule.opened())
        ++rows_;
    return is_column && burst.write == write;
}

/// Schedules a channel's commands before `until`.
void StreamSchedule::go_on_to(std::size_t index, Clock until)
{
    Line& line = lines_[index];
    look_again(line);
    while (line.next < until)
        issue(index, false, until);
    line.at = until;
}

/// Continues until the queue that stalls all streams has room, but not beyond `until`.
void StreamSchedule::wait_for_room(Clock until)
{
    const std::size_t index = *full_line_;
    Line& line = lines_[index];
    look_again(line);
    while (line.next < until) {
        const Clock clock = line.next;
        if (!issue(index, full_write_, clock))
            continue;
        now_ = ask_at_ = clock + 1;
        break;
    }
    if (ask_at_ > now_)
        now_ = until;
    advance(index, now_);
}

/// Lower bound of the clock at which a read transfers its last burst, after it has requested all
/// bursts. `line` becomes the channel whose further schedule can raise this bound.
Clock StreamSchedule::least_end(Id id, std::size_t& line)
{
    Clock least = 0;
    for (std::size_t l = 0; l < lines_.size(); ++l) {
        const std::uint32_t waiting = waiting_at(id, l);
        if (waiting == 0)
            continue;
        look_again(lines_[l]);
        const Clock end = lines_[l].next + (waiting - 1) * spacing_;
        if (end >= least) {
            least = end;
            line = l;
        }
    }
    return least;
}

/// Schedules channels until a group is done, or until no group can be done before now_.
void StreamSchedule::look_for_end()
{
    while (!group_done_) {
        Clock first = no_time;
        std::size_t line = 0;
        for (const Id id : turns_) {
            const Source& source = sources_[id];
            if (source.write || source.asks || source.in_flight == 0)
                continue;
            std::size_t its = 0;
            if (const Clock end = least_end(id, its); end < first) {
                first = end;
                line = its;
            }
        }
        no_end_before_ = first == no_time ? no_time : first + 1;
        if (no_end_before_ > now_)
            return;
        advance(line, no_end_before_);
    }
}

/// The clock up to which only requests of streams affect run().
Clock StreamSchedule::undisturbed_until(Clock clock, std::uint64_t last, bool to_end_of_group) const
{
    Clock until = clock;
    if (to_end_of_group)
        until = group_done_ ? now_ + 1 : std::min(until, std::max(no_end_before_, now_ + 1));
    // Limits the clock so that no more bursts than requested are transferred.
    const std::uint64_t left = (last - std::min(last, served_)) / lines_.size();
    return left < clock - now_ ? std::min(until, now_ + (left + 1) * spacing_) : until;
}

void StreamSchedule::run(Clock clock, std::uint64_t bursts, bool to_end_of_group)
{
    bursts = std::min(bursts, no_time - served_) + served_;
    group_done_ = false;
    no_end_before_ = 0;
    while (now_ < clock && served_ < bursts) {
        if (to_end_of_group && no_end_before_ <= now_)
            look_for_end();
        if (to_end_of_group && group_done_)
            break;
        while (ask_at_ <= now_) {
            arbitrate();
            if (!full_line_ && ask_at_ != no_time)
                go_on_asking(undisturbed_until(clock, bursts, to_end_of_group));
        }
        const Clock until = std::min(undisturbed_until(clock, bursts, to_end_of_group), ask_at_);
        if (full_line_)
            wait_for_room(until);
        else
            now_ = until;
    }
    for (std::size_t line = 0; line < lines_.size(); ++line)
        advance(line, now_);
}

Clock StreamSchedule::read_by_core(std::uint64_t first, std::uint64_t last)
{
    core_data_ = 0;
    for (std::uint64_t burst = first; burst <= last; ++burst, ++core_waits_) {
        const Location at = map_->locate(burst);
        Line& line = lines_[at.channel];
        line.schedule.arrive(at.rank * parameters_->banks_per_rank() + at.bank, false,
                             WaitingBurst{age_++, at.row, core, 0, true, 1, 0}, now_);
        line.is_stale = true;
    }
    while (core_waits_ > 0)
        run_until(now_ + spacing_, no_time);
    return core_data_;
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
        const double passed = source.pace == at_once ? 0.0 : paced(id) + source.pace * clocks;
        if (source.asks && id < bytes_per_clock.size()) {
            const auto burst = static_cast<double>(source.step.useful_bytes);
            const auto bytes = static_cast<std::uint64_t>(
                std::clamp(bytes_per_clock[id] * clocks, 0.0, source.bytes - source.asked - burst));
            source.walk.skip(bytes);
            source.served += static_cast<double>(bytes);
            has_asked(source, static_cast<double>(bytes));
        }
        const double most = source.asks ? source.asked + lockstep_bytes : passed;
        pace_from_now(source, source.pace, std::min(passed, most));
    }
    ask_at_ = now_;
}

} // namespace levee::dram
