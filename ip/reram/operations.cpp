// SPDX-License-Identifier: Apache-2.0
// What the queue does: time, waits and energy of its operations.
#include "ip/reram/module.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace levee::reram {

namespace {

using Op = levee_reram_operation;

std::uint32_t bits_of(unsigned type)
{
    return type == LEVEE_TYPE_INT8 ? 8 : 16;
}

/// Bits of the magnitude that are driven, one a cycle.
std::uint32_t driven_bits(std::uint32_t bits, bool is_unsigned)
{
    return is_unsigned ? bits : bits - 1;
}

/// Crossbars, of so many lines each, in which lines [first, first + count) lie.
std::uint64_t crossbars_along(std::uint64_t first, std::uint64_t count, std::uint32_t lines)
{
    return count == 0 ? 0 : (first + count - 1) / lines - first / lines + 1;
}

bool is_pipelined(const Op& op)
{
    return (op.flags & LEVEE_RERAM_PIPELINED) != 0;
}

} // namespace

void Reram::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const std::uint8_t opcode = descriptor.opcode;
    if (opcode != LEVEE_RERAM_PRODUCT && opcode != LEVEE_RERAM_WRITE)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    Op op;
    std::memcpy(&op, queue.operation().data(), sizeof op);
    check(opcode, op);
    upstream_ = nullptr;
    read_stages(op);
    read_lengths(op);
    opcode == LEVEE_RERAM_PRODUCT ? product(op, operation) : write(op, operation);
}

std::optional<unsigned> Reram::operand_of(std::uint32_t field) const
{
    if (field == operation_field(offsetof(Op, a)) ||
        field == operation_field(offsetof(Op, a_scale)))
        return 0;
    return std::nullopt;
}

MatrixPlace Reram::place_of(const Stage& stage, std::uint32_t o0, std::uint32_t o1) const
{
    return {stage.unit + o0 * stage.unit_stride[0] + o1 * stage.unit_stride[1], stage.rows,
            stage.columns, stage.bits};
}

/// The units of its matrices, ascending: what lies between them belongs to others.
std::vector<UnitRange> Reram::units_of(const Op& op, const Stage& stage) const
{
    std::array<std::pair<std::uint64_t, std::uint64_t>, 2> loops{
        {{stage.unit_stride[0], op.outer[0]}, {stage.unit_stride[1], op.outer[1]}}};
    for (auto& [stride, count] : loops)
        count = stride == 0 ? 1 : count;
    std::ranges::sort(loops);
    const std::uint64_t units = crossbars_.units_of(place_of(stage, 0, 0));
    std::vector<UnitRange> ranges;
    for (std::uint64_t outer = 0; outer < loops[1].second; ++outer)
        for (std::uint64_t inner = 0; inner < loops[0].second; ++inner) {
            const std::uint64_t first =
                stage.unit + outer * loops[1].first + inner * loops[0].first;
            if (!ranges.empty() && ranges.back().end() == first)
                ranges.back().count += units;
            else
                ranges.push_back({first, units});
        }
    return ranges;
}

std::uint64_t Reram::driven_lines(const Op& op, std::size_t number) const
{
    return number == 0 ? op.k : stages_[number - 1].lines;
}

/// Bits of a stage's inputs: of integers that were not quantised, those of the largest sum.
std::uint32_t Reram::input_bits(const Op& op, std::size_t number) const
{
    std::uint32_t bits = driven_bits(bits_of(op.a_type), (op.flags & LEVEE_RERAM_UNSIGNED) != 0);
    for (std::size_t i = 0; i < number; ++i)
        bits = stages_[i].result_bits != 0
                   ? stages_[i].result_bits - 1u
                   : bits + stages_[i].bits - 1u +
                         static_cast<std::uint32_t>(std::bit_width(driven_lines(op, i) - 1));
    return bits;
}

/// Matrices in crossbars of their own work side by side; what shares crossbars takes turns. Of a
/// ragged matrix the lines that exist are converted: those of the longest one.
StageTime Reram::time_of_stage(const Op& op, std::size_t number) const
{
    const Stage& stage = stages_[number];
    const bool columns = stage.access == LEVEE_RERAM_COLUMNS_SENSED;
    const Crossbar& crossbar = config_.array.crossbar;
    const bool short_sense = op.ragged == LEVEE_RERAM_RAGGED_N && number + 1 == stages_.size();
    const std::uint32_t sensed = short_sense ? *std::ranges::max_element(lengths_) : stage.lines;
    const std::uint32_t lines = std::min(sensed, columns ? crossbar.columns : crossbar.rows);
    const std::uint64_t in_turn = (stage.unit_stride[0] == 0 ? op.outer[0] : 1u) *
                                  std::uint64_t{stage.unit_stride[1] == 0 ? op.outer[1] : 1u};
    return {in_turn * op.m1 * op.m0, config_.timing.product(input_bits(op, number), lines)};
}

/// When the operation's own work could begin: after the producer's lead, too, which the queue adds
/// once the operation is prepared.
Picoseconds Reram::start_of(const Operation& operation) const
{
    const Picoseconds upstream = upstream_ != nullptr ? upstream_->lead : 0;
    return now_ps() + (config_.queue.timing.latency ? operation.lead : 0) + upstream;
}

/// Time from `start` until the crossbars of a stage have been programmed: the memories' latency
/// before it passes meanwhile.
Picoseconds Reram::wait_for(const Op& op, std::size_t number, Picoseconds start) const
{
    const Stage& stage = stages_[number];
    Picoseconds until = 0;
    for (const UnitRange& units : units_of(op, stage))
        for (std::uint64_t unit = units.first; unit < units.end(); ++unit)
            until = std::max(until, free_at_[unit]);
    return until > start ? until - start : 0;
}

/// Lines that a vector of each (o0, o1) drives and senses in a stage: those of the matrix that
/// exist.
Reram::Lines Reram::lines_of(const Op& op, std::size_t number) const
{
    const Stage& stage = stages_[number];
    const Crossbar& crossbar = config_.array.crossbar;
    const bool columns = stage.access == LEVEE_RERAM_COLUMNS_SENSED;
    const std::uint32_t across = columns ? crossbar.rows : crossbar.columns;
    const std::uint32_t along = columns ? crossbar.columns : crossbar.rows;
    const bool short_drive = op.ragged == LEVEE_RERAM_RAGGED_K && number == 0;
    const bool short_sense = op.ragged == LEVEE_RERAM_RAGGED_N && number + 1 == stages_.size();
    Lines lines;
    for (std::size_t i = 0; i < std::size_t{op.outer[0]} * op.outer[1]; ++i) {
        const std::uint64_t o1 = i % op.outer[1];
        const std::uint64_t driven = short_drive ? lengths_[i] : driven_lines(op, number);
        const std::uint64_t sensed = short_sense ? lengths_[i] : stage.lines;
        lines.crossings += driven * sensed;
        lines.sensed_of_all +=
            sensed * crossbars_along(stage.drive + o1 * stage.drive_stride, driven, across);
        lines.driven_of_all +=
            driven * crossbars_along(stage.sense + o1 * stage.sense_stride, sensed, along);
    }
    return lines;
}

void Reram::count_events(const Op& op, std::size_t number, Operation& operation)
{
    const Stage& stage = stages_[number];
    const Crossbar& crossbar = config_.array.crossbar;
    const Lines lines = lines_of(op, number);
    const std::uint64_t vectors = std::uint64_t{op.m1} * op.m0;
    const std::uint64_t cycles = vectors * input_bits(op, number);
    const std::uint64_t conversions = cycles * lines.sensed_of_all * crossbar.slices(stage.bits);
    const auto add = [&](const EnergyEvent& event, std::uint64_t count) {
        operation.work.push_back({&event, count});
    };
    add(cell_event, cycles * lines.crossings * crossbar.cells(stage.bits));
    add(dac_event, cycles * lines.driven_of_all * crossbar.cells(stage.bits));
    add(hold_event, conversions);
    add(adc_event, crossbar.adc.bits == 0 ? 0 : conversions);
    add(shift_event, conversions);
    add(mac_event, vectors * lines.crossings);
    conversions_ += conversions;
    macs_ += vectors * lines.crossings;
}

/// A stage begins when the first vector reaches it and its crossbars are programmed.
void Reram::take_time(const Op& op, Operation& operation)
{
    const std::uint64_t vectors = std::uint64_t{op.outer[0]} * op.outer[1] * op.m1 * op.m0;
    const bool pipelined = is_pipelined(op);
    std::vector<StageTime> times;
    Picoseconds start = start_of(operation), wait = 0, before = 0, first = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        times.push_back(time_of_stage(op, i));
        const Picoseconds free = wait_for(op, i, start);
        wait = std::max(wait, free > before ? free - before : 0);
        before += pipelined ? times[i].product : times[i].whole();
        first += times[i].product;
        count_events(op, i, operation);
    }
    waited_ += wait;
    vectors_ += vectors;
    start += wait;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        view_.add({"product", units_of(op, stages_[i]), start, times[i].product, times[i].vectors,
                   static_cast<std::uint32_t>(i)});
        start += pipelined ? times[i].product : times[i].whole();
    }
    view_.tell();
    const Picoseconds whole = time_of(times, pipelined);
    operation.job.activity.minimum = wait + whole;
    if (StreamPorts::is_stream(op.out)) { // a consumer begins with the first vector
        operation.lead += wait + first;
        operation.job.activity.minimum = whole - first + times.back().product;
    }
}

void Reram::take_write_time(const Op& op, Operation& operation)
{
    const Stage& stage = stages_.front();
    const Crossbar& crossbar = config_.array.crossbar;
    const std::uint64_t in_turn = (stage.unit_stride[0] == 0 ? op.outer[0] : 1u) *
                                  std::uint64_t{stage.unit_stride[1] == 0 ? op.outer[1] : 1u};
    const Picoseconds start = start_of(operation);
    const Picoseconds wait = wait_for(op, 0, start);
    const Picoseconds time = in_turn * op.m1 * config_.timing.write;
    const std::uint64_t columns = std::uint64_t{op.outer[0]} * op.outer[1] * op.m1;
    operation.work.push_back({&cell_write_event, columns * op.k * crossbar.cells(stage.bits)});
    const std::vector<UnitRange> units = units_of(op, stage);
    view_.add({"write", units, start + wait, config_.timing.write, in_turn * op.m1, 0});
    view_.tell();
    programming_ += time;
    const bool posted = (op.flags & LEVEE_RERAM_POSTED) != 0;
    for (const UnitRange& range : units)
        std::fill_n(free_at_.begin() + static_cast<std::ptrdiff_t>(range.first), range.count,
                    start + wait + time);
    operation.job.activity.minimum = posted ? 0 : wait + time;
}

} // namespace levee::reram
