// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/arbitration.hpp"

#include <array>

namespace levee::dram {

/// The next command needed to serve `burst`, which waits in `slot`.
inline Candidate step_of(const WaitingBurst& burst, WaitingBursts::Slot slot, unsigned bank,
                         bool urgent, const ChannelTiming& timing)
{
    Candidate next;
    next.bank = static_cast<std::uint16_t>(bank);
    next.slot = slot;
    if (timing.open(bank) && timing.row(bank) == burst.row) {
        next.kind = CommandKind::Column;
        next.order = order_of(urgent ? Urgency::UrgentColumn : Urgency::Column, burst.age);
    } else {
        next.kind = timing.open(bank) ? CommandKind::Precharge : CommandKind::Activate;
        next.order = order_of(urgent ? Urgency::UrgentRow : Urgency::Row, burst.age);
    }
    return next;
}

/// The slot of the oldest burst of a bank; of the oldest urgent one if `urgent`.
inline WaitingBursts::Slot oldest_of(const WaitingBursts& waiting, unsigned bank, bool write,
                                     bool urgent)
{
    WaitingBursts::Slot slot = waiting.first(bank, write);
    while (urgent && !waiting.at(slot).urgent)
        slot = waiting.after(slot);
    return slot;
}

/// Bursts for the open row go first, then the oldest; pages stay open while bursts wait for them.
/// Urgent bursts go before all others of their bank; a burst that has been overtaken too often
/// becomes urgent.
class FirstReady final : public Arbitration {
public:
    explicit FirstReady(const Controller& controller) : patience_(controller.patience) {}

    [[nodiscard]] std::unique_ptr<Arbitration> clone() const override
    {
        return std::make_unique<FirstReady>(*this);
    }
    void assign(const Arbitration& other) override
    {
        *this = static_cast<const FirstReady&>(other);
    }

    [[nodiscard]] Candidate next_of(unsigned bank, bool write, const WaitingBursts& waiting,
                                    const ChannelTiming& timing) const override
    {
        const bool urgent = waiting.urgent(bank, write);
        const WaitingBursts::Slot oldest = oldest_of(waiting, bank, write, urgent);
        if (timing.open(bank))
            for (auto slot = oldest; slot != WaitingBursts::none; slot = waiting.after(slot)) {
                const WaitingBurst& burst = waiting.at(slot);
                if (burst.row == timing.row(bank) && burst.urgent >= urgent)
                    return step_of(burst, slot, bank, urgent, timing);
            }
        return step_of(waiting.at(oldest), oldest, bank, urgent, timing);
    }

    int after_burst(bool write, WaitingBursts& waiting) override
    {
        // The burst that was the oldest at the last check is the first that can become urgent.
        if (waiting.occupied(write) == 0 || waiting.served(write) <= look_again_[write])
            return -1;
        const unsigned bank = waiting.oldest(write);
        const WaitingBurst& burst = waiting.at(waiting.first(bank, write));
        look_again_[write] = burst.served_before + patience_;
        if (burst.urgent || waiting.served(write) <= look_again_[write])
            return -1;
        waiting.hurry(bank, write);
        return static_cast<int>(bank);
    }

    [[nodiscard]] std::uint32_t until_urgent(bool write,
                                             const WaitingBursts& waiting) const override
    {
        const std::uint32_t served = waiting.served(write);
        return look_again_[write] > served ? look_again_[write] - served + 1 : 1;
    }

    [[nodiscard]] bool in_order() const override { return false; }

    [[nodiscard]] WaitingBursts::Mask served(bool write,
                                             const WaitingBursts& waiting) const override
    {
        return waiting.occupied(write);
    }

private:
    unsigned patience_;
    /// [write] Number of served bursts at which the oldest burst is checked again.
    std::array<std::uint32_t, 2> look_again_{};
};

} // namespace levee::dram
