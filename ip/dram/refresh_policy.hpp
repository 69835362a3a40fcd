// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/channel_timing.hpp"
#include "ip/dram/waiting_bursts.hpp"

#include <memory>

namespace levee::dram {

/// Policy: when a channel refreshes what.
class RefreshPolicy {
public:
    virtual ~RefreshPolicy() = default;
    [[nodiscard]] virtual std::unique_ptr<RefreshPolicy> clone() const = 0;
    /// Takes the state of another one of the same policy.
    virtual void assign(const RefreshPolicy& other) = 0;

    /// The next refresh command of a rank, or the clock at which a refresh becomes due.
    [[nodiscard]] virtual Candidate next(unsigned rank, const ChannelTiming& timing,
                                         const WaitingBursts& waiting, Clock now) = 0;
    /// Until then no rank owes a refresh, whatever happens: next() is a wake at the earliest of
    /// these clocks. 0: one owes something.
    [[nodiscard]] virtual Clock quiet_until() const = 0;
    /// A refresh of a bank or of a rank (its first bank) was issued.
    virtual void issued(unsigned bank) = 0;
    /// Banks that take no further bursts until they have been refreshed.
    [[nodiscard]] WaitingBursts::Mask stopped() const { return stopped_; }
    /// What next() has stopped since the last keep() was decided too early, before all bursts of
    /// that clock had come: it is decided again. True if there is any.
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
    /// Of those stopped since the last keep(): they are not.
    virtual void forget_new() {}

    WaitingBursts::Mask stopped_ = 0;
    WaitingBursts::Mask new_ = 0; ///< of these, those not kept yet
};

/// `owed`: refreshes that each rank has put off at clock 0.
[[nodiscard]] std::unique_ptr<RefreshPolicy>
make_refresh_policy(const Parameters& parameters, const Clocks& clocks, unsigned owed);

} // namespace levee::dram
