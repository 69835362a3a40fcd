// SPDX-License-Identifier: Apache-2.0
// Scales for groups of the inner dimension: values and times.
#include "core/numerics/elements.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/rsa/model.hpp"
#include "ip/rsa/timing.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace {

using namespace levee::rsa;

std::vector<std::byte> drawn_bytes(std::size_t count, std::uint32_t seed)
{
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::byte>(levee::random_word(seed, 3, i));
    return bytes;
}

std::vector<float> drawn_scales(std::size_t count, std::uint32_t seed)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = levee::unit_interval(levee::random_word(seed, 4, i)) * 0.1f + 1e-3f;
    return values;
}

struct Drawn {
    std::vector<std::byte> a, b;
    std::vector<float> a_scale, b_scale, bias, out;
    Gemm gemm;
};

Drawn draw(std::uint32_t k, levee_type b_type, bool transposed, std::uint32_t group)
{
    constexpr std::uint32_t m = 3, n = 37;
    Drawn drawn;
    const std::size_t pitch = levee::bytes_of(transposed ? k : n, b_type);
    drawn.a = drawn_bytes(std::size_t{m} * k * 2, k);
    drawn.b = drawn_bytes(pitch * (transposed ? n : k), k + 1);
    drawn.a_scale = drawn_scales(m, 5);
    drawn.b_scale = drawn_scales(n * groups_of(k, group), 6);
    drawn.bias = drawn_scales(n, 7);
    drawn.out.resize(std::size_t{m} * n);
    Gemm& g = drawn.gemm;
    g.m = m;
    g.n = n;
    g.k = k;
    g.a = {drawn.a, std::size_t{k} * 2, LEVEE_TYPE_INT16};
    g.b = {drawn.b, pitch, b_type};
    g.b_transposed = transposed;
    g.group = group;
    g.a_scale = {drawn.a_scale, 1};
    g.b_scale = {drawn.b_scale, groups_of(k, group)};
    g.bias = drawn.bias;
    g.alpha = 0.3f;
    g.out = drawn.out;
    g.out_pitch = n;
    return drawn;
}

/// Sum of the group of k that begins at `first`.
std::int64_t sum_of(const Gemm& g, std::uint32_t i, std::uint32_t j, std::uint32_t first)
{
    std::int64_t sum = 0;
    for (std::uint32_t l = first; l < std::min(g.k, first + g.group); ++l)
        sum += levee::integer_element(&g.a.data[i * g.a.pitch], g.a.type, l) *
               (g.b_transposed ? levee::integer_element(&g.b.data[j * g.b.pitch], g.b.type, l)
                               : levee::integer_element(&g.b.data[l * g.b.pitch], g.b.type, j));
    return sum;
}

/// Sums of all groups, [groups][m][n].
std::vector<std::int64_t> sums_of(const Gemm& g)
{
    std::vector<std::int64_t> sums;
    for (std::uint32_t first = 0; first < g.k; first += g.group)
        for (std::uint32_t i = 0; i < g.m; ++i)
            for (std::uint32_t j = 0; j < g.n; ++j)
                sums.push_back(sum_of(g, i, j, first));
    return sums;
}

/// By the definition in ip/rsa/regs.h.
float naive(const Gemm& g, std::uint32_t i, std::uint32_t j)
{
    float value = 0.0f;
    for (std::uint32_t first = 0; first < g.k; first += g.group) {
        const float product = static_cast<float>(sum_of(g, i, j, first)) *
                              g.b_scale.data[j * g.b_scale.stride + first / g.group];
        value = first == 0 ? product : value + product;
    }
    value = value * g.a_scale.data[i];
    value = value * g.alpha;
    return value + g.bias[j];
}

} // namespace

TEST_CASE("groups of scales worked by hand: exact sums, scaled, then added one after another")
{
    // A row of 64s by a column of 8 x 4, 8 x -2, 2 x 1: 2048 x 0.5 - 1024 x 0.25 + 128 x 4 = 1280.
    const std::vector<std::int8_t> a(18, 64);
    std::vector<std::int8_t> b(18, 4);
    std::fill_n(b.begin() + 8, 8, std::int8_t{-2});
    b[16] = b[17] = 1;
    const std::array<float, 3> scales = {0.5f, 0.25f, 4.0f};
    const std::array<float, 1> row = {0.5f}, bias = {10.0f};
    std::array<float, 1> out{};
    Gemm g;
    g.m = g.n = 1;
    g.k = 18;
    g.a = {std::as_bytes(std::span(a)), 18, LEVEE_TYPE_INT8};
    g.b = {std::as_bytes(std::span(b)), 18, LEVEE_TYPE_INT8};
    g.b_transposed = true;
    g.group = 8;
    g.a_scale = {row, 1};
    g.b_scale = {scales, 3};
    g.bias = bias;
    g.alpha = 2.0f;
    g.out = out;
    gemm(g);
    CHECK(out[0] == 1290.0f);
    // 2^24 + 1 + 1: each group's share is rounded when it is added, so both ones are lost.
    const std::array<float, 3> large = {0x1p13f, -0x1p-10f, 0x1p-7f};
    g.b_scale = {large, 3};
    g.a_scale = {};
    g.bias = {};
    g.alpha = 1.0f;
    gemm(g);
    CHECK(out[0] == 0x1p24f);
}

TEST_CASE("groups of scales: fast, byte by byte and from hardware's sums, all types and layouts")
{
    for (const auto type : {LEVEE_TYPE_INT3, LEVEE_TYPE_INT4, LEVEE_TYPE_INT8, LEVEE_TYPE_INT16})
        for (const bool transposed : {false, true})
            for (const std::uint32_t k : {5u, 64u, 100u, 172u})
                for (const std::uint32_t group : {8u, 32u, 128u}) {
                    Drawn drawn = draw(k, type, transposed, group);
                    const Gemm& g = drawn.gemm;
                    CAPTURE(int(type), transposed, k, group);
                    gemm(g);
                    for (std::uint32_t i = 0; i < g.m; ++i)
                        for (std::uint32_t j = 0; j < g.n; ++j)
                            REQUIRE(drawn.out[i * g.n + j] == naive(g, i, j));
                    const std::vector<float> fast = drawn.out;
                    gemm_by_passes(g);
                    REQUIRE(drawn.out == fast);
                    std::fill(drawn.out.begin(), drawn.out.end(), 0.0f);
                    scale_sums(g, sums_of(g));
                    REQUIRE(drawn.out == fast);
                }
}

TEST_CASE("groups of scales that are missing, or no whole bytes, are refused")
{
    Drawn drawn = draw(64, LEVEE_TYPE_INT4, true, 16);
    drawn.gemm.b_scale.data = drawn.gemm.b_scale.data.first(37 * 4 - 1);
    CHECK_THROWS_WITH(gemm(drawn.gemm), Catch::Contains("b_scale needs 148 elements"));
    drawn.gemm.b_scale.data = {};
    CHECK_THROWS_WITH(gemm(drawn.gemm), Catch::Contains("b_scale is empty"));
    drawn.gemm.group = 12;
    CHECK_THROWS_WITH(gemm(drawn.gemm), Catch::Contains("group is 12"));
}

TEST_CASE("no fold has parts of two groups")
{
    // 24 rows, groups of 32: 24 and 8. k = 100: three groups of two folds each, and 4: seven folds.
    // Without groups five would be enough.
    const ArrayShape array{24, 24, 24, 512};
    const ProductCost grouped = cost_of(array, {1, 100, 48, 2, 8, 32});
    CHECK(grouped.folds == 14);
    CHECK(cost_of(array, {1, 100, 48, 2, 8}).folds == 10);
    // A row of 24 bytes a cycle: three times 24 + 8, and 4, for each of two pieces of n.
    CHECK(grouped.cycles == 2 * (3 * (24 + 8) + 4));
    CHECK(grouped.cycles == cost_of(array, {1, 100, 48, 2, 8}).cycles);
    // If passes are the limit, each fold takes their time: 40 rows of two bytes, 80 cycles.
    CHECK(cost_of(array, {40, 100, 48, 2, 8, 32}).cycles == 14 * 80);
    CHECK(cost_of(array, {40, 100, 48, 2, 8}).cycles == 10 * 80);
    // Groups of whole folds change nothing. Three bits load in three eighths of the time of eight
    // bits.
    const ArrayShape kelle{32, 32, 32, 512};
    CHECK(cost_of(kelle, {1, 4096, 4096, 2, 8, 128}).cycles ==
          cost_of(kelle, {1, 4096, 4096, 2, 8}).cycles);
    CHECK(cost_of(kelle, {1, 4096, 4096, 2, 3, 32}).cycles == 128 * 128 * 12);
}
