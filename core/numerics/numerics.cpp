// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/numerics.hpp"

#include "core/numerics/round_even.hpp"

#include <algorithm>
#include <cmath>

namespace levee {
namespace {

std::uint64_t mix(std::uint64_t value)
{
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93ull;
    value ^= value >> 29;
    value *= 0xA0761D6478BD642Full;
    value ^= value >> 32;
    return value;
}

// Linearly interpolates a table of [-range, 0] at -`distance`. The table has `steps` steps per
// unit.
template <std::size_t size>
float lower_tail(const std::array<float, size>& table, float distance, int steps)
{
    const float position = distance * static_cast<float>(steps);
    const auto index = static_cast<std::uint32_t>(position);
    const float fraction = position - static_cast<float>(index);
    return table[index] + (table[index + 1] - table[index]) * fraction;
}

} // namespace

std::int32_t round_to_int32(float value)
{
    if (value != value)
        return 0;
    if (value >= 2147483648.0f)
        return std::numeric_limits<std::int32_t>::max();
    if (value <= -2147483648.0f)
        return std::numeric_limits<std::int32_t>::min();
    return static_cast<std::int32_t>(round_even(value));
}

std::int64_t round_to_int64(float value)
{
    if (value != value)
        return 0;
    if (value >= 9223372036854775808.0f)
        return std::numeric_limits<std::int64_t>::max();
    if (value <= -9223372036854775808.0f)
        return std::numeric_limits<std::int64_t>::min();
    if (value >= 8388608.0f || value <= -8388608.0f)
        return static_cast<std::int64_t>(value); // The value is an integer already.
    return round_to_int32(value);
}

float fp16_to_fp32(std::uint16_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
    const std::uint32_t fraction = bits & 0x3FFu;
    if (exponent == 31)
        return fraction != 0 ? kNan : std::bit_cast<float>(sign | 0x7F800000u);
    if (exponent != 0)
        return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
    const float magnitude = static_cast<float>(fraction) * (1.0f / 16777216.0f); // 2^-24, exact
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

std::uint16_t fp32_to_fp16(float value)
{
    if (value != value)
        return kCanonicalNan16;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude >= 0x477FF000u) // 65520 and above round to infinity.
        return static_cast<std::uint16_t>(sign | 0x7C00u);
    if (magnitude >= 0x38800000u) { // Normal result: the carry of rounding may increase the
                                    // exponent.
        const std::uint32_t odd = (magnitude >> 13) & 1u;
        return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xFFFu + odd) >> 13));
    }
    const float scaled = std::bit_cast<float>(magnitude) * 16777216.0f; // The value in units of
                                                                        // 2^-24, exact.
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(round_to_int32(scaled)));
}

float sigmoid_fp32(float x)
{
    if (x != x)
        return kNan;
    constexpr auto range = static_cast<float>(tables::kSigmoidRange);
    if (x >= range)
        return 1.0f;
    if (x <= -range)
        return exp_fp32(x);
    const float tail = lower_tail(tables::sigmoid, std::fabs(x), tables::kSigmoidSteps);
    return x < 0.0f ? tail : 1.0f - tail;
}

float tanh_fp32(float x)
{
    constexpr float series_range = 0.25f; // At 0.25, the first omitted term is 8e-8.
    if (std::fabs(x) >= series_range)
        return 2.0f * sigmoid_fp32(2.0f * x) - 1.0f;
    const float square = x * x;
    return x *
           (1.0f + square * (-1.0f / 3.0f + square * (2.0f / 15.0f + square * (-17.0f / 315.0f))));
}

float gelu_tanh_fp32(float x)
{
    constexpr float twice_root = 1.5957691216f; // 2 sqrt(2 / pi).
    constexpr float cubic = 0.044715f;
    return x * sigmoid_fp32(twice_root * (x + cubic * (x * x * x)));
}

float gelu_fp32(float x)
{
    if (x != x)
        return kNan;
    constexpr auto range = static_cast<float>(tables::kNormalRange);
    if (x >= range)
        return x;
    if (x <= -range)
        return 0.0f;
    const float tail = lower_tail(tables::normal, std::fabs(x), tables::kNormalSteps);
    return x * (x < 0.0f ? tail : 1.0f - tail);
}

float log_fp32(float x)
{
    if (!(x >= 0.0f))
        return kNan;
    if (x == 0.0f)
        return -kInfinity;
    if (x == kInfinity)
        return kInfinity;
    int exponent = -127;
    if (x < std::numeric_limits<float>::min()) { // Subnormal: exact after scaling by 2^24.
        x *= 16777216.0f;
        exponent -= 24;
    }
    const auto bits = std::bit_cast<std::uint32_t>(x);
    exponent += static_cast<int>(bits >> 23);
    constexpr int rest_bits = 23 - tables::kLogBits;
    const std::uint32_t index = (bits & 0x7FFFFFu) >> rest_bits;
    const float fraction =
        static_cast<float>(bits & ((1u << rest_bits) - 1)) * (1.0f / (1 << rest_bits));
    const float low = tables::log1p[index];
    const float mantissa = low + (tables::log1p[index + 1] - low) * fraction;
    constexpr float ln2 = 0.693147180559945309f;
    return static_cast<float>(exponent) * ln2 + mantissa;
}

SineCosine sine_cosine(std::uint32_t phase)
{
    constexpr std::uint32_t quarter = 1u << 30;
    const auto first_quadrant = [](std::uint32_t angle) {
        constexpr int rest_bits = 30 - tables::kSineBits;
        const std::uint32_t index = angle >> rest_bits;
        const float fraction =
            static_cast<float>(angle & ((1u << rest_bits) - 1)) * (1.0f / (1 << rest_bits));
        const float low = tables::sine[index];
        return low + (tables::sine[index + 1] - low) * fraction;
    };
    const std::uint32_t rest = phase & (quarter - 1);
    const float rising = first_quadrant(rest);
    const float falling = first_quadrant(quarter - rest);
    switch (phase >> 30) {
    case 0:
        return {rising, falling};
    case 1:
        return {falling, -rising};
    case 2:
        return {-rising, -falling};
    default:
        return {-falling, rising};
    }
}

std::uint32_t random_word(std::uint32_t seed, std::uint32_t stream, std::uint64_t index)
{
    const std::uint64_t key =
        mix((static_cast<std::uint64_t>(seed) << 32 | stream) + 0x9E3779B97F4A7C15ull);
    return static_cast<std::uint32_t>(mix(key + index * 0x9E3779B97F4A7C15ull) >> 32);
}

double exp_fp64(double x)
{
    if (x != x)
        return std::numeric_limits<double>::quiet_NaN();
    if (x > 709.78)
        return std::numeric_limits<double>::infinity();
    if (x < -708.0)
        return 0.0;
    const double power = round_even(x * 1.4426950408889634074);
    // ln 2 in two parts; the first has 32 trailing zero bits, so its product is exact.
    const double rest = (x - power * 0.693147180369123816490) - power * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int i = 17; i >= 1; --i)
        sum = 1.0 + sum * rest / i;
    const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(power) - 1 + 1023);
    return sum * std::bit_cast<double>(exponent << 52) * 2.0;
}

double log_fp64(double x)
{
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
    double mantissa =
        std::bit_cast<double>((bits & 0xF'FFFF'FFFF'FFFFull) | 0x3FF0'0000'0000'0000ull);
    if (mantissa > 4.0 / 3.0) {
        mantissa *= 0.5;
        ++exponent;
    }
    // ln m = 2 artanh z, |z| <= 1/5.
    const double z = (mantissa - 1.0) / (mantissa + 1.0);
    double sum = 0.0;
    for (int i = 23; i >= 1; i -= 2)
        sum = sum * z * z + 1.0 / i;
    return 2.0 * z * sum + static_cast<double>(exponent) * 0.693147180559945309417;
}

float largest_magnitude(std::span<const float> x)
{
    // Magnitudes are compared as integers, because compilers vectorise these comparisons. Their
    // order does not affect the maximum.
    std::int32_t largest = 0;
    for (const float value : x) {
        const auto magnitude = std::bit_cast<std::int32_t>(value) & 0x7FFFFFFF;
        const std::int32_t clean = magnitude > 0x7F800000 ? 0 : magnitude;
        largest = clean > largest ? clean : largest;
    }
    return std::bit_cast<float>(std::min(largest, 0x7F7FFFFF));
}

namespace {

/// Computes symmetric codes from -`largest` to `largest` and returns their scale.
template <typename Code>
float quantise_to(std::int32_t largest, std::span<const float> x, std::span<Code> codes)
{
    const auto limit = static_cast<float>(largest);
    const float scale = largest_magnitude(x) / limit;
    if (scale == 0.0f) {
        std::fill_n(codes.begin(), x.size(), Code{0});
        return 0.0f;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float quotient = x[i] / scale;
        const float low = quotient > -limit ? quotient : -limit;
        const float clamped = low < limit ? low : limit;
        const float code = x[i] == x[i] ? round_even_small(clamped) : 0.0f;
        codes[i] = static_cast<Code>(static_cast<std::int32_t>(code));
    }
    return scale;
}

} // namespace

float quantise_int16(std::span<const float> x, std::span<std::int16_t> codes)
{
    return quantise_to(kMaxCode16, x, codes);
}

float quantise_int8(std::span<const float> x, std::span<std::int8_t> codes)
{
    return quantise_to(kMaxCode8, x, codes);
}

float quantise_int4(std::span<const float> x, std::span<std::int8_t> codes)
{
    return quantise_to(kMaxCode4, x, codes);
}

} // namespace levee
