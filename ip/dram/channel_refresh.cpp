// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/channel_schedule.hpp"

#include <algorithm>

// The refresh part of the schedule.

namespace levee::dram {

int ChannelSchedule::idle_bank(unsigned rank) const
{
    for (unsigned b = rank * banks_per_rank_; b < (rank + 1) * banks_per_rank_; ++b)
        if (!banks_[b].refreshed && banks_[b].waiting[0].empty() && banks_[b].waiting[1].empty())
            return static_cast<int>(b);
    return -1;
}

unsigned ChannelSchedule::least_waiting_bank(unsigned rank) const
{
    unsigned best = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (unsigned b = rank * banks_per_rank_; b < (rank + 1) * banks_per_rank_; ++b) {
        const std::size_t waiting = banks_[b].waiting[0].size() + banks_[b].waiting[1].size();
        if (!banks_[b].refreshed && waiting < fewest) {
            best = b;
            fewest = waiting;
        }
    }
    return best;
}

bool ChannelSchedule::rank_idle(unsigned rank) const
{
    for (unsigned b = rank * banks_per_rank_; b < (rank + 1) * banks_per_rank_; ++b)
        if (!banks_[b].waiting[0].empty() || !banks_[b].waiting[1].empty())
            return false;
    return true;
}

void ChannelSchedule::consider_refresh(unsigned r)
{
    Rank& rank = ranks_[r];
    while (rank.next_due <= now_) {
        ++rank.owed;
        rank.next_due += refresh_interval_;
    }
    Choice wake;
    wake.urgency = refresh_last;
    consider(wake, rank.next_due);
    if (rank.owed == 0)
        return;
    const bool must = rank.owed >= parameters_.controller.refresh_slack;
    if (parameters_.refresh == RefreshMode::AllBank) {
        rank.blocked = rank.blocked || must || rank_idle(r);
        if (rank.blocked)
            consider_rank_refresh(r);
        return;
    }
    if (rank.forced < 0) {
        const int idle = idle_bank(r);
        if (idle >= 0)
            return consider_bank_refresh(r, static_cast<unsigned>(idle), false);
        if (!must)
            return;
        rank.forced = static_cast<int>(least_waiting_bank(r));
    }
    consider_bank_refresh(r, static_cast<unsigned>(rank.forced), true);
}

void ChannelSchedule::consider_bank_refresh(unsigned r, unsigned index, bool forced)
{
    const Bank& bank = banks_[index];
    const Rank& rank = ranks_[r];
    Choice choice;
    choice.bank = index;
    choice.urgency = forced ? refresh_first : refresh_last;
    if (bank.open) {
        choice.kind = Kind::Precharge;
        choice.time = std::max(bank.precharge_at, row_bus_at_);
    } else {
        choice.kind = Kind::RefreshBank;
        choice.time = std::max({bank.activate_at, rank.activate_at, rank.refresh_at, row_bus_at_});
    }
    consider(choice, choice.time);
}

void ChannelSchedule::consider_rank_refresh(unsigned r)
{
    Choice choice;
    choice.urgency = refresh_first;
    choice.bank = r * banks_per_rank_;
    choice.kind = Kind::RefreshAll;
    choice.time = std::max(ranks_[r].refresh_at, row_bus_at_);
    for (unsigned b = choice.bank; b < choice.bank + banks_per_rank_; ++b)
        if (banks_[b].open)
            choice.kind = Kind::PrechargeAll;
    for (unsigned b = choice.bank; b < choice.bank + banks_per_rank_; ++b) {
        const Bank& bank = banks_[b];
        if (choice.kind == Kind::RefreshAll)
            choice.time = std::max(choice.time, bank.activate_at);
        else if (bank.open)
            choice.time = std::max(choice.time, bank.precharge_at);
    }
    consider(choice, choice.time);
}

void ChannelSchedule::issue_refresh_bank()
{
    Bank& bank = banks_[next_.bank];
    Rank& rank = ranks_[next_.bank / banks_per_rank_];
    bank.planned = false;
    bank.activate_at = now_ + c_.rfc_bank;
    bank.refreshed = true;
    rank.activate_at = std::max(rank.activate_at, now_ + c_.refresh_to_activate);
    rank.refresh_at = now_ + c_.refresh_to_refresh;
    rank.forced = -1;
    --rank.owed;
    if (++rank.refreshed_banks == banks_per_rank_) {
        rank.refreshed_banks = 0;
        const unsigned first = next_.bank / banks_per_rank_ * banks_per_rank_;
        for (unsigned b = first; b < first + banks_per_rank_; ++b)
            banks_[b].refreshed = false;
    }
    row_bus_at_ = now_ + parameters_.command_bus.refresh_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

void ChannelSchedule::issue_refresh_all()
{
    Rank& rank = ranks_[next_.bank / banks_per_rank_];
    for (unsigned b = next_.bank; b < next_.bank + banks_per_rank_; ++b) {
        banks_[b].planned = false;
        banks_[b].activate_at = now_ + c_.rfc_all;
    }
    rank.refresh_at = now_ + c_.rfc_all;
    rank.blocked = false;
    --rank.owed;
    row_bus_at_ = now_ + parameters_.command_bus.refresh_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

} // namespace levee::dram
