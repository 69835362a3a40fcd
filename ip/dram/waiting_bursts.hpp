// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace levee::dram {

/// Bursts of one row that wait at a channel, and that one stream has requested consecutively in one
/// clock. Each burst that a core requests is separate.
struct WaitingBurst {
    std::uint64_t age = 0; ///< age of the first burst; each further burst's is greater by one
    std::uint32_t row = 0;
    std::uint16_t stream = 0;
    std::uint16_t useful_bytes = 0;
    bool urgent = false; ///< goes first: a core waits for it, or it was overtaken too often; always
                         ///< a single burst
    std::uint16_t bursts = 1;
    std::uint32_t served_before = 0; ///< bursts of its direction served before it arrived
};

/// The bursts waiting at a channel, by direction and bank; each bank's are in order of arrival.
/// Lists in one pool make it cheap to remove a burst, and to copy all of them.
class WaitingBursts {
public:
    using Mask = std::uint64_t; ///< a bit per bank of the channel
    /// Place of a burst in the pool; valid until the burst is taken out.
    using Slot = std::uint16_t;
    static constexpr Slot none = std::numeric_limits<Slot>::max();

    explicit WaitingBursts(std::size_t banks) : banks_(2 * banks) {}

    /// Adds a burst. Returns true if it joins preceding bursts of the same row and stream.
    bool add(unsigned bank, bool write, const WaitingBurst& burst)
    {
        Bank& its = of(bank, write);
        ++its.bursts;
        ++queued_[write];
        if (its.last != none && joins(burst, places_[its.last].burst, served_[write])) {
            ++places_[its.last].burst.bursts;
            return true;
        }
        const Slot slot = insert(its, its.last);
        Place& place = places_[slot];
        place.burst = burst;
        place.burst.served_before = served_[write];
        occupied_[write] |= Mask{1} << bank;
        if (burst.urgent)
            note_urgent(its, write, 1);
        return false;
    }

    /// Removes the bursts of `slot`, or its first `bursts`, because they are served.
    WaitingBurst take(unsigned bank, bool write, Slot slot, unsigned bursts = 1)
    {
        served_[write] += bursts;
        WaitingBurst& waiting = places_[slot].burst;
        if (bursts == waiting.bursts)
            return remove(bank, write, slot);
        WaitingBurst taken = waiting;
        taken.bursts = static_cast<std::uint16_t>(bursts);
        waiting.bursts = static_cast<std::uint16_t>(waiting.bursts - bursts);
        waiting.age += bursts;
        of(bank, write).bursts = static_cast<std::uint16_t>(of(bank, write).bursts - bursts);
        queued_[write] -= bursts;
        return taken;
    }

    /// The oldest burst that waits for a bank; `none` if no burst waits.
    [[nodiscard]] Slot first(unsigned bank, bool write) const { return of(bank, write).first; }
    /// The next burst of the same bank.
    [[nodiscard]] Slot after(Slot slot) const { return places_[slot].after; }
    [[nodiscard]] const WaitingBurst& at(Slot slot) const { return places_[slot].burst; }

    [[nodiscard]] bool urgent(unsigned bank, bool write) const
    {
        return of(bank, write).urgent > 0;
    }
    [[nodiscard]] bool any_urgent(bool write) const { return urgent_[write] > 0; }
    [[nodiscard]] Mask occupied(bool write) const { return occupied_[write]; }
    [[nodiscard]] Mask occupied() const { return occupied_[0] | occupied_[1]; }
    [[nodiscard]] unsigned waiting_for(unsigned bank) const
    {
        return of(bank, false).bursts + of(bank, true).bursts;
    }
    [[nodiscard]] unsigned queued(bool write) const { return queued_[write]; }
    [[nodiscard]] std::uint32_t served(bool write) const { return served_[write]; }

    /// Removes all bursts of a stream without serving them.
    void withdraw(std::uint16_t stream, bool write)
    {
        for (Mask left = occupied_[write]; left != 0; left &= left - 1) {
            const auto bank = static_cast<unsigned>(std::countr_zero(left));
            for (Slot slot = first(bank, write); slot != none;) {
                const Slot next = after(slot);
                if (at(slot).stream == stream)
                    remove(bank, write, slot);
                slot = next;
            }
        }
    }

    /// The bank whose first burst is the oldest; there must be one.
    [[nodiscard]] unsigned oldest(bool write) const
    {
        Mask left = occupied_[write];
        auto best = static_cast<unsigned>(std::countr_zero(left));
        std::uint64_t age = at(first(best, write)).age;
        for (left &= left - 1; left != 0; left &= left - 1) {
            const auto bank = static_cast<unsigned>(std::countr_zero(left));
            if (const std::uint64_t other = at(first(bank, write)).age; other < age) {
                best = bank;
                age = other;
            }
        }
        return best;
    }

    /// Makes the first burst of a bank urgent.
    void hurry(unsigned bank, bool write)
    {
        const Slot slot = first(bank, write);
        if (places_[slot].burst.bursts > 1) {
            WaitingBurst& rest = places_[insert(of(bank, write), slot)].burst;
            rest = places_[slot].burst;
            ++rest.age;
            --rest.bursts;
        }
        WaitingBurst& burst = places_[slot].burst;
        burst.bursts = 1;
        note_urgent(of(bank, write), write, burst.urgent ? 0 : 1);
        burst.urgent = true;
    }

private:
    struct Place {
        WaitingBurst burst;
        /// Neighbours in the bank's list; unused places have only `after`.
        Slot before = none, after = none;
    };
    struct Bank {
        Slot first = none, last = none;
        std::uint16_t bursts = 0;
        std::int16_t urgent = 0;
    };

    [[nodiscard]] Bank& of(unsigned bank, bool write) { return banks_[2 * bank + write]; }
    [[nodiscard]] const Bank& of(unsigned bank, bool write) const
    {
        return banks_[2 * bank + write];
    }

    static bool joins(const WaitingBurst& burst, const WaitingBurst& last, std::uint32_t served)
    {
        return burst.stream == last.stream && burst.row == last.row &&
               burst.age == last.age + last.bursts && burst.useful_bytes == last.useful_bytes &&
               served == last.served_before && !burst.urgent && !last.urgent;
    }

    /// Inserts a place into a bank's list: after another one, or as the first.
    Slot insert(Bank& its, Slot before)
    {
        const Slot slot = free_place();
        Place& place = places_[slot];
        place.before = before;
        place.after = before == none ? its.first : places_[before].after;
        (before == none ? its.first : places_[before].after) = slot;
        (place.after == none ? its.last : places_[place.after].before) = slot;
        return slot;
    }

    Slot free_place()
    {
        if (unused_ == none) {
            places_.emplace_back();
            return static_cast<Slot>(places_.size() - 1);
        }
        const Slot slot = unused_;
        unused_ = places_[slot].after;
        return slot;
    }

    WaitingBurst remove(unsigned bank, bool write, Slot slot)
    {
        Bank& its = of(bank, write);
        Place& place = places_[slot];
        (place.before == none ? its.first : places_[place.before].after) = place.after;
        (place.after == none ? its.last : places_[place.after].before) = place.before;
        its.bursts = static_cast<std::uint16_t>(its.bursts - place.burst.bursts);
        if (its.bursts == 0)
            occupied_[write] &= ~(Mask{1} << bank);
        queued_[write] -= place.burst.bursts;
        if (place.burst.urgent)
            note_urgent(its, write, -1);
        place.after = unused_;
        unused_ = slot;
        return place.burst;
    }

    void note_urgent(Bank& bank, bool write, int more)
    {
        bank.urgent = static_cast<std::int16_t>(bank.urgent + more);
        urgent_[write] += more;
    }

    std::vector<Place> places_;
    Slot unused_ = none;      ///< first of the unused places in places_
    std::vector<Bank> banks_; ///< two lists for each bank: reads, writes
    // Index: false for reads, true for writes.
    std::array<Mask, 2> occupied_{};
    std::array<unsigned, 2> queued_{};
    std::array<std::uint32_t, 2> served_{};
    std::array<int, 2> urgent_{};
};

} // namespace levee::dram
