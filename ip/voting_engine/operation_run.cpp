// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/operation_run.hpp"

#include "core/numerics/tensor.hpp"

#include <algorithm>
#include <cstring>

namespace levee::voting_engine {

namespace {

using Op = levee_ve_operation;

constexpr std::uint32_t field(std::size_t member)
{
    return operation_field(member);
}

} // namespace

OperationRun::Size OperationRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, descriptor.operation, sizeof op_);
    from_stream_ = false;
    check();
    operation.iterations = op_.outer[0];
    read_lengths();
    read_arrivals();
    if (opcode_ == LEVEE_VE_VOTE)
        accept_probabilities();
    open_streams(operation);
    check_writes();
    if (queue_.timing_only())
        return prepare_timing_only(operation);
    entries_.assign(op_.outer[0], Entry{});
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0)
        load(o0);
    operation.commit = [this](std::uint32_t first, std::uint32_t last) { commit(first, last); };
    switch (opcode_) {
    case LEVEE_VE_VOTE:
        return vote_all();
    case LEVEE_VE_ELECT:
        return elect_all();
    default:
        return select_all();
    }
}

AccessPattern OperationRun::Table::run(std::size_t o0, std::size_t elements) const
{
    AccessPattern pattern;
    pattern.address = offset_by(address, stride, o0);
    pattern.run_bytes = elements * element_bytes;
    return pattern;
}

AccessPattern OperationRun::Table::element(std::size_t o0, std::uint64_t index) const
{
    AccessPattern pattern = run(o0, 1);
    pattern.address += index * element_bytes;
    return pattern;
}

OperationRun::Table OperationRun::votes() const
{
    return {op_.votes, op_.votes_stride, 2, field(offsetof(Op, votes))};
}

OperationRun::Table OperationRun::prefill_votes() const
{
    return {op_.prefill_votes, op_.prefill_votes_stride, 2, field(offsetof(Op, prefill_votes))};
}

OperationRun::Table OperationRun::positions() const
{
    return {op_.positions, op_.positions_stride, 4, field(offsetof(Op, positions))};
}

/// All heads' rows of an entry.
AccessPattern OperationRun::gather(std::size_t o0, std::size_t elements) const
{
    AccessPattern pattern;
    pattern.address = offset_by(op_.gather, op_.gather_stride[0], o0);
    pattern.run_bytes = elements * sizeof(std::uint32_t);
    pattern.count[2] = op_.outer[1];
    pattern.stride[2] = op_.gather_stride[1];
    return pattern;
}

/// All heads' words of an entry.
AccessPattern OperationRun::next(std::size_t o0) const
{
    AccessPattern pattern;
    pattern.address = offset_by(op_.next, op_.next_stride[0], o0);
    pattern.run_bytes = sizeof(std::uint32_t);
    pattern.count[2] = op_.outer[1];
    pattern.stride[2] = op_.next_stride[1];
    return pattern;
}

/// The vectors of one head as far as the longest is valid.
AccessPattern OperationRun::probabilities(std::size_t o0, std::size_t o1) const
{
    AccessPattern pattern;
    pattern.address = offset_by(offset_by(op_.probabilities, op_.probabilities_stride[0], o0),
                                op_.probabilities_stride[1], o1);
    pattern.run_bytes = std::uint64_t{lengths_[o0]} * sizeof(float);
    pattern.count[2] = op_.rows;
    pattern.stride[2] = op_.probabilities_stride[2];
    return pattern;
}

std::vector<std::uint32_t> OperationRun::read_words(std::uint64_t address, std::uint32_t stride,
                                                    std::size_t member)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = sizeof(std::uint32_t);
    pattern.count[2] = op_.outer[0];
    pattern.stride[2] = stride;
    std::vector<std::uint32_t> words(op_.outer[0]);
    queue_.read_control(pattern, words.data(), field(member));
    return words;
}

/// No length is more than the engine stores, and VOTE's last vector is not shorter than its rows.
void OperationRun::read_lengths()
{
    if (op_.lengths == 0)
        lengths_.assign(op_.outer[0], op_.n);
    else
        lengths_ = read_words(op_.lengths, op_.word_stride, offsetof(Op, lengths));
    const std::uint32_t least = opcode_ == LEVEE_VE_VOTE ? op_.rows : 1;
    for (const std::uint32_t length : lengths_)
        need_field(length >= least && length <= op_.n && length <= capacity_, LEVEE_ERROR_FIELD,
                   offsetof(Op, lengths));
}

void OperationRun::read_arrivals()
{
    now_.clear();
    arrivals_.clear();
    if (opcode_ != LEVEE_VE_VOTE)
        return;
    now_ = read_words(op_.now, op_.word_stride, offsetof(Op, now));
    if (op_.arrival == 0)
        return;
    arrivals_ = read_words(op_.arrival, op_.arrival_stride, offsetof(Op, arrival));
    for (std::size_t o0 = 0; o0 < arrivals_.size(); ++o0)
        need_field(arrivals_[o0] < lengths_[o0], LEVEE_ERROR_FIELD, offsetof(Op, arrival));
}

void OperationRun::accept_probabilities()
{
    stream_ = {};
    from_stream_ = StreamPorts::is_stream(op_.probabilities);
    if (!from_stream_)
        return;
    constexpr std::uint32_t field_probabilities = operation_field(offsetof(Op, probabilities));
    StreamPort* const port = queue_.streams().find(op_.probabilities);
    if (port == nullptr)
        throw CommandFault{LEVEE_ERROR_STREAM, field_probabilities};
    const Operation& producer = queue_.accept(*port);
    stream_ = producer.stream;
    const std::uint64_t expected = std::uint64_t{op_.outer[0]} * op_.outer[1] * op_.rows * op_.n;
    if (producer.streamed() != expected)
        throw CommandFault{LEVEE_ERROR_STREAM, field_probabilities};
}

void OperationRun::open(Operation& operation, Direction direction, const AccessPattern& pattern,
                        std::uint32_t member)
{
    queue_.add_stream(operation, direction, pattern, pattern.bytes(), member);
}

/// Opens streams for tables with an element for each slot. Words of an entry are read and written
/// with the descriptor, without traffic.
void OperationRun::open_streams(Operation& operation)
{
    for (std::size_t o0 = 0; o0 < lengths_.size(); ++o0) {
        const std::uint32_t length = lengths_[o0], kept = kept_of(o0);
        if (opcode_ == LEVEE_VE_SELECT) {
            open(operation, Direction::Read, prefill_votes().run(o0, length),
                 prefill_votes().field);
            open(operation, Direction::Write, votes().run(o0, kept), votes().field);
            open(operation, Direction::Write, positions().run(o0, kept), positions().field);
            open(operation, Direction::Write, gather(o0, kept), field(offsetof(Op, gather)));
            continue;
        }
        for (std::size_t o1 = 0; opcode_ == LEVEE_VE_VOTE && !from_stream_ && o1 < op_.outer[1];
             ++o1)
            open(operation, Direction::Read, probabilities(o0, o1),
                 field(offsetof(Op, probabilities)));
        open(operation, Direction::Read, votes().run(o0, length), votes().field);
        if (op_.positions != 0)
            open(operation, Direction::Read, positions().run(o0, length), positions().field);
        if (opcode_ == LEVEE_VE_VOTE)
            open(operation, Direction::Write, votes().run(o0, length), votes().field);
    }
}

/// Checks the addresses of everything that is written without a stream.
void OperationRun::check_writes()
{
    for (std::size_t o0 = 0; o0 < lengths_.size(); ++o0) {
        if (opcode_ != LEVEE_VE_VOTE)
            queue_.check_write(next(o0), field(offsetof(Op, next)));
        else if (op_.arrival != 0)
            queue_.check_write(positions().element(o0, arrivals_[o0]), positions().field);
    }
}

/// SELECT: how many tokens of an entry stay.
std::uint32_t OperationRun::kept_of(std::size_t o0) const
{
    if (opcode_ == LEVEE_VE_SELECT && lengths_[o0] > op_.capacity)
        need_field(op_.protect <= op_.capacity, LEVEE_ERROR_FIELD, offsetof(Op, protect));
    return std::min(lengths_[o0], op_.capacity);
}

/// VOTE: whether the token of a row casts votes. Its position wraps as firmware's words do.
bool OperationRun::is_voter(std::size_t o0, std::uint32_t row) const
{
    return now_[o0] + row >= op_.reserved;
}

std::uint32_t OperationRun::length_of(std::size_t o0, std::uint32_t row) const
{
    return lengths_[o0] - op_.rows + 1 + row;
}

} // namespace levee::voting_engine
