// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/channel_schedule.hpp"

#include <algorithm>
#include <bit>

namespace levee::dram {

ChannelSchedule::ChannelSchedule(const Parameters& parameters, const Clocks& clocks)
    : parameters_(parameters), c_(clocks), banks_per_rank_(parameters.banks_per_rank()),
      refresh_interval_(parameters.refresh == RefreshMode::AllBank ? clocks.refi
                                                                   : clocks.refi / banks_per_rank_),
      capacity_{parameters.controller.read_queue, parameters.controller.write_queue},
      banks_(std::size_t{parameters.organisation.ranks} * banks_per_rank_),
      ranks_(parameters.organisation.ranks)
{
    for (unsigned b = 0; b < banks_.size(); ++b) {
        banks_[b].group = b % banks_per_rank_ / parameters.organisation.banks;
        banks_[b].rank = b / banks_per_rank_;
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        rank.group_activate_at.resize(parameters.organisation.bank_groups, 0);
        rank.group_column_at.resize(parameters.organisation.bank_groups, {0, 0});
        // Starts as in steady operation: the first refresh may not be postponed.
        rank.owed = parameters.controller.refresh_slack - 1;
        // Ranks are staggered, so that they are not refreshed together.
        rank.next_due = refresh_interval_ * (r + 1) / ranks_.size();
    }
}

void ChannelSchedule::arrive(unsigned rank, unsigned bank, bool write, const WaitingBurst& burst,
                             std::uint64_t now)
{
    const unsigned index = rank * banks_per_rank_ + bank;
    banks_[index].waiting[write].push_back(burst);
    banks_[index].waiting[write].back().served_before = served_[write];
    banks_[index].urgent[write] += burst.urgent ? 1 : 0;
    banks_[index].planned = false;
    occupied_[write] |= std::uint64_t{1} << index;
    ++queued_[write];
    urgent_[write] += burst.urgent ? 1 : 0;
    now_ = std::max(now_, now);
    // The command chosen remains valid unless this burst turns the bus or is for the chosen bank.
    const bool was_writing = writing_;
    choose_direction();
    if (writing_ != was_writing || next_.bank == index || burst.urgent)
        chosen_ = false;
    else if (chosen_ && write == writing_)
        consider_bank(index);
}

std::uint64_t ChannelSchedule::next_time()
{
    if (!chosen_)
        choose();
    return next_.time;
}

void ChannelSchedule::consider(const Choice& choice, std::uint64_t time)
{
    time = std::max(time, now_);
    if (time > next_.time)
        return;
    if (time == next_.time && (choice.urgency > next_.urgency ||
                               (choice.urgency == next_.urgency && choice.age >= next_.age)))
        return;
    next_ = choice;
    next_.time = time;
}

void ChannelSchedule::choose()
{
    next_ = Choice{};
    choose_direction();
    lose_patience();
    hold_for_urgent();
    for (unsigned r = 0; r < ranks_.size(); ++r)
        consider_refresh(r);
    for (std::uint64_t left = occupied_[writing_]; left != 0; left &= left - 1)
        consider_bank(static_cast<unsigned>(std::countr_zero(left)));
    chosen_ = true;
}

void ChannelSchedule::choose_direction()
{
    const Controller& controller = parameters_.controller;
    const bool had_its_batch = in_a_row_ >= controller.batch;
    if (writing_ && (queued_[1] == 0 || (queued_[0] > 0 && had_its_batch)))
        turn(false);
    else if (!writing_ && queued_[1] > 0 &&
             (queued_[0] == 0 || (queued_[1] >= controller.write_high && had_its_batch)))
        turn(true);
}

void ChannelSchedule::turn(bool writing)
{
    writing_ = writing;
    in_a_row_ = 0;
    patience_to_check_ = true;
    for (Bank& bank : banks_)
        bank.planned = false;
}

/// Makes the oldest burst urgent once too many have overtaken it.
void ChannelSchedule::lose_patience()
{
    if (!patience_to_check_)
        return;
    patience_to_check_ = false;
    WaitingBurst* oldest = nullptr;
    Bank* bank = nullptr;
    for (std::uint64_t left = occupied_[writing_]; left != 0; left &= left - 1) {
        Bank& each = banks_[static_cast<unsigned>(std::countr_zero(left))];
        WaitingBurst& front = each.waiting[writing_].front();
        if (oldest == nullptr || front.age < oldest->age) {
            oldest = &front;
            bank = &each;
        }
    }
    if (oldest == nullptr || oldest->urgent ||
        served_[writing_] - oldest->served_before <= parameters_.controller.patience)
        return;
    oldest->urgent = true;
    ++bank->urgent[writing_];
    bank->planned = false;
    ++urgent_[writing_];
}

/// Sets the time from which bursts that are not urgent are stalled: successive row hits could
/// otherwise keep an urgent burst of another rank off the data bus forever.
void ChannelSchedule::hold_for_urgent()
{
    held_from_ = no_time;
    if (urgent_[writing_] == 0)
        return;
    for (const Bank& bank : banks_) {
        const auto open_hit = [&bank](const WaitingBurst& w) {
            return w.urgent && bank.open && w.row == bank.row;
        };
        const std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
        if (bank.urgent[writing_] > 0 && std::any_of(waiting.begin(), waiting.end(), open_hit))
            held_from_ = std::min(held_from_, bank.column_at[writing_]);
    }
}

/// Plans the command the bank's waiting bursts need next, as far as the bank alone decides.
void ChannelSchedule::plan(unsigned index)
{
    Bank& bank = banks_[index];
    const std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
    const bool urgent = bank.urgent[writing_] > 0;
    const auto serves = [urgent](const WaitingBurst& w) { return !urgent || w.urgent; };
    const auto oldest = std::find_if(waiting.begin(), waiting.end(), serves);
    Choice& next = bank.next;
    next.bank = index;
    next.age = oldest->age;
    next.urgency = urgent ? urgent_row : row;
    bank.planned = true;
    if (!bank.open) {
        next.kind = Kind::Activate;
        next.time = bank.activate_at;
        return;
    }
    const auto hit = std::find_if(oldest, waiting.end(), [&](const WaitingBurst& w) {
        return w.row == bank.row && serves(w);
    });
    if (hit == waiting.end()) {
        next.kind = Kind::Precharge;
        next.time = bank.precharge_at;
        return;
    }
    next.kind = Kind::Column;
    next.urgency = urgent ? urgent_column : column;
    next.age = hit->age;
    next.slot = static_cast<std::size_t>(hit - waiting.begin());
    next.time = bank.column_at[writing_];
}

void ChannelSchedule::consider_bank(unsigned index)
{
    Bank& bank = banks_[index];
    const Rank& rank = ranks_[bank.rank];
    if (rank.blocked || rank.forced == static_cast<int>(index))
        return;
    if (!bank.planned)
        plan(index);
    const Choice& next = bank.next;
    switch (next.kind) {
    case Kind::Precharge:
        consider(next, std::max(next.time, row_bus_at_));
        return;
    case Kind::Activate:
        consider(next, std::max({next.time, rank.activate_at, rank.group_activate_at[bank.group],
                                 rank.activates[rank.oldest], row_bus_at_}));
        return;
    default:
        consider_column(bank);
    }
}

void ChannelSchedule::consider_column(const Bank& bank)
{
    const Rank& rank = ranks_[bank.rank];
    const std::uint64_t latency = writing_ ? c_.write_latency : c_.read_latency;
    const std::uint64_t data_from = data_free_ + (bank.rank != data_rank_ ? c_.turnaround : 0);
    std::uint64_t time = std::max({bank.next.time, rank.column_at[writing_],
                                   rank.group_column_at[bank.group][writing_], column_bus_at_});
    if (writing_)
        time = std::max(time, write_after_read_at_);
    time = std::max(time + latency, data_from) - latency;
    if (bank.next.urgency == urgent_column || time < held_from_)
        consider(bank.next, time);
}

bool ChannelSchedule::issue(Served& served)
{
    now_ = next_.time;
    chosen_ = false;
    switch (next_.kind) {
    case Kind::Column:
        issue_column(served);
        return true;
    case Kind::Activate:
        issue_activate();
        break;
    case Kind::Precharge:
        issue_precharge(next_.bank, c_.rp);
        break;
    case Kind::PrechargeAll:
        for (unsigned b = next_.bank; b < next_.bank + banks_per_rank_; ++b)
            issue_precharge(b, c_.rp_all);
        break;
    case Kind::RefreshBank:
        issue_refresh_bank();
        break;
    case Kind::RefreshAll:
        issue_refresh_all();
        break;
    case Kind::Wake:
        break;
    }
    return false;
}

void ChannelSchedule::issue_column(Served& served)
{
    Bank& bank = banks_[next_.bank];
    std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
    served.burst = waiting[next_.slot];
    served.write = writing_;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next_.slot));
    if (waiting.empty())
        occupied_[writing_] &= ~(std::uint64_t{1} << next_.bank);
    --queued_[writing_];
    ++in_a_row_;
    bank.urgent[writing_] -= served.burst.urgent ? 1 : 0;
    urgent_[writing_] -= served.burst.urgent ? 1 : 0;
    ++served_[writing_];
    bank.planned = false;
    patience_to_check_ = true;

    const std::uint64_t latency = writing_ ? c_.write_latency : c_.read_latency;
    data_free_ = now_ + latency + c_.burst;
    served.data_end = data_free_;
    data_rank_ = next_.bank / banks_per_rank_;
    bank.precharge_at = std::max(bank.precharge_at, writing_ ? data_free_ + c_.wr : now_ + c_.rtp);
    column_bus_at_ = now_ + parameters_.command_bus.column_clocks;
    if (!parameters_.command_bus.split)
        row_bus_at_ = column_bus_at_;
    after_column(data_rank_, bank.group);
}

void ChannelSchedule::after_column(unsigned rank_index, unsigned group)
{
    Rank& rank = ranks_[rank_index];
    rank.column_at[writing_] = now_ + c_.ccd_s;
    rank.group_column_at[group][writing_] = now_ + c_.ccd_l;
    if (writing_) {
        rank.column_at[0] = std::max(rank.column_at[0], data_free_ + c_.wtr_s);
        rank.group_column_at[group][0] =
            std::max(rank.group_column_at[group][0], data_free_ + c_.wtr_l);
    } else {
        const std::uint64_t bus_turned = data_free_ + c_.turnaround;
        write_after_read_at_ = bus_turned > c_.write_latency ? bus_turned - c_.write_latency : 0;
    }
}

void ChannelSchedule::issue_activate()
{
    Bank& bank = banks_[next_.bank];
    Rank& rank = ranks_[next_.bank / banks_per_rank_];
    const unsigned group = bank.group;
    const std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
    bank.row = std::find_if(waiting.begin(), waiting.end(), [this](const WaitingBurst& w) {
                   return w.age == next_.age;
               })->row;
    bank.planned = false;
    bank.open = true;
    bank.precharge_at = now_ + c_.ras;
    bank.activate_at = now_ + c_.rc;
    bank.column_at = {now_ + c_.rcd_read, now_ + c_.rcd_write};
    rank.activates[rank.oldest] = now_ + c_.faw;
    rank.oldest = (rank.oldest + 1) % 4;
    rank.activate_at = std::max(rank.activate_at, now_ + c_.rrd_s);
    rank.group_activate_at[group] = now_ + c_.rrd_l;
    row_bus_at_ = now_ + parameters_.command_bus.activate_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

void ChannelSchedule::issue_precharge(unsigned index, std::uint64_t recovery)
{
    Bank& bank = banks_[index];
    bank.planned = false;
    bank.open = false;
    bank.activate_at = std::max(bank.activate_at, now_ + recovery);
    row_bus_at_ = now_ + parameters_.command_bus.precharge_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

} // namespace levee::dram
