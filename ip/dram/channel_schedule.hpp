// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace levee::dram {

inline constexpr std::uint64_t no_time = std::numeric_limits<std::uint64_t>::max();

/// One burst waiting at a channel.
struct WaitingBurst {
    std::uint64_t age = 0;
    std::uint32_t row = 0;
    std::uint16_t stream = 0;
    std::uint16_t useful_bytes = 0;
    bool urgent = false;             ///< a core waits, or it was overtaken too often: goes first
    std::uint64_t served_before = 0; ///< set by ChannelSchedule
};

/// The command schedule of one channel, each command at the earliest clock the timing allows:
/// first-ready first-come-first-served, open pages, writes drained in batches, refresh. Advances
/// from command to command; times are in clocks.
class ChannelSchedule {
public:
    struct Served {
        WaitingBurst burst;
        bool write;
        std::uint64_t data_end;
    };

    ChannelSchedule(const Parameters& parameters, const Clocks& clocks);

    [[nodiscard]] bool room(bool write) const { return queued_[write] < capacity_[write]; }
    /// Adds a burst at `now`; urgent ones ignore queue limits.
    void arrive(unsigned rank, unsigned bank, bool write, const WaitingBurst& burst,
                std::uint64_t now);

    /// Time of the next command, or of the next refresh to become due.
    [[nodiscard]] std::uint64_t next_time();

    /// Issues that command. True if it moved data: `served` is then that burst.
    bool issue(Served& served);

private:
    enum class Kind { Column, Activate, Precharge, PrechargeAll, RefreshBank, RefreshAll, Wake };

    // Priority among the commands possible at one time.
    static constexpr unsigned refresh_first = 0;
    static constexpr unsigned urgent_column = 1;
    static constexpr unsigned column = 2;
    static constexpr unsigned urgent_row = 3;
    static constexpr unsigned row = 4;
    static constexpr unsigned refresh_last = 5;

    struct Choice {
        std::uint64_t time = no_time;
        unsigned urgency = 0; ///< among commands possible at the same time, the lowest goes first
        std::uint64_t age = 0;
        Kind kind = Kind::Wake;
        unsigned bank = 0; ///< of the channel: rank * banks per rank + bank
        std::size_t slot = 0;
    };

    struct Bank {
        std::array<std::vector<WaitingBurst>, 2> waiting; ///< [write], oldest first
        bool open = false;
        bool refreshed = false; ///< in this round
        std::uint32_t row = 0;
        std::array<unsigned, 2> urgent{}; ///< [write]
        std::uint64_t activate_at = 0;
        std::uint64_t precharge_at = 0;
        std::array<std::uint64_t, 2> column_at{};
        unsigned rank = 0;
        unsigned group = 0;
        bool planned = false; ///< `next` is valid
        Choice next;          ///< with the earliest time the bank allows
    };

    struct Rank {
        std::array<std::uint64_t, 4> activates{}; ///< next allowed by tFAW, ring
        unsigned oldest = 0;
        std::uint64_t activate_at = 0; ///< tRRD_S, refresh
        std::vector<std::uint64_t> group_activate_at;
        std::array<std::uint64_t, 2> column_at{};                  ///< [write] same rank
        std::vector<std::array<std::uint64_t, 2>> group_column_at; ///< [group][write]
        std::uint64_t refresh_at = 0;
        std::uint64_t next_due = 0;
        unsigned owed = 0;
        unsigned refreshed_banks = 0;
        int forced = -1;      ///< bank (of the channel) idled for its refresh
        bool blocked = false; ///< for an all-bank refresh
    };

    void choose();
    void consider(const Choice& choice, std::uint64_t time);
    void choose_direction();
    void turn(bool writing);
    void lose_patience();
    void hold_for_urgent();
    void plan(unsigned index);
    void consider_bank(unsigned index);
    void consider_column(const Bank& bank);
    void consider_refresh(unsigned rank);
    void consider_bank_refresh(unsigned rank, unsigned bank, bool forced);
    void consider_rank_refresh(unsigned rank);
    [[nodiscard]] int idle_bank(unsigned rank) const;
    [[nodiscard]] unsigned least_waiting_bank(unsigned rank) const;
    [[nodiscard]] bool rank_idle(unsigned rank) const;
    void issue_column(Served& served);
    void issue_activate();
    void issue_precharge(unsigned index, std::uint64_t recovery);
    void issue_refresh_bank();
    void issue_refresh_all();
    void after_column(unsigned rank, unsigned group);

    const Parameters& parameters_;
    Clocks c_;
    unsigned banks_per_rank_;
    std::uint64_t refresh_interval_;
    std::array<unsigned, 2> capacity_;
    std::array<unsigned, 2> queued_{};
    std::array<unsigned, 2> urgent_{};
    std::array<std::uint64_t, 2> served_{};   ///< [write] bursts
    std::array<std::uint64_t, 2> occupied_{}; ///< [write] banks with waiting bursts
    std::vector<Bank> banks_;
    std::vector<Rank> ranks_;
    bool writing_ = false;
    bool patience_to_check_ = false;
    unsigned in_a_row_ = 0;             ///< bursts since the last turn of the bus
    std::uint64_t held_from_ = no_time; ///< an urgent burst can go: others stall
    std::uint64_t now_ = 0;
    std::uint64_t row_bus_at_ = 0;
    std::uint64_t column_bus_at_ = 0;
    std::uint64_t data_free_ = 0; ///< end of the last burst on the data bus
    unsigned data_rank_ = 0;
    std::uint64_t write_after_read_at_ = 0; ///< any rank
    Choice next_;
    bool chosen_ = false;
};

} // namespace levee::dram
