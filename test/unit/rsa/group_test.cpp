// SPDX-License-Identifier: Apache-2.0
// Tests the values and times of products with scales for groups of the inner dimension.
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

/// Returns the sum of the group of k that begins at `first`.
std::int64_t sum_of(const Gemm& g, std::uint32_t i, std::uint32_t j, std::uint32_t first)
{
    std::int64_t sum = 0;
    for (std::uint32_t l = first; l < std::min(g.k, first + g.group); ++l)
        sum += levee::integer_element(&g.a.data[i * g.a.pitch], g.a.type, l) *
               (g.b_transposed ? levee::integer_element(&g.b.data[j * g.b.pitch], g.b.type, l)
                               : levee::integer_element(&g.b.data[l * g.b.pitch], g.b.type, j));
    return sum;
}

/// Returns the sums of all groups as [groups][m][n].
std::vector<std::int64_t> sums_of(const Gemm& g)
{
    std::vector<std::int64_t> sums;
    for (std::uint32_t first = 0; first < g.k; first += g.group)
        for (std::uint32_t i = 0; i < g.m; ++i)
            for (std::uint32_t j = 0; j < g.n; ++j)
                sums.push_back(sum_of(g, i, j, first));
    return sums;
}

/// Computes the product by the definition in ip/rsa/regs.h.
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

TEST_CASE("groups of scales by hand: exact sums, scaled, then added one after another")
{
    // A row of 64s times a column of 8 x 4, 8 x -2 and 2 x 1 is 2048 x 0.5 - 1024 x 0.25 + 128 x 4
    // = 1280.
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
    // The sum is 2^24 + 1 + 1. Each group's sum is rounded when it is added, so both ones are lost.
    const std::array<float, 3> large = {0x1p13f, -0x1p-10f, 0x1p-7f};
    g.b_scale = {large, 3};
    g.a_scale = {};
    g.bias = {};
    g.alpha = 1.0f;
    gemm(g);
    CHECK(out[0] == 0x1p24f);
}

TEST_CASE(
    "groups of scales: equal sums from fast code, byte by byte and hardware, all types and layouts")
{
    for (const auto type : {LEVEE_TYPE_INT3, LEVEE_TYPE_INT4, LEVEE_TYPE_INT8, LEVEE_TYPE_INT16})
        for (const bool transposed : {false, true})
            for (const std::uint32_t k : {5u, 64u, 100u, 172u, 208u})
                for (const std::uint32_t group : {8u, 16u, 32u, 128u}) {
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

TEST_CASE("groups of scales are exact for the largest operands, up to and beyond 32 bits")
{
    for (const auto a_type : {LEVEE_TYPE_INT8, LEVEE_TYPE_INT16})
        for (const auto b_type : {LEVEE_TYPE_INT4, LEVEE_TYPE_INT8})
            for (const std::uint32_t group : {496u, 512u, 1024u}) {
                Drawn drawn = draw(1024, b_type, true, group);
                std::fill(drawn.b.begin(), drawn.b.end(),
                          b_type == LEVEE_TYPE_INT4 ? std::byte{0x88} : std::byte{0x80});
                for (std::size_t i = 0; i < drawn.a.size(); ++i)
                    drawn.a[i] =
                        a_type == LEVEE_TYPE_INT8 || i % 2 == 1 ? std::byte{0x80} : std::byte{0};
                drawn.gemm.a.type = a_type;
                CAPTURE(int(a_type), int(b_type), group);
                gemm(drawn.gemm);
                for (std::size_t i = 0; i < drawn.out.size(); ++i)
                    REQUIRE(drawn.out[i] == naive(drawn.gemm, static_cast<std::uint32_t>(i) / 37,
                                                  static_cast<std::uint32_t>(i) % 37));
            }
}

TEST_CASE("groups of scales that are missing, or that are no whole bytes, are refused")
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
    // With 24 rows, a group of 32 takes folds of 24 and 8. k = 100 has three groups of two folds
    // and one of 4, seven folds. Without groups it would have five.
    const ArrayShape array{24, 24, 24, 512};
    const ProductCost grouped = cost_of(array, {1, 100, 48, 2, 8, 32});
    CHECK(grouped.folds == 14);
    CHECK(cost_of(array, {1, 100, 48, 2, 8}).folds == 10);
    // One row of 24 bytes loads in a cycle. Each of two pieces of n takes three times 24 + 8
    // cycles, plus 4.
    CHECK(grouped.cycles == 2 * (3 * (24 + 8) + 4));
    CHECK(grouped.cycles == cost_of(array, {1, 100, 48, 2, 8}).cycles);
    // If passes are the bottleneck, each fold takes the time of its passes: 40 rows of two bytes,
    // 80 cycles.
    CHECK(cost_of(array, {40, 100, 48, 2, 8, 32}).cycles == 14 * 80);
    CHECK(cost_of(array, {40, 100, 48, 2, 8}).cycles == 10 * 80);
    // Groups that consist of whole folds take no additional time. Codes of three bits load in three
    // eighths of the time of eight bits.
    const ArrayShape kelle{32, 32, 32, 512};
    CHECK(cost_of(kelle, {1, 4096, 4096, 2, 8, 128}).cycles ==
          cost_of(kelle, {1, 4096, 4096, 2, 8}).cycles);
    CHECK(cost_of(kelle, {1, 4096, 4096, 2, 3, 32}).cycles == 128 * 128 * 12);
}
