// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/arbitration.hpp"
#include "ip/dram/batching.hpp"
#include "ip/dram/channel_timing.hpp"
#include "ip/dram/first_ready.hpp"
#include "ip/dram/refresh_policy.hpp"
#include "ip/dram/waiting_bursts.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace levee::dram {

/// The start state of a schedule, and how closely it follows the controller.
enum class Course : std::uint8_t {
    /// A sample of the steady state: refreshes have been postponed as long as permitted, and the
    /// bus may turn at each arrival.
    Sampled,
    /// The real course of events from rest: no refresh is owed. The bus may turn once in each
    /// clock, after all bursts of that clock have arrived; the effects of a burst on the direction
    /// and on urgency apply from the next clock on.
    Live
};

/// A policy with its state. A copy of the owner has its own copy of the policy.
template <typename Policy> class Owned {
public:
    explicit Owned(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}
    Owned(const Owned& other) : policy_(other.policy_->clone()) {}
    Owned& operator=(const Owned& other)
    {
        if (policy_)
            policy_->assign(*other.policy_);
        else
            policy_ = other.policy_->clone();
        return *this;
    }
    Owned(Owned&&) noexcept = default;
    Owned& operator=(Owned&&) noexcept = default;
    ~Owned() = default;

    Policy* operator->() const { return policy_.get(); }
    Policy& operator*() const { return *policy_; }

private:
    std::unique_ptr<Policy> policy_;
};

/// The command schedule of one channel: each command is issued at the earliest clock that the
/// timing allows, in the order that the policies of arbitration, batching and refresh determine.
/// The schedule advances from command to command.
class ChannelSchedule {
public:
    struct Served {
        WaitingBurst burst; ///< the served burst, or several of one row
        bool write;
        Clock data_end; ///< end of the data of the last of these bursts
    };

    ChannelSchedule(const Parameters& parameters, const Clocks& clocks,
                    Course course = Course::Sampled);

    [[nodiscard]] bool room(bool write) const { return waiting_.queued(write) < capacity_[write]; }
    [[nodiscard]] unsigned queued(bool write) const { return waiting_.queued(write); }
    /// Adds a burst for a bank of the channel (rank * banks per rank + bank) at `now`; urgent
    /// bursts ignore the limits of queues. Returns false if a known next_time() does not change.
    bool arrive(unsigned bank, bool write, const WaitingBurst& burst, Clock now);
    /// Removes the waiting bursts of a stream.
    void withdraw(std::uint16_t stream, bool write);
    /// No burst waits.
    [[nodiscard]] bool idle() const { return waiting_.occupied() == 0; }

    /// Time of the next command, or of the next refresh to become due.
    [[nodiscard]] Clock next_time()
    {
        if (arrived_)
            look_at_arrivals();
        if (!chosen_)
            choose();
        return next_.time;
    }

    /// Issues this command. For a burst, also issues the bursts of its row that were requested with
    /// it, if before `until` and the next other command. Returns whether data moved; `served` then
    /// describes the bursts.
    bool issue(Served& served, Clock until = 0);
    /// Clock of the command issued last.
    [[nodiscard]] Clock now() const { return now_; }
    /// The stream for whose burst the last command opened a row; empty if it opened none.
    [[nodiscard]] std::optional<std::uint16_t> opened() const { return opened_; }
    /// Refreshes of whole ranks so far.
    [[nodiscard]] std::uint64_t rank_refreshes() const { return rank_refreshes_; }

private:
    /// The commands that compete with the chosen burst, summarised as bounds. The bounds hold until
    /// another bank's plan or an owed refresh changes, since commands only delay other commands.
    /// They are computed when they are needed.
    struct Rivals {
        bool known = false;
        Clock other = no_time; ///< Before this clock only column commands are possible.
        /// Before this clock no column command of an older burst is possible.
        Clock late = no_time;
        std::uint64_t late_ranks = 0; ///< ranks of these older bursts, one bit each
        /// Lowest Candidate::order among column commands of younger bursts.
        std::uint64_t column = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t groups = 0; ///< bank groups of these younger bursts, one bit each

        void add(const Candidate& candidate, const Candidate& winner, const ChannelTiming& timing);
    };

    void choose();
    void choose_among_all();
    void settle_burst();
    [[nodiscard]] bool burst_may_matter() const;
    void decide_again(Clock now);
    void look_at_arrivals();
    void add_to_plans(unsigned bank, bool write, const WaitingBurst& burst);
    void sample(unsigned bank, bool write, bool urgent);
    void planned_for(unsigned bank, const WaitingBurst& burst);
    void consider(Candidate candidate);
    void offer(const Candidate& candidate);
    [[nodiscard]] bool knows_rivals();
    void find_rivals();
    /// The arbitration by its concrete type, so calls are not virtual. Not valid if in_order_.
    [[nodiscard]] FirstReady& first_ready() const
    {
        return static_cast<FirstReady&>(*arbitration_);
    }
    void keep_plan(unsigned bank, CommandKind kind);
    void find_shared();
    void find_shared(WaitingBursts::Mask banks);
    void wake_at(Clock clock);
    void choose_direction();
    [[nodiscard]] bool direction() const;
    void hold_for_urgent();
    void plan(unsigned bank);
    void consider_bank(unsigned bank, const ChannelTiming::Shared& by_others);
    void choose_bank(WaitingBursts::Mask banks);
    void choose_bank_beside_urgent(WaitingBursts::Mask banks);
    [[nodiscard]] Candidate candidate_of(unsigned bank, const ChannelTiming::Shared& by_others);
    [[nodiscard]] WaitingBursts::Mask banks_served() const;
    void consider_second_activate();
    void consider_refreshes();
    void consider_refreshes_owed();
    void consider_refresh(unsigned rank);
    void wake_up(Candidate wake);
    void issue_row();
    void issue_column(Served& served, Clock until);
    [[nodiscard]] Clock others_from(unsigned bank) const;
    [[nodiscard]] unsigned train(Clock until);
    [[nodiscard]] bool columns_follow(unsigned bank) const;
    void go_on(unsigned bank);

    Course course_;
    ChannelTiming timing_;
    WaitingBursts waiting_;
    Owned<Arbitration> arbitration_;
    std::shared_ptr<const Batching> batching_;
    Owned<RefreshPolicy> refresh_;
    std::array<unsigned, 2> capacity_; ///< [write]
    bool in_order_;                    ///< copy of Arbitration::in_order()
    bool split_;                       ///< copy of CommandBus::split
    bool back_to_back_; ///< no column command of another bank is possible before the next one of
                        ///< the same bank
    Clock spacing_;     ///< clocks between column commands of one bank
    bool ranks_apart_;  ///< column commands of one bank leave other ranks no gap on the data bus
    /// Next command of each bank, with the time from which the bank allows it.
    std::vector<Candidate> plans_;
    WaitingBursts::Mask planned_ = 0;           ///< banks whose plan is valid
    std::vector<ChannelTiming::Shared> shared_; ///< earliest times by bank group at the last choice
    bool writing_ = false;
    unsigned in_a_row_ = 0;    ///< bursts since the last turn of the bus
    unsigned before_turn_ = 0; ///< value of in_a_row_ before that turn
    /// The bus was turned for a clock in which further bursts may still arrive.
    bool turned_early_ = false;
    bool unsettled_ = false; ///< the effects of the last burst begin with the next clock
    Clock chosen_for_ = 0;   ///< the clock after the last command
    Clock from_ = 0;         ///< earliest clock of the next command
    /// From this clock on an urgent burst can be served, and others must wait.
    Clock held_from_ = no_time;
    Clock quiet_until_ = 0;        ///< before this clock no refresh is owed
    Clock refresh_from_ = no_time; ///< before this clock neither a refresh nor its precharges are
                                   ///< possible, by the last check
    std::uint64_t rank_refreshes_ = 0;
    Clock now_ = 0;
    Candidate next_;
    Rivals rivals_; ///< the rivals of next_
    bool chosen_ = false;
    bool arrived_ = false; ///< bursts have arrived since the direction was chosen
    /// One of these bursts is for a bank that was empty and could have been refreshed.
    bool occupied_ = false;
    std::optional<std::uint16_t> opened_;
};

} // namespace levee::dram
