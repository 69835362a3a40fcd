// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/gemm_streams.hpp"

#include "core/numerics/tensor.hpp"

#include <algorithm>
#include <vector>

namespace levee::rsa {

/// Opens each operand's stream over all loops, for the longest of ragged lengths. This address
/// range must lie in memory; the bytes that are transferred are counted exactly.
void GemmStreams::open(Operation& operation, const GemmTraffic& traffic)
{
    const levee_rsa_operation& op = gemm_.op();
    ProductGroup longest = products_.groups().front();
    for (const ProductGroup& group : products_.groups()) {
        longest.k = std::max(longest.k, group.k);
        longest.n = std::max(longest.n, group.n);
    }
    if (gemm_.shares_rows()) { // All products share the rows of A.
        longest.m = gemm_.m();
        longest.row = 0;
    }
    ProductGroup streamed = longest;
    const std::span<const std::uint32_t> listed = products_.rows_listed();
    if (gemm_.is_listed()) // A has the listed rows, possibly more or fewer than the
                           // results.
        streamed.m = std::uint64_t{*std::max_element(listed.begin(), listed.end())} + 1;
    open_operand(operation, Direction::Read, gemm_.a(streamed), traffic.a);
    open_stationary(operation, longest, traffic);
    if (op.a_scale != 0)
        open_operand(operation, Direction::Read, gemm_.a_scale(streamed), traffic.a_scale);
    if (op.b_scale != 0)
        open_operand(operation, Direction::Read, gemm_.b_scale(longest.n), traffic.b_scale);
    if (gemm_.has_bias() && gemm_.shares_rows())
        open_operand(operation, Direction::Read, gemm_.own_bias(longest.n), traffic.bias);
    else if (gemm_.has_bias())
        queue_.add_stream(operation, Direction::Read, gemm_.bias(), gemm_.bias().bytes(),
                          field_bias);
    if (gemm_.has_keep())
        open_operand(operation, Direction::Read, gemm_.keep(longest), traffic.a_scale);
    if (gemm_.accumulates())
        open_operand(operation, Direction::Read, gemm_.out(longest), traffic.out);
    open_output(operation, longest, traffic.out);
}

void GemmStreams::open_operand(Operation& operation, Direction direction,
                               const OperandLoops& operand, std::uint64_t bytes)
{
    const levee_rsa_operation& op = gemm_.op();
    if (gemm_.shares_rows())
        return open_shared(operation, direction, operand, bytes);
    const auto patterns = patterns_of(operand.address, operand.run_bytes,
                                      {{op.outer[0], operand.outer[0]},
                                       {op.outer[1], operand.outer[1]},
                                       operand.row,
                                       operand.inner});
    add_all(operation, direction, patterns, bytes, operand.field);
}

/// Ragged M: the rows that products share are one stream. B and its scales are streamed only for
/// products with rows. Their places are approximated by even spacing from the first to the last of
/// these products. A memory that tracks accesses gets the exact places.
void GemmStreams::open_shared(Operation& operation, Direction direction,
                              const OperandLoops& operand, std::uint64_t bytes)
{
    const std::span<const ProductGroup> groups = products_.groups();
    const std::size_t first = groups.front().first, last = groups.back().first;
    const std::int64_t stride = operand.outer[0];
    const bool is_own = stride != 0 && groups.size() > 1;
    const std::int64_t apart =
        is_own ? stride * static_cast<std::int64_t>((last - first) / (groups.size() - 1)) : 0;
    const auto patterns =
        patterns_of(offset_by(operand.address, stride, first), operand.run_bytes,
                    {{is_own ? groups.size() : 1, apart}, operand.row, operand.inner});
    std::vector<std::uint64_t> places;
    for (const ProductGroup& group : groups)
        if (is_own)
            places.push_back((group.first - first) * static_cast<std::uint64_t>(stride));
    add_all(operation, direction, patterns, bytes, operand.field, places);
}

/// Adds streams for `bytes` bytes in total. If these do not divide evenly over several streams, the
/// first stream gets the remainder.
void GemmStreams::add_all(Operation& operation, Direction direction,
                          std::span<const AccessPattern> patterns, std::uint64_t bytes,
                          std::uint32_t field, std::span<const std::uint64_t> parts)
{
    std::uint64_t rest = bytes % patterns.size();
    for (const AccessPattern& pattern : patterns) {
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size() + rest, field,
                          parts);
        rest = 0;
    }
}

/// Opens the streams of B: rows at `b`, and rows that are stored elsewhere. Data that are not in
/// the ring's own memory pass through the ring.
void GemmStreams::open_stationary(Operation& operation, const ProductGroup& longest,
                                  const GemmTraffic& traffic)
{
    const levee_rsa_operation& op = gemm_.op();
    if (gemm_.from_stream()) {
        accept_stationary(traffic);
        return;
    }
    const bool second = op.b_type == LEVEE_TYPE_INT16 || (op.flags & LEVEE_RSA_RING_1) != 0;
    Ring& ring = rings_[second ? 1 : 0];
    ring.locate(queue_, field_b_type);
    const OperandLoops b = gemm_.b(longest.k, longest.n);
    std::uint64_t through_ring = 0;
    if (traffic.b > 0) {
        open_operand(operation, Direction::Read, b, traffic.b);
        if (!ring.lies_with(operation))
            through_ring += traffic.b;
    }
    if (traffic.b_elsewhere > 0) {
        stored_.open(operation, b.run_bytes, traffic.b_elsewhere);
        if (!ring.lies_with(operation))
            through_ring += traffic.b_elsewhere;
    }
    ring.pass(queue_, operation, through_ring, field_b_type);
}

/// Reads B from a stream port, once. Rows are as far apart as in memory, with padding after each
/// row.
void GemmStreams::accept_stationary(const GemmTraffic& traffic)
{
    const levee_rsa_operation& op = gemm_.op();
    const OperandLoops b = gemm_.b(op.k, op.n);
    const std::uint64_t loads = traffic.b / (b.inner.count * b.run_bytes);
    need_field(loads == 1, LEVEE_ERROR_STREAM, offsetof(levee_rsa_operation, b));
    StreamPort* const port = queue_.streams().find(op.b);
    need_field(port != nullptr, LEVEE_ERROR_STREAM, offsetof(levee_rsa_operation, b));
    const Operation& producer = queue_.accept(*port);
    const std::uint64_t bytes =
        (b.inner.count - 1) * static_cast<std::uint64_t>(b.inner.stride) + b.run_bytes;
    need_field(producer.stored_bytes >= bytes, LEVEE_ERROR_STREAM,
               offsetof(levee_rsa_operation, b));
    arrived_ = producer.stored_stream;
}

void GemmStreams::open_output(Operation& operation, const ProductGroup& longest,
                              std::uint64_t bytes)
{
    const levee_rsa_operation& op = gemm_.op();
    if (gemm_.to_stream()) {
        queue_.produce(operation, op.out, field_out);
        return;
    }
    if (op.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(op.tap - 1), field_tap);
    open_operand(operation, Direction::Write, gemm_.out(longest), bytes);
}

} // namespace levee::rsa
