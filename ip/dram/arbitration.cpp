// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/arbitration.hpp"

#include "ip/dram/first_ready.hpp"

#include <limits>

namespace levee::dram {

namespace {

/// The oldest burst of a direction goes first; an urgent one goes before it.
class InOrder : public Arbitration {
public:
    [[nodiscard]] std::unique_ptr<Arbitration> clone() const override
    {
        return std::make_unique<InOrder>(*this);
    }
    void assign(const Arbitration& other) override { *this = static_cast<const InOrder&>(other); }

    [[nodiscard]] Candidate next_of(unsigned bank, bool write, const WaitingBursts& waiting,
                                    const ChannelTiming& timing) const override
    {
        const bool urgent = waiting.urgent(bank, write);
        const WaitingBursts::Slot slot = oldest_of(waiting, bank, write, urgent);
        return step_of(waiting.at(slot), slot, bank, urgent, timing);
    }

    int after_burst(bool, WaitingBursts&) override { return -1; }
    [[nodiscard]] std::uint32_t until_urgent(bool, const WaitingBursts&) const override
    {
        return std::numeric_limits<std::uint32_t>::max();
    }

    [[nodiscard]] bool in_order() const override { return true; }

    [[nodiscard]] WaitingBursts::Mask served(bool write,
                                             const WaitingBursts& waiting) const override
    {
        WaitingBursts::Mask banks = WaitingBursts::Mask{1} << waiting.oldest(write);
        for (unsigned bank = 0; waiting.any_urgent(write) && bank < 64; ++bank)
            if ((waiting.occupied(write) >> bank & 1) != 0 && waiting.urgent(bank, write))
                banks |= WaitingBursts::Mask{1} << bank;
        return banks;
    }
};

} // namespace

std::unique_ptr<Arbitration> make_arbitration(const Controller& controller)
{
    if (controller.arbitration == ArbitrationMode::InOrder)
        return std::make_unique<InOrder>();
    return std::make_unique<FirstReady>(controller);
}

} // namespace levee::dram
