// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/stats.hpp"
#include "ip/reram/inside.hpp"
#include "ip/reram/staged_operation.hpp"
#include "ip/reram/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::reram {

/// Times of operations on the crossbars, the times at which crossbars become free, and counts of
/// events.
class StageTimes {
public:
    StageTimes(const ArrayConfig& array, const TimingConfig& timing, std::uint32_t groups)
        : crossbar_(array.crossbar), timing_(timing), view_(array.units, groups),
          free_at_(array.units)
    {
    }

    /// Adds a product whose own work could begin at `start`.
    void take_product(const StagedOperation& staged, Picoseconds start, Operation& operation);
    void take_write(const StagedOperation& staged, Picoseconds start, Operation& operation);

    [[nodiscard]] GroupView& view() { return view_; }
    void report(Stats& stats) const;

private:
    /// Numbers of lines, summed over all iterations (o0, o1), with one vector each.
    struct Lines {
        std::uint64_t crossings = 0;     ///< Crossings of driven and sensed lines.
        std::uint64_t driven_of_all = 0; ///< Driven lines, in all crossbars with sensed
                                         ///< lines.
        std::uint64_t sensed_of_all = 0; ///< Sensed lines, in all crossbars with driven
                                         ///< lines.
    };
    [[nodiscard]] Lines lines_of(const StagedOperation& staged, std::size_t number) const;
    void count_events(const StagedOperation& staged, std::size_t number, Operation& operation);
    [[nodiscard]] StageTime time_of_stage(const StagedOperation& staged, std::size_t number) const;
    [[nodiscard]] Picoseconds wait_for(std::span<const UnitRange> units, Picoseconds start) const;

    Crossbar crossbar_;
    TimingConfig timing_;
    GroupView view_;
    std::vector<Picoseconds> free_at_; ///< For each unit: end of its programming.
    std::uint64_t vectors_ = 0, conversions_ = 0, macs_ = 0;
    Picoseconds programming_ = 0, waited_ = 0;
};

} // namespace levee::reram
