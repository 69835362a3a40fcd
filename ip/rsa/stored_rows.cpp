// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/stored_rows.hpp"

#include "core/command/decision_statistics.hpp"
#include "core/command/view.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/rsa/fields.hpp"

#include <algorithm>

namespace levee::rsa {

namespace {

// Limit on the stored rows of B in one descriptor, far above real use. Only a corrupt descriptor
// can have more rows.
constexpr std::uint64_t most_rows = std::uint64_t{1} << 22;

void need(bool good, levee_command_error code)
{
    if (!good)
        throw CommandFault{code, field_redirect};
}

template <std::size_t N> void need_aligned(const std::int32_t (&strides)[N], std::uint64_t unit)
{
    for (const std::int32_t stride : strides)
        need(stride % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS);
}

} // namespace

void StoredRows::begin(const levee_rsa_operation& gemm)
{
    products_.clear();
    words_.clear();
    is_redirected_ = gemm.redirect != 0;
    if (!is_redirected_)
        return;
    need(gemm.redirect % alignof(levee_rsa_redirect) == 0, LEVEE_ERROR_ADDRESS);
    AccessPattern pattern;
    pattern.address = gemm.redirect;
    pattern.run_bytes = sizeof redirect_;
    queue_.read_control(pattern, &redirect_, field_redirect);
    need(redirect_.table % sizeof(std::uint32_t) == 0, LEVEE_ERROR_ADDRESS);
    need_aligned(redirect_.table_stride, sizeof(std::uint32_t));
    need(redirect_.base % alignment_of(gemm.b_type) == 0, LEVEE_ERROR_ADDRESS);
    need_aligned(redirect_.base_stride, alignment_of(gemm.b_type));
    std::copy(std::begin(gemm.outer), std::end(gemm.outer), outer_);
    are_partial_free_ = (gemm.flags & LEVEE_RSA_PARTIAL_FREE) != 0;
    most_likely_ = 0;
}

bool StoredRows::has_tables() const
{
    return !draws(queue_);
}

std::uint64_t StoredRows::likely(std::uint64_t count)
{
    const double partial = queue_.decisions().statistics->holders * redirect_.partial;
    const std::uint64_t rows = redirect_.common + static_cast<std::uint64_t>(partial + 0.5);
    const std::uint64_t all = std::min(rows, count);
    most_likely_ = std::max(most_likely_, are_partial_free_ ? common(count) : all);
    return all;
}

std::uint64_t StoredRows::common(std::uint64_t count) const
{
    return std::min<std::uint64_t>(redirect_.common, count);
}

void StoredRows::open(Operation& operation, std::uint64_t row_bytes, std::uint64_t bytes) const
{
    if (has_tables()) {
        queue_.add_rows(operation, Direction::Read, elsewhere(row_bytes), bytes, field_redirect);
        return;
    }
    AccessPattern rows;
    rows.address = redirect_.base;
    rows.run_bytes = row_bytes;
    rows.count = {outer_[0], outer_[1], most_likely_};
    std::copy(std::begin(redirect_.base_stride), std::end(redirect_.base_stride),
              rows.stride.begin());
    queue_.note_read(rows, field_redirect);
    rows.scattered = true;
    queue_.add_stream(operation, Direction::Read, rows, bytes, field_redirect);
}

std::uint64_t StoredRows::add_product(std::uint32_t o0, std::uint32_t o1, std::uint64_t count)
{
    const auto at = [&](std::uint64_t address, const std::int32_t* stride) {
        return offset_by(offset_by(address, stride[0], o0), stride[1], o1);
    };
    const std::size_t first = words_.size();
    need(count <= most_rows - first, LEVEE_ERROR_FIELD);
    products_.push_back({at(redirect_.base, redirect_.base_stride), first, count});
    words_.resize(first + count);
    AccessPattern pattern;
    pattern.address = at(redirect_.table, redirect_.table_stride);
    pattern.run_bytes = count * sizeof(std::uint32_t);
    queue_.read_control(pattern, &words_[first], field_redirect);
    const auto here = std::count(words_.begin() + static_cast<std::ptrdiff_t>(first), words_.end(),
                                 LEVEE_RSA_ROW_HERE);
    return count - static_cast<std::uint64_t>(here);
}

RowList StoredRows::elsewhere(std::uint64_t row_bytes) const
{
    RowList rows{{}, row_bytes};
    for (const Product& product : products_)
        for (std::size_t i = 0; i < product.count; ++i)
            if (const std::uint32_t word = words_[product.first + i]; word != LEVEE_RSA_ROW_HERE)
                rows.addresses.push_back(address(product, word));
    return rows;
}

void StoredRows::read(std::size_t index, const AccessPattern& here, std::vector<std::uint8_t>& into,
                      std::uint32_t field_here) const
{
    const Product& product = products_[index];
    const auto words = std::span(words_).subspan(product.first, product.count);
    View part{queue_, here, field_here};
    into.resize(queue_.timing_only() ? 0 : here.bytes());
    for (std::size_t i = 0; i < words.size(); i += part.pattern.count[2]) {
        const bool is_here = words[i] == LEVEE_RSA_ROW_HERE;
        std::size_t end = i + 1;
        while (is_here && end < words.size() && words[end] == LEVEE_RSA_ROW_HERE)
            ++end;
        part.pattern.count[2] = end - i;
        part.pattern.address =
            is_here ? offset_by(here.address, here.stride[2], i) : address(product, words[i]);
        part.field = is_here ? field_here : field_redirect;
        part.read(into, i * here.run_bytes);
    }
}

std::uint64_t StoredRows::address(const Product& product, std::uint32_t word) const
{
    return offset_by(product.base, redirect_.base_stride[2], word);
}

} // namespace levee::rsa
