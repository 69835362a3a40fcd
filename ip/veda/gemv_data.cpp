// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/veda/gemv_run.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace levee::veda {

namespace {

std::uint64_t base_of(std::uint64_t address, const std::int32_t* stride, std::uint32_t o0,
                      std::uint32_t o1)
{
    return offset_by(offset_by(address, stride[0], o0), stride[1], o1);
}

} // namespace

void GemvRun::for_each_part(const Rows& rows, const Block& block, auto visit) const
{
    const bool of_k = rows.dimension == LEVEE_VEDA_RAGGED_K;
    AccessPattern pattern;
    pattern.address = base_of(rows.address, rows.stride, block.o0, block.o1);
    pattern.stride[2] = rows.stride[2];
    pattern.count[2] = nest_.is_causal(rows.dimension) ? 1 : gemv_.m;
    for (std::uint32_t m = 0; m < gemv_.m; m += static_cast<std::uint32_t>(pattern.count[2])) {
        const Nest::Size size = nest_.size(block, m);
        pattern.run_bytes = bytes_of(of_k ? size.k : size.n, rows.type);
        visit(pattern, m);
        pattern.address = offset_by(pattern.address, rows.stride[2], pattern.count[2]);
    }
}

/// Computes the products. A timing-only run only reads operands that are in memories that track
/// accesses.
void GemvRun::multiply()
{
    const std::span<const Block> blocks = nest_.blocks();
    const bool reads_a = !from_stream_ && makes_access(queue_, Direction::Read, gemv_.a);
    if (out_.empty() && !reads_a && !makes_access(queue_, Direction::Read, gemv_.b))
        return;
    for (std::size_t first = 0; first < blocks.size();) {
        const std::size_t count = nest_.side_by_side(first);
        multiply_group(blocks.subspan(first, count));
        first += count;
    }
}

void GemvRun::multiply_group(std::span<const Block> blocks)
{
    std::vector<std::vector<std::uint16_t>> a(blocks.size()), b(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
        load(blocks[i], a[i], b[i]);
    if (out_.empty())
        return;
    std::vector<Product> products(blocks.size());
    for (std::uint32_t m = 0; m < gemv_.m; ++m) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const Block& block = blocks[i];
            const Nest::Size size = nest_.size(block, m);
            products[i] = {size.k,
                           size.n,
                           &a[i][std::size_t{m} * block.k],
                           b[i].data(),
                           is_transposed() ? block.k : block.n,
                           is_transposed(),
                           &out_[block.out + std::size_t{m} * nest_.row_elements(block)]};
        }
        core_.run(products);
    }
}

/// Reads a block's operands. Rows of A are stored at a distance of the longest row's length.
void GemvRun::load(const Block& block, std::vector<std::uint16_t>& a, std::vector<std::uint16_t>& b)
{
    a.resize(out_.empty() ? 0 : std::size_t{gemv_.m} * block.k);
    if (from_stream_)
        take_streamed(block, a);
    else
        for_each_part(vectors(), block, [&](const AccessPattern& part, std::uint32_t m) {
            View{queue_, part, field_a}.read(a, std::size_t{m} * block.k);
        });
    View{queue_, matrix(block), field_b}.read(b);
}

void GemvRun::take_streamed(const Block& block, std::vector<std::uint16_t>& a) const
{
    const std::size_t index = static_cast<std::size_t>(&block - nest_.blocks().data());
    for (std::uint32_t m = 0; m < gemv_.m && !a.empty(); ++m) {
        const auto row =
            streamed_.begin() + static_cast<std::ptrdiff_t>((index * gemv_.m + m) * gemv_.k);
        std::transform(row, row + block.k, &a[std::size_t{m} * block.k], fp32_to_fp16);
    }
}

void GemvRun::write_blocks(std::uint32_t first, std::uint32_t last)
{
    if (!makes_access(queue_, Direction::Write, gemv_.out))
        return;
    for (const Block& block : nest_.blocks().subspan(first, last - first))
        for_each_part(results(), block, [&](const AccessPattern& part, std::uint32_t m) {
            const std::size_t at = block.out + std::size_t{m} * block.n;
            const View view{queue_, part, field_out};
            if (gemv_.out_type == LEVEE_TYPE_FP32)
                return view.write(out_, at);
            const auto from = out_.begin() + static_cast<std::ptrdiff_t>(out_.empty() ? 0 : at);
            const std::size_t count = out_.empty() ? 0 : part.bytes() / sizeof(std::uint16_t);
            narrow_.assign(from, from + static_cast<std::ptrdiff_t>(count));
            view.write(narrow_);
        });
}

/// Fills the output stream with FP32 values: rows of results in full width, with 0 beyond a ragged
/// length; or, for a tap, the elements of A unchanged.
void GemvRun::fill_stream(Operation& operation) const
{
    const std::size_t row = gemv_.tap != 0 ? gemv_.k : gemv_.n;
    operation.stream_elements = vector_count() * row;
    if (gemv_.tap != 0)
        operation.stream.assign(streamed_.begin(), streamed_.end());
    else
        std::transform(out_.begin(), out_.end(), std::back_inserter(operation.stream),
                       [this](std::uint32_t bits) {
                           return gemv_.out_type == LEVEE_TYPE_FP16
                                      ? fp16_to_fp32(static_cast<std::uint16_t>(bits))
                                      : std::bit_cast<float>(bits);
                       });
}

GemvRun::Rows GemvRun::vectors() const
{
    return {gemv_.a, gemv_.a_stride, LEVEE_VEDA_RAGGED_K, LEVEE_TYPE_FP16};
}

GemvRun::Rows GemvRun::results() const
{
    return {gemv_.out, gemv_.out_stride, LEVEE_VEDA_RAGGED_N, gemv_.out_type};
}

AccessPattern GemvRun::matrix(const Block& block) const
{
    AccessPattern pattern;
    pattern.address = base_of(gemv_.b, gemv_.b_stride, block.o0, block.o1 / group());
    pattern.run_bytes = bytes_of(is_transposed() ? block.k : block.n, LEVEE_TYPE_FP16);
    pattern.count[2] = is_transposed() ? block.n : block.k;
    pattern.stride[2] = gemv_.b_stride[2];
    return pattern;
}

} // namespace levee::veda
