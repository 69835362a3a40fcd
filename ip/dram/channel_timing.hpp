// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/command.hpp"
#include "ip/dram/parameters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace levee::dram {

/// The timing rules of one channel: the clock from which each command is allowed, given the
/// commands issued so far. Banks are numbered through all ranks.
class ChannelTiming {
public:
    ChannelTiming(const Parameters& parameters, const Clocks& clocks);

    /// Clock from which the state of `bank` itself allows a command for it; `write` is the
    /// direction of a column command.
    [[nodiscard]] Clock by_bank(CommandKind kind, unsigned bank, bool write) const
    {
        const Bank& its = banks_[bank];
        if (kind == CommandKind::Column)
            return its.column_at[write];
        return kind == CommandKind::Activate ? its.activate_at : its.precharge_at;
    }

    /// Earliest times that resources outside the bank permit: other banks, ranks and the
    /// buses.
    struct Shared {
        std::array<Clock, 4> from{}; ///< times by CommandKind, up to Precharge

        [[nodiscard]] Clock of(CommandKind kind) const
        {
            return from[static_cast<std::size_t>(kind)];
        }
        void set(CommandKind kind, Clock clock) { from[static_cast<std::size_t>(kind)] = clock; }
    };
    /// Returns these times for a bank group, none before `least`. No activate is permitted between
    /// the two parts of another activate.
    [[nodiscard]] Shared by_others(unsigned group, bool write, Clock least) const;
    /// Returns only the time of column commands.
    [[nodiscard]] Clock column_from(unsigned group, bool write) const;

    [[nodiscard]] Clock precharge_from(unsigned bank) const;
    [[nodiscard]] Clock refresh_bank_from(unsigned bank) const;
    /// Precharge of all banks of a rank if one is open, otherwise refresh of the rank.
    [[nodiscard]] Clock precharge_all_from(unsigned rank) const;
    [[nodiscard]] Clock refresh_all_from(unsigned rank) const;

    // These functions record an issued command.
    void activate(unsigned bank, std::uint32_t row, Clock now);
    void second_activate(Clock now);
    void precharge(unsigned bank, Clock now);
    void precharge_all(unsigned rank, Clock now);
    void refresh_bank(unsigned bank, Clock now);
    void refresh_all(unsigned rank, Clock now);
    /// Returns the end of the data.
    Clock column(unsigned bank, bool write, Clock now);

    /// First clock at which the bus of row commands is free.
    [[nodiscard]] Clock row_bus_from() const { return row_bus_at_; }

    /// Whether the second part of a two-part activate is still to be issued.
    [[nodiscard]] bool activating() const { return second_by_ != no_time; }
    [[nodiscard]] Clock second_from() const { return std::max(second_from_, row_bus_at_); }
    [[nodiscard]] Clock second_by() const { return second_by_; }

    [[nodiscard]] bool open(unsigned bank) const { return banks_[bank].open; }
    [[nodiscard]] std::uint32_t row(unsigned bank) const { return banks_[bank].row; }
    [[nodiscard]] bool any_open(unsigned rank) const;
    [[nodiscard]] unsigned rank_of(unsigned bank) const { return banks_[bank].rank; }
    [[nodiscard]] unsigned group_of(unsigned bank) const { return banks_[bank].group; }
    [[nodiscard]] unsigned groups() const { return static_cast<unsigned>(groups_.size()); }
    /// The bank whose second activate is still to be issued.
    [[nodiscard]] unsigned activating_bank() const { return activating_; }
    [[nodiscard]] unsigned banks() const { return static_cast<unsigned>(banks_.size()); }
    [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(ranks_.size()); }
    [[nodiscard]] unsigned banks_per_rank() const { return banks() / ranks(); }

private:
    struct Bank {
        Clock activate_at = 0;
        Clock precharge_at = 0;
        std::array<Clock, 2> column_at{}; ///< earliest clocks: of a read, of a write
        std::uint32_t row = 0;
        std::uint16_t rank = 0;
        std::uint16_t group = 0; ///< bank group, numbered through the channel
        bool open = false;
    };
    struct Group {
        std::uint16_t rank = 0;
        Clock activate_at = 0;
        std::array<Clock, 2> column_at{}; ///< earliest clocks: of a read, of a write
    };
    struct Rank {
        /// Ring of the times from which tFAW allows the next activate.
        std::array<Clock, 4> activates{};
        unsigned oldest = 0;
        Clock activate_at = 0;            ///< earliest clock by tRRD_S and refresh
        Clock precharge_at = 0;           ///< earliest clock by tPPD
        std::array<Clock, 2> column_at{}; ///< earliest clocks: of a read, of a write
        Clock refresh_at = 0;
    };

    void close(Bank& bank, Clock now, Clock recovery);
    void opened(Bank& bank, Clock now);
    void take_row_bus(Clock until);

    Clocks c_;
    CommandBus bus_;
    std::vector<Bank> banks_;
    std::vector<Group> groups_;
    std::vector<Rank> ranks_;
    Clock row_bus_at_ = 0;
    Clock column_bus_at_ = 0;
    Clock data_free_ = 0; ///< end of the last burst on the data bus
    unsigned data_rank_ = 0;
    Clock write_after_read_at_ = 0; ///< for all ranks
    unsigned activating_ = 0;       ///< the bank whose second activate is still to be issued
    Clock second_from_ = 0;
    Clock second_by_ = no_time;
};

inline Clock ChannelTiming::precharge_from(unsigned index) const
{
    const Bank& bank = banks_[index];
    return std::max(std::max(bank.precharge_at, ranks_[bank.rank].precharge_at), row_bus_at_);
}

inline Clock ChannelTiming::column_from(unsigned index, bool write) const
{
    const Group& group = groups_[index];
    const Rank& rank = ranks_[group.rank];
    const Clock latency = write ? c_.write_latency : c_.read_latency;
    const Clock data_from = data_free_ + (group.rank != data_rank_ ? c_.rank : 0);
    Clock from = std::max(std::max(rank.column_at[write], group.column_at[write]), column_bus_at_);
    if (write)
        from = std::max(from, write_after_read_at_);
    return std::max(from + latency, data_from) - latency;
}

inline ChannelTiming::Shared ChannelTiming::by_others(unsigned index, bool write, Clock least) const
{
    const Group& group = groups_[index];
    const Rank& rank = ranks_[group.rank];
    const Clock row = std::max(row_bus_at_, least);
    Shared from;
    from.set(CommandKind::Column, std::max(column_from(index, write), least));
    from.set(CommandKind::Activate, activating()
                                        ? no_time
                                        : std::max(std::max(rank.activate_at, group.activate_at),
                                                   std::max(rank.activates[rank.oldest], row)));
    from.set(CommandKind::Precharge, std::max(rank.precharge_at, row));
    return from;
}

} // namespace levee::dram
