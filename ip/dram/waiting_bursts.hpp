// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace levee::dram {

/// One burst waiting at a channel.
struct WaitingBurst {
    std::uint64_t age = 0;
    std::uint32_t row = 0;
    std::uint16_t stream = 0;
    std::uint16_t useful_bytes = 0;
    bool urgent = false;             ///< a core waits, or it was overtaken too often: goes first
    std::uint32_t served_before = 0; ///< bursts of its direction served before it came
};

/// The bursts waiting at a channel by direction and bank, each bank's in order of arrival.
class WaitingBursts {
public:
    using Mask = std::uint64_t; ///< a bit per bank of the channel

    explicit WaitingBursts(std::size_t banks) : banks_{Banks(banks), Banks(banks)} {}

    void add(unsigned bank, bool write, WaitingBurst burst)
    {
        burst.served_before = served_[write];
        Bank& its = banks_[write][bank];
        its.bursts.push_back(burst);
        occupied_[write] |= Mask{1} << bank;
        ++queued_[write];
        note_urgent(its, write, burst.urgent ? 1 : 0);
    }

    /// Takes out a burst that is served.
    WaitingBurst take(unsigned bank, bool write, unsigned slot)
    {
        Bank& its = banks_[write][bank];
        const WaitingBurst burst = its.bursts[slot];
        its.bursts.erase(its.bursts.begin() + slot);
        if (its.bursts.empty())
            occupied_[write] &= ~(Mask{1} << bank);
        --queued_[write];
        ++served_[write];
        note_urgent(its, write, burst.urgent ? -1 : 0);
        return burst;
    }

    [[nodiscard]] const std::vector<WaitingBurst>& of(unsigned bank, bool write) const
    {
        return banks_[write][bank].bursts;
    }
    [[nodiscard]] bool urgent(unsigned bank, bool write) const
    {
        return banks_[write][bank].urgent > 0;
    }
    [[nodiscard]] bool any_urgent(bool write) const { return urgent_[write] > 0; }
    [[nodiscard]] Mask occupied(bool write) const { return occupied_[write]; }
    [[nodiscard]] Mask occupied() const { return occupied_[0] | occupied_[1]; }
    [[nodiscard]] std::size_t waiting_for(unsigned bank) const
    {
        return banks_[0][bank].bursts.size() + banks_[1][bank].bursts.size();
    }
    [[nodiscard]] unsigned queued(bool write) const { return queued_[write]; }
    [[nodiscard]] std::uint32_t served(bool write) const { return served_[write]; }

    /// Takes out all bursts of a stream, unserved.
    void withdraw(std::uint16_t stream, bool write)
    {
        for (Mask left = occupied_[write]; left != 0; left &= left - 1) {
            const auto bank = static_cast<unsigned>(std::countr_zero(left));
            Bank& its = banks_[write][bank];
            for (const WaitingBurst& burst : its.bursts)
                if (burst.stream == stream)
                    note_urgent(its, write, burst.urgent ? -1 : 0);
            queued_[write] -= static_cast<unsigned>(std::erase_if(
                its.bursts, [&](const WaitingBurst& burst) { return burst.stream == stream; }));
            if (its.bursts.empty())
                occupied_[write] &= ~(Mask{1} << bank);
        }
    }

    /// The bank whose first burst is the oldest; there must be one.
    [[nodiscard]] unsigned oldest(bool write) const
    {
        Mask left = occupied_[write];
        auto best = static_cast<unsigned>(std::countr_zero(left));
        for (left &= left - 1; left != 0; left &= left - 1) {
            const auto bank = static_cast<unsigned>(std::countr_zero(left));
            if (of(bank, write).front().age < of(best, write).front().age)
                best = bank;
        }
        return best;
    }

    /// Makes the first burst of a bank urgent.
    void hurry(unsigned bank, bool write)
    {
        Bank& its = banks_[write][bank];
        note_urgent(its, write, its.bursts.front().urgent ? 0 : 1);
        its.bursts.front().urgent = true;
    }

private:
    struct Bank {
        std::vector<WaitingBurst> bursts;
        int urgent = 0;
    };
    using Banks = std::vector<Bank>;

    void note_urgent(Bank& bank, bool write, int more)
    {
        bank.urgent += more;
        urgent_[write] += more;
    }

    // [write]
    std::array<Banks, 2> banks_;
    std::array<Mask, 2> occupied_{};
    std::array<unsigned, 2> queued_{};
    std::array<std::uint32_t, 2> served_{};
    std::array<int, 2> urgent_{};
};

} // namespace levee::dram
