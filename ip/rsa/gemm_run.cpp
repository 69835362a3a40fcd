// SPDX-License-Identifier: Apache-2.0
// Processes operands, products and results, product by product. A timing-only run makes the
// accesses of products of equal size together.
#include "ip/rsa/gemm_run.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/numerics/tensor.hpp"
#include "core/units/clock.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace levee::rsa {

namespace {

// Upper limit of the size of a memory row.
constexpr std::int64_t row_bytes = 64;

/// True if no two runs share a memory row. A single access to all runs is then equivalent to
/// separate accesses.
bool lies_apart(std::uint64_t address, std::span<const Loop> nest)
{
    return address % row_bytes == 0 && std::all_of(nest.begin(), nest.end(), [](const Loop& loop) {
               return loop.count == 1 || loop.stride % row_bytes == 0;
           });
}

/// Whether the operand was opened as one pattern, which means that one memory contains it.
bool is_in_one_memory(std::span<const Loop> nest)
{
    return std::count_if(nest.begin(), nest.end(),
                         [](const Loop& loop) { return loop.count != 1; }) <= 3;
}

} // namespace

GemmRun::GemmRun(CommandQueue& queue, const ArrayShape& array, bool single_pass)
    : queue_(queue), array_(array), single_pass_(single_pass), stored_(queue),
      products_(queue, gemm_), streams_(queue, gemm_, products_, stored_)
{
}

unsigned GemmRun::pass_count() const
{
    return single_pass_ ? 1
                        : passes(static_cast<levee_type>(gemm_.op().a_type),
                                 static_cast<levee_type>(gemm_.op().b_type));
}

GemmCost GemmRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    gemm_.read(descriptor);
    const bool is_stationary = array_.dataflow == Dataflow::WeightStationary;
    need_field(!gemm_.partial_rows_are_free() ||
                   (!stored_.has_tables() && gemm_.op().redirect != 0 && is_stationary),
               LEVEE_ERROR_FIELD, offsetof(levee_rsa_operation, flags));
    products_.read(stored_);
    GemmTraffic traffic;
    const GemmCost cost =
        GemmCounter(array_, gemm_, pass_count()).count(products_.groups(), traffic);
    streams_.open(operation, traffic);
    operation.iterations = static_cast<std::uint32_t>(
        gemm_.is_one_product() ? divide_up(products_.groups().front().n, array_.columns)
                               : gemm_.product_count());
    run(operation);
    return cost;
}

void GemmRun::for_each_access(Direction direction, const OperandLoops& operand,
                              const ProductGroup& group, auto visit) const
{
    const levee_rsa_operation& op = gemm_.op();
    const std::uint64_t o1 = op.outer[1];
    const std::array<Loop, 4> nest{
        {{group.count / o1, operand.outer[0]}, {o1, operand.outer[1]}, operand.row, operand.inner}};
    if (group.first % o1 == 0 && group.count % o1 == 0) {
        const std::uint64_t first = offset_by(operand.address, operand.outer[0], group.first / o1);
        if (is_in_one_memory(nest) && !makes_access(queue_, direction, first))
            return;
        if (lies_apart(operand.address, nest)) {
            for (const AccessPattern& pattern :
                 patterns_of(first, operand.run_bytes, {nest[0], nest[1], nest[2], nest[3]}))
                visit(View{queue_, pattern, operand.field});
            return;
        }
    }
    for (std::size_t i = group.first; i < group.first + group.count; ++i)
        visit(View{queue_, gemm_.part(operand, i), operand.field});
}

void GemmRun::run(Operation& operation)
{
    const levee_rsa_operation& op = gemm_.op();
    bias_.clear();
    if (gemm_.has_bias() && !gemm_.shares_rows())
        View{queue_, gemm_.bias(), field_bias}.read(bias_);
    out_.assign(queue_.timing_only() ? 0 : products_.elements(), 0.0f);
    if (engine_ != nullptr && !queue_.timing_only())
        multiply_by_engine();
    else
        products_.for_each(0, gemm_.product_count(), [this](const ProductGroup& product) {
            if (load(product, loaded_))
                gemm(gemm_of(product, loaded_));
        });
    overflows_.count(out_);
    operation.stream_elements = gemm_.product_count() * gemm_.m() * op.n;
    if (gemm_.to_stream())
        operation.stream = out_;
    else
        operation.commit = [this](std::uint32_t first, std::uint32_t last) {
            gemm_.is_one_product() ? write_columns(first, last) : write_products(first, last);
        };
    if (op.tap != 0)
        operation.stream = full_rows();
}

/// Whether rows of B can be read in place, without the bus. They must be in one memory, which does
/// not track reads and stores bytes as the bus transfers them.
bool GemmRun::finds(InPlace& rows, const OperandLoops& operand, const ProductGroup& product)
{
    const AccessPattern pattern = gemm_.part(operand, product.first);
    const std::int64_t pitch = pattern.stride[2];
    if (pitch < 0 || queue_.tracks(Direction::Read, pattern.address))
        return false;
    rows.pitch = static_cast<std::uint64_t>(pitch);
    rows.size = (pattern.count[2] - 1) * rows.pitch + pattern.run_bytes;
    rows.bytes = queue_.peek(pattern.address, rows.size);
    return rows.bytes != nullptr;
}

/// Finds operands that can be used in place, without a copy. This saves host time only for B and
/// its scales, whose sizes grow with k x n. Hardware (`engine_`, unless `impl` is tlm) reads
/// operands after the operation has started, so it always gets copies.
void GemmRun::find_in_place(const ProductGroup& product, Loaded& loaded)
{
    loaded.b_rows = loaded.b_scale_rows = {};
    if (queue_.timing_only() || engine_ != nullptr)
        return;
    if (!stored_.is_redirected() && !gemm_.from_stream())
        (void)finds(loaded.b_rows, gemm_.b(product.k, product.n), product);
    if (gemm_.scale_group() != 0)
        (void)finds(loaded.b_scale_rows, gemm_.b_scale(product.n), product);
}

/// Reads the operands of a product. Returns false in timing-only runs.
bool GemmRun::load(const ProductGroup& group, Loaded& loaded)
{
    const levee_rsa_operation& op = gemm_.op();
    find_in_place(group, loaded);
    const auto read = [&](bool is_given, const OperandLoops& operand, auto& into) {
        if (!is_given)
            into.clear();
        else if (gemm_.is_listed() && (operand.field == field_a || operand.field == field_a_scale))
            load_listed(operand, group, into);
        else
            for_each_access(Direction::Read, operand, group,
                            [&into](const View& view) { view.read(into); });
    };
    read(true, gemm_.a(group), loaded.a);
    if (stored_.is_redirected() && !gemm_.from_stream())
        load_redirected(group, loaded.b);
    else
        read(!gemm_.from_stream() && loaded.b_rows.bytes == nullptr, gemm_.b(group.k, group.n),
             loaded.b);
    if (gemm_.from_stream() && !queue_.timing_only())
        take_rows(gemm_.part(gemm_.b(group.k, group.n), group.first), loaded.b);
    read(op.a_scale != 0, gemm_.a_scale(group), loaded.a_scale);
    read(op.b_scale != 0 && loaded.b_scale_rows.bytes == nullptr, gemm_.b_scale(group.n),
         loaded.b_scale);
    read(gemm_.has_keep(), gemm_.keep(group), loaded.keep);
    read(gemm_.has_bias() && gemm_.shares_rows(), gemm_.own_bias(group.n), loaded.bias);
    if (gemm_.accumulates())
        for_each_access(Direction::Read, gemm_.out(group), group,
                        [&](const View& view) { view.read(out_, group.out); });
    return !queue_.timing_only();
}

/// Loads rows of A, or their scales, at the places that a list gives.
template <typename Element>
void GemmRun::load_listed(const OperandLoops& operand, const ProductGroup& group,
                          std::vector<Element>& into)
{
    const std::size_t elements = operand.run_bytes / sizeof(Element);
    into.resize(queue_.timing_only() ? 0 : group.m * elements);
    if (!makes_access(queue_, Direction::Read, operand.address))
        return;
    for (std::uint64_t i = 0; i < group.m; ++i) {
        const std::uint64_t address =
            offset_by(operand.address, operand.row.stride, products_.rows_listed()[group.row + i]);
        View{queue_, contiguous(address, operand.run_bytes), operand.field}.read(into,
                                                                                 i * elements);
    }
}

/// Loads rows of B, in place and elsewhere. Without tables (statistical run), loads the expected
/// numbers of rows.
void GemmRun::load_redirected(const ProductGroup& group, std::vector<std::uint8_t>& into)
{
    OperandLoops b = gemm_.b(group.k, group.n);
    if (stored_.has_tables()) {
        for (std::size_t i = group.first; i < group.first + group.count; ++i)
            stored_.read(i, gemm_.part(b, i), into, field_b);
        return;
    }
    const auto read = [&](const OperandLoops& rows) {
        if (rows.inner.count > 0)
            for_each_access(Direction::Read, rows, group,
                            [&into](const View& view) { view.read(into); });
    };
    const std::uint64_t elsewhere = group.rows_elsewhere / group.count;
    const levee_rsa_redirect& redirect = stored_.redirect();
    read({redirect.base,
          redirect.base_stride,
          b.run_bytes,
          {1, 0},
          {elsewhere, redirect.base_stride[2]},
          field_redirect});
    b.inner.count -= elsewhere + group.rows_free / group.count;
    read(b);
}

/// Copies rows of B, packed, from the data that arrived at the stream port.
void GemmRun::take_rows(const AccessPattern& b, std::vector<std::uint8_t>& into) const
{
    for (std::uint64_t row = 0; row < b.count[2]; ++row) {
        const auto from =
            streams_.arrived().begin() + static_cast<std::ptrdiff_t>(row) * b.stride[2];
        into.insert(into.end(), from, from + static_cast<std::ptrdiff_t>(b.run_bytes));
    }
}

Gemm GemmRun::gemm_of(const ProductGroup& product, const Loaded& loaded)
{
    const levee_rsa_operation& op = gemm_.op();
    Gemm one;
    one.m = static_cast<std::uint32_t>(product.m);
    one.n = static_cast<std::uint32_t>(product.n);
    one.k = static_cast<std::uint32_t>(product.k);
    one.a = {std::as_bytes(std::span(loaded.a)), gemm_.a(product).run_bytes,
             static_cast<levee_type>(op.a_type)};
    one.b = {std::as_bytes(std::span(loaded.b)), gemm_.b(product.k, product.n).run_bytes,
             static_cast<levee_type>(op.b_type)};
    if (const InPlace& rows = loaded.b_rows; rows.bytes != nullptr) {
        one.b.data = std::as_bytes(std::span(rows.bytes, rows.size));
        one.b.pitch = rows.pitch;
    }
    one.b_transposed = gemm_.is_transposed();
    one.a_scale = {loaded.a_scale, 1};
    one.group = gemm_.scale_group();
    one.b_scale = {loaded.b_scale, gemm_.scales_of_column()};
    if (const InPlace& rows = loaded.b_scale_rows; rows.bytes != nullptr)
        one.b_scale = {
            std::span(reinterpret_cast<const float*>(rows.bytes), rows.size / sizeof(float)),
            rows.pitch / sizeof(float)};
    one.bias = std::span<const float>(bias_).first(bias_.empty() ? 0 : product.n);
    if (gemm_.shares_rows())
        one.bias = loaded.bias;
    one.alpha = op.alpha;
    one.accumulate = gemm_.accumulates();
    one.keep = {loaded.keep, 1};
    one.out_pitch = gemm_.row_elements(product.n);
    one.out = std::span(out_).subspan(product.out, product.m * one.out_pitch);
    return one;
}

/// Computes all products together, because hardware continues from one to the next without a gap.
void GemmRun::multiply_by_engine()
{
    const levee_rsa_operation& op = gemm_.op();
    std::vector<Loaded> loaded;
    std::vector<Product> work;
    std::vector<Gemm> products;
    loaded.reserve(gemm_.product_count());
    products_.for_each(0, gemm_.product_count(), [&](const ProductGroup& product) {
        Loaded& own = loaded.emplace_back();
        load(product, own);
        const Gemm& one = products.emplace_back(gemm_of(product, own));
        work.push_back({one.m, one.n, one.k, one.a.type, one.b.type, one.b_transposed, own.a, own.b,
                        one.group});
    });
    const auto sums = engine_->multiply(std::move(work), array_.accumulator_rows, op.outer[1]);
    for (std::size_t i = 0; i < products.size(); ++i)
        scale_sums(products[i], sums[i]);
}

/// Returns the results in the form that a stream carries; empty in timing-only runs.
std::vector<float> GemmRun::full_rows() const
{
    const levee_rsa_operation& op = gemm_.op();
    std::vector<float> rows(out_.empty() ? 0 : gemm_.product_count() * gemm_.m() * op.n, 0.0f);
    auto to = rows.begin();
    products_.for_each(0, out_.empty() ? 0 : gemm_.product_count(),
                       [&](const ProductGroup& product) {
                           for (std::uint64_t row = 0; row < gemm_.m(); ++row, to += op.n)
                               std::copy_n(&out_[product.out + row * product.n], product.n, to);
                       });
    return rows;
}

void GemmRun::write_products(std::uint32_t first, std::uint32_t last)
{
    products_.for_each(first, last, [this](const ProductGroup& product) {
        for_each_access(Direction::Write, gemm_.out(product), product,
                        [&](const View& view) { view.write(out_, product.out); });
    });
}

/// Writes column folds [first, last) of an operation with a single product.
void GemmRun::write_columns(std::uint32_t first, std::uint32_t last)
{
    const std::uint64_t n = products_.groups().front().n;
    const std::uint64_t begin = std::min<std::uint64_t>(std::uint64_t{first} * array_.columns, n);
    const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{last} * array_.columns, n);
    if (begin == end)
        return;
    columns_.clear();
    for (auto at = out_.begin(); at != out_.end(); at += static_cast<std::ptrdiff_t>(n))
        columns_.insert(columns_.end(), at + static_cast<std::ptrdiff_t>(begin),
                        at + static_cast<std::ptrdiff_t>(end));
    View{queue_, gemm_.columns_of(products_.groups().front(), begin, end), field_out}.write(
        columns_);
}

} // namespace levee::rsa
