// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/time.hpp"
#include "core/units/wide.hpp"

#include <cstdint>
#include <optional>

namespace levee::riscv {

/// Edges of a clock, in whole picoseconds. Edge n is at floor(n * 10^12 / hz), so a clock whose
/// period is not a whole number of picoseconds does not drift.
class Clock {
public:
    /// `hz` is 1 to 10^12.
    explicit Clock(std::uint64_t hz)
        : hz_(hz), period_ps_(ps_per_second % hz == 0 ? ps_per_second / hz : 0)
    {
    }

    /// Returns the time of edge n; empty if it does not fit in 64 bits of ps.
    std::optional<std::uint64_t> edge_ps(std::uint64_t n) const;
    /// The first edge at or after a time.
    std::uint64_t first_edge(std::uint64_t ps) const;
    /// The last edge at or before a time.
    std::uint64_t last_edge(std::uint64_t ps) const;

private:
    std::uint64_t hz_;
    std::uint64_t period_ps_; // 0: the period is not a whole number of picoseconds.
};

inline std::optional<std::uint64_t> Clock::edge_ps(std::uint64_t n) const
{
    const Wide ps = period_ps_ != 0 ? Wide{n} * period_ps_ : Wide{n} * ps_per_second / hz_;
    return ps <= UINT64_MAX ? std::optional(static_cast<std::uint64_t>(ps)) : std::nullopt;
}

inline std::uint64_t Clock::first_edge(std::uint64_t ps) const
{
    if (period_ps_ != 0)
        return ps / period_ps_ + (ps % period_ps_ != 0);
    return static_cast<std::uint64_t>((Wide{ps} * hz_ + ps_per_second - 1) / ps_per_second);
}

inline std::uint64_t Clock::last_edge(std::uint64_t ps) const
{
    if (period_ps_ != 0)
        return ps / period_ps_;
    // Largest n with n * 10^12 / hz < ps + 1.
    return static_cast<std::uint64_t>((Wide{ps} * hz_ + hz_ - 1) / ps_per_second);
}

} // namespace levee::riscv
