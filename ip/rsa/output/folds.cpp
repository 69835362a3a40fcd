// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/folds.hpp"

#include <algorithm>

namespace levee::rsa::output {

std::vector<Fold> folds_of(const Shape& shape, std::span<const Product> products)
{
    std::vector<Fold> folds;
    for (std::uint32_t index = 0; index < products.size(); ++index) {
        const Product& p = products[index];
        for (std::uint32_t i = 0; i < p.m; i += shape.rows)
            for (std::uint32_t j = 0; j < p.n; j += shape.columns)
                folds.push_back(
                    {index, i, std::min(shape.rows, p.m - i), j, std::min(shape.columns, p.n - j)});
    }
    return folds;
}

ColumnBytes columns_of(const Product& p, const Fold& fold, std::uint32_t load)
{
    const std::uint32_t l = load / p.b_bytes();
    const unsigned b_byte = load % p.b_bytes();
    ColumnBytes result;
    result.is_signed = b_byte == 0;
    // Three-bit codes are widened to four bits on their way to the array.
    result.has_nibbles = p.b_type == LEVEE_TYPE_INT4 || p.b_type == LEVEE_TYPE_INT3;
    for (std::uint32_t c = 0; c < fold.n; ++c) {
        const std::uint32_t j = fold.first_n + c;
        const std::int32_t byte =
            p.is_transposed ? byte_of_b(p, j, l, b_byte) : byte_of_b(p, l, j, b_byte);
        if (result.has_nibbles)
            result.bytes[c / 2] |= static_cast<std::uint8_t>((byte & 0xF) << 4 * (c % 2));
        else
            result.bytes[c] = static_cast<std::uint8_t>(byte);
    }
    return result;
}

Wave wave_of(const Shape& shape, const Product& p, const Fold& fold, std::uint32_t wave)
{
    const std::uint32_t l = wave / p.passes();
    const unsigned pass = wave % p.passes();
    const unsigned a_byte = pass % p.a_bytes(), b_byte = pass / p.a_bytes();
    const bool is_last = pass + 1 == p.passes();
    Wave result;
    result.is_next = a_byte + 1 == p.a_bytes();
    result.is_signed = a_byte == 0;
    for (std::uint32_t i = 0; i < fold.m; ++i)
        result.bytes[shape.rows - fold.m + i] =
            static_cast<std::uint8_t>(byte_of_a(p, fold.first_m + i, l, a_byte));
    result.shift = static_cast<std::uint8_t>(p.a_bytes() + p.b_bytes() - 2 - a_byte - b_byte);
    result.begins = pass == 0 && l % p.group_elements() == 0;
    result.leaves = is_last && (l + 1 == p.k || (l + 1) % p.group_elements() == 0);
    result.rows = static_cast<std::uint8_t>(fold.m);
    result.lanes = static_cast<std::uint8_t>(fold.n);
    return result;
}

Sums sums_of(const Product& product)
{
    return combine(product, pass_sums(product));
}

std::uint64_t cycles_of(const Shape& shape, std::span<const Product> products)
{
    std::int64_t wave = 0; // Cycle of the last wave so far. The first bytes are loaded in cycle 0.
    std::int64_t ready = 0, end = 0; // Earliest time at which the next wave with complete sums may
                                     // enter, and time of the last lane.
    for (const Fold& fold : folds_of(shape, products)) {
        const Product& p = products[fold.product];
        for (std::uint32_t l = 0; l < p.k; l += p.group_elements()) {
            const std::int64_t k = std::min(p.group_elements(), p.k - l);
            wave = std::max(wave + k * p.passes(), ready);
            ready = wave + fold.m;
            end = std::max(end, wave + first_lane_steps(shape) + fold.m + fold.n - 1);
        }
    }
    return static_cast<std::uint64_t>(end);
}

} // namespace levee::rsa::output
