// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace levee::dram {

/// Time in clocks of the command clock.
using Clock = std::uint64_t;
inline constexpr Clock no_time = std::numeric_limits<Clock>::max();

enum class CommandKind : std::uint8_t {
    Column, ///< read or write, whichever direction the bus has
    Activate,
    SecondActivate, ///< the later part of a two-part activate
    Precharge,
    PrechargeAll,
    RefreshBank,
    RefreshAll,
    Wake ///< no command: a refresh becomes due
};

/// Priority among commands that are possible at the same clock: the first in this list goes first.
enum class Urgency : std::uint8_t {
    Forced, ///< a refresh that cannot wait, or a second activate at its deadline
    UrgentColumn,
    Column,
    UrgentRow,
    Row,
    Idle ///< a refresh that can wait
};

/// A command that could be issued, from the clock `time` on.
struct Candidate {
    Clock time = no_time;
    /// Order among commands possible at the same clock: the lowest goes first.
    std::uint64_t order = 0;
    CommandKind kind = CommandKind::Wake;
    std::uint16_t bank = 0; ///< bank of the channel: rank * banks per rank + bank
    std::uint16_t slot = 0; ///< slot of its burst (WaitingBursts::Slot)

    [[nodiscard]] bool before(const Candidate& other) const
    {
        return time < other.time || (time == other.time && order < other.order);
    }
};

/// Value of Candidate::order: the more urgent command goes first; among equally urgent commands,
/// the oldest burst's command goes first.
[[nodiscard]] constexpr std::uint64_t order_of(Urgency urgency, std::uint64_t age = 0)
{
    constexpr unsigned age_bits = 60;
    return static_cast<std::uint64_t>(urgency) << age_bits | age;
}

} // namespace levee::dram
