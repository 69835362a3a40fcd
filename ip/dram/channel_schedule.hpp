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
    /// The course of events from rest: no refresh is owed. The bus may turn once a clock, after all
    /// that arrives then; a burst's effects on direction and urgency are seen from the next clock.
    Live
};

/// A policy with its state. It is copied with its owner; the copy's owner has the same policy.
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

/// The command schedule of one channel, each command at the earliest clock the timing allows, in
/// the order of the policies of arbitration, batching and refresh. Advances from command to
/// command.
class ChannelSchedule {
public:
    struct Served {
        WaitingBurst burst; ///< or several of a row
        bool write;
        Clock data_end; ///< of the last
    };

    ChannelSchedule(const Parameters& parameters, const Clocks& clocks,
                    Course course = Course::Sampled);

    [[nodiscard]] bool room(bool write) const { return waiting_.queued(write) < capacity_[write]; }
    /// Adds a burst for a bank of the channel (rank * banks per rank + bank) at `now`; urgent ones
    /// ignore queue limits. False: next_time() stays, if it was known.
    bool arrive(unsigned bank, bool write, const WaitingBurst& burst, Clock now);
    /// Takes out a stream's waiting bursts.
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

    /// Issues that command. After a burst it also issues the commands of other bursts of its row,
    /// requested with it, that follow before `until`, if no other command comes between. Returns
    /// whether data moved: `served`.
    bool issue(Served& served, Clock until = 0);
    /// Clock of the command issued last.
    [[nodiscard]] Clock now() const { return now_; }
    /// The stream whose burst the command issued last opened a row for; nothing if it opened none.
    [[nodiscard]] std::optional<std::uint16_t> opened() const { return opened_; }

private:
    /// The commands against which the chosen burst was compared, as bounds. They hold until another
    /// bank's plan or an owed refresh changes, since commands only delay other commands. Computed
    /// when they are needed.
    struct Rivals {
        bool known = false;
        Clock other = no_time;        ///< no command before that is no column
        Clock late = no_time;         ///< no column before of an older burst, in
        std::uint64_t late_ranks = 0; ///< these ranks, a bit each
        std::uint64_t column = std::numeric_limits<std::uint64_t>::max(); ///< none of lower order
        std::uint64_t groups = 0; ///< of columns of younger bursts, a bit each

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
    /// The arbitration, unless it is in_order_: its calls are not virtual.
    [[nodiscard]] FirstReady& first_ready() const
    {
        return static_cast<FirstReady&>(*arbitration_);
    }
    void keep_plan(unsigned bank, CommandKind kind);
    void find_shared();
    void choose_direction();
    [[nodiscard]] bool direction() const;
    void hold_for_urgent();
    void plan(unsigned bank);
    void consider_bank(unsigned bank, const ChannelTiming::Shared& by_others);
    void choose_bank();
    void choose_bank_beside_urgent();
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
    bool in_order_;                    ///< Arbitration::in_order
    bool split_;                       ///< CommandBus::split
    bool back_to_back_; ///< no column of another bank can go before one of the last bank
    Clock spacing_;     ///< of columns of one bank
    bool ranks_apart_;  ///< column commands of one bank keep those of other ranks off the bus
    std::vector<Candidate> plans_;    ///< by bank, with the time from which the bank allows it
    WaitingBursts::Mask planned_ = 0; ///< banks whose plan is valid
    std::vector<ChannelTiming::Shared> shared_; ///< by group, as of the last choice
    bool writing_ = false;
    unsigned in_a_row_ = 0;     ///< bursts since the last turn of the bus
    unsigned before_turn_ = 0;  ///< in_a_row_ before that turn
    bool turned_early_ = false; ///< it turned for a clock whose arrivals are not known yet
    bool unsettled_ = false;    ///< the last burst's effects begin with the next clock
    Clock chosen_for_ = 0;      ///< the clock after the last command
    Clock from_ = 0;            ///< of the next command, at the earliest
    Clock held_from_ = no_time; ///< an urgent burst can go: others stall
    Clock quiet_until_ = 0;     ///< no refresh is owed before
    Clock refresh_from_ =
        no_time; ///< no refresh and none of its commands before, as last considered
    Clock now_ = 0;
    Candidate next_;
    Rivals rivals_; ///< of next_
    bool chosen_ = false;
    bool arrived_ = false;  ///< bursts, since the direction was chosen
    bool occupied_ = false; ///< one of these a bank that could have been refreshed
    std::optional<std::uint16_t> opened_;
};

} // namespace levee::dram
