// SPDX-License-Identifier: Apache-2.0
// Arithmetic of all reference models. It gives the same bits with every compiler, build type and
// x86-64 machine, and does not use libm. docs/numerics.md has definitions and errors.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace levee {

inline constexpr std::uint32_t kCanonicalNan32 = 0x7FC00000u;
inline constexpr std::uint16_t kCanonicalNan16 = 0x7E00u;
inline constexpr float kNan = std::bit_cast<float>(kCanonicalNan32);
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr int kMaxCode16 = 32767;
inline constexpr int kMaxCode8 = 127;
inline constexpr int kMaxCode4 = 7;

// Canonicalises NaNs. The payload of an operation's NaN depends on the order of operands in the
// compiled code and must not affect a result.
constexpr float canonical(float value)
{
    return value == value ? value : kNan;
}

// Rounds to nearest even; exact for |value| <= 2^22.
constexpr float round_even_small(float value)
{
    constexpr float magic = 12582912.0f; // 1.5 * 2^23.
    return (value + magic) - magic;
}

// Rounds to nearest even and saturates at the integer's range. NaN gives 0.
std::int32_t round_to_int32(float value);
std::int64_t round_to_int64(float value);

float fp16_to_fp32(std::uint16_t bits);
std::uint16_t fp32_to_fp16(float value);

namespace tables {
inline constexpr int kExp2Bits = 9;       // 2^f, f in [0, 1).
inline constexpr int kLogBits = 9;        // ln(1 + f), f in [0, 1).
inline constexpr int kSineBits = 10;      // sin of a quarter turn.
inline constexpr int kSigmoidSteps = 128; // Table steps per unit of x.
inline constexpr int kSigmoidRange = 16;  // x in [-16, 0].
inline constexpr int kNormalSteps = 128;
inline constexpr int kNormalRange = 8; // x in [-8, 0].

// One entry per interval boundary. The sine has one more, so that the quarter turn itself can be
// interpolated.
extern const std::array<float, (1 << kExp2Bits) + 1> exp2;
extern const std::array<float, (1 << kLogBits) + 1> log1p;
extern const std::array<float, (1 << kSineBits) + 2> sine;
extern const std::array<float, kSigmoidSteps * kSigmoidRange + 1> sigmoid; // [i]: x = -i / steps.
extern const std::array<float, kNormalSteps * kNormalRange + 1> normal; // Same layout as the table
                                                                        // of the sigmoid.
} // namespace tables

// e^x. Overflow gives infinity, underflow 0; subnormal results are rounded once.
inline float exp_fp32(float x)
{
    if (!(x > -104.0f && x < 88.75f))
        return x != x ? kNan : (x > 0.0f ? kInfinity : 0.0f);
    // x * log2(e) to the nearest 2^-23. The product is exact (24 + 28 bits), and the sum rounds it.
    constexpr double log2_e = 193635251.0 / 134217728.0;
    constexpr double magic = 6755399441055744.0 / 8388608.0; // 1.5 * 2^52 in units of 2^-23.
    const double shifted = static_cast<double>(x) * log2_e + magic;
    const auto fixed = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(shifted)));
    constexpr int rest_bits = 23 - tables::kExp2Bits;
    const int exponent = fixed >> 23;
    const auto index = static_cast<std::uint32_t>(fixed & 0x7FFFFF) >> rest_bits;
    const float fraction =
        static_cast<float>(fixed & ((1 << rest_bits) - 1)) * (1.0f / (1 << rest_bits));
    const float low = tables::exp2[index];
    const float mantissa = low + (tables::exp2[index + 1] - low) * fraction;
    if (exponent >= -126 && exponent <= 127)
        return mantissa * std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
    // Two exact powers of two, so only the last multiplication can round.
    const int half = exponent < 0 ? -126 : 127;
    return mantissa * std::bit_cast<float>(static_cast<std::uint32_t>(half + 127) << 23) *
           std::bit_cast<float>(static_cast<std::uint32_t>(exponent - half + 127) << 23);
}

// 1 / (1 + e^-x).
float sigmoid_fp32(float x);
// x * P(N(0, 1) <= x): the exact GELU, not its tanh approximation.
float gelu_fp32(float x);
// GELU's tanh approximation: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
float gelu_tanh_fp32(float x);
float tanh_fp32(float x);
// Natural logarithm. ln(0) = -Inf; NaN for negative numbers.
float log_fp32(float x);

struct SineCosine {
    float sine;
    float cosine;
};
// Sine and cosine of an angle of phase / 2^32 turns.
SineCosine sine_cosine(std::uint32_t phase);

// Random word `index` of a stream; a pure function of its arguments.
std::uint32_t random_word(std::uint32_t seed, std::uint32_t stream, std::uint64_t index);
// Random number in [0, 1), a multiple of 2^-24.
inline float unit_interval(std::uint32_t word)
{
    return static_cast<float>(word >> 8) * (1.0f / 16777216.0f);
}

// e^x for metrics that the host computes, such as perplexity. The relative error is below 1e-14.
double exp_fp64(double x);
// ln(x) of a positive normal number, by its series. The error is below 1e-14.
double log_fp64(double x);

// Largest magnitude of the elements. NaN counts as 0, infinity as the largest finite number.
float largest_magnitude(std::span<const float> x);

// Symmetric quantisation of a vector: returns scale = largest_magnitude / 32767, and codes[i] =
// round_even(x[i] / scale), clamped to +-32767. If the scale would be 0 (all elements are 0 or too
// small for a subnormal scale), scale and codes are 0. NaN has code 0, infinity +-32767.
// codes.size() must be at least x.size().
float quantise_int16(std::span<const float> x, std::span<std::int16_t> codes);
// Like quantise_int16(), for 8 bits: scale = largest_magnitude / 127, codes up to +-127.
float quantise_int8(std::span<const float> x, std::span<std::int8_t> codes);
// Like quantise_int16(), for 4 bits, with a code per byte: scale = largest_magnitude / 7, codes up
// to +-7.
float quantise_int4(std::span<const float> x, std::span<std::int8_t> codes);

} // namespace levee
