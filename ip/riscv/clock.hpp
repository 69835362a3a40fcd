// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/wide.hpp"

#include <cstdint>
#include <optional>

namespace levee::riscv {

/// Edges of a clock on the picosecond grid: edge n lies at floor(n * 10^12 / hz), so a clock with a
/// fractional period in picoseconds does not drift.
class Clock {
public:
    /// hz: 1 to 10^12.
    explicit Clock(std::uint64_t hz) : hz_(hz), period_ps_(second_ps % hz == 0 ? second_ps / hz : 0)
    {
    }

    /// Time of edge n; empty if it is beyond 2^64 ps.
    std::optional<std::uint64_t> edge_ps(std::uint64_t n) const;
    /// The first edge at or after a time.
    std::uint64_t first_edge(std::uint64_t ps) const;
    /// The last edge at or before a time.
    std::uint64_t last_edge(std::uint64_t ps) const;

private:
    static constexpr std::uint64_t second_ps = 1'000'000'000'000;

    std::uint64_t hz_;
    std::uint64_t period_ps_; // Period; 0: not a whole number.
};

inline std::optional<std::uint64_t> Clock::edge_ps(std::uint64_t n) const
{
    const Wide ps = period_ps_ != 0 ? Wide{n} * period_ps_ : Wide{n} * second_ps / hz_;
    return ps <= UINT64_MAX ? std::optional(static_cast<std::uint64_t>(ps)) : std::nullopt;
}

inline std::uint64_t Clock::first_edge(std::uint64_t ps) const
{
    if (period_ps_ != 0)
        return ps / period_ps_ + (ps % period_ps_ != 0);
    return static_cast<std::uint64_t>((Wide{ps} * hz_ + second_ps - 1) / second_ps);
}

inline std::uint64_t Clock::last_edge(std::uint64_t ps) const
{
    if (period_ps_ != 0)
        return ps / period_ps_;
    // n * 10^12 / hz < ps + 1
    return static_cast<std::uint64_t>((Wide{ps} * hz_ + hz_ - 1) / second_ps);
}

} // namespace levee::riscv
