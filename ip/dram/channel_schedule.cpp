// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/channel_schedule.hpp"

#include <algorithm>
#include <bit>
#include <utility>

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
      in_order_(arbitration_->in_order()), split_(parameters.command_bus.split),
      back_to_back_(clocks.ccd_l <= std::max<Clock>(clocks.burst, clocks.ccd_s) &&
                    (timing_.ranks() == 1 || clocks.ccd_l <= clocks.burst)),
      spacing_(std::max(
          {clocks.ccd_l, clocks.ccd_s, clocks.burst, Clock{parameters.command_bus.column_clocks}})),
      ranks_apart_(clocks.burst + clocks.rank > spacing_), plans_(timing_.banks()),
      shared_(timing_.groups())
{
}

bool ChannelSchedule::arrive(unsigned bank, bool write, const WaitingBurst& burst, Clock now)
{
    const bool is_next_of_row = waiting_.add(bank, write, burst);
    if (course_ == Course::Live)
        decide_again(now);
    turned_early_ = false;
    now_ = std::max(now_, now);
    from_ = std::max(from_, now_);
    if (is_next_of_row && course_ == Course::Live && !write && !writing_ && !in_order_ &&
        (planned_ & bit(bank)) != 0)
        return !chosen_; // it comes after what is planned
    if (course_ == Course::Sampled)
        sample(bank, write, burst.urgent);
    else
        add_to_plans(bank, write, burst);
    return true;
}

/// The command chosen remains valid unless a burst that has come turns the bus or changes the
/// bank's plan.
void ChannelSchedule::add_to_plans(unsigned bank, bool write, const WaitingBurst& burst)
{
    arrived_ = true;
    occupied_ |= waiting_.waiting_for(bank) == 1 && now_ >= quiet_until_;
    if (burst.urgent) {
        planned_ &= ~bit(bank);
        chosen_ = rivals_.known = false;
    } else if (write == writing_) {
        planned_for(bank, write, burst);
    } else if (next_.bank == bank && next_.kind != CommandKind::Column) {
        chosen_ = false; // a refresh of a bank for which nothing waited, perhaps
    }
}

/// A burst has come in a sample: a command for its bank may go from the clock on that the last
/// choice found for its group.
void ChannelSchedule::sample(unsigned bank, bool write, bool urgent)
{
    planned_ &= ~bit(bank);
    const bool was_writing = writing_;
    choose_direction();
    if (writing_ != was_writing || next_.bank == bank || urgent)
        chosen_ = false;
    else if (chosen_ && write == writing_ &&
             (arbitration_->served(write, waiting_) & ~refresh_->stopped() & bit(bank)) != 0)
        consider_bank(bank, shared_[timing_.group_of(bank)]);
}

/// A burst of the present direction has come for a bank.
void ChannelSchedule::planned_for(unsigned bank, bool write, const WaitingBurst& burst)
{
    const bool hits = timing_.open(bank) && timing_.row(bank) == burst.row;
    if ((planned_ & bit(bank)) != 0 && (!hits || plans_[bank].kind == CommandKind::Column))
        return; // it comes after what is planned
    planned_ &= ~bit(bank);
    if (next_.bank == bank)
        chosen_ = false;
    else if (chosen_ && (arbitration_->served(write, waiting_) & ~refresh_->stopped() & bit(bank)))
        consider_bank(bank, timing_.by_others(timing_.group_of(bank), writing_));
}

void ChannelSchedule::look_at_arrivals()
{
    arrived_ = false;
    const bool refreshes_change = std::exchange(occupied_, false);
    if (direction() != writing_) {
        choose_direction();
        chosen_ = false;
    } else if (refreshes_change) { // another bank is perhaps refreshed instead
        rivals_.known = false;
        if (chosen_)
            consider_refreshes();
        if ((refresh_->stopped() & bit(next_.bank)) != 0) // perhaps only now
            chosen_ = false;
    }
}

void ChannelSchedule::withdraw(std::uint16_t stream, bool write)
{
    waiting_.withdraw(stream, write);
    planned_ = 0;
    chosen_ = false;
}

/// The clock after the last command may have arrivals, and so may those until the bus is free for a
/// refresh: what was decided without them is decided again.
void ChannelSchedule::decide_again(Clock now)
{
    if (turned_early_ && now <= chosen_for_) {
        writing_ = !writing_;
        in_a_row_ = before_turn_;
        planned_ = 0;
        chosen_ = rivals_.known = false;
    }
    if (now_ >= quiet_until_ && now <= std::max(chosen_for_, timing_.row_bus_from()) &&
        refresh_->take_back())
        chosen_ = rivals_.known = false;
}

inline void ChannelSchedule::Rivals::add(const Candidate& candidate, const Candidate& winner,
                                         const ChannelTiming& timing)
{
    if (candidate.kind != CommandKind::Column) {
        other = std::min(other, candidate.time);
    } else if (candidate.order > winner.order) {
        column = std::min(column, candidate.order);
        groups |= std::uint64_t{1} << timing.group_of(candidate.bank);
    } else {
        late = std::min(late, candidate.time);
        late_ranks |= std::uint64_t{1} << timing.rank_of(candidate.bank);
    }
}

/// From when on another command could go before bursts of the row just used.
Clock ChannelSchedule::others_from(unsigned bank) const
{
    const std::uint64_t same_rank = std::uint64_t{1} << timing_.rank_of(bank);
    const bool kept_off = ranks_apart_ && (rivals_.late_ranks & same_rank) == 0;
    return kept_off ? rivals_.other : std::min(rivals_.other, rivals_.late);
}

inline void ChannelSchedule::offer(const Candidate& candidate, Candidate& best,
                                   Rivals& rivals) const
{
    const bool wins = candidate.before(best);
    if (rivals.known)
        wins ? rivals.add(best, candidate, timing_) : rivals.add(candidate, best, timing_);
    if (wins)
        best = candidate;
}

void ChannelSchedule::consider(Candidate candidate)
{
    candidate.time = std::max(candidate.time, from_);
    offer(candidate, next_, rivals_);
}

void ChannelSchedule::choose()
{
    from_ = now_;
    if (unsettled_) {
        choose_among_all();
        if (next_.time == now_)
            return;
        settle_burst();
        from_ = now_ + 1;
    }
    const bool was_writing = writing_;
    choose_direction();
    turned_early_ |= course_ == Course::Live && writing_ != was_writing;
    choose_among_all();
}

/// Whether a burst that has just gone turns the bus, or may make another one urgent.
bool ChannelSchedule::burst_may_matter() const
{
    return direction() != writing_ || arbitration_->until_urgent(writing_, waiting_) == 1;
}

/// A burst makes others urgent that it has overtaken.
void ChannelSchedule::settle_burst()
{
    unsettled_ = false;
    if (const int hurried = arbitration_->after_burst(writing_, waiting_); hurried >= 0) {
        planned_ &= ~bit(static_cast<unsigned>(hurried));
        rivals_.known = false;
    }
}

void ChannelSchedule::choose_among_all()
{
    next_ = Candidate{};
    rivals_ = Rivals{};
    rivals_.known = course_ == Course::Live && !in_order_ && !waiting_.any_urgent(writing_);
    if (timing_.activating())
        consider_second_activate();
    consider_refreshes();
    hold_for_urgent();
    if (waiting_.occupied(writing_) != 0) {
        for (unsigned group = 0; group < shared_.size(); ++group)
            shared_[group] = timing_.by_others(group, writing_);
        Candidate best = next_; // copies that the compiler keeps in registers
        Rivals rivals = rivals_;
        Mask left = arbitration_->served(writing_, waiting_) & ~refresh_->stopped();
        for (; left != 0; left &= left - 1) {
            const auto bank = static_cast<unsigned>(std::countr_zero(left));
            consider_bank(bank, shared_[timing_.group_of(bank)], best, rivals);
        }
        next_ = best;
        rivals_ = rivals;
    }
    chosen_ = true;
}

/// The direction of the next burst: writes.
bool ChannelSchedule::direction() const
{
    const unsigned reads = waiting_.queued(false), writes = waiting_.queued(true);
    return reads == 0 || writes == 0 ? writes > 0
                                     : batching_->writes_next(writing_, reads, writes, in_a_row_);
}

void ChannelSchedule::choose_direction()
{
    const bool writes = direction();
    if (writes == writing_)
        return;
    writing_ = writes;
    before_turn_ = in_a_row_;
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
        if (!waiting_.urgent(bank, writing_) || !timing_.open(bank))
            continue;
        for (auto slot = waiting_.first(bank, writing_); slot != WaitingBursts::none;
             slot = waiting_.after(slot))
            if (waiting_.at(slot).urgent && waiting_.at(slot).row == timing_.row(bank))
                held_from_ =
                    std::min(held_from_, timing_.by_bank(CommandKind::Column, bank, writing_));
    }
}

void ChannelSchedule::plan(unsigned bank)
{
    Candidate& next = plans_[bank];
    next = arbitration_->next_of(bank, writing_, waiting_, timing_);
    next.time = timing_.by_bank(next.kind, bank, writing_);
    planned_ |= bit(bank);
}

void ChannelSchedule::consider_bank(unsigned bank, const ChannelTiming::Shared& by_others)
{
    consider_bank(bank, by_others, next_, rivals_);
}

inline void ChannelSchedule::consider_bank(unsigned bank, const ChannelTiming::Shared& by_others,
                                           Candidate& best, Rivals& rivals)
{
    if ((planned_ & bit(bank)) == 0)
        plan(bank);
    Candidate next = plans_[bank];
    next.time = std::max(std::max(next.time, by_others.of(next.kind)), from_);
    if (next.kind == CommandKind::Activate && timing_.activating())
        return;
    if (next.kind == CommandKind::Column && next.time >= held_from_ &&
        next.order >= order_of(Urgency::Column))
        return;
    offer(next, best, rivals);
}

void ChannelSchedule::consider_second_activate()
{
    Candidate second;
    second.kind = CommandKind::SecondActivate;
    second.bank = static_cast<std::uint16_t>(timing_.activating_bank());
    second.time = std::max(timing_.second_from(), from_);
    const Urgency before_rows = course_ == Course::Live ? Urgency::UrgentRow : Urgency::Row;
    second.order = order_of(second.time < timing_.second_by() ? before_rows : Urgency::Forced);
    consider(second);
}

/// Of all ranks; while none owes one, only when the next becomes due.
void ChannelSchedule::consider_refreshes()
{
    if (now_ < quiet_until_) {
        Candidate wake;
        wake.time = quiet_until_;
        wake_up(wake);
        return;
    }
    for (unsigned r = 0; r < timing_.ranks(); ++r)
        consider_refresh(r);
    quiet_until_ = refresh_->quiet_until();
}

/// At the clock at which a refresh becomes due, the controller sees so before its commands.
void ChannelSchedule::wake_up(Candidate wake)
{
    wake.order = order_of(course_ == Course::Live ? Urgency::Forced : Urgency::Idle);
    consider(wake);
}

void ChannelSchedule::consider_refresh(unsigned rank)
{
    const Candidate next = refresh_->next(rank, timing_, waiting_, now_);
    if (next.kind == CommandKind::Wake)
        wake_up(next);
    else if (next.kind == CommandKind::Precharge || !timing_.activating())
        consider(next);
}

bool ChannelSchedule::issue(Served& served, Clock until)
{
    if (now_ >= quiet_until_)
        refresh_->keep();
    now_ = next_.time;
    // A refresh becomes due before the commands of its clock are chosen.
    chosen_for_ = next_.kind == CommandKind::Wake ? now_ : now_ + 1;
    chosen_ = turned_early_ = false;
    opened_.reset();
    if (next_.kind == CommandKind::Column) {
        issue_column(served, until);
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
        const WaitingBurst& burst = waiting_.at(next_.slot);
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

void ChannelSchedule::issue_column(Served& served, Clock until)
{
    const unsigned bank = next_.bank;
    const unsigned bursts = train(until);
    now_ += (bursts - 1) * spacing_;
    chosen_for_ = now_ + 1;
    served.burst = waiting_.take(bank, writing_, next_.slot, bursts);
    served.write = writing_;
    served.data_end = timing_.column(bank, writing_, now_);
    in_a_row_ += bursts;
    planned_ &= ~bit(bank);
    // Other commands of this clock, on a bus of their own, take no notice of it.
    unsettled_ = split_ && course_ == Course::Live && burst_may_matter();
    if (unsettled_)
        return;
    settle_burst();
    if (rivals_.known)
        go_on(bank);
}

/// How many bursts go from now on as one: those that nothing can come between.
unsigned ChannelSchedule::train(Clock until) const
{
    const unsigned waiting = waiting_.at(next_.slot).bursts;
    if (waiting == 1 || until <= now_ + spacing_ || !rivals_.known ||
        next_.order >= rivals_.column || waiting_.queued(!writing_) > 0 ||
        (refresh_->stopped() & bit(next_.bank)) != 0 || !columns_follow(next_.bank))
        return 1;
    const Clock before = std::min(until, others_from(next_.bank));
    if (before <= now_ + spacing_)
        return 1;
    return std::min<std::uint64_t>({waiting, (before - now_ - 1) / spacing_ + 1,
                                    arbitration_->until_urgent(writing_, waiting_)});
}

/// No column of another group can go between two of this bank.
bool ChannelSchedule::columns_follow(unsigned bank) const
{
    return back_to_back_ || (rivals_.groups & ~(std::uint64_t{1} << timing_.group_of(bank))) == 0;
}

/// Chooses the next burst of the row just used, if it is certain to be the next command: most
/// bursts come in such trains.
void ChannelSchedule::go_on(unsigned bank)
{
    const WaitingBursts::Slot slot = waiting_.first(bank, writing_);
    if (slot == WaitingBursts::none || direction() != writing_)
        return;
    const WaitingBurst& burst = waiting_.at(slot);
    if (burst.row != timing_.row(bank) || (refresh_->stopped() & bit(bank)) != 0)
        return;
    Candidate next;
    next.kind = CommandKind::Column;
    next.bank = static_cast<std::uint16_t>(bank);
    next.slot = slot;
    next.order = order_of(Urgency::Column, burst.age);
    const unsigned group = timing_.group_of(bank);
    next.time = timing_.column_from(group, writing_);
    if (next.time >= others_from(bank) || next.order >= rivals_.column || !columns_follow(bank))
        return;
    plans_[bank] = next;
    plans_[bank].time = timing_.by_bank(CommandKind::Column, bank, writing_);
    planned_ |= bit(bank);
    next_ = next;
    chosen_ = true;
}

} // namespace levee::dram
