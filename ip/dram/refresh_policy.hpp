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
    [[nodiscard]] virtual WaitingBursts::Mask stopped() const = 0;
    /// What next() has stopped since the last keep() was decided too early, before all bursts of
    /// that clock had come: it is decided again. True if there is any.
    virtual bool take_back() = 0;
    virtual void keep() = 0;
};

/// `owed`: refreshes that each rank has put off at clock 0.
[[nodiscard]] std::unique_ptr<RefreshPolicy>
make_refresh_policy(const Parameters& parameters, const Clocks& clocks, unsigned owed);

} // namespace levee::dram
