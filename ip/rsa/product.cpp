// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/product.hpp"

#include "core/numerics/elements.hpp"
#include "core/numerics/tensor.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace levee::rsa {

namespace {

constexpr unsigned byte_bits = 8;

/// Returns byte `byte` of an element with `bytes` bytes. Byte 0 is the highest, which is signed.
std::int32_t byte_of(std::int32_t element, unsigned byte, unsigned bytes)
{
    if (byte + 1 < bytes)
        return element >> byte_bits;
    return bytes == 1 ? element : element & 0xFF;
}

/// Returns the contribution of a pass, which multiplies one byte of a by one byte of b, to an
/// element of the result. The sum covers the group of k that starts at `first`.
std::int32_t pass_sum(const Product& p, std::pair<std::uint32_t, std::uint32_t> element,
                      std::pair<unsigned, unsigned> bytes, std::uint32_t first)
{
    const auto [i, j] = element;
    std::int32_t sum = 0;
    for (std::uint32_t l = first; l < std::min(p.k, first + p.group_elements()); ++l) {
        const std::int32_t b =
            p.is_transposed ? byte_of_b(p, j, l, bytes.second) : byte_of_b(p, l, j, bytes.second);
        sum += byte_of_a(p, i, l, bytes.first) * b;
    }
    return sum;
}

} // namespace

std::int32_t byte_of_a(const Product& product, std::uint32_t i, std::uint32_t l, unsigned byte)
{
    const std::size_t pitch = bytes_of(product.k, product.a_type);
    const std::int32_t element = integer_element(
        reinterpret_cast<const std::byte*>(&product.a[i * pitch]), product.a_type, l);
    return byte_of(element, byte, product.a_bytes());
}

std::int32_t byte_of_b(const Product& product, std::uint32_t row, std::uint32_t at, unsigned byte)
{
    const std::size_t pitch =
        bytes_of(product.is_transposed ? product.k : product.n, product.b_type);
    const std::int32_t element = integer_element(
        reinterpret_cast<const std::byte*>(&product.b[row * pitch]), product.b_type, at);
    return byte_of(element, byte, product.b_bytes());
}

PassSums pass_sums(const Product& p)
{
    PassSums sums(p.groups() * p.sums());
    std::size_t at = 0;
    for (std::uint32_t first = 0; first < p.k; first += p.group_elements())
        for (unsigned b = 0; b < p.b_bytes(); ++b)
            for (unsigned a = 0; a < p.a_bytes(); ++a)
                for (std::uint32_t i = 0; i < p.m; ++i)
                    for (std::uint32_t j = 0; j < p.n; ++j, ++at)
                        sums[at] = pass_sum(p, {i, j}, {a, b}, first);
    return sums;
}

std::vector<std::int64_t> combine(const Product& p, const PassSums& sums)
{
    const std::size_t count = std::size_t{p.m} * p.n;
    std::vector<std::int64_t> total(p.groups() * count);
    for (unsigned b = 0; b < p.b_bytes(); ++b)
        for (unsigned a = 0; a < p.a_bytes(); ++a) {
            const unsigned shift = byte_bits * (p.a_bytes() + p.b_bytes() - 2 - a - b);
            const std::size_t pass = (b * p.a_bytes() + a) * count;
            for (std::size_t i = 0; i < total.size(); ++i)
                total[i] += std::int64_t{sums[i / count * p.sums() + pass + i % count]} *
                            (std::int64_t{1} << shift);
        }
    return total;
}

} // namespace levee::rsa
