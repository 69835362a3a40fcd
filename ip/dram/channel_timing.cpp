// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/channel_timing.hpp"

namespace levee::dram {

ChannelTiming::ChannelTiming(const Parameters& parameters, const Clocks& clocks)
    : c_(clocks), bus_(parameters.command_bus),
      banks_(std::size_t{parameters.organisation.ranks} * parameters.banks_per_rank()),
      groups_(std::size_t{parameters.organisation.ranks} * parameters.organisation.bank_groups),
      ranks_(parameters.organisation.ranks)
{
    for (unsigned g = 0; g < groups_.size(); ++g)
        groups_[g].rank = static_cast<std::uint16_t>(g / parameters.organisation.bank_groups);
    for (unsigned b = 0; b < banks_.size(); ++b) {
        banks_[b].rank = static_cast<std::uint16_t>(b / parameters.banks_per_rank());
        banks_[b].group = static_cast<std::uint16_t>(b / parameters.organisation.banks);
    }
}

Clock ChannelTiming::refresh_bank_from(unsigned index) const
{
    const Bank& bank = banks_[index];
    const Rank& rank = ranks_[bank.rank];
    return std::max({bank.activate_at, rank.activate_at, rank.refresh_at, row_bus_at_});
}

Clock ChannelTiming::precharge_all_from(unsigned rank) const
{
    Clock from = std::max(ranks_[rank].precharge_at, row_bus_at_);
    for (const Bank& bank : banks_)
        if (bank.rank == rank && bank.open)
            from = std::max(from, bank.precharge_at);
    return from;
}

Clock ChannelTiming::refresh_all_from(unsigned rank) const
{
    Clock from = std::max(ranks_[rank].refresh_at, row_bus_at_);
    for (const Bank& bank : banks_)
        if (bank.rank == rank)
            from = std::max(from, bank.activate_at);
    return from;
}

bool ChannelTiming::any_open(unsigned rank) const
{
    return std::any_of(banks_.begin(), banks_.end(),
                       [rank](const Bank& bank) { return bank.rank == rank && bank.open; });
}

void ChannelTiming::take_row_bus(Clock until)
{
    row_bus_at_ = until;
    if (!bus_.split)
        column_bus_at_ = until;
}

void ChannelTiming::activate(unsigned index, std::uint32_t row, Clock now)
{
    Bank& bank = banks_[index];
    Rank& rank = ranks_[bank.rank];
    bank.row = row;
    bank.open = true;
    bank.activate_at = now + c_.rc;
    rank.activates[rank.oldest] = now + c_.faw;
    rank.oldest = (rank.oldest + 1) % 4;
    rank.activate_at = std::max(rank.activate_at, now + c_.rrd_s);
    groups_[bank.group].activate_at = now + c_.rrd_l;
    if (bus_.activate_window == 0) {
        take_row_bus(now + bus_.activate_clocks);
        opened(bank, now);
        return;
    }
    take_row_bus(now + bus_.activate_clocks / 2);
    bank.precharge_at = no_time;
    bank.column_at = {no_time / 2, no_time / 2};
    activating_ = index;
    second_from_ = row_bus_at_;
    second_by_ = now + bus_.activate_window;
}

void ChannelTiming::second_activate(Clock now)
{
    take_row_bus(now + bus_.activate_clocks - bus_.activate_clocks / 2);
    opened(banks_[activating_], now);
    second_by_ = no_time;
}

/// From here on the rules for commands after an activate apply.
void ChannelTiming::opened(Bank& bank, Clock now)
{
    bank.precharge_at = now + c_.ras;
    bank.column_at = {now + c_.rcd_read, now + c_.rcd_write};
}

void ChannelTiming::close(Bank& bank, Clock now, Clock recovery)
{
    bank.open = false;
    bank.activate_at = std::max(bank.activate_at, now + recovery);
}

void ChannelTiming::precharge(unsigned index, Clock now)
{
    close(banks_[index], now, c_.rp);
    ranks_[banks_[index].rank].precharge_at = now + c_.ppd;
    take_row_bus(now + bus_.precharge_clocks);
}

void ChannelTiming::precharge_all(unsigned rank, Clock now)
{
    for (Bank& bank : banks_)
        if (bank.rank == rank)
            close(bank, now, c_.rp_all);
    ranks_[rank].precharge_at = now + c_.ppd;
    take_row_bus(now + bus_.precharge_clocks);
}

void ChannelTiming::refresh_bank(unsigned index, Clock now)
{
    Bank& bank = banks_[index];
    Rank& rank = ranks_[bank.rank];
    bank.activate_at = now + c_.rfc_bank;
    rank.activate_at = std::max(rank.activate_at, now + c_.refresh_to_activate);
    rank.refresh_at = now + c_.refresh_to_refresh;
    take_row_bus(now + bus_.refresh_clocks);
}

void ChannelTiming::refresh_all(unsigned rank, Clock now)
{
    for (Bank& bank : banks_)
        if (bank.rank == rank)
            bank.activate_at = now + c_.rfc_all;
    ranks_[rank].refresh_at = now + c_.rfc_all;
    take_row_bus(now + bus_.refresh_clocks);
}

Clock ChannelTiming::column(unsigned index, bool write, Clock now)
{
    Bank& bank = banks_[index];
    Rank& rank = ranks_[bank.rank];
    Group& group = groups_[bank.group];
    data_free_ = now + (write ? c_.write_latency : c_.read_latency) + c_.burst;
    data_rank_ = bank.rank;
    bank.precharge_at = std::max(bank.precharge_at, write ? data_free_ + c_.wr : now + c_.rtp);
    rank.column_at[write] = now + c_.ccd_s;
    group.column_at[write] = now + c_.ccd_l;
    if (write) {
        rank.column_at[0] = std::max(rank.column_at[0], data_free_ + c_.wtr_s);
        group.column_at[0] = std::max(group.column_at[0], data_free_ + c_.wtr_l);
    } else {
        const Clock bus_turned = data_free_ + c_.turnaround;
        write_after_read_at_ = bus_turned > c_.write_latency ? bus_turned - c_.write_latency : 0;
    }
    column_bus_at_ = now + bus_.column_clocks;
    if (!bus_.split)
        row_bus_at_ = column_bus_at_;
    return data_free_;
}

} // namespace levee::dram
