// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/staged_operation.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace levee::reram {

namespace {

/// Returns the number of bits of the magnitude. One bit is driven per cycle.
std::uint32_t driven_bits(std::uint32_t bits, bool is_unsigned)
{
    return is_unsigned ? bits : bits - 1;
}

} // namespace

void StagedOperation::read(CommandQueue& queue, std::uint8_t opcode)
{
    std::memcpy(&op_, queue.operation().data(), sizeof op_);
    check(opcode);
    read_stages(queue);
    read_lengths(queue);
}

std::uint64_t StagedOperation::in_turn(const Stage& stage) const
{
    return (stage.unit_stride[0] == 0 ? op_.outer[0] : 1u) *
           std::uint64_t{stage.unit_stride[1] == 0 ? op_.outer[1] : 1u};
}

MatrixPlace StagedOperation::place_of(const Stage& stage, std::uint32_t o0, std::uint32_t o1) const
{
    return {stage.unit + o0 * stage.unit_stride[0] + o1 * stage.unit_stride[1], stage.rows,
            stage.columns, stage.bits};
}

/// Returns the units of the stage's matrices in ascending order. Other matrices may lie between.
std::vector<UnitRange> StagedOperation::units_of(const Stage& stage) const
{
    std::array<std::pair<std::uint64_t, std::uint64_t>, 2> loops{
        {{stage.unit_stride[0], op_.outer[0]}, {stage.unit_stride[1], op_.outer[1]}}};
    for (auto& [stride, count] : loops)
        count = stride == 0 ? 1 : count;
    std::ranges::sort(loops);
    const std::uint64_t units = crossbars_->units_of(place_of(stage, 0, 0));
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

std::uint64_t StagedOperation::driven_lines(std::size_t number) const
{
    return number == 0 ? op_.k : stages_[number - 1].lines;
}

/// Returns the bits of a stage's inputs. Inputs that were not quantised have as many bits as the
/// largest possible sum.
std::uint32_t StagedOperation::input_bits(std::size_t number) const
{
    std::uint32_t bits = driven_bits(input_type_bits(), is_unsigned());
    for (std::size_t i = 0; i < number; ++i)
        bits = stages_[i].result_bits != 0
                   ? stages_[i].result_bits - 1u
                   : bits + stages_[i].bits - 1u +
                         static_cast<std::uint32_t>(std::bit_width(driven_lines(i) - 1));
    return bits;
}

std::uint32_t StagedOperation::first_column(std::uint32_t o0, std::uint32_t o1) const
{
    const Stage& stage = stages_.front();
    return lengths_.empty() ? stage.sense + o1 * stage.sense_stride
                            : lengths_[std::size_t{o0} * op_.outer[1] + o1];
}

} // namespace levee::reram
