// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/gemv_run.hpp"

#include "core/memory/loop_nest.hpp"
#include "core/numerics/tensor.hpp"
#include "core/units/clock.hpp"
#include "ip/veda/gemv_checks.hpp"
#include "ip/veda/timing.hpp"

#include <cstring>

namespace levee::veda {

GemvRun::Cost GemvRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    std::memcpy(&gemv_, descriptor.operation, sizeof gemv_);
    check(gemv_);
    from_stream_ = StreamPorts::is_stream(gemv_.a);
    to_stream_ = StreamPorts::is_stream(gemv_.out);
    list_blocks();
    open(operation);
    Cost cost;
    cost.macs = nest_.macs();
    cost.ahead = from_stream_ ? nest_.elements_ahead() : 0;
    operation.iterations = static_cast<std::uint32_t>(nest_.blocks().size());
    out_.assign(queue_.timing_only() ? 0 : nest_.result_elements(), 0);
    if (!out_.empty())
        core_.begin(nest_.configuration());
    multiply();
    cost.cycles = out_.empty() ? nest_.beats() + fill_cycles(arrays_, nest_.configuration().mode)
                               : core_.finish();
    overflows_.count_bits(out_, gemv_.out_type == LEVEE_TYPE_FP16);
    cost.cycles += nest_.transposition();
    cost.transposed_bytes = nest_.transposed_bytes();
    if (!to_stream_)
        operation.commit = [this](std::uint32_t first, std::uint32_t last) {
            write_blocks(first, last);
        };
    if (operation.produces != nullptr)
        fill_stream(operation);
    return cost;
}

void GemvRun::list_blocks()
{
    nest_.list(gemv_, gemv_.ragged != LEVEE_VEDA_RAGGED_NONE ? read_lengths()
                                                             : std::vector<std::uint32_t>{});
    need_field(!from_stream_ || nest_.can_stream(), LEVEE_ERROR_STREAM,
               offsetof(levee_veda_operation, a));
}

/// Reads the words of a table, one for each (o0, o1 / group).
std::vector<std::uint32_t> GemvRun::read_lengths()
{
    AccessPattern pattern;
    pattern.address = gemv_.lengths;
    pattern.run_bytes = sizeof(std::uint32_t);
    pattern.count = {1, gemv_.outer[0], divide_up(gemv_.outer[1], group())};
    pattern.stride = {0, gemv_.lengths_stride[0], gemv_.lengths_stride[1]};
    std::vector<std::uint32_t> words(pattern.runs());
    queue_.read_control(pattern, words.data(), field_lengths);
    return words;
}

/// Opens each operand's stream over all loops, for the longest of ragged lengths. This address
/// range must lie in memory; the bytes that are transferred are counted exactly.
void GemvRun::open(Operation& operation)
{
    const Nest::Traffic traffic = nest_.traffic();
    if (from_stream_)
        accept_vectors();
    else
        open_rows(operation, Direction::Read, vectors(), traffic.a, field_a);
    open_matrix(operation, traffic.b);
    open_work(operation, traffic.sums);
    if (!to_stream_)
        open_rows(operation, Direction::Write, results(), traffic.out, field_out);
    open_ports(operation);
}

void GemvRun::open_rows(Operation& operation, Direction direction, const Rows& rows,
                        std::uint64_t bytes, std::uint32_t field)
{
    const Nest::Size longest = nest_.longest();
    const std::uint32_t elements = rows.dimension == LEVEE_VEDA_RAGGED_K ? longest.k : longest.n;
    const auto patterns = patterns_of(rows.address, bytes_of(elements, rows.type),
                                      {{gemv_.outer[0], rows.stride[0]},
                                       {gemv_.outer[1], rows.stride[1]},
                                       {gemv_.m, rows.stride[2]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size(), field);
}

void GemvRun::open_matrix(Operation& operation, std::uint64_t bytes)
{
    const Nest::Size longest = nest_.longest();
    const AccessPattern rows = matrix({0, 0, longest.k, longest.n});
    const auto patterns = patterns_of(gemv_.b, rows.run_bytes,
                                      {{gemv_.outer[0], gemv_.b_stride[0]},
                                       {divide_up(gemv_.outer[1], group()), gemv_.b_stride[1]},
                                       {rows.count[2], gemv_.b_stride[2]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, Direction::Read, pattern, bytes / patterns.size(), field_b);
}

/// Opens streams for sums that are written to memory and read back.
void GemvRun::open_work(Operation& operation, std::uint64_t bytes)
{
    if (gemv_.work_bytes == 0 || bytes == 0)
        return;
    AccessPattern all;
    all.address = gemv_.work;
    all.run_bytes = gemv_.work_bytes;
    for (const Direction direction : {Direction::Write, Direction::Read})
        queue_.add_stream(operation, direction, all, bytes, field_work);
}

/// Accepts A from a port: a row of k elements for every vector, even if its ragged length is
/// shorter.
void GemvRun::accept_vectors()
{
    StreamPort* const port = queue_.streams().find(gemv_.a);
    need_field(port != nullptr, LEVEE_ERROR_STREAM, offsetof(levee_veda_operation, a));
    const Operation& producer = queue_.accept(*port);
    need_field(producer.streamed() == vector_count() * gemv_.k, LEVEE_ERROR_STREAM,
               offsetof(levee_veda_operation, a));
    streamed_ = producer.stream;
}

void GemvRun::open_ports(Operation& operation)
{
    if (to_stream_)
        queue_.produce(operation, gemv_.out, field_out);
    if (gemv_.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(gemv_.tap - 1), field_tap);
}

} // namespace levee::veda
