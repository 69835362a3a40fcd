// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/model.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace levee::veda {

namespace {

// A sum is never -0, so adding an unused second partial sum of +0 does not change it.
constexpr std::size_t most_partial_sums = 2;

// Like fp16_to_fp32(), but without branches. A factor of 2^112 corrects the exponent, also for
// subnormals. NaN stays NaN.
float widen(std::uint16_t bits)
{
    const std::uint32_t magnitude = bits & 0x7FFFu;
    const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const std::uint32_t special = 0x7F800000u | (magnitude << 13);
    const std::uint32_t value =
        magnitude >= 0x7C00u ? special : std::bit_cast<std::uint32_t>(finite);
    return std::bit_cast<float>(value | (static_cast<std::uint32_t>(bits & 0x8000u) << 16));
}

/// Adds neighbouring lanes repeatedly until one sum remains. `count` is a power of two. Overwrites
/// `lanes`.
float tree_sum(float* lanes, std::uint32_t count)
{
    for (; count > 1; count /= 2)
        for (std::uint32_t i = 0; i < count / 2; ++i)
            lanes[i] = lanes[2 * i] + lanes[2 * i + 1];
    return lanes[0];
}

void multiply_inner(std::uint32_t lanes, std::uint32_t partial_sums, bool narrow,
                    const Product& product)
{
    std::vector<float> a(product.k);
    std::transform(product.a, product.a + product.k, a.begin(), widen);
    std::vector<float> products(lanes);
    for (std::uint32_t n = 0; n < product.n; ++n) {
        float sums[most_partial_sums] = {};
        for (std::uint32_t begin = 0; begin < product.k; begin += lanes) {
            const std::uint32_t used = std::min(lanes, product.k - begin);
            for (std::uint32_t i = 0; i < used; ++i)
                products[i] = a[begin + i] * widen(product.b_at(begin + i, n));
            std::fill(products.begin() + used, products.end(), 0.0f);
            float& sum = sums[begin / lanes % partial_sums];
            sum = sum + tree_sum(products.data(), lanes);
        }
        product.out[n] = result_bits(sums[0] + sums[1], narrow);
    }
}

void multiply_outer(std::uint32_t partial_sums, bool narrow, const Product& product)
{
    std::vector<float> sums[most_partial_sums];
    for (std::vector<float>& all : sums)
        all.assign(product.n, 0.0f);
    for (std::uint32_t k = 0; k < product.k; ++k) {
        const float a = widen(product.a[k]);
        std::vector<float>& sum = sums[k % partial_sums];
        for (std::uint32_t n = 0; n < product.n; ++n)
            sum[n] = sum[n] + a * widen(product.b_at(k, n));
    }
    for (std::uint32_t n = 0; n < product.n; ++n)
        product.out[n] = result_bits(sums[0][n] + sums[1][n], narrow);
}

} // namespace

float exact_product(std::uint16_t a, std::uint16_t b)
{
    return widen(a) * widen(b);
}

std::uint32_t result_bits(float sum, bool narrow)
{
    return narrow ? fp32_to_fp16(sum) : std::bit_cast<std::uint32_t>(canonical(sum));
}

void multiply(const ArrayShape& shape, const Configuration& configuration, const Product& product)
{
    if (configuration.mode == Mode::Inner)
        multiply_inner(product_lanes(shape, configuration), shape.partial_sums,
                       configuration.narrow, product);
    else
        multiply_outer(shape.partial_sums, configuration.narrow, product);
}

} // namespace levee::veda
