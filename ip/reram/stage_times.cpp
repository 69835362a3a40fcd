// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/stage_times.hpp"

#include "core/flow/streams.hpp"
#include "ip/reram/declaration.hpp"

#include <algorithm>

namespace levee::reram {

namespace {

/// Returns the number of crossbars, with `lines` lines each, that contain some of the lines [first,
/// first + count).
std::uint64_t crossbars_along(std::uint64_t first, std::uint64_t count, std::uint32_t lines)
{
    return count == 0 ? 0 : (first + count - 1) / lines - first / lines + 1;
}

} // namespace

/// Returns the time of a vector in a stage. Matrices in separate crossbars work in parallel;
/// matrices in the same crossbars take turns. For ragged matrices, the longest matrix determines
/// the number of converted lines.
StageTime StageTimes::time_of_stage(const StagedOperation& staged, std::size_t number) const
{
    const levee_reram_stage& stage = staged.stages()[number];
    const bool columns = stage.access == LEVEE_RERAM_COLUMNS_SENSED;
    const std::uint32_t sensed = staged.is_sensed_ragged(number) ? staged.longest_n() : stage.lines;
    const std::uint32_t lines = std::min(sensed, columns ? crossbar_.columns : crossbar_.rows);
    return {staged.in_turn(stage) * staged.vectors(),
            timing_.product(staged.input_bits(number), lines)};
}

/// Returns the time after `start` until these units are programmed. The latency of memories is not
/// added, because it overlaps with programming.
Picoseconds StageTimes::wait_for(std::span<const UnitRange> units, Picoseconds start) const
{
    Picoseconds until = 0;
    for (const UnitRange& range : units)
        for (std::uint64_t unit = range.first; unit < range.end(); ++unit)
            until = std::max(until, free_at_[unit]);
    return until > start ? until - start : 0;
}

/// Returns the numbers of lines that a vector of each iteration (o0, o1) drives and senses in a
/// stage.
StageTimes::Lines StageTimes::lines_of(const StagedOperation& staged, std::size_t number) const
{
    const levee_reram_operation& op = staged.op();
    const levee_reram_stage& stage = staged.stages()[number];
    const bool columns = stage.access == LEVEE_RERAM_COLUMNS_SENSED;
    const std::uint32_t across = columns ? crossbar_.rows : crossbar_.columns;
    const std::uint32_t along = columns ? crossbar_.columns : crossbar_.rows;
    Lines lines;
    for (std::size_t i = 0; i < staged.products(); ++i) {
        const std::uint64_t o1 = i % op.outer[1];
        const std::uint64_t driven =
            staged.is_driven_ragged(number) ? staged.k(i) : staged.driven_lines(number);
        const std::uint64_t sensed = staged.is_sensed_ragged(number) ? staged.n(i) : stage.lines;
        lines.crossings += driven * sensed;
        lines.sensed_of_all +=
            sensed * crossbars_along(stage.drive + o1 * stage.drive_stride, driven, across);
        lines.driven_of_all +=
            driven * crossbars_along(stage.sense + o1 * stage.sense_stride, sensed, along);
    }
    return lines;
}

void StageTimes::count_events(const StagedOperation& staged, std::size_t number,
                              Operation& operation)
{
    const levee_reram_stage& stage = staged.stages()[number];
    const Lines lines = lines_of(staged, number);
    const std::uint64_t vectors = staged.vectors();
    const std::uint64_t cycles = vectors * staged.input_bits(number);
    const std::uint64_t conversions = cycles * lines.sensed_of_all * crossbar_.slices(stage.bits);
    const auto add = [&](const EnergyEvent& event, std::uint64_t count) {
        operation.work.push_back({&event, count});
    };
    add(cell_event, cycles * lines.crossings * crossbar_.cells(stage.bits));
    add(dac_event, cycles * lines.driven_of_all * crossbar_.cells(stage.bits));
    add(hold_event, conversions);
    add(adc_event, crossbar_.adc.bits == 0 ? 0 : conversions);
    add(shift_event, conversions);
    add(mac_event, vectors * lines.crossings);
    conversions_ += conversions;
    macs_ += vectors * lines.crossings;
}

/// Adds a product. A stage begins when the first vector reaches it and its crossbars are
/// programmed.
void StageTimes::take_product(const StagedOperation& staged, Picoseconds start,
                              Operation& operation)
{
    const levee_reram_operation& op = staged.op();
    const std::uint64_t vectors = staged.products() * staged.vectors();
    const bool pipelined = staged.is_pipelined();
    std::vector<StageTime> times;
    Picoseconds wait = 0, before = 0, first = 0;
    for (std::size_t i = 0; i < staged.stages().size(); ++i) {
        times.push_back(time_of_stage(staged, i));
        const Picoseconds free = wait_for(staged.units_of(staged.stages()[i]), start);
        wait = std::max(wait, free > before ? free - before : 0);
        before += pipelined ? times[i].product : times[i].whole();
        first += times[i].product;
        count_events(staged, i, operation);
    }
    waited_ += wait;
    vectors_ += vectors;
    start += wait;
    for (std::size_t i = 0; i < staged.stages().size(); ++i) {
        view_.add({"product", staged.units_of(staged.stages()[i]), start, times[i].product,
                   times[i].vectors, static_cast<std::uint32_t>(i)});
        start += pipelined ? times[i].product : times[i].whole();
    }
    view_.tell();
    const Picoseconds whole = time_of(times, pipelined);
    operation.job.activity.minimum = wait + whole;
    if (StreamPorts::is_stream(op.out)) { // The consumer starts after the first vector.
        operation.lead += wait + first;
        operation.job.activity.minimum = whole - first + times.back().product;
    }
}

void StageTimes::take_write(const StagedOperation& staged, Picoseconds start, Operation& operation)
{
    const levee_reram_operation& op = staged.op();
    const levee_reram_stage& stage = staged.stages().front();
    const std::uint64_t in_turn = staged.in_turn(stage);
    const std::vector<UnitRange> units = staged.units_of(stage);
    const Picoseconds wait = wait_for(units, start);
    const Picoseconds time = in_turn * op.m1 * timing_.write;
    const std::uint64_t columns = staged.products() * op.m1;
    operation.work.push_back({&cell_write_event, columns * op.k * crossbar_.cells(stage.bits)});
    view_.add({"write", units, start + wait, timing_.write, in_turn * op.m1, 0});
    view_.tell();
    programming_ += time;
    const bool posted = (op.flags & LEVEE_RERAM_POSTED) != 0;
    for (const UnitRange& range : units)
        std::fill_n(free_at_.begin() + static_cast<std::ptrdiff_t>(range.first), range.count,
                    start + wait + time);
    operation.job.activity.minimum = posted ? 0 : wait + time;
}

void StageTimes::report(Stats& stats) const
{
    stats.add("vectors", vectors_);
    stats.add("macs", macs_);
    stats.add("conversions", conversions_);
    stats.add("programming_s", seconds(programming_));
    stats.add("waited_for_programming_s", seconds(waited_));
    view_.report(stats);
}

} // namespace levee::reram
