// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/model.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

namespace {

using levee::kInfinity;
using levee::kNan;
namespace sfu = levee::sfu;
using Vector = std::vector<float>;

Vector random_vector(std::size_t n, std::uint32_t seed, float range = 4.0f)
{
    Vector x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = (levee::unit_interval(levee::random_word(seed, 4, i)) * 2.0f - 1.0f) * range;
    return x;
}

void check_close(const Vector& values, const std::vector<double>& expected, double margin)
{
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        INFO("element " << i);
        CHECK(values[i] == Approx(expected[i]).margin(margin).epsilon(0));
    }
}

std::vector<double> softmax_in_two_passes(const Vector& x, std::size_t length)
{
    double largest = -INFINITY, sum = 0.0;
    for (std::size_t i = 0; i < length; ++i)
        largest = std::max(largest, double{x[i]});
    std::vector<double> p(x.size(), 0.0);
    for (std::size_t i = 0; i < length; ++i)
        sum += p[i] = std::exp(x[i] - largest);
    for (std::size_t i = 0; i < length; ++i)
        p[i] /= sum;
    return p;
}

bool is_canonical_nan(float value)
{
    return std::bit_cast<std::uint32_t>(value) == levee::kCanonicalNan32;
}

} // namespace

TEST_CASE("RMS norm by hand")
{
    const Vector x = {3.0f, -4.0f, 0.0f, 0.0f}; // The mean square is 6.25.
    const Vector gain = {1.0f, 2.0f, 3.0f, 4.0f};
    Vector out(4);
    sfu::rms_norm(x, gain, 0.0f, out);
    CHECK(out == Vector{1.2f, -3.2f, 0.0f, 0.0f});
    sfu::rms_norm(x, {}, 2.75f, out); // The root is sqrt(6.25 + 2.75) = 3.
    CHECK(out == Vector{1.0f, -4.0f / 3.0f, 0.0f, 0.0f});
}

TEST_CASE("sums are eight interleaved partial sums, joined by a tree")
{
    // In FP32, 2^24 absorbs a single 1. Ones count if they are first added to each other.
    Vector x(516, 0.0f);
    for (std::size_t i = 4; i < x.size(); i += 4)
        x[i] = 1.0f; // Of these, 64 are in the partial sum of x[0], where they are lost, and 64 are
                     // in partial sum 4.
    x[0] = 4096.0f;  // The square of 4096 is 2^24.
    Vector out(516);
    sfu::rms_norm(x, {}, 0.0f, out);
    CHECK(out[0] == 4096.0f / std::sqrt((16777216.0f + 64.0f) / 516.0f));
    CHECK(out[0] != 4096.0f / std::sqrt(16777216.0f / 516.0f));
    CHECK(out[0] != 4096.0f / std::sqrt((16777216.0f + 128.0f) / 516.0f));
}

TEST_CASE("norms agree with double precision")
{
    for (const std::size_t n : {1u, 5u, 64u, 172u, 1000u}) {
        const Vector x = random_vector(n, 1), gain = random_vector(n, 2),
                     bias = random_vector(n, 3);
        double squares = 0.0, sum = 0.0, variance = 0.0;
        for (const double v : x) {
            squares += v * v;
            sum += v;
        }
        const double count = static_cast<double>(n);
        for (const double v : x)
            variance += (v - sum / count) * (v - sum / count) / count;
        std::vector<double> rms(n), layer(n);
        for (std::size_t i = 0; i < n; ++i) {
            rms[i] = x[i] / std::sqrt(squares / count + 1e-5) * gain[i];
            layer[i] = (x[i] - sum / count) / std::sqrt(variance + 1e-5) * gain[i] + bias[i];
        }
        Vector out(n);
        sfu::rms_norm(x, gain, 1e-5f, out);
        check_close(out, rms, 1e-5);
        sfu::layer_norm(x, gain, bias, 1e-5f, out);
        check_close(out, layer, 1e-5);
    }
}

TEST_CASE("RoPE rotates pairs by position times phase")
{
    const Vector x = {1.0f, 2.0f, 3.0f, 4.0f};
    // The phases are a quarter and an eighth of a turn.
    const std::vector<std::uint32_t> phase = {1u << 30, 1u << 29};
    Vector out(4);
    sfu::rope(x, phase, 0, false, out);
    CHECK(out == x);
    sfu::rope(x, phase, 1, false, out);
    const double r = std::sqrt(0.5);
    check_close(out, {-2.0, 1.0, (3.0 - 4.0) * r, (3.0 + 4.0) * r}, 1e-6);
    sfu::rope(x, phase, 1, true, out); // These are the pairs (1, 3) and (2, 4).
    check_close(out, {-3.0, (2.0 - 4.0) * r, 1.0, (2.0 + 4.0) * r}, 1e-6);
    Vector again(4);
    // Position 9 turns by 9/4 and 9/8 turns, which equals position 1.
    sfu::rope(x, phase, 9, true, again);
    CHECK(again == out);
    Vector in_place = x;
    sfu::rope(in_place, phase, 1, true, in_place);
    CHECK(in_place == out);
    const Vector longer = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    Vector partly(6), front(4);
    // Only the first four turn, as pairs (1, 3) and (2, 4).
    sfu::rope(longer, phase, 1, true, partly);
    sfu::rope(std::span(longer).first(4), phase, 1, true, front);
    CHECK(Vector(partly.begin(), partly.begin() + 4) == front);
    CHECK((partly[4] == 5.0f && partly[5] == 6.0f));
}

TEST_CASE("RoPE makes the product of two vectors depend only on their distance")
{
    std::vector<std::uint32_t> phase;
    for (int i = 0; i < 8; ++i)
        phase.push_back(static_cast<std::uint32_t>(683565276.0 / std::pow(10000.0, i / 8.0)));
    const Vector q = random_vector(16, 5), k = random_vector(16, 6);
    const auto product = [&](std::uint32_t at_q, std::uint32_t at_k) {
        Vector a(16), b(16);
        sfu::rope(q, phase, at_q, false, a);
        sfu::rope(k, phase, at_k, false, b);
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    CHECK(product(7, 3) == Approx(product(504, 500)).margin(5e-5));
    CHECK(product(7, 3) != Approx(product(7, 4)).margin(1e-2));
}

TEST_CASE("a Hadamard transform by hand: sums and differences, divided by the root of the block")
{
    Vector x = {1.0f, 2.0f, 3.0f, 4.0f, 1.0f, 0.0f, 0.0f, 0.0f};
    sfu::hadamard(x, 4); // The rows of the matrix are ++++, +-+-, ++-- and +--+, each over 2.
    CHECK(x == Vector{5.0f, -1.0f, -2.0f, 0.0f, 0.5f, 0.5f, 0.5f, 0.5f});
    sfu::hadamard(x, 4); // The matrix is its own inverse.
    CHECK(x == Vector{1.0f, 2.0f, 3.0f, 4.0f, 1.0f, 0.0f, 0.0f, 0.0f});
    sfu::hadamard(x, 1);
    CHECK(x[2] == 3.0f);
    CHECK_THROWS_WITH(sfu::hadamard(x, 3), Catch::Contains("hadamard: a block of 3"));
    CHECK_THROWS_WITH(sfu::hadamard(x, 16), Catch::Contains("a vector of 8"));
}

TEST_CASE("a Hadamard transform is close to its matrix in double precision, and keeps products")
{
    for (const std::size_t block : {2U, 8U, 64U, 128U}) {
        INFO(block);
        const Vector q = random_vector(2 * block, 7), k = random_vector(2 * block, 8);
        Vector a = q, b = k;
        sfu::hadamard(a, block);
        sfu::hadamard(b, block);
        std::vector<double> dense(q.size());
        for (std::size_t i = 0; i < q.size(); ++i)
            for (std::size_t j = 0; j < block; ++j) {
                const double sign = std::popcount(i % block & j) % 2 == 0 ? 1.0 : -1.0;
                dense[i] += sign * double{q[i / block * block + j]} / std::sqrt(double(block));
            }
        check_close(a, dense, 1e-5);
        CHECK(std::inner_product(a.begin(), a.end(), b.begin(), 0.0) ==
              Approx(std::inner_product(q.begin(), q.end(), k.begin(), 0.0)).margin(1e-4));
    }
}

TEST_CASE("a Hadamard transform spreads an outlier, so that 4-bit codes are more accurate")
{
    Vector x = random_vector(64, 9);
    x[17] = 60.0f;
    const auto error = [](const Vector& values) {
        std::vector<std::int8_t> codes(values.size());
        const float scale = sfu::quantise4(values, codes);
        double squares = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double off = double{values[i]} - double{scale} * codes[i];
            squares += off * off;
        }
        return squares;
    };
    Vector spread = x;
    sfu::hadamard(spread, 64);
    CHECK(error(spread) < 0.5 * error(x));
}

TEST_CASE("online softmax equals softmax in two passes")
{
    for (const std::size_t n : {1u, 2u, 8u, 9u, 100u, 512u}) {
        Vector out(n);
        for (const float range : {1.0f, 30.0f}) {
            Vector x = random_vector(n, static_cast<std::uint32_t>(n), range);
            sfu::softmax(x, n, {}, out);
            check_close(out, softmax_in_two_passes(x, n), 1e-6);
            std::sort(x.begin(), x.end()); // The running maximum changes at every element.
            sfu::softmax(x, n, {}, out);
            check_close(out, softmax_in_two_passes(x, n), 1e-6);
            CHECK(std::accumulate(out.begin(), out.end(), 0.0) == Approx(1.0).margin(2e-6));
        }
    }
}

TEST_CASE("softmax sees only the valid elements, and writes zeros after them")
{
    const Vector x = {1.0f, 1.0f, 50.0f, kNan};
    Vector out(4, 9.0f);
    sfu::softmax(x, 2, {}, out);
    CHECK(out == Vector{0.5f, 0.5f, 0.0f, 0.0f});
    sfu::softmax(x, 0, {}, out);
    CHECK(out == Vector(4, 0.0f));
    const Vector scales = {2.0f, -1.0f, 3.0f, -1.0f};
    sfu::softmax(x, 2, {scales, 2}, out);
    CHECK(out == Vector{1.0f, 1.5f, 0.0f, 0.0f});
    CHECK_THROWS_WITH(sfu::softmax(x, 5, {}, out), Catch::Contains("softmax: x has 4"));
    CHECK_THROWS_WITH(sfu::softmax(x, 3, {scales, 2}, out), Catch::Contains("factors"));
}

TEST_CASE("a longer vector with the same valid part has the same softmax bits")
{
    const Vector x = random_vector(64, 77);
    for (std::size_t length = 1; length <= 64; ++length) {
        Vector exact(length), longer(64);
        sfu::softmax(std::span(x).first(length), length, {}, exact);
        sfu::softmax(x, length, {}, longer);
        longer.resize(length);
        CHECK(exact == longer);
    }
}

TEST_CASE("softmax in parts by hand")
{
    sfu::Running running;
    Vector out(2);
    // There is no earlier part.
    CHECK(sfu::softmax_part(Vector{1.0f, 1.0f}, 2, running, {}, out) == 0.0f);
    CHECK(out == Vector{0.5f, 0.5f});
    // These are 2 of the 4 elements so far.
    CHECK(sfu::softmax_part(Vector{1.0f, 1.0f}, 2, running, {}, out) == 0.5f);
    CHECK(out == Vector{0.25f, 0.25f});
    CHECK(running.maximum == 1.0f);
    CHECK(running.sum == 4.0f);
    // The next part ignores this one.
    CHECK(sfu::softmax_part(Vector{9.0f, 9.0f}, 0, running, {}, out) == 1.0f);
    CHECK(out == Vector{0.0f, 0.0f});
    // e^-200 is below the smallest subnormal, so neither the previous sum nor this part
    // contributes.
    CHECK(sfu::softmax_part(Vector{201.0f}, 1, running, {Vector{3.0f}, 1}, out) == 0.0f);
    CHECK(out[0] == 3.0f);
    CHECK(sfu::softmax_part(Vector{1.0f}, 1, running, {}, out) == 1.0f);
    CHECK(out[0] == 0.0f);
    sfu::softmax_known(Vector{201.0f, 1.0f}, 1, running, {Vector{2.0f}, 1}, out);
    CHECK(out == Vector{2.0f, 0.0f});
}

TEST_CASE("softmax of a vector's only part has the bits of softmax")
{
    for (const std::size_t n : {1u, 7u, 8u, 100u, 513u}) {
        const Vector x = random_vector(n, 5, 30.0f), factors = random_vector(n, 6);
        sfu::Running running;
        Vector whole(n), part(n), known(n);
        sfu::softmax(x, n, {factors, 1}, whole);
        sfu::softmax_part(x, n, running, {factors, 1}, part);
        sfu::softmax_known(x, n, running, {factors, 1}, known);
        CHECK(part == whole);
        CHECK(known == whole);
    }
}

TEST_CASE("sums over softmax in parts equal those over the whole vector")
{
    // After each part, the earlier result times `keep` plus the part's own result is the attention
    // over all elements so far.
    for (const std::size_t part : {1u, 3u, 16u, 64u, 999u}) {
        const std::size_t n = 300;
        const Vector x = random_vector(n, 7, 12.0f), values = random_vector(n, 8, 1.0f);
        sfu::Running running;
        double sum = 0.0;
        for (std::size_t first = 0; first < n; first += part) {
            const std::size_t count = std::min(part, n - first);
            Vector p(count);
            sum *= sfu::softmax_part(std::span(x).subspan(first, count), count, running, {}, p);
            for (std::size_t i = 0; i < count; ++i)
                sum += double{p[i]} * values[first + i];
            const auto want = softmax_in_two_passes(x, first + count);
            const double exact = std::inner_product(want.begin(), want.end(), values.begin(), 0.0);
            CHECK(sum == Approx(exact).margin(3e-6).epsilon(0));
        }
    }
}

TEST_CASE("softmax is defined for infinities and NaN")
{
    Vector out(3);
    sfu::softmax(Vector{-kInfinity, 0.0f, 0.0f}, 3, {}, out);
    CHECK(out == Vector{0.0f, 0.5f, 0.5f});
    sfu::softmax(Vector{0.0f, kNan, 0.0f}, 3, {}, out);
    CHECK((is_canonical_nan(out[0]) && is_canonical_nan(out[1]) && is_canonical_nan(out[2])));
    sfu::softmax(Vector(3, -kInfinity), 3, {}, out);
    CHECK((is_canonical_nan(out[0]) && is_canonical_nan(out[1]) && is_canonical_nan(out[2])));
    sfu::softmax(Vector{0.0f, kInfinity, 1.0f}, 3, {}, out);
    CHECK(out[0] == 0.0f);
    CHECK(is_canonical_nan(out[1]));
}

TEST_CASE("GELU by tanh and soft caps are close to double precision")
{
    Vector x, out(1);
    for (int i = -4000; i <= 4000; ++i)
        x.push_back(static_cast<float>(i) / 1000.0f);
    out.resize(x.size());
    std::vector<double> gelu(x.size()), twice(x.size()), capped(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double value = x[i];
        const double inner =
            std::sqrt(2.0 / std::acos(-1.0)) * (value + 0.044715 * value * value * value);
        gelu[i] = 0.5 * value * (1.0 + std::tanh(inner));
        twice[i] = 2.0 * gelu[i];
        capped[i] = 2.5 * std::tanh(value / 2.5);
    }
    sfu::gelu_tanh(x, out);
    check_close(out, gelu, 4e-6);
    sfu::gelu_tanh_mul(x, Vector(x.size(), 2.0f), out);
    check_close(out, twice, 8e-6);
    sfu::soft_cap(x, 2.5f, out);
    check_close(out, capped, 2.5 * 1.7e-6);
    sfu::soft_cap(Vector{1e6f, -1e6f, 1e-6f}, 30.0f, out);
    CHECK(out[0] == 30.0f);
    CHECK(out[1] == -30.0f);
    CHECK(out[2] == Approx(1e-6f).epsilon(1e-6));
    CHECK_THROWS_WITH(sfu::soft_cap(x, 0.0f, out), Catch::Contains("cap"));
}

TEST_CASE("element-wise functions")
{
    const Vector x = {-2.0f, -0.0f, 0.0f, 1.0f, 20.0f, -30.0f};
    const Vector y = {1.0f, 1.0f, 5.0f, -3.0f, 0.5f, 1.0f};
    Vector out(6);
    sfu::silu_mul(x, y, out);
    std::vector<double> silu(6), gelu(6);
    for (std::size_t i = 0; i < 6; ++i) {
        silu[i] = x[i] / (1.0 + std::exp(-double{x[i]})) * y[i];
        gelu[i] = x[i] * 0.5 * std::erfc(-x[i] / std::sqrt(2.0));
    }
    check_close(out, silu, 5e-6);
    sfu::gelu(x, out);
    check_close(out, gelu, 3e-6);
    sfu::relu(x, out);
    CHECK(out == Vector{0.0f, 0.0f, 0.0f, 1.0f, 20.0f, 0.0f});
    CHECK_FALSE(std::signbit(out[1]));
    sfu::relu_squared(x, out);
    CHECK(out == Vector{0.0f, 0.0f, 0.0f, 1.0f, 400.0f, 0.0f});
    sfu::relu_mul(x, y, out);
    CHECK(out == Vector{0.0f, 0.0f, 0.0f, -3.0f, 10.0f, 0.0f});
    sfu::gelu_mul(x, y, out);
    for (std::size_t i = 0; i < 6; ++i)
        gelu[i] *= y[i];
    check_close(out, gelu, 9e-6);
    sfu::add(x, y, out);
    CHECK(out == Vector{-1.0f, 1.0f, 5.0f, -2.0f, 20.5f, -29.0f});
}

TEST_CASE("NaN in, canonical NaN out")
{
    const Vector x = {std::bit_cast<float>(0xFF812345u), kInfinity};
    const Vector y = {std::bit_cast<float>(0x7FA00001u), -kInfinity};
    Vector out(2);
    sfu::add(x, y, out);
    CHECK((is_canonical_nan(out[0]) && is_canonical_nan(out[1])));
    sfu::silu_mul(x, y, out);
    CHECK((is_canonical_nan(out[0]) && out[1] == -kInfinity));
    sfu::relu(x, out);
    CHECK((is_canonical_nan(out[0]) && out[1] == kInfinity));
    sfu::rms_norm(x, {}, 1e-5f, out);
    CHECK((is_canonical_nan(out[0]) && is_canonical_nan(out[1])));
    sfu::layer_norm(x, {}, {}, 1e-5f, out);
    CHECK((is_canonical_nan(out[0]) && is_canonical_nan(out[1])));
}

TEST_CASE("embedding rows of every type")
{
    Vector out(3);
    const std::vector<std::byte> bytes = {std::byte{0x8F}, std::byte{0x07}, std::byte{0xFF}};
    const Vector scales = {0.5f, 2.0f};
    sfu::embed(bytes, LEVEE_TYPE_INT4, std::span(scales).first(1), 0, {}, out);
    CHECK(out == Vector{-0.5f, -4.0f, 3.5f});
    const Vector position = {10.0f, 20.0f, 30.0f};
    sfu::embed(bytes, LEVEE_TYPE_INT8, std::span(scales).last(1), 0, position, out);
    CHECK(out == Vector{-216.0f, 34.0f, 28.0f});
    const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x3800};
    sfu::embed(std::as_bytes(std::span(halves)), LEVEE_TYPE_FP16, {}, 0, {}, out);
    CHECK(out == Vector{1.0f, -2.0f, 0.5f});
    sfu::embed(std::as_bytes(std::span(position)), LEVEE_TYPE_FP32, {}, 0, {}, out);
    CHECK(out == position);
    CHECK_THROWS_WITH(sfu::embed(bytes, LEVEE_TYPE_FP32, {}, 0, {}, out),
                      Catch::Contains("row has 3 bytes, needs 12"));
    CHECK_THROWS_WITH(
        sfu::embed(std::as_bytes(std::span(position)), LEVEE_TYPE_UINT32, {}, 0, {}, out),
        Catch::Contains("must be INT3"));
}

TEST_CASE("an embedding row with groups: each element is multiplied by its group's scale")
{
    // The ten codes of three bits are 1, 2, 3, -4, -1, 0, 1, -2 in three bytes, then 3, -3.
    const std::vector<std::byte> row = {std::byte{0xD1}, std::byte{0x78}, std::byte{0xC4},
                                        std::byte{0x2B}};
    const Vector scales = {0.5f, 4.0f};
    Vector out(10);
    sfu::embed(row, LEVEE_TYPE_INT3, scales, 8, {}, out);
    CHECK(out == Vector{0.5f, 1.0f, 1.5f, -2.0f, -0.5f, 0.0f, 0.5f, -1.0f, 12.0f, -12.0f});
    CHECK_THROWS_WITH(sfu::embed(row, LEVEE_TYPE_INT3, std::span(scales).first(1), 8, {}, out),
                      Catch::Contains("scales"));
}

TEST_CASE("spans that are too short are refused by name")
{
    const Vector x(4, 1.0f), y(3, 1.0f);
    Vector out(4), small(3);
    std::vector<std::int16_t> codes(3);
    CHECK_THROWS_WITH(sfu::rms_norm(x, y, 0.0f, out), Catch::Contains("rms_norm: gain has 3"));
    CHECK_THROWS_WITH(sfu::rms_norm(Vector{}, {}, 0.0f, out), Catch::Contains("x has 0"));
    CHECK_THROWS_WITH(sfu::layer_norm(x, {}, y, 0.0f, out), Catch::Contains("bias"));
    CHECK_THROWS_WITH(sfu::rope(x, std::vector<std::uint32_t>(3), 0, false, out),
                      Catch::Contains("rope: x has 4"));
    CHECK_THROWS_WITH(sfu::silu_mul(x, y, out), Catch::Contains("y has 3"));
    CHECK_THROWS_WITH(sfu::gelu(x, small), Catch::Contains("out"));
    CHECK_THROWS_WITH(sfu::quantise(x, codes), Catch::Contains("codes"));
}
