// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/numerics.hpp"
#include "ip/veda/core.hpp"
#include "ip/veda/model.hpp"
#include "ip/veda/timing.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <random>
#include <vector>

using namespace levee;
using namespace levee::veda;

namespace {

constexpr ArrayShape paper{2, 8, 8};

constexpr std::uint16_t one = 0x3C00, infinity = 0x7C00, not_a_number = 0x7E00,
                        big = 0x6C00; // This is 2^12.
constexpr std::uint16_t negative = 0x8000;

std::vector<std::uint32_t> product_of(const ArrayShape& shape, const Configuration& configuration,
                                      const std::vector<std::uint16_t>& a,
                                      const std::vector<std::uint16_t>& b_by_column)
{
    const auto k = static_cast<std::uint32_t>(a.size());
    const auto n = static_cast<std::uint32_t>(b_by_column.size() / k);
    std::vector<std::uint32_t> out(n);
    multiply(shape, configuration, {k, n, a.data(), b_by_column.data(), k, true, out.data()});
    return out;
}

/// Computes one dot product with an FP32 result.
float dot(const ArrayShape& shape, Mode mode, const std::vector<std::uint16_t>& a,
          const std::vector<std::uint16_t>& b)
{
    return std::bit_cast<float>(product_of(shape, {mode, false, false}, a, b)[0]);
}

/// Computes the adder tree top down, independently of the reference.
float tree(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b,
           std::size_t first, std::size_t lanes)
{
    if (lanes == 1)
        return first < a.size() ? fp16_to_fp32(a[first]) * fp16_to_fp32(b[first]) : 0.0f;
    return tree(a, b, first, lanes / 2) + tree(a, b, first + lanes / 2, lanes / 2);
}

std::vector<std::uint16_t> random_numbers(std::mt19937_64& random, std::size_t count)
{
    std::vector<std::uint16_t> numbers(count);
    for (std::uint16_t& number : numbers) // Exponents give magnitudes from 2^-7 to 2^8.
        number = static_cast<std::uint16_t>((random() & 0x83FF) | (8 + random() % 16) << 10);
    return numbers;
}

} // namespace

TEST_CASE("inner mode adds neighbours first, outer mode adds along k")
{
    // 2^24 absorbs a 1 that is added to it.
    const std::vector<std::uint16_t> a{big, one, one, big | negative};
    const std::vector<std::uint16_t> b{big, one, one, big};
    CHECK(dot(paper, Mode::Inner, a, b) == 1.0f); // This is (2^24 + 1) + (1 - 2^24).
    CHECK(dot(paper, Mode::Outer, a, b) == 0.0f); // This is ((2^24 + 1) + 1) - 2^24.
    // The first piece of 4 lanes is 2^24. The second is 1 + 1, which counts.
    const std::vector<std::uint16_t> pieces{big, 0, 0, 0, one, one, 0, 0, big | negative, 0, 0, 0};
    const std::vector<std::uint16_t> ones{big, one, one, one, one, one,
                                          one, one, big, one, one, one};
    CHECK(dot({1, 2, 2}, Mode::Inner, pieces, ones) == 2.0f);
    CHECK(dot({1, 2, 2}, Mode::Outer, pieces, ones) == 0.0f);
}

TEST_CASE("a sum starts at +0, and absent lanes are +0")
{
    const auto bits = [](Mode mode, std::size_t k) {
        const std::vector<std::uint16_t> a(k, negative), b(k, one); // All products are -0.
        return std::bit_cast<std::uint32_t>(dot(paper, mode, a, b));
    };
    CHECK(bits(Mode::Inner, 1) == 0);
    CHECK(bits(Mode::Inner, 128) == 0);
    CHECK(bits(Mode::Outer, 1) == 0);
}

TEST_CASE("infinities, NaN, and results beyond FP16")
{
    for (const Mode mode : {Mode::Inner, Mode::Outer}) {
        const auto narrow = [mode](std::uint16_t x, std::uint16_t y) {
            return product_of(paper, {mode, false, true}, {x, y}, {one, one})[0];
        };
        CHECK(narrow(infinity, one) == infinity);
        CHECK(narrow(infinity | negative, one) == (infinity | negative));
        CHECK(narrow(infinity, infinity | negative) == not_a_number);
        CHECK(narrow(0xFFFF, one) == not_a_number); // The sign and the payload do not matter.
        CHECK(narrow(0x7BFF, 0x7BFF) == infinity);  // The sum is 131008.
        CHECK(narrow(0x7BFF, 0x4B80) == 0x7BFF);    // 65504 + 15 rounds down.
        // The sum with 16 is a tie, and rounding it to even exceeds the range.
        CHECK(narrow(0x7BFF, 0x4C00) == infinity);
        CHECK(narrow(0x0001, 0x0001) == 0x0002); // These are subnormal numbers.
        CHECK(product_of(paper, {mode, false, false}, {0x7C01}, {one})[0] == kCanonicalNan32);
        CHECK(product_of(paper, {mode, false, true}, {infinity}, {0})[0] == not_a_number);
        // FP32 can represent the smallest product, 2^-48.
        CHECK(product_of(paper, {mode, false, false}, {0x0001}, {0x8001})[0] == 0xA7800000);
    }
}

TEST_CASE("random products equal sums that are computed in another way")
{
    std::mt19937_64 random(4);
    for (const ArrayShape& shape : {paper, ArrayShape{1, 2, 4}, ArrayShape{4, 2, 2}})
        for (int i = 0; i < 50; ++i) {
            const std::size_t k = 1 + random() % (3 * shape.lanes());
            const std::vector<std::uint16_t> a = random_numbers(random, k);
            const std::vector<std::uint16_t> b = random_numbers(random, k);
            float inner = 0.0f, outer = 0.0f;
            for (std::size_t first = 0; first < k; first += shape.lanes())
                inner += tree(a, b, first, shape.lanes());
            for (std::size_t j = 0; j < k; ++j)
                outer += fp16_to_fp32(a[j]) * fp16_to_fp32(b[j]);
            CHECK(dot(shape, Mode::Inner, a, b) == inner);
            CHECK(dot(shape, Mode::Outer, a, b) == outer);
        }
}

TEST_CASE("in split mode, a product has the lanes of one array")
{
    std::mt19937_64 random(6);
    const std::vector<std::uint16_t> a = random_numbers(random, 300);
    const std::vector<std::uint16_t> b = random_numbers(random, 900);
    for (const Mode mode : {Mode::Inner, Mode::Outer})
        CHECK(product_of(paper, {mode, true, false}, a, b) ==
              product_of({1, 8, 8}, {mode, false, false}, a, b));
}

TEST_CASE("B gives the same product in either order of storage")
{
    std::mt19937_64 random(8);
    constexpr std::uint32_t k = 70, n = 9;
    const std::vector<std::uint16_t> a = random_numbers(random, k);
    const std::vector<std::uint16_t> by_column = random_numbers(random, std::size_t{k} * n);
    std::vector<std::uint16_t> by_row(by_column.size());
    for (std::uint32_t i = 0; i < k; ++i)
        for (std::uint32_t j = 0; j < n; ++j)
            by_row[i * n + j] = by_column[j * k + i];
    for (const Mode mode : {Mode::Inner, Mode::Outer}) {
        std::vector<std::uint32_t> out(n);
        multiply(paper, {mode, false, true}, {k, n, a.data(), by_row.data(), n, false, out.data()});
        CHECK(out == product_of(paper, {mode, false, true}, a, by_column));
    }
}

TEST_CASE(
    "cycles are n * ceil(k / 128) or k * ceil(n / 128), the longest in parallel, plus the fill")
{
    constexpr Configuration inner{Mode::Inner, false, true}, outer{Mode::Outer, false, true};
    constexpr Configuration inner_split{Mode::Inner, true, true},
        outer_split{Mode::Outer, true, true};
    // Attention at l = 1000: q K' with d = 128, then S V, then both with d = 64, alone and split.
    CHECK(beats_of(paper, inner, 128, 1000) == 1000);
    CHECK(beats_of(paper, outer, 1000, 128) == 1000);
    CHECK(beats_of(paper, inner, 129, 1000) == 2000);
    CHECK(beats_of(paper, outer, 1000, 129) == 2000);
    CHECK(beats_of(paper, inner_split, 64, 1000) == 1000);
    CHECK(beats_of(paper, outer_split, 1000, 128) == 2000);
    CHECK(fill_cycles(paper, Mode::Inner) == 9);
    CHECK(fill_cycles(paper, Mode::Outer) == 2);
    CHECK(fill_cycles({1, 4, 4}, Mode::Inner) == 6);

    const std::vector<std::uint16_t> zeroes(4096);
    std::vector<std::uint32_t> out(64);
    const auto product = [&](std::uint32_t k, std::uint32_t n) {
        return Product{k, n, zeroes.data(), zeroes.data(), n, false, out.data()};
    };
    ReferenceCore core(paper);
    core.begin(outer_split);
    core.run(std::vector<Product>{product(10, 64), product(30, 64)});
    core.run(std::vector<Product>{product(7, 1)});
    CHECK(core.finish() == 30 + 7 + 2);
}

TEST_CASE("two partial sums take elements or pieces in turn, and are added at the end")
{
    const std::vector<std::uint16_t> a{big, one, one, big | negative}, b{big, one, one, big};
    // The partial sums are 2^24 + 1, rounded, and 1 - 2^24. A single sum would be 0.
    CHECK(dot({1, 2, 2, {}, 2}, Mode::Outer, a, b) == 1.0f);
    CHECK(dot({1, 2, 2, {}, 1}, Mode::Outer, a, b) == 0.0f);
    std::vector<std::uint16_t> far_a(16), far_b(16); // Each piece of four has one nonzero element.
    for (std::size_t i = 0; i < a.size(); ++i) {
        far_a[4 * i] = a[i];
        far_b[4 * i] = b[i];
    }
    CHECK(dot({1, 2, 2, {}, 2}, Mode::Inner, far_a, far_b) == 1.0f);
    CHECK(dot({1, 2, 2, {}, 1}, Mode::Inner, far_a, far_b) == 0.0f);

    std::mt19937_64 random(9);
    for (int i = 0; i < 100; ++i) {
        const std::size_t k = 1 + random() % 100;
        const std::vector<std::uint16_t> x = random_numbers(random, k),
                                         y = random_numbers(random, k);
        float even = 0.0f, odd = 0.0f;
        for (std::size_t j = 0; j < k; ++j)
            (j % 2 == 0 ? even : odd) += fp16_to_fp32(x[j]) * fp16_to_fp32(y[j]);
        CHECK(dot({2, 8, 8, {}, 2}, Mode::Outer, x, y) == even + odd);
    }
}

TEST_CASE("a deeper pipeline adds to the fill, and two partial sums to the fill and to each sum")
{
    constexpr Configuration inner{Mode::Inner, false, true}, outer{Mode::Outer, false, true};
    const auto fill = [](const Pipeline& pipeline, std::uint32_t partial_sums, Mode mode) {
        return fill_cycles({2, 8, 8, pipeline, partial_sums}, mode);
    };
    // The stages are the multiplier, 8 levels (one accumulates) and rounding.
    CHECK(fill({2, 1, 0}, 1, Mode::Inner) == 2 + 8 + 0);
    CHECK(fill({1, 2, 0}, 1, Mode::Inner) == 1 + 8 * 2 + 0);
    CHECK(fill({3, 2, 2}, 1, Mode::Inner) == 3 + 8 * 2 + 2);
    CHECK(fill({3, 2, 2}, 1, Mode::Outer) == 3 + 1 + 2);
    CHECK(fill({1, 1, 0}, 2, Mode::Inner) == 1 + 8 * 2 + 0);
    CHECK(fill({3, 2, 2}, 2, Mode::Inner) == 3 + 8 * 3 + 2);
    CHECK(fill({1, 1, 0}, 2, Mode::Outer) == 1 + 2 + 0);
    // A sum of several beats takes two more.
    const ArrayShape partial{2, 8, 8, {}, 2};
    CHECK(beats_of(partial, outer, 1000, 129) == 2 * (1000 + 2));
    CHECK(beats_of(partial, outer, 1, 129) == 2);
    CHECK(beats_of(partial, inner, 129, 1000) == 1000 * (2 + 2));
    CHECK(beats_of(partial, inner, 128, 1000) == 1000);
}
