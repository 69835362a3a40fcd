// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/channel_timing.hpp"
#include "ip/dram/waiting_bursts.hpp"

#include <memory>

namespace levee::dram {

/// Policy that selects the waiting burst that a bank's next command serves. Among the banks, the
/// earliest command goes first, then the most urgent, then the oldest burst's.
class Arbitration {
public:
    virtual ~Arbitration() = default;
    [[nodiscard]] virtual std::unique_ptr<Arbitration> clone() const = 0;
    /// Copies the state of another object with the same policy.
    virtual void assign(const Arbitration& other) = 0;

    /// The next command of a bank for which a burst waits, without its time.
    [[nodiscard]] virtual Candidate next_of(unsigned bank, bool write, const WaitingBursts& waiting,
                                            const ChannelTiming& timing) const = 0;

    /// Called after each burst: may make another burst urgent. Returns the bank of that burst, or
    /// -1.
    virtual int after_burst(bool write, WaitingBursts& waiting) = 0;
    /// Number of further bursts until a waiting one may become urgent; at least 1.
    [[nodiscard]] virtual std::uint32_t until_urgent(bool write,
                                                     const WaitingBursts& waiting) const = 0;

    /// Whether a burst of an open row waits for older bursts of other banks.
    [[nodiscard]] virtual bool in_order() const = 0;

    /// Banks with waiting bursts that may be served: all such banks, unless in_order().
    [[nodiscard]] virtual WaitingBursts::Mask served(bool write,
                                                     const WaitingBursts& waiting) const = 0;
};

[[nodiscard]] std::unique_ptr<Arbitration> make_arbitration(const Controller& controller);

} // namespace levee::dram
