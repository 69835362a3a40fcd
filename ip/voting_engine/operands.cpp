// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/operands.hpp"

#include "core/command/tensor_rows.hpp"
#include "ip/voting_engine/model.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace levee::voting_engine {

namespace {

using Op = levee_ve_operation;

constexpr std::uint64_t word_bytes = sizeof(std::uint32_t);
constexpr std::uint64_t vote_bytes = sizeof(std::uint16_t);

/// Returns a pattern of `rows` runs of `bytes` bytes. `stride` is the distance between runs.
AccessPattern rows_of(std::uint64_t address, std::uint64_t bytes, std::size_t rows = 1,
                      std::int64_t stride = 0)
{
    AccessPattern pattern = contiguous(address, bytes);
    pattern.count[2] = rows;
    pattern.stride[2] = stride;
    return pattern;
}

// Limits on the numbers of vectors and elements in one descriptor. Only a corrupt descriptor can
// have larger sizes.
constexpr std::uint64_t most_vectors = std::uint64_t{1} << 24;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 30;

void need_aligned(std::int64_t value, std::uint64_t unit, std::size_t member)
{
    need_field(value % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS, member);
}

/// Checks that the descriptor has the tables that its operation needs.
void check_addresses(std::uint8_t opcode, const Op& op)
{
    const bool votes = opcode == LEVEE_VE_VOTE, selects = opcode == LEVEE_VE_SELECT;
    const auto need = [](bool needed, std::uint64_t address, std::size_t member) {
        need_field(!needed || (address != 0 && !StreamPorts::is_stream(address)),
                   LEVEE_ERROR_ADDRESS, member);
    };
    need_field(!votes || op.probabilities != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, probabilities));
    need(true, op.votes, offsetof(Op, votes));
    need(!votes, op.lengths, offsetof(Op, lengths));
    need(selects, op.prefill_votes, offsetof(Op, prefill_votes));
    need(!votes || op.arrival != 0, op.positions, offsetof(Op, positions));
    need(selects, op.gather, offsetof(Op, gather));
    need(votes || (!selects && op.reach != 0), op.now, offsetof(Op, now));
    need(!votes, op.next, offsetof(Op, next));
}

void check_alignment(const Op& op)
{
    if (!StreamPorts::is_stream(op.probabilities)) {
        need_field(op.probabilities % word_bytes == 0, LEVEE_ERROR_ADDRESS,
                   offsetof(Op, probabilities));
        for (std::size_t i = 0; i < std::size(op.probabilities_stride); ++i)
            need_aligned(op.probabilities_stride[i], word_bytes,
                         offsetof(Op, probabilities_stride) + i * word_bytes);
    }
    const auto aligned = [](std::uint64_t address, std::uint64_t unit, std::size_t member) {
        need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, member);
    };
    aligned(op.votes, vote_bytes, offsetof(Op, votes));
    aligned(op.prefill_votes, vote_bytes, offsetof(Op, prefill_votes));
    aligned(op.positions, word_bytes, offsetof(Op, positions));
    aligned(op.gather, word_bytes, offsetof(Op, gather));
    aligned(op.lengths, word_bytes, offsetof(Op, lengths));
    aligned(op.now, word_bytes, offsetof(Op, now));
    aligned(op.arrival, word_bytes, offsetof(Op, arrival));
    aligned(op.next, word_bytes, offsetof(Op, next));
    need_aligned(op.votes_stride, vote_bytes, offsetof(Op, votes_stride));
    need_aligned(op.prefill_votes_stride, vote_bytes, offsetof(Op, prefill_votes_stride));
    need_aligned(op.positions_stride, word_bytes, offsetof(Op, positions_stride));
    for (std::size_t i = 0; i < std::size(op.gather_stride); ++i)
        need_aligned(op.gather_stride[i], word_bytes,
                     offsetof(Op, gather_stride) + i * sizeof(std::int32_t));
    need_aligned(op.word_stride, word_bytes, offsetof(Op, word_stride));
    need_aligned(op.arrival_stride, word_bytes, offsetof(Op, arrival_stride));
    for (std::size_t i = 0; i < std::size(op.next_stride); ++i)
        need_aligned(op.next_stride[i], word_bytes,
                     offsetof(Op, next_stride) + i * sizeof(std::uint16_t));
}

void check(std::uint8_t opcode, const Op& op)
{
    if (opcode < LEVEE_VE_VOTE || opcode > LEVEE_VE_SELECT)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    need_field(op.outer[0] > 0 && op.outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op.n > 0 && op.n <= most_elements, LEVEE_ERROR_FIELD, offsetof(Op, n));
    if (opcode == LEVEE_VE_VOTE) {
        const std::uint64_t heads = std::uint64_t{op.outer[0]} * op.outer[1];
        // With `arrival`, there is only one row, for the arriving token.
        need_field(op.rows > 0 && (op.arrival == 0 || op.rows == 1) &&
                       heads * op.rows <= most_vectors,
                   LEVEE_ERROR_FIELD, offsetof(Op, rows));
        need_field(op.n <= most_elements / (heads * op.rows), LEVEE_ERROR_FIELD, offsetof(Op, n));
        need_field(is_factor(op.mean_factor), LEVEE_ERROR_FIELD, offsetof(Op, mean_factor));
        need_field(is_factor(op.deviation_factor), LEVEE_ERROR_FIELD,
                   offsetof(Op, deviation_factor));
        need_field(op.reach == 0 || op.positions == 0, LEVEE_ERROR_FIELD, offsetof(Op, reach));
    } else {
        need_field(op.capacity > 0, LEVEE_ERROR_FIELD, offsetof(Op, capacity));
        need_field(op.reach == 0 || op.reach > op.capacity, LEVEE_ERROR_FIELD, offsetof(Op, reach));
    }
    check_addresses(opcode, op);
    check_alignment(op);
}

} // namespace

void Operands::read(const levee_descriptor& descriptor)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, descriptor.operation, sizeof op_);
    from_stream_ = false;
    check(opcode_, op_);
    read_lengths();
    read_arrivals();
    if (votes())
        accept_probabilities();
}

std::vector<std::uint32_t> Operands::read_words(std::uint64_t address, std::uint32_t stride,
                                                std::size_t member)
{
    std::vector<std::uint32_t> words(entries());
    queue_.read_control(rows_of(address, word_bytes, entries(), stride), words.data(),
                        operation_field(member));
    return words;
}

/// Reads the lengths and checks three conditions. No length may exceed the engine's buffer. The
/// last vector of VOTE must be at least as long as the number of rows. SELECT must be able to keep
/// the protected tokens.
void Operands::read_lengths()
{
    if (op_.lengths == 0)
        lengths_.assign(entries(), op_.n);
    else
        lengths_ = read_words(op_.lengths, op_.word_stride, offsetof(Op, lengths));
    const std::uint32_t least = votes() ? op_.rows : 1;
    for (const std::uint32_t length : lengths_) {
        need_field(length >= least && length <= op_.n && length <= capacity_, LEVEE_ERROR_FIELD,
                   offsetof(Op, lengths));
        need_field(!selects() || length <= op_.capacity || op_.protect <= op_.capacity,
                   LEVEE_ERROR_FIELD, offsetof(Op, protect));
    }
}

void Operands::read_arrivals()
{
    now_.clear();
    arrivals_.clear();
    if (op_.now == 0 || selects())
        return;
    now_ = read_words(op_.now, op_.word_stride, offsetof(Op, now));
    if (op_.arrival == 0 || !votes())
        return;
    arrivals_ = read_words(op_.arrival, op_.arrival_stride, offsetof(Op, arrival));
    for (std::size_t o0 = 0; o0 < entries(); ++o0)
        need_field(arrivals_[o0] < lengths_[o0], LEVEE_ERROR_FIELD, offsetof(Op, arrival));
}

void Operands::accept_probabilities()
{
    stream_ = {};
    from_stream_ = StreamPorts::is_stream(op_.probabilities);
    if (!from_stream_)
        return;
    StreamPort* const port = queue_.streams().find(op_.probabilities);
    need_field(port != nullptr, LEVEE_ERROR_STREAM, offsetof(Op, probabilities));
    const Operation& producer = queue_.accept(*port);
    stream_ = producer.stream;
    need_field(producer.streamed() == std::uint64_t{op_.outer[0]} * op_.outer[1] * op_.rows * op_.n,
               LEVEE_ERROR_STREAM, offsetof(Op, probabilities));
}

std::span<const float> Operands::streamed(std::size_t o0, std::size_t o1) const
{
    const std::size_t each = std::size_t{op_.rows} * op_.n;
    return stream_.empty() ? stream_ : stream_.subspan((o0 * op_.outer[1] + o1) * each, each);
}

void Operands::open(Operation& operation)
{
    for (std::size_t o0 = 0; o0 < entries(); ++o0)
        open_entry(operation, o0);
    for (std::size_t o0 = 0; o0 < entries(); ++o0) {
        if (!votes())
            queue_.check_write(next(o0).pattern, next(o0).field);
        else if (has_arrival())
            queue_.check_write(arriving_position(o0).pattern, arriving_position(o0).field);
    }
}

void Operands::open_entry(Operation& operation, std::size_t o0)
{
    if (selects()) {
        votes_in(o0).open(operation, Direction::Read);
        votes_out(o0).open(operation, Direction::Write);
        positions(o0).open(operation, Direction::Write);
        gather(o0).open(operation, Direction::Write);
        return;
    }
    for (std::size_t o1 = 0; votes() && !from_stream_ && o1 < op_.outer[1]; ++o1)
        probabilities(o0, o1).open(operation, Direction::Read);
    if (!votes())
        votes_in(o0).open(operation, Direction::Read);
    else
        open_votes(operation, o0, Direction::Read);
    if (op_.positions != 0)
        positions(o0).open(operation, Direction::Read);
    if (votes())
        open_votes(operation, o0, Direction::Write);
}

/// VOTE: opens the streams of the counts. Vectors that begin at the first slot share one load and
/// one store. Every other vector needs a separate load and store. If there are other vectors, the
/// shared load and store are repeated for each head.
void Operands::open_votes(Operation& operation, std::size_t o0, Direction direction)
{
    const View counts = votes_out(o0);
    std::uint64_t slots = lengths_[o0];
    if (skipped(o0, op_.rows - 1) != 0) {
        slots = 0;
        for (std::uint32_t row = 0; row < op_.rows; ++row)
            if (skipped(o0, row) != 0 || skipped(o0, row + 1) != 0)
                slots += length(o0, row) - skipped(o0, row);
        slots *= op_.outer[1];
    }
    queue_.add_stream(operation, direction, counts.pattern, slots * vote_bytes, counts.field);
}

std::uint32_t Operands::passed(std::size_t o0) const
{
    return passed_of(op_.reach, op_.reach == 0 || selects() ? lengths_[o0] : now_[o0] + 1);
}

std::uint32_t Operands::kept(std::size_t o0) const
{
    return selects() ? std::min(lengths_[o0], op_.capacity) : lengths_[o0];
}

View Operands::votes_in(std::size_t o0) const
{
    if (!selects())
        return votes_out(o0);
    return {queue_,
            contiguous(offset_by(op_.prefill_votes, op_.prefill_votes_stride, o0),
                       lengths_[o0] * vote_bytes),
            operation_field(offsetof(Op, prefill_votes))};
}

View Operands::votes_out(std::size_t o0) const
{
    return {queue_, contiguous(offset_by(op_.votes, op_.votes_stride, o0), kept(o0) * vote_bytes),
            operation_field(offsetof(Op, votes))};
}

View Operands::positions(std::size_t o0) const
{
    return {queue_,
            contiguous(offset_by(op_.positions, op_.positions_stride, o0), kept(o0) * word_bytes),
            operation_field(offsetof(Op, positions))};
}

View Operands::arriving_position(std::size_t o0) const
{
    View one = positions(o0);
    one.pattern = contiguous(one.pattern.address + arrivals_[o0] * word_bytes, word_bytes);
    return one;
}

View Operands::gather(std::size_t o0) const
{
    return {queue_,
            rows_of(offset_by(op_.gather, op_.gather_stride[0], o0), kept(o0) * word_bytes,
                    op_.outer[1], op_.gather_stride[1]),
            operation_field(offsetof(Op, gather))};
}

View Operands::next(std::size_t o0) const
{
    return {queue_,
            rows_of(offset_by(op_.next, op_.next_stride[0], o0), word_bytes, op_.outer[1],
                    op_.next_stride[1]),
            operation_field(offsetof(Op, next))};
}

View Operands::probabilities(std::size_t o0, std::size_t o1) const
{
    const std::uint64_t entry = offset_by(op_.probabilities, op_.probabilities_stride[0], o0);
    return {queue_,
            rows_of(offset_by(entry, op_.probabilities_stride[1], o1), lengths_[o0] * sizeof(float),
                    op_.rows, op_.probabilities_stride[2]),
            operation_field(offsetof(Op, probabilities))};
}

} // namespace levee::voting_engine
