// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/channel_timing.hpp"
#include "ip/dram/waiting_bursts.hpp"

#include <memory>

namespace levee::dram {

/// Policy that determines which refreshes a channel performs, and when.
class RefreshPolicy {
public:
    virtual ~RefreshPolicy() = default;
    [[nodiscard]] virtual std::unique_ptr<RefreshPolicy> clone() const = 0;
    /// Copies the state of another object with the same policy.
    virtual void assign(const RefreshPolicy& other) = 0;

    /// The next refresh command of a rank, or the clock at which a refresh becomes due.
    [[nodiscard]] virtual Candidate next(unsigned rank, const ChannelTiming& timing,
                                         const WaitingBursts& waiting, Clock now) = 0;
    /// Returns a clock before which no rank owes a refresh, whatever happens; until then next()
    /// returns a Wake. 0: a rank already owes a refresh.
    [[nodiscard]] virtual Clock quiet_until() const = 0;
    /// A refresh of a bank, or of the rank with this first bank, was issued.
    virtual void issued(unsigned bank) = 0;
    /// Banks that accept no further bursts until they have been refreshed.
    [[nodiscard]] WaitingBursts::Mask stopped() const { return stopped_; }
    /// Releases the banks that next() has stopped since the last keep(). Returns whether there were
    /// any. Call this if next() decided before all bursts of that clock had arrived; the decision
    /// is then made again.
    bool take_back()
    {
        const bool any = new_ != 0;
        if (any)
            forget_new();
        stopped_ &= ~new_;
        new_ = 0;
        return any;
    }
    void keep() { new_ = 0; }

protected:
    /// Called before the banks that were stopped since the last keep() are released.
    virtual void forget_new() {}

    WaitingBursts::Mask stopped_ = 0;
    WaitingBursts::Mask new_ = 0; ///< banks of stopped_ that were stopped since the last keep()
};

/// Returns the first clock from `clock` on that lies midway between the last and the first rank's
/// refresh. In any whole number of intervals from there, all ranks have equally many refreshes.
[[nodiscard]] inline Clock between_refreshes(Clock clock, const Clocks& clocks, unsigned ranks)
{
    const Clock after = (clocks.refi + 2 * ranks - 1) / (2 * ranks); // Time after the last rank's.
    const Clock begin = clock > after ? clock - after : 0;
    return (begin + clocks.refi - 1) / clocks.refi * clocks.refi + after;
}

/// `owed`: refreshes that each rank has postponed at clock 0.
[[nodiscard]] std::unique_ptr<RefreshPolicy>
make_refresh_policy(const Parameters& parameters, const Clocks& clocks, unsigned owed);

} // namespace levee::dram
