// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/serial_operation.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/units/clock.hpp"
#include "ip/element_serial/checks.hpp"

#include <algorithm>
#include <cstring>

namespace levee::element_serial {

namespace {

using Op = levee_es_operation;

} // namespace

void SerialOperation::read(CommandQueue& queue, std::uint8_t opcode)
{
    opcode_ = opcode;
    std::memcpy(&op_, queue.operation().data(), sizeof op_);
    check(opcode_, op_);
    read_lengths(queue);
}

/// Reads one length for each (o0, o1 / group).
void SerialOperation::read_lengths(CommandQueue& queue)
{
    lengths_.clear();
    length_words_ = 0;
    if (op_.lengths != 0) {
        length_words_ = (op_.outer[1] - 1u) / op_.group + 1;
        AccessPattern pattern = contiguous(op_.lengths, sizeof(std::uint32_t));
        pattern.count = {1, op_.outer[0], length_words_};
        pattern.stride = {0, op_.lengths_stride[0], op_.lengths_stride[1]};
        lengths_.resize(std::size_t{op_.outer[0]} * length_words_);
        queue.read_control(pattern, lengths_.data(), operation_field(offsetof(Op, lengths)));
    }
    for (std::uint32_t& word : lengths_) {
        const std::uint64_t actual = std::uint64_t{word} + op_.length_add;
        need_field(actual > 0 && actual <= op_.n, LEVEE_ERROR_FIELD, offsetof(Op, lengths));
        word = static_cast<std::uint32_t>(actual);
    }
    // In a causal operation, the first row must have at least one valid element.
    const auto least = std::min_element(lengths_.begin(), lengths_.end());
    need_field(!is_causal() || (least == lengths_.end() ? op_.n : *least) >= op_.rows,
               LEVEE_ERROR_FIELD, offsetof(Op, rows));
}

Pace SerialOperation::pace(std::uint32_t tile) const
{
    return is_reduce() ? reduce_pace(function(), tile) : normalise_pace(function());
}

/// Computes time and counts, one group at a time.
SerialCost SerialOperation::cost(std::uint32_t tile) const
{
    SerialCost cost;
    if (lengths_.empty()) {
        if (is_causal())
            for (std::size_t i = 0; i < groups(); ++i)
                count_group(cost, tile, op_.n - op_.rows + 1, 1);
        else
            count_group(cost, tile, op_.n, groups());
    }
    for (std::size_t i = 0; i < groups() && !lengths_.empty(); ++i)
        count_group(cost, tile, is_causal() ? length(i) - op_.rows + 1 : length(i), 1);
    const std::uint64_t last = seen(groups() - 1, op_.rows - 1U).count;
    cost.cycles = cost.cycles - pace(tile).cycles(last) + last;
    cost.latency = is_reduce() ? reduce_fill(function(), tile)
                               : set_up(function()) + normalise_fill(function());
    return cost;
}

/// Adds the cost of `groups` groups of equal lengths. The lengths of causal rows grow from `first`
/// up to the window.
void SerialOperation::count_group(SerialCost& cost, std::uint32_t tile, std::uint64_t first,
                                  std::uint64_t groups) const
{
    const Pace pace = this->pace(tile);
    const std::uint64_t most = op_.window != 0 ? op_.window : UINT64_MAX;
    const std::uint64_t below = std::min<std::uint64_t>(op_.rows, first < most ? most - first : 0);
    const std::uint64_t growing = is_causal() ? groups * (below != 0) : 0;
    const std::uint64_t alike = is_causal() ? groups * (op_.rows - below) : groups * op_.rows;
    const std::uint64_t length = is_causal() ? most : std::min(first, most);
    cost.vectors += groups * op_.rows;
    if (growing != 0) {
        cost.cycles += growing * pace.cycles_of_growing(first, below);
        cost.elements += growing * Pace{}.cycles_of_growing(first, below);
        cost.tiles += growing * tiles_of_growing(first, below, tile);
    }
    if (alike != 0) {
        cost.cycles += alike * pace.cycles(length);
        cost.elements += alike * length;
        cost.tiles += alike * divide_up(length, tile);
    }
}

bool SerialOperation::produces() const
{
    return op_.tap != 0 || StreamPorts::is_stream(op_.out);
}

std::uint32_t SerialOperation::length(std::size_t group) const
{
    if (lengths_.empty())
        return op_.n;
    const std::size_t o0 = group / op_.outer[1], o1 = group % op_.outer[1];
    return lengths_[o0 * length_words_ + o1 / op_.group];
}

SerialOperation::Seen SerialOperation::seen(std::size_t group, std::uint32_t row) const
{
    const std::uint32_t end = is_causal() ? length(group) - op_.rows + 1 + row : length(group);
    const std::uint32_t count = op_.window != 0 ? std::min(end, op_.window) : end;
    return {end - count, count};
}

std::uint32_t SerialOperation::longest() const
{
    return lengths_.empty() ? op_.n : *std::max_element(lengths_.begin(), lengths_.end());
}

AccessPattern SerialOperation::rows_at(std::uint64_t address, const std::int32_t (&stride)[3],
                                       std::size_t group, std::uint64_t run_bytes) const
{
    return rows_of(address, stride, static_cast<std::uint32_t>(group / op_.outer[1]),
                   static_cast<std::uint32_t>(group % op_.outer[1]), op_.rows, run_bytes);
}

} // namespace levee::element_serial
