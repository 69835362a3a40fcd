// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/refresh_policy.hpp"

#include <algorithm>
#include <bit>

namespace levee::dram {

namespace {

using Mask = WaitingBursts::Mask;

/// Counts the refreshes that are due. Ranks are staggered, so that they are not refreshed at the
/// same time.
class Dues {
public:
    Dues(unsigned ranks, Clock interval, unsigned owed) : ranks_(ranks), interval_(interval)
    {
        for (unsigned r = 0; r < ranks; ++r)
            ranks_[r] = Rank{interval * (r + 1) / ranks, owed};
    }
    /// Refreshes owed at `now`.
    unsigned owed(unsigned rank, Clock now)
    {
        Rank& its = ranks_[rank];
        for (; its.next <= now; its.next += interval_)
            ++its.owed;
        return its.owed;
    }
    [[nodiscard]] Candidate wake(unsigned rank) const
    {
        Candidate due;
        due.time = ranks_[rank].next;
        due.order = order_of(Urgency::Idle);
        return due;
    }
    void done(unsigned rank) { --ranks_[rank].owed; }
    /// The clock at which the first refresh becomes due; 0 if one is due.
    [[nodiscard]] Clock quiet_until() const
    {
        Clock first = no_time;
        for (const Rank& rank : ranks_)
            first = rank.owed > 0 ? 0 : std::min(first, rank.next);
        return first;
    }

private:
    struct Rank {
        Clock next;
        unsigned owed;
    };
    std::vector<Rank> ranks_;
    Clock interval_;
};

Candidate first_of(const Candidate& a, const Candidate& b)
{
    return b.before(a) ? b : a;
}

/// Refreshes one bank at a time. A bank without waiting bursts goes first. If there is none and
/// enough refreshes are owed, the bank with the fewest waiting bursts is refreshed.
class PerBank : public RefreshPolicy {
public:
    PerBank(const Parameters& parameters, const Clocks& clocks, unsigned owed)
        : slack_(parameters.controller.refresh_slack), banks_(parameters.banks_per_rank()),
          dues_(parameters.organisation.ranks, clocks.refi / banks_, owed),
          forced_(parameters.organisation.ranks, -1)
    {
    }

    [[nodiscard]] std::unique_ptr<RefreshPolicy> clone() const override
    {
        return std::make_unique<PerBank>(*this);
    }
    void assign(const RefreshPolicy& other) override { *this = static_cast<const PerBank&>(other); }

    [[nodiscard]] Candidate next(unsigned rank, const ChannelTiming& timing,
                                 const WaitingBursts& waiting, Clock now) override
    {
        const unsigned owed = dues_.owed(rank, now);
        const Candidate wake = dues_.wake(rank);
        if (owed == 0)
            return wake;
        if (forced_[rank] < 0) {
            const Mask idle = to_do(rank) & ~waiting.occupied();
            if (idle != 0)
                return first_of(wake, command(static_cast<unsigned>(std::countr_zero(idle)),
                                              Urgency::Idle, timing, now));
            if (owed < slack_)
                return wake;
            forced_[rank] = static_cast<int>(least_waiting(rank, waiting));
            stopped_ |= Mask{1} << forced_[rank];
            new_ |= Mask{1} << forced_[rank];
        }
        return first_of(
            wake, command(static_cast<unsigned>(forced_[rank]), Urgency::Forced, timing, now));
    }

    [[nodiscard]] Clock quiet_until() const override { return dues_.quiet_until(); }

    void issued(unsigned bank) override
    {
        const unsigned rank = bank / banks_;
        dues_.done(rank);
        forced_[rank] = -1;
        stopped_ &= ~(Mask{1} << bank);
        refreshed_ |= Mask{1} << bank;
        if (to_do(rank) == 0)
            refreshed_ &= ~all_of(rank);
    }

private:
    void forget_new() override
    {
        for (int& bank : forced_)
            if (bank >= 0 && (new_ >> bank & 1) != 0)
                bank = -1;
    }
    [[nodiscard]] Mask all_of(unsigned rank) const
    {
        const Mask some = banks_ == 64 ? ~Mask{0} : (Mask{1} << banks_) - 1;
        return some << (rank * banks_);
    }
    /// Banks of the rank not yet refreshed in this round.
    [[nodiscard]] Mask to_do(unsigned rank) const { return all_of(rank) & ~refreshed_; }

    [[nodiscard]] unsigned least_waiting(unsigned rank, const WaitingBursts& waiting) const
    {
        Mask left = to_do(rank);
        auto best = static_cast<unsigned>(std::countr_zero(left));
        for (left &= left - 1; left != 0; left &= left - 1) {
            const auto bank = static_cast<unsigned>(std::countr_zero(left));
            if (waiting.waiting_for(bank) < waiting.waiting_for(best))
                best = bank;
        }
        return best;
    }

    static Candidate command(unsigned bank, Urgency urgency, const ChannelTiming& timing, Clock now)
    {
        Candidate next;
        next.bank = static_cast<std::uint16_t>(bank);
        next.order = order_of(urgency);
        next.kind = timing.open(bank) ? CommandKind::Precharge : CommandKind::RefreshBank;
        next.time = std::max(now, timing.open(bank) ? timing.precharge_from(bank)
                                                    : timing.refresh_bank_from(bank));
        return next;
    }

    unsigned slack_;
    unsigned banks_; ///< per rank
    Dues dues_;
    std::vector<int> forced_; ///< by rank: the bank of the channel that must be refreshed next
    Mask refreshed_ = 0;      ///< banks refreshed in this round
};

/// Refreshes a whole rank at a time, when no burst waits for it or enough refreshes are owed.
class AllBank : public RefreshPolicy {
public:
    AllBank(const Parameters& parameters, const Clocks& clocks, unsigned owed)
        : slack_(parameters.controller.refresh_slack), banks_(parameters.banks_per_rank()),
          dues_(parameters.organisation.ranks, clocks.refi, owed)
    {
    }

    [[nodiscard]] std::unique_ptr<RefreshPolicy> clone() const override
    {
        return std::make_unique<AllBank>(*this);
    }
    void assign(const RefreshPolicy& other) override { *this = static_cast<const AllBank&>(other); }

    [[nodiscard]] Candidate next(unsigned rank, const ChannelTiming& timing,
                                 const WaitingBursts& waiting, Clock now) override
    {
        const unsigned owed = dues_.owed(rank, now);
        const Candidate wake = dues_.wake(rank);
        const Mask its = (banks_ == 64 ? ~Mask{0} : (Mask{1} << banks_) - 1) << (rank * banks_);
        if (owed > 0 && (owed >= slack_ || (waiting.occupied() & its) == 0)) {
            new_ |= its & ~stopped_;
            stopped_ |= its;
        }
        if ((stopped_ & its) == 0)
            return wake;
        Candidate next;
        next.bank = static_cast<std::uint16_t>(rank * banks_);
        next.order = order_of(Urgency::Forced);
        const bool open = timing.any_open(rank);
        next.kind = open ? CommandKind::PrechargeAll : CommandKind::RefreshAll;
        next.time =
            std::max(now, open ? timing.precharge_all_from(rank) : timing.refresh_all_from(rank));
        return first_of(wake, next);
    }

    [[nodiscard]] Clock quiet_until() const override { return dues_.quiet_until(); }

    void issued(unsigned bank) override
    {
        const unsigned rank = bank / banks_;
        dues_.done(rank);
        stopped_ &= ~((banks_ == 64 ? ~Mask{0} : (Mask{1} << banks_) - 1) << (rank * banks_));
    }

private:
    unsigned slack_;
    unsigned banks_; ///< per rank
    Dues dues_;
};

} // namespace

std::unique_ptr<RefreshPolicy> make_refresh_policy(const Parameters& parameters,
                                                   const Clocks& clocks, unsigned owed)
{
    if (parameters.refresh == RefreshMode::AllBank)
        return std::make_unique<AllBank>(parameters, clocks, owed);
    return std::make_unique<PerBank>(parameters, clocks, owed);
}

} // namespace levee::dram
