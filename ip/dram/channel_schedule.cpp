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
    if (course_ == Course::Live && (turned_early_ || now_ >= quiet_until_))
        decide_again(now);
    turned_early_ = false;
    now_ = std::max(now_, now);
    from_ = std::max(from_, now_);
    if (is_next_of_row && course_ == Course::Live && !write && !writing_ && !in_order_ &&
        (planned_ & bit(bank)) != 0)
        return !chosen_; // the bank's planned commands come first
    if (course_ == Course::Sampled)
        sample(bank, write, burst.urgent);
    else
        add_to_plans(bank, write, burst);
    return true;
}

/// The chosen command remains valid unless a burst that has arrived turns the bus or changes the
/// bank's plan.
void ChannelSchedule::add_to_plans(unsigned bank, bool write, const WaitingBurst& burst)
{
    arrived_ = true;
    occupied_ |= waiting_.waiting_for(bank) == 1 && now_ >= quiet_until_;
    if (burst.urgent) {
        planned_ &= ~bit(bank);
        chosen_ = rivals_.known = false;
    } else if (write == writing_) {
        planned_for(bank, burst);
    } else if (next_.bank == bank && next_.kind != CommandKind::Column) {
        chosen_ = false; // the choice may have been a refresh of a bank that had no waiting bursts
    }
}

/// A burst has arrived while sampling: a command for its bank may be issued from the clock that the
/// last choice found for its group.
void ChannelSchedule::sample(unsigned bank, bool write, bool urgent)
{
    planned_ &= ~bit(bank);
    const bool was_writing = writing_;
    choose_direction();
    if (writing_ != was_writing || next_.bank == bank || urgent)
        chosen_ = false;
    else if (chosen_ && write == writing_ && (banks_served() & bit(bank)) != 0)
        consider_bank(bank, shared_[timing_.group_of(bank)]);
}

/// A burst of the present direction has arrived for a bank.
void ChannelSchedule::planned_for(unsigned bank, const WaitingBurst& burst)
{
    const bool hits = timing_.open(bank) && timing_.row(bank) == burst.row;
    if ((planned_ & bit(bank)) != 0 && (!hits || plans_[bank].kind == CommandKind::Column))
        return; // the bank's planned commands come first
    planned_ &= ~bit(bank);
    if (next_.bank == bank)
        chosen_ = false;
    else if (chosen_ && (banks_served() & bit(bank)) != 0)
        consider_bank(bank, timing_.by_others(timing_.group_of(bank), writing_, from_));
}

void ChannelSchedule::look_at_arrivals()
{
    arrived_ = false;
    const bool refreshes_change = std::exchange(occupied_, false);
    if (direction() != writing_) {
        choose_direction();
        chosen_ = false;
    } else if (refreshes_change) { // another bank may now be the one to refresh
        rivals_.known = false;
        // If several refreshes are possible in the same clock, the first rank's goes first.
        const bool for_burst =
            next_.order >= order_of(Urgency::UrgentColumn) && next_.order < order_of(Urgency::Idle);
        chosen_ = chosen_ && for_burst;
        if (chosen_)
            consider_refreshes();
        if ((refresh_->stopped() & bit(next_.bank)) != 0) // the arrival may have stopped the bank
            chosen_ = false;
    }
}

void ChannelSchedule::withdraw(std::uint16_t stream, bool write)
{
    waiting_.withdraw(stream, write);
    planned_ = 0;
    chosen_ = false;
}

/// Repeats decisions on the bus direction and on refresh that were made before all bursts had
/// arrived. Bursts may arrive until the clock after the last command, or, for a refresh, until the
/// row bus is free.
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

/// The clock from which another command could precede bursts of the row just used.
Clock ChannelSchedule::others_from(unsigned bank) const
{
    const std::uint64_t same_rank = std::uint64_t{1} << timing_.rank_of(bank);
    const bool kept_off = ranks_apart_ && (rivals_.late_ranks & same_rank) == 0;
    return kept_off ? rivals_.other : std::min(rivals_.other, rivals_.late);
}

inline void ChannelSchedule::offer(const Candidate& candidate)
{
    const bool wins = candidate.before(next_);
    if (rivals_.known)
        wins ? rivals_.add(next_, candidate, timing_) : rivals_.add(candidate, next_, timing_);
    if (wins)
        next_ = candidate;
}

inline void ChannelSchedule::consider(Candidate candidate)
{
    candidate.time = std::max(candidate.time, from_);
    offer(candidate);
}

/// The banks of the present direction that a command may serve.
inline Mask ChannelSchedule::banks_served() const
{
    const Mask banks =
        in_order_ ? arbitration_->served(writing_, waiting_) : waiting_.occupied(writing_);
    return banks & ~refresh_->stopped();
}

inline void ChannelSchedule::find_shared()
{
    for (unsigned group = 0; group < shared_.size(); ++group)
        shared_[group] = timing_.by_others(group, writing_, from_);
}

/// Finds the shared times for the groups of `banks`. Short streams often have bursts for one bank
/// only; then its group suffices.
inline void ChannelSchedule::find_shared(Mask banks)
{
    if ((banks & (banks - 1)) != 0 || course_ == Course::Sampled)
        return find_shared(); // sample() needs the times of all groups
    if (banks == 0)
        return;
    const unsigned group = timing_.group_of(static_cast<unsigned>(std::countr_zero(banks)));
    shared_[group] = timing_.by_others(group, writing_, from_);
}

/// Whether rivals can be summarised. Urgent bursts and arbitration by arrival prevent it.
inline bool ChannelSchedule::knows_rivals()
{
    if (!rivals_.known && course_ == Course::Live && !in_order_ && held_from_ == no_time &&
        !waiting_.any_urgent(writing_))
        find_rivals();
    return rivals_.known;
}

/// Finds the rivals of a burst that is about to be issued or was just issued.
void ChannelSchedule::find_rivals()
{
    rivals_ = Rivals{};
    rivals_.known = true;
    rivals_.other = refresh_from_;
    if (timing_.activating())
        rivals_.other = std::min(rivals_.other, timing_.second_from());
    const Mask others = banks_served() & ~bit(next_.bank);
    find_shared(others);
    for (Mask left = others; left != 0; left &= left - 1) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        rivals_.add(candidate_of(bank, shared_[timing_.group_of(bank)]), next_, timing_);
    }
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

/// Whether a burst that was just issued turns the bus, or may make another one urgent.
bool ChannelSchedule::burst_may_matter() const
{
    return direction() != writing_ ||
           (!in_order_ && first_ready().until_urgent(writing_, waiting_) == 1);
}

/// Applies the effect of an issued burst: overtaken bursts may become urgent.
void ChannelSchedule::settle_burst()
{
    unsettled_ = false;
    if (in_order_)
        return;
    if (const int hurried = first_ready().after_burst(writing_, waiting_); hurried >= 0) {
        planned_ &= ~bit(static_cast<unsigned>(hurried));
        rivals_.known = false;
    }
}

void ChannelSchedule::choose_among_all()
{
    next_ = Candidate{};
    rivals_.known = false;
    if (timing_.activating())
        consider_second_activate();
    consider_refreshes();
    hold_for_urgent();
    if (waiting_.occupied(writing_) != 0) {
        const Mask banks = banks_served();
        find_shared(banks);
        held_from_ == no_time ? choose_bank(banks) : choose_bank_beside_urgent(banks);
    }
    chosen_ = true;
}

/// Chooses among `banks` if no urgent burst stalls others: a bank's next command waits only for its
/// bank and for resources that banks share.
inline void ChannelSchedule::choose_bank(Mask banks)
{
    Clock time = next_.time;
    std::uint64_t order = next_.order;
    const Candidate* best = nullptr;
    for (Mask left = banks; left != 0; left &= left - 1) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        if ((planned_ & bit(bank)) == 0)
            plan(bank);
        const Candidate& next = plans_[bank];
        const Clock its = std::max(next.time, shared_[timing_.group_of(bank)].of(next.kind));
        if (its > time || (its == time && next.order >= order))
            continue;
        time = its;
        order = next.order;
        best = &next;
    }
    if (best == nullptr)
        return;
    next_ = *best;
    next_.time = time;
}

void ChannelSchedule::choose_bank_beside_urgent(Mask banks)
{
    for (Mask left = banks; left != 0; left &= left - 1) {
        const auto bank = static_cast<unsigned>(std::countr_zero(left));
        const Candidate next = candidate_of(bank, shared_[timing_.group_of(bank)]);
        if (next.before(next_))
            next_ = next;
    }
}

/// Direction of the next burst: whether it is a write.
inline bool ChannelSchedule::direction() const
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
    next = in_order_ ? arbitration_->next_of(bank, writing_, waiting_, timing_)
                     : first_ready().next_of(bank, writing_, waiting_, timing_);
    next.time = timing_.by_bank(next.kind, bank, writing_);
    planned_ |= bit(bank);
}

void ChannelSchedule::consider_bank(unsigned bank, const ChannelTiming::Shared& by_others)
{
    offer(candidate_of(bank, by_others));
}

/// Returns a bank's next command. Its time is no_time while an urgent burst stalls it.
inline Candidate ChannelSchedule::candidate_of(unsigned bank,
                                               const ChannelTiming::Shared& by_others)
{
    if ((planned_ & bit(bank)) == 0)
        plan(bank);
    Candidate next = plans_[bank];
    next.time = std::max(std::max(next.time, by_others.of(next.kind)), from_);
    if (next.kind == CommandKind::Column && next.time >= held_from_ &&
        next.order >= order_of(Urgency::Column))
        next.time = no_time;
    return next;
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

/// Considers refreshes of all ranks. While no rank owes one, only the time at which the next
/// becomes due matters.
inline void ChannelSchedule::consider_refreshes()
{
    now_ < quiet_until_ ? wake_at(quiet_until_) : consider_refreshes_owed();
}

/// No refresh is possible before `clock`; refreshes are considered again then.
inline void ChannelSchedule::wake_at(Clock clock)
{
    refresh_from_ = clock;
    Candidate wake;
    wake.time = clock;
    wake_up(wake);
}

/// A controller considers refreshes only when the row command bus is free. With a separate column
/// bus, a rank that owes a refresh continues with column commands until then.
void ChannelSchedule::consider_refreshes_owed()
{
    if (split_ && course_ == Course::Live && from_ < timing_.row_bus_from())
        return wake_at(timing_.row_bus_from());
    refresh_from_ = no_time;
    for (unsigned r = 0; r < timing_.ranks(); ++r)
        consider_refresh(r);
    quiet_until_ = refresh_->quiet_until();
}

/// The controller notices a due refresh before it chooses the commands of that clock.
inline void ChannelSchedule::wake_up(Candidate wake)
{
    wake.order = order_of(course_ == Course::Live ? Urgency::Forced : Urgency::Idle);
    consider(wake);
}

void ChannelSchedule::consider_refresh(unsigned rank)
{
    const Candidate next = refresh_->next(rank, timing_, waiting_, now_);
    refresh_from_ = std::min(refresh_from_, next.time);
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
        keep_plan(bank, CommandKind::Column);
        break;
    }
    case CommandKind::SecondActivate:
        timing_.second_activate(now_);
        break;
    case CommandKind::Precharge:
        timing_.precharge(bank, now_);
        keep_plan(bank, CommandKind::Activate);
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
        ++rank_refreshes_;
        refresh_->issued(bank);
        break;
    default:
        break;
    }
}

/// A command for a burst was just issued; the burst's next command is then its bank's next command.
/// Urgent bursts and refreshes are left to plan().
void ChannelSchedule::keep_plan(unsigned bank, CommandKind kind)
{
    if (next_.order < order_of(Urgency::Row) || next_.order >= order_of(Urgency::Idle))
        return;
    const std::uint64_t age = next_.order - order_of(Urgency::Row);
    const Urgency urgency = kind == CommandKind::Column ? Urgency::Column : Urgency::Row;
    plans_[bank] = Candidate{timing_.by_bank(kind, bank, writing_), order_of(urgency, age), kind,
                             next_.bank, next_.slot};
    planned_ |= bit(bank);
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
    // With separate command buses, other commands of this clock ignore the burst.
    unsettled_ = split_ && course_ == Course::Live && burst_may_matter();
    if (unsettled_)
        return;
    settle_burst();
    go_on(bank);
}

/// Number of bursts that are issued as one from now on, since no other command can come between
/// them.
unsigned ChannelSchedule::train(Clock until)
{
    const unsigned waiting = waiting_.at(next_.slot).bursts;
    if (waiting == 1 || until <= now_ + spacing_ || waiting_.queued(!writing_) > 0 ||
        (refresh_->stopped() & bit(next_.bank)) != 0 || !knows_rivals() ||
        next_.order >= rivals_.column || !columns_follow(next_.bank))
        return 1;
    const Clock before = std::min(until, others_from(next_.bank));
    if (before <= now_ + spacing_)
        return 1;
    return std::min<std::uint64_t>({waiting, (before - now_ - 1) / spacing_ + 1,
                                    first_ready().until_urgent(writing_, waiting_)});
}

/// Whether no column command of another group can come between two of this bank.
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
    if (burst.row != timing_.row(bank) || (refresh_->stopped() & bit(bank)) != 0 || !knows_rivals())
        return;
    Candidate next;
    next.kind = CommandKind::Column;
    next.bank = static_cast<std::uint16_t>(bank);
    next.slot = slot;
    next.order = order_of(Urgency::Column, burst.age);
    next.time = timing_.by_bank(CommandKind::Column, bank, writing_);
    plans_[bank] = next;
    planned_ |= bit(bank);
    next.time = timing_.column_from(timing_.group_of(bank), writing_);
    if (next.time >= others_from(bank) || next.order >= rivals_.column || !columns_follow(bank))
        return;
    next_ = next;
    chosen_ = true;
}

} // namespace levee::dram
