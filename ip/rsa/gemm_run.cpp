// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/gemm_run.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/numerics/tensor.hpp"
#include "core/units/clock.hpp"
#include "ip/rsa/gemm_checks.hpp"
#include "ip/rsa/model.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace levee::rsa {

namespace {

constexpr Loop once{1, 0};

} // namespace

GemmRun::GemmRun(CommandQueue& queue, const ArrayShape& array, bool single_pass)
    : queue_(queue), array_(array), single_pass_(single_pass), stored_(queue)
{
}

GemmRun::Cost GemmRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    std::memcpy(&gemm_, descriptor.operation, sizeof gemm_);
    check(gemm_);
    const bool is_stationary = array_.dataflow == Dataflow::WeightStationary;
    if (partial_rows_are_free() && (stored_.has_tables() || gemm_.redirect == 0 || !is_stationary))
        throw CommandFault{LEVEE_ERROR_FIELD,
                           operation_field(offsetof(levee_rsa_operation, flags))};
    to_stream_ = StreamPorts::is_stream(gemm_.out);
    from_stream_ = StreamPorts::is_stream(gemm_.b);
    list_groups();
    find_rows_elsewhere();

    Traffic traffic;
    const Cost cost = count(traffic);
    open(operation, traffic);
    operation.iterations = static_cast<std::uint32_t>(
        is_one_product() ? divide_up(groups_.front().n, array_.columns) : product_count());
    run(operation);
    return cost;
}

void GemmRun::list_groups()
{
    groups_.clear();
    rows_listed_.clear();
    if (shares_rows()) {
        list_shares();
        return;
    }
    if (gemm_.ragged == LEVEE_RSA_RAGGED_NONE) {
        add_products(product_count(), gemm_.k, gemm_.n);
        return;
    }
    const bool ragged_k = gemm_.ragged == LEVEE_RSA_RAGGED_K;
    const std::uint64_t longest = ragged_k ? gemm_.k : gemm_.n;
    const std::vector<std::uint32_t> lengths = read_lengths();
    for (const std::uint32_t word : lengths) {
        const std::uint64_t length = gemm_.length_add + std::uint64_t{word};
        if (length == 0 || length > longest)
            throw CommandFault{LEVEE_ERROR_FIELD, field_lengths};
        add_products(product_count() / lengths.size(), ragged_k ? length : gemm_.k,
                     ragged_k ? gemm_.n : length);
    }
}

void GemmRun::add_products(std::size_t count, std::uint64_t k, std::uint64_t n)
{
    if (!groups_.empty() && groups_.back().k == k && groups_.back().n == n) {
        groups_.back().count += count;
        return;
    }
    std::size_t first = 0, out = 0;
    if (!groups_.empty()) {
        const Group& last = groups_.back();
        first = last.first + last.count;
        out = last.out + last.count * m() * row_elements(last.n);
    }
    groups_.push_back(Group{first, count, k, n, out, 0, 0, m(), 0});
}

/// Ragged M: a group for each product that has rows.
void GemmRun::list_shares()
{
    std::vector<std::uint32_t> words(gemm_.outer[0]);
    const AccessPattern lengths = contiguous(gemm_.lengths, words.size() * sizeof(std::uint32_t));
    queue_.read_control(lengths, words.data(), field_lengths);
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != 0)
            groups_.push_back(Group{i, 1, gemm_.k, gemm_.n, row * gemm_.n, 0, 0, words[i], row});
        row += words[i];
    }
    if (row != m())
        throw CommandFault{LEVEE_ERROR_FIELD, field_lengths};
    if (!is_listed())
        return;
    rows_listed_.resize(m());
    queue_.read_control(
        contiguous(gemm_.lengths + lengths.bytes(), rows_listed_.size() * sizeof(std::uint32_t)),
        rows_listed_.data(), field_lengths);
}

/// Words of a table: one for each product, or one for each o0 if its products share it.
std::vector<std::uint32_t> GemmRun::read_lengths()
{
    const bool shared = gemm_.lengths_stride[1] == 0;
    AccessPattern pattern;
    pattern.address = gemm_.lengths;
    pattern.run_bytes = sizeof(std::uint32_t);
    pattern.count = {1, gemm_.outer[0], shared ? 1u : gemm_.outer[1]};
    pattern.stride = {0, gemm_.lengths_stride[0], gemm_.lengths_stride[1]};
    std::vector<std::uint32_t> words(pattern.runs());
    queue_.read_control(pattern, words.data(), field_lengths);
    return words;
}

void GemmRun::find_rows_elsewhere()
{
    stored_.begin(gemm_);
    if (!stored_.is_redirected())
        return;
    for (Group& group : groups_) {
        const std::uint64_t rows = is_transposed() ? group.n : group.k;
        if (!stored_.has_tables()) {
            group.rows_elsewhere = group.count * stored_.likely(rows);
            if (partial_rows_are_free()) {
                const std::uint64_t staged = group.count * stored_.common(rows);
                group.rows_free = group.rows_elsewhere - staged;
                group.rows_elsewhere = staged;
            }
            continue;
        }
        for (std::size_t i = group.first; i < group.first + group.count; ++i)
            group.rows_elsewhere +=
                stored_.add_product(static_cast<std::uint32_t>(i / gemm_.outer[1]),
                                    static_cast<std::uint32_t>(i % gemm_.outer[1]), rows);
    }
}

GemmRun::Cost GemmRun::count(Traffic& traffic) const
{
    const unsigned pass_count = single_pass_ ? 1
                                             : passes(static_cast<levee_type>(gemm_.a_type),
                                                      static_cast<levee_type>(gemm_.b_type));
    ProductCost all;
    Cost cost;
    for (const Group& group : groups_) {
        const ProductCost one = cost_of_one(group, pass_count);
        all.cycles += group.count * one.cycles;
        all.leaving = one.leaving;
        cost.load_cycles += group.count * one.load_cycles;
        all.folds += group.count * one.folds;
        cost.macs += group.count * group.m * group.k * group.n;
        traffic.a += group.count * bytes_of(group.k, gemm_.a_type) * one.streamed_rows;
        const Operand b = operand_b(group.k, group.n);
        const std::uint64_t here =
            group.count * b.inner.count - group.rows_elsewhere - group.rows_free;
        traffic.b += here * b.run_bytes * one.stationary_loads;
        traffic.b_elsewhere += group.rows_elsewhere * b.run_bytes * one.stationary_loads;
        traffic.a_scale += group.count * group.m * sizeof(float);
        // One scale a column is kept while blocks of rows pass; groups of them come as B does.
        traffic.b_scale += group.count * group.n * scales_of_column() * sizeof(float) *
                           (scale_group() == 0 ? 1 : one.stationary_loads);
        if (scale_group() != 0)
            cost.scalings += group.count * group.m * group.n * scales_of_column();
        traffic.out += group.count * group.m * group.n * sizeof(float);
    }
    cost.cycles = operation_cycles(array_, all);
    cost.folds = all.folds;
    cost.passes = all.folds * pass_count;
    cost.byte_macs = cost.macs * pass_count;
    return cost;
}

/// Stored rows of a stationary B lie in rows of the array: of a transposed operand these are pieces
/// of n.
ArrayShape GemmRun::array_in_place() const
{
    ArrayShape array = array_;
    if (is_transposed() && array.dataflow == Dataflow::WeightStationary)
        std::swap(array.rows, array.columns);
    return array;
}

/// Free rows are not loaded, but A passes them.
ProductCost GemmRun::cost_of_one(const Group& group, unsigned pass_count) const
{
    const auto cost = [&](std::uint64_t k, std::uint64_t n) {
        // Each pass loads 8 bits of every stationary element: an element's size gives the load.
        return cost_of(array_in_place(),
                       {group.m, k, n, pass_count, bits_of_type(gemm_.b_type), scale_group()});
    };
    ProductCost all = cost(group.k, group.n);
    const std::uint64_t free = group.rows_free / group.count;
    if (free == 0)
        return all;
    const ProductCost loaded =
        is_transposed() ? cost(group.k, group.n - free) : cost(group.k - free, group.n);
    all.load_cycles = loaded.load_cycles;
    all.cycles = loaded.cycles + (all.folds - loaded.folds) * pass_count * group.m;
    return all;
}

/// Opens each operand's stream for the whole loop nest, with the longest of ragged lengths: the
/// extent is what must lie in memory; the bytes are counted exactly, separately.
void GemmRun::open(Operation& operation, const Traffic& traffic)
{
    Group longest = groups_.front();
    for (const Group& group : groups_) {
        longest.k = std::max(longest.k, group.k);
        longest.n = std::max(longest.n, group.n);
    }
    if (shares_rows()) { // all of them
        longest.m = m();
        longest.row = 0;
    }
    open_operand(operation, Direction::Read, operand_a(longest), traffic.a);
    open_stationary(operation, longest, traffic);
    if (gemm_.a_scale != 0)
        open_operand(operation, Direction::Read, operand_a_scale(longest), traffic.a_scale);
    if (gemm_.b_scale != 0)
        open_operand(operation, Direction::Read, operand_b_scale(longest.n), traffic.b_scale);
    if (has_bias())
        queue_.add_stream(operation, Direction::Read, bias(), bias().bytes(), field_bias);
    if (has_keep())
        open_operand(operation, Direction::Read, operand_keep(longest), traffic.a_scale);
    if (accumulates())
        open_operand(operation, Direction::Read, operand_out(longest), traffic.out);
    open_output(operation, longest, traffic.out);
}

/// Bytes of ragged lengths may not be as many for each of several streams: the first one has what
/// is left.
void GemmRun::open_operand(Operation& operation, Direction direction, const Operand& operand,
                           std::uint64_t bytes)
{
    if (shares_rows())
        return open_shared(operation, direction, operand, bytes);
    const auto patterns = patterns_of(operand.address, operand.run_bytes,
                                      {{gemm_.outer[0], operand.outer[0]},
                                       {gemm_.outer[1], operand.outer[1]},
                                       operand.row,
                                       operand.inner});
    std::uint64_t rest = bytes % patterns.size();
    for (const AccessPattern& pattern : patterns) {
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size() + rest,
                          operand.field);
        rest = 0;
    }
}

/// Ragged M: rows that products share are one stream; of B and its scales those of the products
/// that have rows, evenly apart from the first to the last.
void GemmRun::open_shared(Operation& operation, Direction direction, const Operand& operand,
                          std::uint64_t bytes)
{
    const std::size_t first = groups_.front().first, last = groups_.back().first;
    const std::int64_t stride = operand.outer[0];
    const bool is_own = stride != 0 && groups_.size() > 1;
    const std::int64_t apart =
        is_own ? stride * static_cast<std::int64_t>((last - first) / (groups_.size() - 1)) : 0;
    const auto patterns =
        patterns_of(offset_by(operand.address, stride, first), operand.run_bytes,
                    {{is_own ? groups_.size() : 1, apart}, operand.row, operand.inner});
    std::uint64_t rest = bytes % patterns.size();
    for (const AccessPattern& pattern : patterns) {
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size() + rest,
                          operand.field);
        rest = 0;
    }
}

/// Opens the streams of B's rows in place and of those that lie elsewhere; what comes from a memory
/// other than the ring's passes through the ring.
void GemmRun::open_stationary(Operation& operation, const Group& longest, const Traffic& traffic)
{
    if (from_stream_) {
        accept_stationary(traffic);
        return;
    }
    const bool second = gemm_.b_type == LEVEE_TYPE_INT16 || (gemm_.flags & LEVEE_RSA_RING_1) != 0;
    Ring& ring = rings_[second ? 1 : 0];
    ring.locate(queue_, field_b_type);
    const Operand b = operand_b(longest.k, longest.n);
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

/// Takes B from a stream port, once: rows as far apart as in memory, and padding behind them.
void GemmRun::accept_stationary(const Traffic& traffic)
{
    const Operand b = operand_b(gemm_.k, gemm_.n);
    const std::uint64_t loads = traffic.b / (b.inner.count * b.run_bytes);
    need_field(loads == 1, LEVEE_ERROR_STREAM, offsetof(levee_rsa_operation, b));
    StreamPort* const port = queue_.streams().find(gemm_.b);
    need_field(port != nullptr, LEVEE_ERROR_STREAM, offsetof(levee_rsa_operation, b));
    const Operation& producer = queue_.accept(*port);
    const std::uint64_t bytes =
        (b.inner.count - 1) * static_cast<std::uint64_t>(b.inner.stride) + b.run_bytes;
    need_field(producer.stored_bytes >= bytes, LEVEE_ERROR_STREAM,
               offsetof(levee_rsa_operation, b));
    streamed_ = producer.stored_stream;
}

void GemmRun::open_output(Operation& operation, const Group& longest, std::uint64_t bytes)
{
    if (to_stream_) {
        queue_.produce(operation, gemm_.out, field_out);
        return;
    }
    if (gemm_.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(gemm_.tap - 1), field_tap);
    open_operand(operation, Direction::Write, operand_out(longest), bytes);
}

/// Ragged M, and no list: a product's rows follow those of the products before it.
GemmRun::Operand GemmRun::share_of(Operand all, const Group& group) const
{
    if (!shares_rows())
        return all;
    if (all.field == field_out || !is_listed())
        all.address = offset_by(all.address, all.row.stride, group.row);
    all.row.count = group.m;
    return all;
}

GemmRun::Operand GemmRun::operand_a(const Group& group) const
{
    return share_of({gemm_.a,
                     gemm_.a_stride,
                     bytes_of(group.k, gemm_.a_type),
                     {gemm_.m1, gemm_.a_stride[2]},
                     {gemm_.m0, gemm_.a_stride[3]},
                     field_a},
                    group);
}

GemmRun::Operand GemmRun::operand_b(std::uint64_t k, std::uint64_t n) const
{
    return {gemm_.b,
            gemm_.b_stride,
            bytes_of(is_transposed() ? k : n, gemm_.b_type),
            once,
            {is_transposed() ? n : k, gemm_.b_stride[2]},
            field_b};
}

GemmRun::Operand GemmRun::operand_a_scale(const Group& group) const
{
    return share_of({gemm_.a_scale,
                     gemm_.a_scale_stride,
                     sizeof(float),
                     {gemm_.m1, gemm_.a_scale_stride[2]},
                     {gemm_.m0, gemm_.a_scale_stride[3]},
                     field_a_scale},
                    group);
}

GemmRun::Operand GemmRun::operand_keep(const Group& group) const
{
    Operand keep = operand_a_scale(group);
    keep.address = gemm_.bias;
    keep.field = field_bias;
    return keep;
}

GemmRun::Operand GemmRun::operand_b_scale(std::uint64_t n) const
{
    return {gemm_.b_scale, gemm_.b_scale_stride,         scales_of_column() * sizeof(float),
            once,          {n, gemm_.b_scale_stride[2]}, field_b_scale};
}

GemmRun::Operand GemmRun::operand_out(const Group& group) const
{
    return share_of({gemm_.out,
                     gemm_.out_stride,
                     group.n * sizeof(float),
                     {gemm_.m1, gemm_.out_stride[2]},
                     {gemm_.m0, gemm_.out_stride[3]},
                     field_out},
                    group);
}

AccessPattern GemmRun::bias() const
{
    AccessPattern pattern;
    pattern.address = gemm_.bias;
    pattern.run_bytes = sizeof(float);
    pattern.count[2] = gemm_.n;
    pattern.stride[2] = sizeof(float);
    return pattern;
}

/// Columns [begin, end) of the only product.
AccessPattern GemmRun::columns_of(std::uint64_t begin, std::uint64_t end) const
{
    Group narrow = groups_.front();
    narrow.n = end - begin;
    Operand columns = operand_out(narrow);
    columns.address += begin * sizeof(float);
    return part(columns, 0);
}

AccessPattern GemmRun::part(const Operand& operand, std::size_t product) const
{
    AccessPattern pattern;
    pattern.address =
        offset_by(offset_by(operand.address, operand.outer[0], product / gemm_.outer[1]),
                  operand.outer[1], product % gemm_.outer[1]);
    pattern.run_bytes = operand.run_bytes;
    pattern.count = {1, operand.row.count, operand.inner.count};
    pattern.stride = {0, operand.row.stride, operand.inner.stride};
    return pattern;
}

std::uint32_t GemmRun::scale_group() const
{
    const unsigned log2 = gemm_.flags >> LEVEE_RSA_GROUP_SHIFT;
    return log2 == 0 ? 0 : 1u << log2;
}

bool GemmRun::is_one_product() const
{
    return product_count() == 1 && !shares_rows();
}

std::uint64_t GemmRun::m() const
{
    return std::uint64_t{gemm_.m1} * gemm_.m0;
}

std::size_t GemmRun::product_count() const
{
    return std::size_t{gemm_.outer[0]} * gemm_.outer[1];
}

/// Streams carry rows of the full width, 0 beyond a ragged length.
std::uint64_t GemmRun::row_elements(std::uint64_t n) const
{
    return to_stream_ ? gemm_.n : n;
}

} // namespace levee::rsa
