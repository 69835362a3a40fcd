// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <cstdint>

namespace levee::dram {

/// Decides whether a DRAM's streams are scheduled or priced by kind of mix. With
/// PriceMode::Automatic the DRAM's own traffic decides, at each start of a stream. Prices by kind
/// are wrong for short streams. All streams are therefore scheduled while short streams, at the
/// peak rate, would need much of the recent time.
///
/// The recent time is at least an eighth of the time since the first stream, so the decision
/// changes seldom, however long a run is.
class PriceChoice {
public:
    /// Prices by kind are inaccurate for streams shorter than this (README.md).
    static constexpr std::uint64_t least_by_kind = 64 * 1024;
    /// Share of the time from which short streams matter. Their ends are off by about a tenth, so
    /// at this share a run is off by 2.5 %.
    static constexpr double weighs_from = 0.25;

    explicit PriceChoice(const Parameters& parameters);

    /// A stream starts; `now` must not decrease.
    void begins(std::uint64_t bytes, Picoseconds now);

    [[nodiscard]] bool schedules() const { return schedules_; }

    /// Bytes of all streams that began while streams were scheduled.
    [[nodiscard]] std::uint64_t scheduled_bytes() const { return scheduled_bytes_; }
    /// Bytes of short streams priced by kind, and of all streams.
    [[nodiscard]] std::uint64_t short_by_kind() const { return short_by_kind_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// Whether short streams priced by kind take a larger share of the time until `now` than
    /// weighs_from.
    [[nodiscard]] bool misprices(Picoseconds now) const;

private:
    void decide(Picoseconds now);
    [[nodiscard]] double at_peak(std::uint64_t bytes) const
    {
        return static_cast<double>(bytes) * ps_per_byte_;
    }

    PriceMode mode_;
    double ps_per_byte_;   ///< picoseconds per byte at the peak rate
    Picoseconds shortest_; ///< shortest time that is taken into account
    bool schedules_;
    Picoseconds first_ = 0; ///< start of the first stream
    Picoseconds since_ = 0; ///< start of the time that is taken into account
    double short_ps_ = 0.0; ///< time of the short streams since then, at the peak rate
    std::uint64_t bytes_ = 0, scheduled_bytes_ = 0, short_by_kind_ = 0;
};

/// Mean number of a rank's banks that are in refresh, if banks are refreshed one by one.
[[nodiscard]] double banks_in_refresh(const Parameters& parameters);

/// Whether refreshes of single banks delay streams more than prices by kind assume: many banks are
/// refreshed at a time, or bursts that wait for a refresh become urgent (exactness.md).
[[nodiscard]] bool refreshed_banks_hold_up(const Parameters& parameters);

} // namespace levee::dram
