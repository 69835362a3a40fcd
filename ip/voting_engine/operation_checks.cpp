// SPDX-License-Identifier: Apache-2.0
// Checks of a descriptor, made before its tables are read.
#include "core/numerics/tensor.hpp"
#include "ip/voting_engine/operation_run.hpp"

#include <iterator>

namespace levee::voting_engine {

namespace {

using Op = levee_ve_operation;

// Most vectors and elements of one descriptor: they bound what a corrupt one allocates.
constexpr std::uint64_t most_vectors = std::uint64_t{1} << 24;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 30;

constexpr std::uint64_t word_bytes = sizeof(std::uint32_t);
constexpr std::uint64_t vote_bytes = sizeof(std::uint16_t);

void need_aligned(std::int64_t value, std::uint64_t unit, std::size_t member)
{
    need_field(value % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS, member);
}

} // namespace

void OperationRun::check() const
{
    if (opcode_ < LEVEE_VE_VOTE || opcode_ > LEVEE_VE_SELECT)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    need_field(op_.outer[0] > 0 && op_.outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op_.n > 0 && op_.n <= most_elements, LEVEE_ERROR_FIELD, offsetof(Op, n));
    if (opcode_ == LEVEE_VE_VOTE) {
        const std::uint64_t heads = std::uint64_t{op_.outer[0]} * op_.outer[1];
        // The arriving token is one token.
        need_field(op_.rows > 0 && (op_.arrival == 0 || op_.rows == 1) &&
                       heads * op_.rows <= most_vectors,
                   LEVEE_ERROR_FIELD, offsetof(Op, rows));
        need_field(op_.n <= most_elements / (heads * op_.rows), LEVEE_ERROR_FIELD, offsetof(Op, n));
        need_field(is_factor(op_.mean_factor), LEVEE_ERROR_FIELD, offsetof(Op, mean_factor));
        need_field(is_factor(op_.deviation_factor), LEVEE_ERROR_FIELD,
                   offsetof(Op, deviation_factor));
    } else {
        need_field(op_.capacity > 0, LEVEE_ERROR_FIELD, offsetof(Op, capacity));
    }
    check_addresses();
    check_alignment();
}

/// Checks that an operation has the tables that it needs.
void OperationRun::check_addresses() const
{
    const bool votes = opcode_ == LEVEE_VE_VOTE, selects = opcode_ == LEVEE_VE_SELECT;
    const auto need = [](bool needed, std::uint64_t address, std::size_t member) {
        need_field(!needed || (address != 0 && !StreamPorts::is_stream(address)),
                   LEVEE_ERROR_ADDRESS, member);
    };
    need_field(!votes || op_.probabilities != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, probabilities));
    need(true, op_.votes, offsetof(Op, votes));
    need(!votes, op_.lengths, offsetof(Op, lengths));
    need(selects, op_.prefill_votes, offsetof(Op, prefill_votes));
    need(!votes || op_.arrival != 0, op_.positions, offsetof(Op, positions));
    need(selects, op_.gather, offsetof(Op, gather));
    need(votes, op_.now, offsetof(Op, now));
    need(!votes, op_.next, offsetof(Op, next));
}

void OperationRun::check_alignment() const
{
    if (!StreamPorts::is_stream(op_.probabilities)) {
        need_field(op_.probabilities % word_bytes == 0, LEVEE_ERROR_ADDRESS,
                   offsetof(Op, probabilities));
        for (std::size_t i = 0; i < std::size(op_.probabilities_stride); ++i)
            need_aligned(op_.probabilities_stride[i], word_bytes,
                         offsetof(Op, probabilities_stride) + i * word_bytes);
    }
    const auto aligned = [](std::uint64_t address, std::uint64_t unit, std::size_t member) {
        need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, member);
    };
    aligned(op_.votes, vote_bytes, offsetof(Op, votes));
    aligned(op_.prefill_votes, vote_bytes, offsetof(Op, prefill_votes));
    aligned(op_.positions, word_bytes, offsetof(Op, positions));
    aligned(op_.gather, word_bytes, offsetof(Op, gather));
    aligned(op_.lengths, word_bytes, offsetof(Op, lengths));
    aligned(op_.now, word_bytes, offsetof(Op, now));
    aligned(op_.arrival, word_bytes, offsetof(Op, arrival));
    aligned(op_.next, word_bytes, offsetof(Op, next));
    need_aligned(op_.votes_stride, vote_bytes, offsetof(Op, votes_stride));
    need_aligned(op_.prefill_votes_stride, vote_bytes, offsetof(Op, prefill_votes_stride));
    need_aligned(op_.positions_stride, word_bytes, offsetof(Op, positions_stride));
    for (std::size_t i = 0; i < std::size(op_.gather_stride); ++i)
        need_aligned(op_.gather_stride[i], word_bytes,
                     offsetof(Op, gather_stride) + i * sizeof(std::int32_t));
    need_aligned(op_.word_stride, word_bytes, offsetof(Op, word_stride));
    need_aligned(op_.arrival_stride, word_bytes, offsetof(Op, arrival_stride));
    for (std::size_t i = 0; i < std::size(op_.next_stride); ++i)
        need_aligned(op_.next_stride[i], word_bytes,
                     offsetof(Op, next_stride) + i * sizeof(std::uint16_t));
}

} // namespace levee::voting_engine
