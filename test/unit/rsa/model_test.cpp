// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/elements.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/rsa/kernels.hpp"
#include "ip/rsa/model.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <vector>

namespace {

using namespace levee::rsa;

constexpr std::array kATypes = {LEVEE_TYPE_INT8, LEVEE_TYPE_INT16};
constexpr std::array kBTypes = {LEVEE_TYPE_INT3, LEVEE_TYPE_INT4, LEVEE_TYPE_INT8,
                                LEVEE_TYPE_INT16};

// A matrix with a gap after each row. Its elements are random integers, or all the type's lowest
// number.
struct Matrix {
    std::size_t rows, columns, pitch;
    levee_type type;
    std::vector<std::byte> bytes;

    Matrix(std::size_t row_count, std::size_t column_count, levee_type element_type,
           std::uint32_t seed, bool lowest = false)
        : rows(row_count), columns(column_count),
          pitch(levee::bytes_of(column_count, element_type) + seed % 5), type(element_type),
          bytes((row_count - 1) * pitch + levee::bytes_of(column_count, element_type))
    {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(levee::random_word(seed, 9, i));
        for (std::size_t i = 0; lowest && i < rows; ++i)
            fill_lowest(&bytes[i * pitch]);
    }
    void fill_lowest(std::byte* row) const
    {
        for (std::size_t j = 0; j < levee::bytes_of(columns, type); ++j)
            row[j] = type == LEVEE_TYPE_INT3
                         ? std::array{std::byte{0x24}, std::byte{0x49}, std::byte{0x92}}[j % 3]
                     : type == LEVEE_TYPE_INT4               ? std::byte{0x88}
                     : type == LEVEE_TYPE_INT8 || j % 2 == 1 ? std::byte{0x80}
                                                             : std::byte{0};
    }
    std::int64_t at(std::size_t i, std::size_t j) const
    {
        return levee::integer_element(&bytes[i * pitch], type, j);
    }
    Operand operand() const { return {bytes, pitch, type}; }
};

std::vector<float> factors(std::size_t count, std::uint32_t seed)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = levee::unit_interval(levee::random_word(seed, 8, i)) * 0.01f + 1e-4f;
    return values;
}

std::int64_t naive_sum(const Matrix& a, const Matrix& b, bool transposed, std::size_t i,
                       std::size_t j)
{
    std::int64_t sum = 0;
    for (std::size_t l = 0; l < a.columns; ++l)
        sum += a.at(i, l) * (transposed ? b.at(j, l) : b.at(l, j));
    return sum;
}

Matrix make_b(std::uint32_t k, std::uint32_t n, levee_type type, bool transposed,
              std::uint32_t seed, bool lowest = false)
{
    return transposed ? Matrix(n, k, type, seed, lowest) : Matrix(k, n, type, seed, lowest);
}

Gemm describe(const Matrix& a, const Matrix& b, bool transposed, std::span<float> out)
{
    Gemm g;
    g.m = static_cast<std::uint32_t>(a.rows);
    g.k = static_cast<std::uint32_t>(a.columns);
    g.n = static_cast<std::uint32_t>(transposed ? b.rows : b.columns);
    g.a = a.operand();
    g.b = b.operand();
    g.b_transposed = transposed;
    g.out = out;
    g.out_pitch = g.n;
    return g;
}

void compare_with_naive(std::uint32_t m, std::uint32_t n, std::uint32_t k, bool lowest)
{
    for (const auto a_type : kATypes)
        for (const auto b_type : kBTypes)
            for (const bool transposed : {false, true}) {
                const Matrix a(m, k, a_type, 3 * k + m, lowest);
                const Matrix b = make_b(k, n, b_type, transposed, 7 * n + k, lowest);
                std::vector<float> out(std::size_t{m} * n, -1.0f);
                gemm(describe(a, b, transposed, out));
                CAPTURE(m, n, k, int(a_type), int(b_type), transposed);
                for (std::size_t i = 0; i < m; ++i)
                    for (std::size_t j = 0; j < n; ++j)
                        REQUIRE(out[i * n + j] ==
                                static_cast<float>(naive_sum(a, b, transposed, i, j)));
            }
}

} // namespace

TEST_CASE("a product by hand")
{
    const std::array<std::int16_t, 4> a = {300, -2, 1, 32767};
    const std::array<std::int8_t, 4> b = {-5, 7, 100, -128}; // The matrix is [n][k] with n = k = 2.
    const std::array<float, 2> a_scale = {0.5f, 0.25f};
    const std::array<float, 2> b_scale = {2.0f, 3.0f};
    const std::array<float, 2> bias = {1.0f, -1.0f};
    std::array<float, 4> out{};
    Gemm g;
    g.m = g.n = g.k = 2;
    g.a = {std::as_bytes(std::span(a)), 4, LEVEE_TYPE_INT16};
    g.b = {std::as_bytes(std::span(b)), 2, LEVEE_TYPE_INT8};
    g.b_transposed = true;
    g.a_scale = {a_scale, 1};
    g.b_scale = {b_scale, 1};
    g.bias = bias;
    g.alpha = 2.0f;
    g.out = out;
    g.out_pitch = 2;
    gemm(g);
    // -1514 * 0.5 * 2 * 2 + 1; 30256 * 0.5 * 3 * 2 - 1; 229364 * 0.25 * 2 * 2 + 1;
    // -4194076 * 0.25 * 3 * 2 - 1
    CHECK(out == std::array<float, 4>{-3027.0f, 90767.0f, 229365.0f, -6291115.0f});
    g.b_transposed = false; // The same bytes are now read as [k][n].
    gemm(g);
    CHECK(out == std::array<float, 4>{-3399.0f, 7067.0f, 3276696.0f, -6291254.5f});
}

TEST_CASE("sums are exact for all types, shapes and layouts")
{
    for (const std::uint32_t k : {1u, 2u, 7u, 8u, 15u, 16u, 17u, 31u, 64u, 172u, 513u})
        for (const std::uint32_t n : {1u, 3u, 4u, 8u, 16u, 21u, 70u})
            compare_with_naive(k % 3 + 1, n, k, false);
}

TEST_CASE("sums are exact for the largest operands and long inner dimensions")
{
    compare_with_naive(1, 5, 4097, true);
    compare_with_naive(2, 17, 32768, true);
    compare_with_naive(1, 3, 70001, true);
    compare_with_naive(1, 2, 70001, false);
}

TEST_CASE("portable and vector kernels agree in every sum")
{
    for (const auto a_type : kATypes)
        for (const auto b_type : kBTypes)
            for (const bool transposed : {false, true})
                for (const std::uint32_t k : {5u, 16u, 40u, 1000u}) {
                    const Matrix a(1, k, a_type, k);
                    const Matrix b = make_b(k, 64, b_type, transposed, k + 1);
                    std::array<std::int64_t, 64> portable{}, best{};
                    for (auto* sums : {&portable, &best}) {
                        const Isa isa = sums == &best ? best_isa() : Isa::portable;
                        select_sums(isa, a_type, b_type, transposed)(a.bytes.data(), b.bytes.data(),
                                                                     b.pitch, k, 64, sums->data());
                    }
                    CHECK(portable == best);
                }
}

TEST_CASE("byte passes give the same bits as the fast product")
{
    for (const auto a_type : kATypes)
        for (const auto b_type : kBTypes)
            for (const bool transposed : {false, true})
                for (const std::uint32_t k : {1u, 19u, 300u}) {
                    const std::uint32_t m = 3, n = 11;
                    const Matrix a(m, k, a_type, k + 2);
                    const Matrix b = make_b(k, n, b_type, transposed, k + 3);
                    const auto a_scale = factors(m, 1), b_scale = factors(n, 2),
                               bias = factors(n, 3);
                    std::vector<float> fast(m * n), literal(m * n);
                    Gemm g = describe(a, b, transposed, fast);
                    g.a_scale = {a_scale, 1};
                    g.b_scale = {b_scale, 1};
                    g.bias = bias;
                    g.alpha = 0.3f;
                    gemm(g);
                    g.out = literal;
                    gemm_by_passes(g);
                    CHECK(std::memcmp(fast.data(), literal.data(), fast.size() * 4) == 0);
                }
}

TEST_CASE("byte passes are exact at their longest inner dimension and refuse a longer one")
{
    for (const bool lowest : {true, false}) {
        const Matrix a(1, kMaxInner, LEVEE_TYPE_INT16, 1, lowest);
        const Matrix b = make_b(kMaxInner, 2, LEVEE_TYPE_INT16, true, 2, lowest);
        std::vector<float> fast(2), literal(2);
        gemm(describe(a, b, true, fast));
        gemm_by_passes(describe(a, b, true, literal));
        CHECK(fast == literal);
    }
    // All low bytes are 255, which gives the largest possible sum of a pass.
    std::vector<std::int16_t> ones(kMaxInner, -1);
    std::vector<float> out(1);
    Gemm g;
    g.m = g.n = 1;
    g.k = kMaxInner;
    g.a = g.b = {std::as_bytes(std::span(ones)), 2 * ones.size(), LEVEE_TYPE_INT16};
    g.b_transposed = true;
    g.out = out;
    gemm_by_passes(g);
    CHECK(out[0] == 32768.0f);
    const Matrix a(1, kMaxInner + 1, LEVEE_TYPE_INT16, 1);
    CHECK_THROWS_WITH(gemm_by_passes(describe(a, a, true, out)), Catch::Contains("k is 32769"));
}

TEST_CASE("with a byte operand, passes are exact at twice that dimension")
{
    // Low bytes of 255 meet the lowest byte.
    std::vector<std::int16_t> ones(kMaxInnerOfBytes, -1);
    std::vector<std::int8_t> lowest(kMaxInnerOfBytes, -128);
    std::vector<float> fast(1), literal(1);
    Gemm g;
    g.m = g.n = 1;
    g.k = kMaxInnerOfBytes;
    g.a = {std::as_bytes(std::span(ones)), 2 * ones.size(), LEVEE_TYPE_INT16};
    g.b = {std::as_bytes(std::span(lowest)), lowest.size(), LEVEE_TYPE_INT8};
    g.b_transposed = true;
    g.out = fast;
    gemm(g);
    g.out = literal;
    gemm_by_passes(g);
    CHECK(fast[0] == 8388608.0f);
    CHECK(literal == fast);
    g.k = kMaxInnerOfBytes + 1;
    const Matrix a(1, g.k, LEVEE_TYPE_INT16, 1), b(1, g.k, LEVEE_TYPE_INT8, 1);
    CHECK_THROWS_WITH(gemm_by_passes(describe(a, b, true, literal)), Catch::Contains("k is 65537"));
}

TEST_CASE("the transposed product needs no transposed copy")
{
    // A * B^T with the stored B must equal A * C, where C is the transpose of B.
    const std::uint32_t m = 4, n = 23, k = 16;
    const Matrix a(m, k, LEVEE_TYPE_INT16, 11);
    const Matrix b(n, k, LEVEE_TYPE_INT16, 12);
    std::vector<std::int16_t> written(std::size_t{k} * n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t l = 0; l < k; ++l)
            written[l * n + j] = static_cast<std::int16_t>(b.at(j, l));
    std::vector<float> direct(m * n), copied(m * n);
    gemm(describe(a, b, true, direct));
    Gemm g = describe(a, b, true, copied);
    g.b = {std::as_bytes(std::span(written)), 2 * n, LEVEE_TYPE_INT16};
    g.b_transposed = false;
    gemm(g);
    CHECK(direct == copied);
}

TEST_CASE("factors apply one after the other in single precision")
{
    constexpr std::uint32_t n = 200;
    const Matrix a(1, 40, LEVEE_TYPE_INT16, 21);
    const Matrix b = make_b(40, n, LEVEE_TYPE_INT8, true, 22);
    const auto a_scale = factors(1, 4), b_scale = factors(n, 5), bias = factors(n, 6);
    constexpr float alpha = 0.3f;
    std::vector<float> out(n), without(n);
    Gemm g = describe(a, b, true, out);
    g.a_scale = {a_scale, 1};
    g.b_scale = {b_scale, 1};
    g.bias = bias;
    g.alpha = alpha;
    gemm(g);
    g.out = without;
    g.a_scale.data = {};
    g.bias = {};
    gemm(g);
    int other_order = 0;
    for (std::uint32_t j = 0; j < n; ++j) {
        const auto sum = static_cast<float>(naive_sum(a, b, true, 0, j));
        float expected = sum * a_scale[0];
        expected = expected * b_scale[j];
        expected = expected * alpha;
        CHECK(out[j] == expected + bias[j]);
        const float scaled = sum * b_scale[j];
        CHECK(without[j] == scaled * alpha);
        const float both = a_scale[0] * b_scale[j];
        other_order += sum * both * alpha + bias[j] != out[j];
    }
    CHECK(other_order > 0); // The data distinguish the two orders.
}

TEST_CASE("a sum beyond 24 bits rounds once, to even")
{
    // 4 * 2^22 + 1 = 2^24 + 1 is a tie between 2^24 and 2^24 + 2.
    const std::array<std::int16_t, 5> a = {-32768, -32768, -32768, -32768, 1};
    const std::array<std::int8_t, 5> b = {-128, -128, -128, -128, 1};
    std::array<float, 1> out{};
    Gemm g;
    g.m = g.n = 1;
    g.k = 5;
    g.a = {std::as_bytes(std::span(a)), 10, LEVEE_TYPE_INT16};
    g.b = {std::as_bytes(std::span(b)), 5, LEVEE_TYPE_INT8};
    g.b_transposed = true;
    g.out = out;
    gemm(g);
    CHECK(out[0] == 16777216.0f);
}

TEST_CASE("scales may be shared by rows, and a NaN scale gives the canonical NaN")
{
    const std::array<std::int8_t, 4> a = {1, 2, 3, 4}, b = {1, 0, 0, 1};
    const std::array<float, 2> a_scale = {2.0f, 99.0f};
    const std::array<float, 3> b_scale = {1.0f, 99.0f, std::bit_cast<float>(0xFFF00001u)};
    std::array<float, 4> out{};
    Gemm g;
    g.m = g.n = g.k = 2;
    g.a = {std::as_bytes(std::span(a)), 2, LEVEE_TYPE_INT8};
    g.b = {std::as_bytes(std::span(b)), 2, LEVEE_TYPE_INT8};
    g.a_scale = {a_scale, 0};
    g.b_scale = {b_scale, 2};
    g.out = out;
    g.out_pitch = 2;
    gemm(g);
    CHECK(out[0] == 2.0f);
    CHECK(out[2] == 6.0f);
    CHECK(std::bit_cast<std::uint32_t>(out[1]) == levee::kCanonicalNan32);
    CHECK(std::bit_cast<std::uint32_t>(out[3]) == levee::kCanonicalNan32);
}

TEST_CASE("pass counts")
{
    CHECK(passes(LEVEE_TYPE_INT8, LEVEE_TYPE_INT8) == 1);
    CHECK(passes(LEVEE_TYPE_INT8, LEVEE_TYPE_INT4) == 1);
    CHECK(passes(LEVEE_TYPE_INT16, LEVEE_TYPE_INT8) == 2);
    CHECK(passes(LEVEE_TYPE_INT16, LEVEE_TYPE_INT4) == 2);
    CHECK(passes(LEVEE_TYPE_INT8, LEVEE_TYPE_INT16) == 2);
    CHECK(passes(LEVEE_TYPE_INT16, LEVEE_TYPE_INT16) == 4);
    CHECK(passes(LEVEE_TYPE_INT4, LEVEE_TYPE_INT8) == 0);
    CHECK(passes(LEVEE_TYPE_FP16, LEVEE_TYPE_INT8) == 0);
}

TEST_CASE("bad matrix views are refused by name")
{
    const Matrix a(2, 8, LEVEE_TYPE_INT16, 0);
    const Matrix b(4, 8, LEVEE_TYPE_INT8, 0);
    std::vector<float> out(8), two(2);
    const Gemm good = describe(a, b, true, out);
    CHECK_NOTHROW(gemm(good));
    Gemm g = good;
    g.a.data = g.a.data.first(31);
    CHECK_THROWS_WITH(gemm(g), Catch::Contains("a needs 32 bytes, has 31"));
    g = good;
    g.b_transposed = false; // The matrix has 8 rows of 4, 8 elements apart.
    g.b.data = g.b.data.first(31);
    CHECK_THROWS_WITH(gemm(g), Catch::Contains("b needs"));
    g = good;
    g.b_scale.data = two;
    CHECK_THROWS_WITH(gemm(g), Catch::Contains("b_scale needs 4 elements, has 2"));
    g = good;
    g.bias = two;
    CHECK_THROWS_WITH(gemm(g), Catch::Contains("bias"));
    g = good;
    g.out = two;
    CHECK_THROWS_WITH(gemm(g), Catch::Contains("out"));
    g = good;
    g.k = 0;
    CHECK_THROWS_WITH(gemm(g), Catch::Contains("at least 1"));
    g = good;
    g.a.type = LEVEE_TYPE_FP32;
    CHECK_THROWS_WITH(gemm(g), Catch::Contains("a must be"));
}
