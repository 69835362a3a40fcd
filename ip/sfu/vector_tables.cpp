// SPDX-License-Identifier: Apache-2.0
// The tables of an operation: lengths, positions, indices. Timing-only runs read these words too.
#include "ip/sfu/vector_run.hpp"

#include <algorithm>
#include <cstddef>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

} // namespace

void VectorRun::read_tables()
{
    const bool by_row = has_flag(LEVEE_SFU_ROW_WORDS);
    lengths_.clear();
    positions_.clear();
    scatters_.clear();
    read_lengths();
    // The first row of a causal block sees at least one element.
    if (has_flag(LEVEE_SFU_CAUSAL)) {
        const auto least = std::min_element(lengths_.begin(), lengths_.end());
        const std::uint64_t length =
            least == lengths_.end() ? op_.n : std::uint64_t{*least} + op_.length_add;
        need_field(length >= op_.rows, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    }
    if (op_.positions != 0 &&
        ((opcode_ == LEVEE_SFU_ROPE && !by_row) || opcode_ == LEVEE_SFU_EMBED))
        read_positions(1, positions_);
    if (has_flag(LEVEE_SFU_SCATTER) && !by_row) {
        read_indices(1, scatters_);
        least_scatter_ = *std::min_element(scatters_.begin(), scatters_.end());
    }
    read_vector_indices();
    read_row_words();
}

AccessPattern VectorRun::words_of(std::uint64_t table, std::array<std::uint32_t, 2> stride,
                                  std::uint32_t words) const
{
    AccessPattern pattern = contiguous(table, std::uint64_t{words} * sizeof(std::uint32_t));
    pattern.count = {1, op_.outer[0], op_.outer[1]};
    pattern.stride = {0, stride[0], stride[1]};
    return pattern;
}

/// In timing-only runs nothing is rotated, so that only EMBED needs positions.
void VectorRun::read_positions(std::uint32_t words, std::vector<std::uint32_t>& into)
{
    const AccessPattern pattern =
        words_of(op_.positions, {op_.positions_stride[0], op_.positions_stride[1]}, words);
    constexpr std::uint32_t field = operation_field(offsetof(Op, positions));
    if (queue_.timing_only() && opcode_ != LEVEE_SFU_EMBED) {
        queue_.read(pattern, nullptr, field);
        return;
    }
    into.resize(group_count() * words);
    queue_.read_control(pattern, into.data(), field);
}

void VectorRun::read_indices(std::uint32_t words, std::vector<std::uint32_t>& into)
{
    into.resize(group_count() * words);
    queue_.read_control(
        words_of(op_.indices, {op_.indices_stride[0], op_.indices_stride[1]}, words), into.data(),
        operation_field(offsetof(Op, indices)));
}

/// One length for each head of y, shared by a group of o1.
void VectorRun::read_lengths()
{
    if (!is_softmax() || op_.lengths == 0)
        return;
    // Timing-only runs read a shared length once, unless its memory tracks reads.
    const bool once =
        op_.lengths_stride[1] == 0 && queue_.timing_only() && !queue_.tracks(op_.lengths);
    length_words_ = once ? 1 : shared_head(op_.outer[1] - 1u) + 1;
    AccessPattern pattern = contiguous(op_.lengths, sizeof(std::uint32_t));
    pattern.count = {1, op_.outer[0], length_words_};
    pattern.stride = {0, op_.lengths_stride[0], op_.lengths_stride[1]};
    lengths_.resize(std::size_t{op_.outer[0]} * length_words_);
    queue_.read_control(pattern, lengths_.data(), operation_field(offsetof(Op, lengths)));
    for (const std::uint32_t word : lengths_) {
        const std::uint64_t length = std::uint64_t{word} + op_.length_add;
        need_field(length > 0 && length <= op_.n, LEVEE_ERROR_FIELD, offsetof(Op, lengths));
    }
}

/// The index of each vector, in operations that have one.
void VectorRun::read_vector_indices()
{
    indices_.clear();
    if (opcode_ != LEVEE_SFU_EMBED && opcode_ != LEVEE_SFU_LOG_PROB)
        return;
    AccessPattern pattern = contiguous(op_.indices, sizeof(std::uint32_t));
    pattern.count = {op_.outer[0], op_.outer[1], op_.rows};
    std::copy(std::begin(op_.indices_stride), std::end(op_.indices_stride), pattern.stride.begin());
    indices_.resize(vector_count());
    queue_.read_control(pattern, indices_.data(), operation_field(offsetof(Op, indices)));
    for (const std::uint32_t index : indices_)
        need_field(opcode_ != LEVEE_SFU_LOG_PROB || index < op_.n, LEVEE_ERROR_FIELD,
                   offsetof(Op, indices));
}

/// ROW_WORDS: positions and output rows of each vector.
void VectorRun::read_row_words()
{
    row_positions_.clear();
    row_targets_.clear();
    if (!has_flag(LEVEE_SFU_ROW_WORDS) || is_statistical())
        return;
    if (opcode_ == LEVEE_SFU_ROPE && op_.positions != 0)
        read_positions(op_.rows, row_positions_);
    if (has_flag(LEVEE_SFU_SCATTER))
        read_indices(op_.rows, row_targets_);
}

} // namespace levee::sfu
