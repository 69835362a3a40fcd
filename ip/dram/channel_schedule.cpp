// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/channel_schedule.hpp"

#include <algorithm>
#include <bit>

namespace levee::dram {

namespace {

using Mask = WaitingBursts::Mask;

constexpr Mask bit(unsigned bank)
{
    return Mask{1} << bank;
}

} // namespace

ChannelSchedule::ChannelSchedule(const Parameters& parameters, const Clocks& clocks, Course course)
    : course_(course), timing_(parameters, clocks), waiting_(timing_.banks()),
      arbitration_(make_arbitration(parameters.controller)),
      batching_(make_batching(parameters.controller)),
      refresh_(make_refresh_policy(
          parameters, clocks,
          course == Course::Sampled ? parameters.controller.refresh_slack - 1 : 0)),
      capacity_{parameters.controller.read_queue, parameters.controller.write_queue},
      plans_(timing_.banks()), shared_(timing_.groups())
{
}

void ChannelSchedule::arrive(unsigned bank, bool write, const WaitingBurst& burst, Clock now)
{
    waiting_.add(bank, write, burst);
    planned_ &= ~bit(bank);
    now_ = std::max(now_, now);
    // The command chosen remains valid unless this burst turns the bus or is for the chosen bank.
    const bool was_writing = writing_;
    if (course_ == Course::Live)
        arrived_ = true;
    else
        choose_direction();
    if (writing_ != was_writing || next_.bank == bank || burst.urgent)
        chosen_ = false;
    else if (chosen_ && write == writing_ &&
             (arbitration_->served(write, waiting_) & ~refresh_->stopped() & bit(bank)) != 0)
        consider_bank(bank);
}

void ChannelSchedule::look_at_arrivals()
{
    arrived_ = false;
    const bool was_writing = writing_;
    choose_direction();
    if (writing_ != was_writing)
        chosen_ = false;
}

void ChannelSchedule::withdraw(std::uint16_t stream, bool write)
{
    waiting_.withdraw(stream, write);
    planned_ = 0;
    chosen_ = false;
}

void ChannelSchedule::consider(Candidate candidate)
{
    candidate.time = std::max(candidate.time, now_);
    if (candidate.before(next_))
        next_ = candidate;
}

void ChannelSchedule::choose()
{
    next_ = Candidate{};
    choose_direction();
    if (timing_.activating())
        consider_second_activate();
    consider_refreshes();
    hold_for_urgent();
    if (waiting_.occupied(writing_) != 0) {
        for (unsigned group = 0; group < shared_.size(); ++group)
            shared_[group] = timing_.by_others(group, writing_);
        Mask left = arbitration_->served(writing_, waiting_) & ~refresh_->stopped();
        for (; left != 0; left &= left - 1)
            consider_bank(static_cast<unsigned>(std::countr_zero(left)));
    }
    chosen_ = true;
}

void ChannelSchedule::choose_direction()
{
    const bool writes =
        batching_->writes_next(writing_, waiting_.queued(false), waiting_.queued(true), in_a_row_);
    if (writes == writing_)
        return;
    writing_ = writes;
    in_a_row_ = 0;
    planned_ = 0;
}

/// Sets the time from which bursts that are not urgent are stalled: successive row hits could
/// otherwise keep an urgent burst of another rank off the data bus forever.
void ChannelSchedule::hold_for_urgent()
{
    held_from_ = no_time;
    if (!waiting_.any_urgent(writing_))
        return;
    for (unsigned bank = 0; bank < timing_.banks(); ++bank) {
        const std::vector<WaitingBurst>& bursts = waiting_.of(bank, writing_);
        const auto hits = [&](const WaitingBurst& burst) {
            return burst.urgent && burst.row == timing_.row(bank);
        };
        if (waiting_.urgent(bank, writing_) && timing_.open(bank) &&
            std::any_of(bursts.begin(), bursts.end(), hits))
            held_from_ = std::min(held_from_, timing_.by_bank(CommandKind::Column, bank, writing_));
    }
}

void ChannelSchedule::plan(unsigned bank)
{
    Candidate& next = plans_[bank];
    next = arbitration_->next_of(bank, writing_, waiting_, timing_);
    next.time = timing_.by_bank(next.kind, bank, writing_);
    planned_ |= bit(bank);
}

void ChannelSchedule::consider_bank(unsigned bank)
{
    if ((planned_ & bit(bank)) == 0)
        plan(bank);
    const Candidate& next = plans_[bank];
    const Clock time =
        std::max(std::max(next.time, shared_[timing_.group_of(bank)].of(next.kind)), now_);
    if (time > next_.time || (time == next_.time && next.order >= next_.order))
        return;
    if (next.kind == CommandKind::Activate && timing_.activating())
        return;
    if (next.kind == CommandKind::Column && time >= held_from_ &&
        next.order >= order_of(Urgency::Column))
        return;
    next_ = next;
    next_.time = time;
}

void ChannelSchedule::consider_second_activate()
{
    Candidate second;
    second.kind = CommandKind::SecondActivate;
    second.bank = static_cast<std::uint16_t>(timing_.activating_bank());
    second.time = std::max(timing_.second_from(), now_);
    second.order = order_of(second.time < timing_.second_by() ? Urgency::Row : Urgency::Forced);
    consider(second);
}

/// Of all ranks; while none owes one, only when the next becomes due.
void ChannelSchedule::consider_refreshes()
{
    if (now_ < quiet_until_) {
        Candidate wake;
        wake.time = quiet_until_;
        wake.order = order_of(Urgency::Idle);
        consider(wake);
        return;
    }
    for (unsigned r = 0; r < timing_.ranks(); ++r)
        consider_refresh(r);
    quiet_until_ = refresh_->quiet_until();
}

void ChannelSchedule::consider_refresh(unsigned rank)
{
    const Candidate next = refresh_->next(rank, timing_, waiting_, now_);
    if (next.kind == CommandKind::Precharge || next.kind == CommandKind::Wake ||
        !timing_.activating())
        consider(next);
}

bool ChannelSchedule::issue(Served& served)
{
    now_ = next_.time;
    chosen_ = false;
    opened_.reset();
    if (next_.kind == CommandKind::Column) {
        issue_column(served);
        return true;
    }
    issue_row();
    return false;
}

void ChannelSchedule::issue_row()
{
    const unsigned bank = next_.bank;
    planned_ &= ~bit(bank);
    switch (next_.kind) {
    case CommandKind::Activate: {
        const WaitingBurst& burst = waiting_.of(bank, writing_)[next_.slot];
        opened_ = burst.stream;
        timing_.activate(bank, burst.row, now_);
        break;
    }
    case CommandKind::SecondActivate:
        timing_.second_activate(now_);
        break;
    case CommandKind::Precharge:
        timing_.precharge(bank, now_);
        break;
    case CommandKind::PrechargeAll:
        planned_ = 0;
        timing_.precharge_all(timing_.rank_of(bank), now_);
        break;
    case CommandKind::RefreshBank:
        timing_.refresh_bank(bank, now_);
        refresh_->issued(bank);
        break;
    case CommandKind::RefreshAll:
        planned_ = 0;
        timing_.refresh_all(timing_.rank_of(bank), now_);
        refresh_->issued(bank);
        break;
    default:
        break;
    }
}

void ChannelSchedule::issue_column(Served& served)
{
    served.burst = waiting_.take(next_.bank, writing_, next_.slot);
    served.write = writing_;
    served.data_end = timing_.column(next_.bank, writing_, now_);
    ++in_a_row_;
    planned_ &= ~bit(next_.bank);
    if (const int hurried = arbitration_->after_burst(writing_, waiting_); hurried >= 0)
        planned_ &= ~bit(static_cast<unsigned>(hurried));
}

} // namespace levee::dram
