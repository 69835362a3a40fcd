// SPDX-License-Identifier: Apache-2.0
// What an operation reads, multiplies and writes: product by product, or, without payload, the
// accesses of equal products at once.
#include "core/command/tensor_rows.hpp"
#include "core/command/view.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/rsa/gemm_run.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace levee::rsa {

namespace {

// An upper bound of the row size of any memory.
constexpr std::int64_t row_bytes = 64;

/// True if no two runs share a memory row: one access to all of them is then equivalent to one
/// access to each.
bool lies_apart(std::uint64_t address, std::span<const Loop> nest)
{
    return address % row_bytes == 0 && std::all_of(nest.begin(), nest.end(), [](const Loop& loop) {
               return loop.count == 1 || loop.stride % row_bytes == 0;
           });
}

/// The operand was opened as one pattern, which lies in one memory.
bool is_in_one_memory(std::span<const Loop> nest)
{
    return std::count_if(nest.begin(), nest.end(),
                         [](const Loop& loop) { return loop.count != 1; }) <= 3;
}

} // namespace

GemmRun::Group GemmRun::products(const Group& group, std::size_t first, std::size_t count) const
{
    Group some = group;
    some.first = first;
    some.count = count;
    some.out = group.out + (first - group.first) * group.m * row_elements(group.n);
    return some;
}

void GemmRun::for_each_product(std::size_t first, std::size_t last, auto visit) const
{
    for (const Group& group : groups_) {
        const std::size_t begin = std::max(first, group.first);
        const std::size_t end = std::min(last, group.first + group.count);
        if (begin < end && queue_.timing_only())
            visit(products(group, begin, end - begin));
        for (std::size_t i = begin; i < end && !queue_.timing_only(); ++i)
            visit(products(group, i, 1));
    }
}

void GemmRun::for_each_access(Direction direction, const Operand& operand, const Group& group,
                              auto visit) const
{
    const std::uint64_t o1 = gemm_.outer[1];
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
        visit(View{queue_, part(operand, i), operand.field});
}

/// Rows of A, or their scales, that a list places.
template <typename Element>
void GemmRun::load_listed(const Operand& operand, const Group& group, std::vector<Element>& into)
{
    const std::size_t elements = operand.run_bytes / sizeof(Element);
    into.resize(queue_.timing_only() ? 0 : group.m * elements);
    if (!makes_access(queue_, Direction::Read, operand.address))
        return;
    for (std::uint64_t i = 0; i < group.m; ++i) {
        const std::uint64_t address =
            offset_by(operand.address, operand.row.stride, rows_listed_[group.row + i]);
        View{queue_, contiguous(address, operand.run_bytes), operand.field}.read(into,
                                                                                 i * elements);
    }
}

void GemmRun::run(Operation& operation)
{
    bias_.clear();
    if (has_bias())
        View{queue_, bias(), field_bias}.read(bias_);
    const std::size_t elements = groups_.back().out + groups_.back().count * groups_.back().m *
                                                          row_elements(groups_.back().n);
    out_.assign(queue_.timing_only() ? 0 : elements, 0.0f);
    if (engine_ != nullptr && !queue_.timing_only())
        multiply_by_engine();
    else
        for_each_product(0, product_count(), [this](const Group& product) {
            if (load(product, loaded_))
                gemm(gemm_of(product, loaded_));
        });
    overflows_.count(out_);
    operation.stream_elements = product_count() * m() * gemm_.n;
    if (to_stream_)
        operation.stream = out_;
    else
        operation.commit = [this](std::uint32_t first, std::uint32_t last) {
            is_one_product() ? write_columns(first, last) : write_products(first, last);
        };
    if (gemm_.tap != 0)
        operation.stream = full_rows();
}

/// Reads the operands of a product. Returns whether there is payload.
bool GemmRun::load(const Group& group, Loaded& loaded)
{
    const auto read = [&](bool is_given, const Operand& operand, auto& into) {
        if (!is_given)
            into.clear();
        else if (is_listed() && (operand.field == field_a || operand.field == field_a_scale))
            load_listed(operand, group, into);
        else
            for_each_access(Direction::Read, operand, group,
                            [&into](const View& view) { view.read(into); });
    };
    read(true, operand_a(group), loaded.a);
    if (stored_.is_redirected() && !from_stream_)
        load_redirected(group, loaded.b);
    else
        read(!from_stream_, operand_b(group.k, group.n), loaded.b);
    if (from_stream_ && !queue_.timing_only())
        take_rows(part(operand_b(group.k, group.n), group.first), loaded.b);
    read(gemm_.a_scale != 0, operand_a_scale(group), loaded.a_scale);
    read(gemm_.b_scale != 0, operand_b_scale(group.n), loaded.b_scale);
    read(has_keep(), operand_keep(group), loaded.keep);
    if (accumulates())
        for_each_access(Direction::Read, operand_out(group), group,
                        [&](const View& view) { view.read(out_, group.out); });
    return !queue_.timing_only();
}

/// Rows of B here and elsewhere; as many as are expected where there are no tables.
void GemmRun::load_redirected(const Group& group, std::vector<std::uint8_t>& into)
{
    Operand b = operand_b(group.k, group.n);
    if (stored_.has_tables()) {
        for (std::size_t i = group.first; i < group.first + group.count; ++i)
            stored_.read(i, part(b, i), into, field_b);
        return;
    }
    const auto read = [&](const Operand& rows) {
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

/// Rows of B, packed, from what has arrived at the stream port.
void GemmRun::take_rows(const AccessPattern& b, std::vector<std::uint8_t>& into)
{
    for (std::uint64_t row = 0; row < b.count[2]; ++row) {
        const auto from = streamed_.begin() + static_cast<std::ptrdiff_t>(row) * b.stride[2];
        into.insert(into.end(), from, from + static_cast<std::ptrdiff_t>(b.run_bytes));
    }
}

Gemm GemmRun::gemm_of(const Group& product, const Loaded& loaded)
{
    Gemm one;
    one.m = static_cast<std::uint32_t>(product.m);
    one.n = static_cast<std::uint32_t>(product.n);
    one.k = static_cast<std::uint32_t>(product.k);
    one.a = {std::as_bytes(std::span(loaded.a)), operand_a(product).run_bytes,
             static_cast<levee_type>(gemm_.a_type)};
    one.b = {std::as_bytes(std::span(loaded.b)), operand_b(product.k, product.n).run_bytes,
             static_cast<levee_type>(gemm_.b_type)};
    one.b_transposed = is_transposed();
    one.a_scale = {loaded.a_scale, 1};
    one.group = scale_group();
    one.b_scale = {loaded.b_scale, scales_of_column()};
    one.bias = std::span<const float>(bias_).first(bias_.empty() ? 0 : product.n);
    one.alpha = gemm_.alpha;
    one.accumulate = accumulates();
    one.keep = {loaded.keep, 1};
    one.out_pitch = row_elements(product.n);
    one.out = std::span(out_).subspan(product.out, product.m * one.out_pitch);
    return one;
}

/// All products at once: hardware goes from one to the next without a gap.
void GemmRun::multiply_by_engine()
{
    std::vector<Loaded> loaded;
    std::vector<Product> work;
    std::vector<Gemm> products;
    loaded.reserve(product_count());
    for_each_product(0, product_count(), [&](const Group& product) {
        Loaded& own = loaded.emplace_back();
        load(product, own);
        const Gemm& one = products.emplace_back(gemm_of(product, own));
        work.push_back({one.m, one.n, one.k, one.a.type, one.b.type, one.b_transposed, own.a, own.b,
                        one.group});
    });
    const auto sums = engine_->multiply(std::move(work), array_.accumulator_rows, gemm_.outer[1]);
    for (std::size_t i = 0; i < products.size(); ++i)
        scale_sums(products[i], sums[i]);
}

/// Results in the form that a stream carries; none without payload.
std::vector<float> GemmRun::full_rows() const
{
    std::vector<float> rows(out_.empty() ? 0 : product_count() * m() * gemm_.n, 0.0f);
    auto to = rows.begin();
    for_each_product(0, out_.empty() ? 0 : product_count(), [&](const Group& product) {
        for (std::uint64_t row = 0; row < m(); ++row, to += gemm_.n)
            std::copy_n(&out_[product.out + row * product.n], product.n, to);
    });
    return rows;
}

void GemmRun::write_products(std::uint32_t first, std::uint32_t last)
{
    for_each_product(first, last, [this](const Group& product) {
        for_each_access(Direction::Write, operand_out(product), product,
                        [&](const View& view) { view.write(out_, product.out); });
    });
}

/// Writes column folds [first, last) of the only product.
void GemmRun::write_columns(std::uint32_t first, std::uint32_t last)
{
    const std::uint64_t n = groups_.front().n;
    const std::uint64_t begin = std::min<std::uint64_t>(std::uint64_t{first} * array_.columns, n);
    const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{last} * array_.columns, n);
    if (begin == end)
        return;
    columns_.clear();
    for (auto at = out_.begin(); at != out_.end(); at += static_cast<std::ptrdiff_t>(n))
        columns_.insert(columns_.end(), at + static_cast<std::ptrdiff_t>(begin),
                        at + static_cast<std::ptrdiff_t>(end));
    View{queue_, columns_of(begin, end), field_out}.write(columns_);
}

} // namespace levee::rsa
