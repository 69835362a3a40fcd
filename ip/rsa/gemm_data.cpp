// SPDX-License-Identifier: Apache-2.0
// The operands and results of functional runs.
#include "ip/rsa/gemm_run.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace levee::rsa {

void GemmRun::multiply_all(Operation& operation)
{
    list_products();
    bias_.resize(has_bias() ? gemm_.n : 0);
    if (has_bias())
        queue_.read(bias(), bias_.data(), field_bias);
    out_.assign(products_.back().out + m() * row_elements(products_.back().n), 0.0f);
    if (engine_ != nullptr)
        multiply_by_engine();
    for (std::size_t i = 0; engine_ == nullptr && i < products_.size(); ++i) {
        load(products_[i], loaded_);
        gemm(gemm_of(products_[i], loaded_));
    }
    overflows_.count(out_);
    if (to_stream_)
        operation.stream = out_;
    else
        operation.commit = [this](std::uint32_t first, std::uint32_t last) {
            is_one_product() ? write_columns(first, last) : write_products(first, last);
        };
    if (gemm_.tap != 0)
        operation.stream = full_rows();
}

void GemmRun::list_products()
{
    products_.clear();
    std::size_t out = 0;
    for (const Group& group : groups_)
        for (std::size_t i = group.first; i < group.first + group.count; ++i) {
            products_.push_back({static_cast<std::uint32_t>(i / gemm_.outer[1]),
                                 static_cast<std::uint32_t>(i % gemm_.outer[1]), group.k, group.n,
                                 out, i});
            out += m() * row_elements(group.n);
        }
}

void GemmRun::load(const Product& product, Loaded& loaded)
{
    const AccessPattern a = part(operand_a(product.k), product.o0, product.o1);
    const AccessPattern b = part(operand_b(product.k, product.n), product.o0, product.o1);
    loaded.a.resize(a.bytes());
    loaded.b.resize(b.bytes());
    queue_.read(a, loaded.a.data(), field_a);
    if (from_stream_)
        take_rows(b, loaded.b);
    else if (stored_.is_redirected())
        stored_.read(product.index, b, loaded.b.data(), field_b);
    else
        queue_.read(b, loaded.b.data(), field_b);
    loaded.a_scale.resize(gemm_.a_scale != 0 ? m() : 0);
    if (gemm_.a_scale != 0)
        queue_.read(part(operand_a_scale(), product.o0, product.o1), loaded.a_scale.data(),
                    field_a_scale);
    loaded.b_scale.resize(gemm_.b_scale != 0 ? product.n * scales_of_column() : 0);
    if (gemm_.b_scale != 0)
        queue_.read(part(operand_b_scale(product.n), product.o0, product.o1), loaded.b_scale.data(),
                    field_b_scale);
    loaded.keep.resize(has_keep() ? m() : 0);
    if (has_keep())
        queue_.read(part(operand_keep(), product.o0, product.o1), loaded.keep.data(), field_bias);
    if (accumulates())
        queue_.read(part(operand_out(product.n), product.o0, product.o1), &out_[product.out],
                    field_out);
}

/// Rows of B, packed, from what has arrived at the stream port.
void GemmRun::take_rows(const AccessPattern& b, std::vector<std::uint8_t>& into)
{
    auto to = into.begin();
    for (std::uint64_t row = 0; row < b.count[2]; ++row)
        to = std::copy_n(streamed_.begin() + static_cast<std::ptrdiff_t>(row) * b.stride[2],
                         b.run_bytes, to);
}

Gemm GemmRun::gemm_of(const Product& product, const Loaded& loaded)
{
    Gemm one;
    one.m = static_cast<std::uint32_t>(m());
    one.n = static_cast<std::uint32_t>(product.n);
    one.k = static_cast<std::uint32_t>(product.k);
    one.a = {std::as_bytes(std::span(loaded.a)), operand_a(product.k).run_bytes,
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
    one.out = std::span(out_).subspan(product.out, m() * one.out_pitch);
    return one;
}

/// All products at once: hardware goes from one to the next without a gap.
void GemmRun::multiply_by_engine()
{
    std::vector<Loaded> loaded(products_.size());
    std::vector<rsa::Product> work(products_.size());
    for (std::size_t i = 0; i < products_.size(); ++i) {
        load(products_[i], loaded[i]);
        const Gemm one = gemm_of(products_[i], loaded[i]);
        work[i] = {one.m,       one.n,       one.k,    one.a.type, one.b.type, one.b_transposed,
                   loaded[i].a, loaded[i].b, one.group};
    }
    const auto sums = engine_->multiply(std::move(work), array_.accumulator_rows, gemm_.outer[1]);
    for (std::size_t i = 0; i < products_.size(); ++i)
        scale_sums(gemm_of(products_[i], loaded[i]), sums[i]);
}

/// Results in the form that a stream carries.
std::vector<float> GemmRun::full_rows() const
{
    std::vector<float> rows(products_.size() * m() * gemm_.n, 0.0f);
    auto to = rows.begin();
    for (const Product& product : products_)
        for (std::uint64_t row = 0; row < m(); ++row, to += gemm_.n)
            std::copy_n(&out_[product.out + row * product.n], product.n, to);
    return rows;
}

void GemmRun::write_products(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t i = first; i < last; ++i) {
        const Product& product = products_[i];
        queue_.write(part(operand_out(product.n), product.o0, product.o1), &out_[product.out]);
    }
}

/// Writes column folds [first, last) of the only product.
void GemmRun::write_columns(std::uint32_t first, std::uint32_t last)
{
    const std::uint64_t n = products_.front().n;
    const std::uint64_t begin = std::min<std::uint64_t>(std::uint64_t{first} * array_.columns, n);
    const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{last} * array_.columns, n);
    if (begin == 0 && end == n) {
        write_products(0, 1);
        return;
    }
    columns_.clear();
    for (std::uint64_t row = 0; row < m(); ++row) {
        const auto at = out_.begin() + static_cast<std::ptrdiff_t>(row * n);
        columns_.insert(columns_.end(), at + static_cast<std::ptrdiff_t>(begin),
                        at + static_cast<std::ptrdiff_t>(end));
    }
    if (!columns_.empty())
        queue_.write(columns_of(begin, end), columns_.data());
}

} // namespace levee::rsa
