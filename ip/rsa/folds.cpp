// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/folds.hpp"

#include <algorithm>
#include <utility>

namespace levee::rsa {

std::uint32_t block_of(const Shape& shape, const Product& product, std::uint32_t block)
{
    return std::max(1u, std::min({product.m, block, shape.sums / product.passes()}));
}

std::vector<Fold> folds_of(const Shape& shape, std::span<const Product> products,
                           std::uint32_t block)
{
    std::vector<Fold> folds;
    for (std::uint32_t index = 0; index < products.size(); ++index) {
        const Product& p = products[index];
        const std::uint32_t k_step = p.is_transposed ? shape.columns : shape.rows;
        const std::uint32_t n_step = p.is_transposed ? shape.rows : shape.columns;
        const std::uint32_t m_step = block_of(shape, p, block);
        for (std::uint32_t i = 0; i < p.m; i += m_step)
            for (std::uint32_t j = 0; j < p.n; j += n_step)
                for (std::uint32_t l = 0, k = 0; l < p.k; l += k) {
                    const std::uint32_t end = (l / p.group_elements() + 1) * p.group_elements();
                    k = std::min(k_step, std::min(end, p.k) - l);
                    for (unsigned b = 0; b < p.b_bytes(); ++b)
                        folds.push_back({index, i, std::min(m_step, p.m - i), j,
                                         std::min(n_step, p.n - j), l, k, b});
                }
    }
    return folds;
}

StoredRow stored_row(const Shape& shape, const Product& p, const Fold& fold, std::uint32_t row)
{
    const std::uint32_t stored = (p.is_transposed ? fold.first_n : fold.first_k) + row;
    const std::uint32_t first = p.is_transposed ? fold.first_k : fold.first_n;
    const std::uint32_t count = p.is_transposed ? fold.k : fold.n;
    StoredRow result;
    result.is_last = row + 1 == fold.rows(p.is_transposed);
    result.is_signed = fold.b_byte == 0;
    // Three-bit codes are widened to four bits on their way to the array.
    result.has_nibbles = p.b_type == LEVEE_TYPE_INT4 || p.b_type == LEVEE_TYPE_INT3;
    for (std::uint32_t c = 0; c < std::min(count, shape.columns); ++c) {
        const std::int32_t byte = byte_of_b(p, stored, first + c, fold.b_byte);
        if (result.has_nibbles)
            result.bytes[c / 2] |= static_cast<std::uint8_t>((byte & 0xF) << 4 * (c % 2));
        else
            result.bytes[c] = static_cast<std::uint8_t>(byte);
    }
    return result;
}

Wave wave_of(const Product& p, const Fold& fold, std::uint32_t wave, std::uint32_t block)
{
    const unsigned a_byte = wave / fold.m;
    const std::uint32_t row = wave % fold.m;
    const unsigned pass = fold.b_byte * p.a_bytes() + a_byte;
    Wave result;
    result.is_last = wave + 1 == fold.m * p.a_bytes();
    result.is_transposed = p.is_transposed;
    result.is_signed = a_byte == 0;
    for (std::uint32_t l = 0; l < fold.k; ++l)
        result.bytes[l] =
            static_cast<std::uint8_t>(byte_of_a(p, fold.first_m + row, fold.first_k + l, a_byte));
    result.sum = static_cast<std::uint16_t>(pass * block + row);
    result.adds = !fold.begins(p);
    result.leaves = fold.completes(p);
    result.lanes = static_cast<std::uint8_t>(fold.n);
    return result;
}

std::uint64_t cycles_of(const Shape& shape, std::span<const Product> products,
                        std::span<const Fold> folds)
{
    // Times at which the latest row is loaded, the latest wave has entered, and the banks of the
    // next two folds are free.
    std::int64_t load_end = 0, last_wave = -1, end = 0;
    std::int64_t bank_free = 0, bank_free_next = 0;
    for (const Fold& fold : folds) {
        const Product& p = products[fold.product];
        const std::int64_t rows = fold.rows(p.is_transposed);
        const std::int64_t waves = std::int64_t{fold.m} * p.a_bytes();
        const std::int64_t load = std::max(load_end, bank_free);
        load_end = load + rows;
        const std::int64_t first = std::max(last_wave + 1, load + 1);
        last_wave = std::max(first + waves - 1, load_end);
        bank_free = std::exchange(bank_free_next, last_wave + shape.columns);
        if (fold.completes(p))
            end = std::max(end, last_wave + first_lane_steps(shape) + fold.n);
    }
    return static_cast<std::uint64_t>(end);
}

} // namespace levee::rsa
