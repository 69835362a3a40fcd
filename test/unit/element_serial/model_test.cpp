// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/model.hpp"
#include "test/unit/element_serial/two_passes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>

using namespace levee;
using namespace levee::test;
using element_serial::Function;
using element_serial::reduce;
using element_serial::Statistics;

namespace {

constexpr std::uint16_t one = 0x3C00, minus_infinity = 0xFC00, infinity = 0x7C00,
                        not_a_number = 0x7E01;
constexpr std::uint16_t largest = 0x7BFF, minus_largest = 0xFBFF, least = 0x0001;

Halves halves(const std::vector<double>& values)
{
    Halves out;
    for (const double value : values)
        out.push_back(fp32_to_fp16(static_cast<float>(value)));
    return out;
}

Halves repeated(std::size_t n, std::uint16_t bits)
{
    return Halves(n, bits);
}

/// Returns random FP16 bits, without infinities and NaNs if `finite`.
Halves random_bits(std::size_t n, std::uint32_t seed)
{
    Halves v(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t word = random_word(seed, 1, i);
        v[i] = static_cast<std::uint16_t>((word & 0x83FF) | (word >> 16) % 31 << 10);
    }
    return v;
}

Halves normals(std::size_t n, std::uint32_t seed, double mean, double sigma)
{
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = (normal(seed, i) + mean) * sigma;
    return halves(values);
}

/// Inputs that are hard for a running maximum or sum, with their names.
std::vector<std::pair<std::string, Halves>> extremes(std::size_t n)
{
    std::vector<std::pair<std::string, Halves>> all;
    const auto add = [&](const std::string& name, auto value_of) {
        Halves v(n);
        for (std::size_t i = 0; i < n; ++i)
            v[i] = fp32_to_fp16(static_cast<float>(value_of(i)));
        all.emplace_back(name, std::move(v));
    };
    add("all equal", [](std::size_t) { return 3.7; });
    add("zeroes", [](std::size_t) { return 0.0; });
    add("rising",
        [&](std::size_t i) { return 20.0 * static_cast<double>(i) / static_cast<double>(n); });
    add("rising by a tile's least error",
        [](std::size_t i) { return 0.00068 * static_cast<double>(i / 32); });
    add("falling",
        [&](std::size_t i) { return -30.0 * static_cast<double>(i) / static_cast<double>(n); });
    add("rising steeply", [](std::size_t i) { return static_cast<double>(i) * 8.0 - 60000.0; });
    add("the largest last", [&](std::size_t i) { return i + 1 == n ? 65504.0 : -65504.0; });
    add("the largest first", [&](std::size_t i) { return i == 0 ? 65504.0 : 0.0; });
    add("alternating", [](std::size_t i) { return i % 2 == 0 ? 65504.0 : -65504.0; });
    add("subnormal", [](std::size_t i) { return 6e-8 * static_cast<double>(i % 7); });
    add("one that rounds down in every sum",
        [](std::size_t i) { return i == 0 ? 10.0 : 1.0009765625; });
    return all;
}

constexpr std::size_t lengths[] = {1, 2, 31, 32, 33, 64, 65, 100, 1024, 1025, 4096, 12288};

} // namespace

TEST_CASE("softmax in one pass is within one FP16 step of two passes in double precision")
{
    for (const std::size_t n : lengths) {
        for (const auto& [name, v] : extremes(n)) {
            INFO(name << ", " << n);
            CHECK(worst_step(in_one_pass(Function::Softmax, v), softmax_in_two_passes(v)) <= 1);
        }
        for (std::uint32_t seed = 0; seed < 20; ++seed) {
            INFO("random " << seed << ", " << n);
            const Halves v = normals(n, seed, 0.0, 0.1 * (1 << seed % 8));
            CHECK(worst_step(in_one_pass(Function::Softmax, v), softmax_in_two_passes(v)) <= 1);
            const Halves bits = random_bits(n, seed);
            CHECK(worst_step(in_one_pass(Function::Softmax, bits), softmax_in_two_passes(bits)) <=
                  1);
        }
    }
}

TEST_CASE("RMS norm in one pass is within one FP16 step of two passes in double precision")
{
    for (const std::size_t n : lengths)
        for (const float epsilon : {1e-5f, 0.0f}) {
            for (const auto& [name, v] : extremes(n)) {
                INFO(name << ", " << n << ", " << epsilon);
                CHECK(worst_step(in_one_pass(Function::RmsNorm, v, epsilon),
                                 norm_in_two_passes(v, epsilon, false)) <= 1);
            }
            for (std::uint32_t seed = 0; seed < 10; ++seed) {
                INFO("random " << seed << ", " << n << ", " << epsilon);
                const Halves v = normals(n, seed, seed % 3, 0.01 * (1 << seed));
                CHECK(worst_step(in_one_pass(Function::RmsNorm, v, epsilon),
                                 norm_in_two_passes(v, epsilon, false)) <= 1);
                const Halves bits = random_bits(n, seed);
                CHECK(worst_step(in_one_pass(Function::RmsNorm, bits, epsilon),
                                 norm_in_two_passes(bits, epsilon, false)) <= 1);
            }
        }
}

namespace {

/// Returns the largest error of a layer norm against two passes. The error is in FP16 steps for
/// elements at least sigma / 16 from the mean. For others it is in steps of sigma / 16.
int layer_norm_error(const Halves& v, float epsilon)
{
    const Halves got = in_one_pass(Function::LayerNorm, v, epsilon);
    const Halves want = norm_in_two_passes(v, epsilon, true);
    constexpr float near = 1.0f / 16.0f, near_step = near / 1024.0f;
    int worst = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const float a = fp16_to_fp32(got[i]), b = fp16_to_fp32(want[i]);
        const bool is_near = std::fabs(b) < near && a == a;
        worst = std::max(worst, is_near ? static_cast<int>(std::ceil(std::fabs(a - b) / near_step))
                                        : steps_between(got[i], want[i]));
    }
    return worst;
}

/// Returns the largest error over normal, uniform, two-valued and rising vectors around `mean`, in
/// units of sigma.
int layer_norm_error_at(double mean, std::size_t n, std::uint32_t seeds)
{
    int worst = 0;
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        const double sigma = 0.3 + 0.11 * seed, sign = seed % 2 == 0 ? 1.0 : -1.0;
        std::vector<double> uniform(n), two(n), rising(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double centre = sign * mean, width = std::sqrt(3.0);
            uniform[i] =
                (centre + width * (2.0 * unit_interval(random_word(seed, 5, i)) - 1.0)) * sigma;
            two[i] = (centre + (i % 2 == 0 ? 1.0 : -1.0)) * sigma;
            rising[i] =
                (centre + width * (2.0 * static_cast<double>(i) / static_cast<double>(n) - 1.0)) *
                sigma;
        }
        for (const Halves& v :
             {normals(n, seed, sign * mean, sigma), halves(uniform), halves(two), halves(rising)})
            worst = std::max(worst, layer_norm_error(v, 1e-5f));
    }
    return worst;
}

} // namespace

TEST_CASE("layer norm in one pass is within one FP16 step up to a mean of 32 sigma")
{
    for (const double mean : {0.0, 1.0, 8.0, 16.0, 32.0})
        for (const std::size_t n : {64u, 100u, 1024u, 4096u, 12288u}) {
            INFO("a mean of " << mean << " sigma, " << n);
            CHECK(layer_norm_error_at(mean, n, n > 4096 ? 10 : 30) <= 1);
        }
}

TEST_CASE("beyond that mean, layer norm errs as the README's table says")
{
    const std::pair<double, int> table[] = {{64.0, 2}, {128.0, 9}, {256.0, 31}};
    for (const auto& [mean, steps] : table) {
        int worst = 0;
        for (const std::size_t n : {1024u, 4096u, 12288u})
            worst = std::max(worst, layer_norm_error_at(mean, n, 10));
        INFO("a mean of " << mean << " sigma");
        CHECK(worst == steps);
    }
}

TEST_CASE("a tile's sum starts at 0, and is added to the total when the tile is full")
{
    // FP32 rounds 2^24 + 1 to 2^24. Ones still count if they are first added within a tile.
    Halves v = repeated(64, one);
    v[0] = fp32_to_fp16(4096.0f); // The square of 4096 is 2^24.
    const Statistics statistics = reduce(Function::RmsNorm, 32, v);
    // The first tile's ones are lost; the second tile's ones count.
    CHECK(statistics.second == 16777216.0f + 32.0f);
    CHECK(reduce(Function::RmsNorm, 16, v).second == 16777216.0f + 48.0f);
    CHECK(statistics.first == 4096.0f + 63.0f);
    // With 32 tiles per block, the first block's ones count. The second block is a single 1, which
    // is lost.
    v = repeated(32 * 32 + 1, 0);
    v.front() = fp32_to_fp16(4096.0f);
    v.back() = one;
    CHECK(reduce(Function::RmsNorm, 32, v).second == 16777216.0f);
    v.push_back(one);
    CHECK(reduce(Function::RmsNorm, 32, v).second == 16777216.0f + 2.0f);
}

TEST_CASE("each tile of a softmax is relative to the maximum so far, and earlier sums are scaled")
{
    Halves v = halves({1.0, 2.0, 1.5, 4.0});
    const float first = exp_fp32(-1.0f) + 1.0f;  // This sum is relative to the maximum 2.
    const float second = exp_fp32(-2.5f) + 1.0f; // This sum is relative to the maximum 4.
    const float expected = first * exp_fp32(-2.0f) + second;
    const Statistics statistics = reduce(Function::Softmax, 2, v);
    CHECK(statistics.first == 4.0f);
    CHECK(statistics.second == expected);
    // The maximum does not change, so nothing is scaled.
    v = halves({4.0, 2.0, 1.5, 3.0});
    CHECK(reduce(Function::Softmax, 2, v).second ==
          (1.0f + exp_fp32(-2.0f)) + (exp_fp32(-2.5f) + exp_fp32(-1.0f)));
}

TEST_CASE("probabilities use one reciprocal of the sum, norms the reciprocal of the root")
{
    const auto factors = element_serial::factors_of(Function::Softmax, {2.0f, 3.0f}, 5, 0.0f);
    CHECK(factors.shift == 2.0f);
    CHECK(factors.scale == 1.0f / 3.0f);
    const auto norm = element_serial::factors_of(Function::LayerNorm, {12.0f, 100.0f}, 4, 0.5f);
    CHECK(norm.shift == 3.0f);
    CHECK(norm.scale == 1.0f / std::sqrt(16.5f));
    const auto rms = element_serial::factors_of(Function::RmsNorm, {12.0f, 100.0f}, 4, 0.5f);
    CHECK(rms.shift == 0.0f);
    CHECK(rms.scale == 1.0f / std::sqrt(25.5f));
    const std::uint16_t four = 0x4400;
    CHECK(element_serial::normalised(Function::LayerNorm, norm, four, 2.0f, 0.25f) ==
          fp32_to_fp16(norm.scale * 2.0f + 0.25f));
}

TEST_CASE("elements are scaled, y is added, and the result is rounded to FP16 once")
{
    using element_serial::entered;
    CHECK(entered(Function::Softmax, 0.5f, 3.0f, 1.0f) == fp32_to_fp16(2.5f));
    // The input has no scale here.
    CHECK(entered(Function::RmsNorm, 0.5f, 3.0f, 1.0f) == fp32_to_fp16(4.0f));
    CHECK(entered(Function::Softmax, 1.0f, -0.0f, element_serial::no_addend) == 0x8000);
    CHECK(entered(Function::Softmax, 1e4f, 10.0f, 0.0f) == infinity);
    CHECK(entered(Function::Softmax, 1.0f, kNan, 0.0f) == kCanonicalNan16);
    // x + y is 1 + 2^-11 + 2^-23, which rounds up. x alone would be a tie and round down.
    CHECK(entered(Function::RmsNorm, 1.0f, 1.0f + 0x1p-11f, 0x1p-23f) == 0x3C01);
}

TEST_CASE("minus infinity adds nothing at any place")
{
    for (const std::size_t leading : {0u, 1u, 31u, 32u, 33u, 70u}) {
        Halves v = repeated(leading, minus_infinity);
        v.push_back(one);
        v.insert(v.end(), 40, minus_infinity);
        v.push_back(one);
        const Statistics statistics = reduce(Function::Softmax, 32, v);
        CHECK(statistics.first == 1.0f);
        CHECK(statistics.second == 2.0f);
        const Halves out = in_one_pass(Function::Softmax, v);
        CHECK(std::count(out.begin(), out.end(), 0x3800) == 2); // The probability is one half each.
        CHECK(std::count(out.begin(), out.end(), 0) == static_cast<std::ptrdiff_t>(v.size()) - 2);
    }
}

TEST_CASE("softmax of NaN, plus infinity, or only minus infinity is NaN")
{
    for (const std::size_t at : {0u, 40u, 69u})
        for (const std::uint16_t bad : {not_a_number, infinity}) {
            Halves v = normals(70, 1, 0.0, 1.0);
            v[at] = bad;
            CHECK(in_one_pass(Function::Softmax, v) == repeated(70, kCanonicalNan16));
            const Halves norm = in_one_pass(Function::LayerNorm, v);
            CHECK(norm == repeated(70, kCanonicalNan16));
        }
    for (const std::size_t n : {1u, 33u})
        CHECK(in_one_pass(Function::Softmax, repeated(n, minus_infinity)) ==
              repeated(n, kCanonicalNan16));
    // The RMS norm of a vector with an infinity is 0, and NaN for the infinity itself.
    Halves v = repeated(3, one);
    v[1] = minus_infinity;
    CHECK(in_one_pass(Function::RmsNorm, v) == Halves{0, kCanonicalNan16, 0});
}

TEST_CASE("vectors of one element and of none")
{
    for (const std::uint16_t bits : {one, largest, least, minus_largest}) {
        CHECK(in_one_pass(Function::Softmax, {bits}) == Halves{one});
        CHECK(in_one_pass(Function::LayerNorm, {bits}, 1e-5f) == Halves{0});
    }
    CHECK(in_one_pass(Function::RmsNorm, {largest}) == Halves{one});
    CHECK(in_one_pass(Function::RmsNorm, {0}) == Halves{kCanonicalNan16}); // This is 0 / 0.
    CHECK(reduce(Function::Softmax, 32, {}).first == -kInfinity);
    CHECK(reduce(Function::Softmax, 32, {}).second == 0.0f);
    CHECK(reduce(Function::LayerNorm, 32, {}).first == 0.0f);
    CHECK(reduce(Function::LayerNorm, 32, {}).second == 0.0f);
}

TEST_CASE("a variance that rounds below 0 counts as 0")
{
    // All elements are equal. The mean of squares and the square of the mean differ only in the
    // last bit.
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const Halves v = repeated(100, static_cast<std::uint16_t>(0x3C00 + seed));
        const Halves out = in_one_pass(Function::LayerNorm, v, 1e-5f);
        CHECK(worst_step(out, out) == 0); // Fails if there is a NaN.
        CHECK(std::fabs(fp16_to_fp32(out[0])) < 1e-3f);
    }
}
