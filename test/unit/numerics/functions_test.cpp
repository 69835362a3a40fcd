// SPDX-License-Identifier: Apache-2.0
// Compares the tabulated functions with libm in double precision. The error bounds are those in
// docs/numerics.md.
#include "core/numerics/numerics.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

namespace {

using levee::kInfinity;
using levee::kNan;

std::uint32_t bits(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

// Returns the largest error of f over evenly spaced points, relative to the reference if
// `relative`.
double worst(double from, double to, const std::function<float(float)>& f,
             const std::function<double(double)>& reference, bool relative)
{
    constexpr int points = 400000;
    double largest = 0.0;
    for (int i = 0; i <= points; ++i) {
        const auto x = static_cast<float>(from + (to - from) * i / points);
        const double expected = reference(x);
        const double error = std::abs(f(x) - expected) / (relative ? std::abs(expected) : 1.0);
        largest = std::max(largest, error);
    }
    return largest;
}

double phi(double x)
{
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

} // namespace

TEST_CASE("exp is within 6e-7 of e^x, 5e-7 up to |x| = 20")
{
    const auto reference = [](double x) { return std::exp(x); };
    const double error = worst(-87.0, 88.7, levee::exp_fp32, reference, true);
    INFO("relative error " << error);
    CHECK(error < 6e-7);
    CHECK(worst(-20.0, 20.0, levee::exp_fp32, reference, true) < 5e-7);
    CHECK(levee::exp_fp32(0.0f) == 1.0f);
    CHECK(levee::exp_fp32(-0.0f) == 1.0f);
}

TEST_CASE("exp never decreases where softmax uses it")
{
    float previous = 0.0f;
    for (std::uint32_t b = bits(-20.0f); b > bits(-19.0f); b -= 1) {
        const float value = levee::exp_fp32(std::bit_cast<float>(b));
        REQUIRE(value >= previous);
        previous = value;
    }
}

TEST_CASE("exp outside the normal range")
{
    CHECK(levee::exp_fp32(88.73f) == kInfinity);
    CHECK(levee::exp_fp32(kInfinity) == kInfinity);
    CHECK(levee::exp_fp32(-kInfinity) == 0.0f);
    CHECK(levee::exp_fp32(-110.0f) == 0.0f);
    CHECK(bits(levee::exp_fp32(std::bit_cast<float>(0xFFC12345u))) == 0x7FC00000u);
    for (float x = -104.5f; x < -87.0f; x += 0.01f) { // Subnormal results may err by half a unit.
        const double expected = std::exp(static_cast<double>(x));
        REQUIRE(std::abs(levee::exp_fp32(x) - expected) <= 0.5001 * 0x1p-149 + 6e-7 * expected);
    }
}

TEST_CASE("sigmoid is within 8e-7, and 8e-6 relative in its tail")
{
    const auto reference = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    const double error = worst(-20.0, 20.0, levee::sigmoid_fp32, reference, false);
    INFO("error " << error);
    CHECK(error < 8e-7);
    CHECK(worst(-80.0, 0.0, levee::sigmoid_fp32, reference, true) < 8e-6);
    CHECK(levee::sigmoid_fp32(0.0f) == 0.5f);
    CHECK(levee::sigmoid_fp32(kInfinity) == 1.0f);
    CHECK(levee::sigmoid_fp32(-kInfinity) == 0.0f);
    CHECK(bits(levee::sigmoid_fp32(-kNan)) == 0x7FC00000u);
}

TEST_CASE("GELU is within 2.5e-6")
{
    const auto reference = [](double x) { return x * phi(x); };
    const double error = worst(-10.0, 10.0, levee::gelu_fp32, reference, false);
    INFO("error " << error);
    CHECK(error < 2.5e-6);
    CHECK(levee::gelu_fp32(0.0f) == 0.0f);
    CHECK(levee::gelu_fp32(9.0f) == 9.0f);
    CHECK(levee::gelu_fp32(-kInfinity) == 0.0f);
    CHECK(levee::gelu_fp32(kInfinity) == kInfinity);
    CHECK(bits(levee::gelu_fp32(-kNan)) == 0x7FC00000u);
}

TEST_CASE("log is within 5e-7 plus rounding of its result")
{
    const auto reference = [](double x) { return std::log(x); };
    const double error = worst(1.0, 1000.0, levee::log_fp32, reference, false);
    INFO("error " << error);
    CHECK(error < 1.1e-6);
    CHECK(worst(1.0, 2.0, levee::log_fp32, reference, false) < 5.5e-7);
    CHECK(levee::log_fp32(1.0f) == 0.0f);
    CHECK(levee::log_fp32(0.0f) == -kInfinity);
    CHECK(levee::log_fp32(kInfinity) == kInfinity);
    CHECK(bits(levee::log_fp32(-1.0f)) == 0x7FC00000u);
    CHECK(levee::log_fp32(0x1p-149f) == Approx(-149 * std::log(2.0)).epsilon(1e-6));
}

TEST_CASE("sine and cosine are within 4e-7, exact at the quarter turns")
{
    double largest = 0.0;
    for (std::uint64_t step = 0; step < 400000; ++step) {
        const auto phase = static_cast<std::uint32_t>(step * 10737 + 13);
        const double angle = 2.0 * 3.14159265358979323846 * phase / 4294967296.0;
        const auto [sine, cosine] = levee::sine_cosine(phase);
        largest = std::max(
            {largest, std::abs(sine - std::sin(angle)), std::abs(cosine - std::cos(angle))});
    }
    INFO("error " << largest);
    CHECK(largest < 4e-7);
    const float expected[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    for (std::uint32_t quadrant = 0; quadrant < 4; ++quadrant) {
        const auto [sine, cosine] = levee::sine_cosine(quadrant << 30);
        CHECK(sine == expected[quadrant][0]);
        CHECK(cosine == expected[quadrant][1]);
    }
}

TEST_CASE("the host's double exp is within 1e-14")
{
    double largest = 0.0;
    for (double x = -700.0; x < 709.0; x += 0.0137)
        largest = std::max(largest, std::abs(levee::exp_fp64(x) / std::exp(x) - 1.0));
    INFO("relative error " << largest);
    CHECK(largest < 1e-14);
    CHECK(levee::exp_fp64(0.0) == 1.0);
    CHECK(levee::exp_fp64(800.0) == std::numeric_limits<double>::infinity());
    CHECK(levee::exp_fp64(-800.0) == 0.0);
}

TEST_CASE("the host's double logarithm is within 1e-14")
{
    double largest = 0.0;
    for (double x = 1e-300; x < 1e300; x *= 1.37)
        largest = std::max(largest, std::abs(levee::log_fp64(x) - std::log(x)) /
                                        std::max(1.0, std::abs(std::log(x))));
    INFO("error " << largest);
    CHECK(largest < 1e-14);
    CHECK(levee::log_fp64(1.0) == 0.0);
}

TEST_CASE("table values are the same in every build")
{
    // The hash is FNV-1a over all bits. It must be the same with g++ and clang++, in debug and
    // release.
    std::uint64_t hash = 0xCBF29CE484222325ull;
    const auto add = [&hash](const auto& table) {
        for (const float value : table)
            for (int byte = 0; byte < 4; ++byte)
                hash = (hash ^ (bits(value) >> (8 * byte) & 0xFFu)) * 0x100000001B3ull;
    };
    add(levee::tables::exp2);
    add(levee::tables::log1p);
    add(levee::tables::sine);
    add(levee::tables::sigmoid);
    add(levee::tables::normal);
    CHECK(hash == 0x3BD854BE7E11EC9Dull);
}
