// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/block_values.hpp"

#include "platform/input/import/stored_values.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace levee::gguf {

namespace {

constexpr std::size_t half_bytes = 2; // of an FP16
// Values of a large block that are unpacked in step with each other.
constexpr std::size_t part = 32;
constexpr std::size_t scaled = 16; // values of a large block that have a scale

/// Values of the codes of IQ4_NL and IQ4_XS.
constexpr std::array<std::int8_t, 16> uneven{-127, -104, -83, -65, -49, -35, -22, -10,
                                             1,    13,   25,  38,  53,  69,  89,  113};
/// Twice the values of FP4, E2M1.
constexpr std::array<std::int8_t, 16> twice_fp4{0, 1,  2,  3,  4,  6,  8,  12,
                                                0, -1, -2, -3, -4, -6, -8, -12};

float half_at(Block block, std::size_t at)
{
    return half_value(&block[at], HalfType::FP16);
}

unsigned bit_of(Block bits, std::size_t index)
{
    return bits[index / 8] >> index % 8 & 1U;
}

/// The low nibbles of the codes are the first half of the values, the high ones the second.
/// value: of a code and its number.
template <typename Value> void set_nibbles(Block codes, std::span<float> out, Value value)
{
    const std::size_t half = out.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
        out[i] = value(codes[i] & 0x0FU, i);
        out[i + half] = value(static_cast<unsigned>(codes[i] >> 4), i + half);
    }
}

/// Code `index` of 256 codes of two bits: each 128 have 32 bytes, in whose lowest bits are the
/// first 32.
unsigned two_bits(Block codes, std::size_t index)
{
    return codes[index / 128 * part + index % part] >> index % 128 / part * 2 & 3U;
}

struct ScaleAndMinimum {
    unsigned scale, minimum;
};

/// Unpacks eight scales and eight minima of six bits from 12 bytes. Bytes 0 to 3 and 4 to 7 hold
/// the low six bits of the first four of each. Bytes 8 to 11 hold the low nibbles of the others
/// (scales low, minima high); their high bits are above those of the first four.
ScaleAndMinimum six_bits(Block packed, std::size_t index)
{
    if (index < 4) {
        return {packed[index] & 63U, packed[index + 4] & 63U};
    }
    const unsigned low = packed[index + 4];
    return {(low & 15U) | (packed[index - 4] >> 6U) << 4U, low >> 4U | (packed[index] >> 6U) << 4U};
}

/// Unpacks one of sixteen six-bit scales in 12 bytes: low nibbles in bytes 0 to 7, low ones first,
/// and pairs of high bits in bytes 8 to 11. 32 stands for 0.
int signed_six_bits(Block packed, std::size_t index)
{
    const unsigned low = packed[index % 8] >> index / 8 * 4 & 15U;
    const unsigned high = packed[8 + index % 4] >> index / 4 * 2 & 3U;
    return static_cast<int>(low | high << 4U) - 32;
}

float product(float d, int a, int b)
{
    return d * static_cast<float>(a * b);
}

} // namespace

/// FP16 d, 16 bytes of codes: (code - 8) * d.
void q4_0_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    set_nibbles(block.subspan(half_bytes), out, [d](unsigned code, std::size_t) {
        return static_cast<float>(static_cast<int>(code) - 8) * d;
    });
}

/// FP16 d, FP16 m, 16 bytes of codes: code * d + m.
void q4_1_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0), m = half_at(block, half_bytes);
    set_nibbles(block.subspan(2 * half_bytes), out,
                [d, m](unsigned code, std::size_t) { return static_cast<float>(code) * d + m; });
}

/// FP16 d, 4 bytes with each code's fifth bit, 16 bytes with the four below: (code - 16) * d.
void q5_0_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    const Block high = block.subspan(half_bytes, 4);
    set_nibbles(block.subspan(half_bytes + 4), out, [d, high](unsigned low, std::size_t i) {
        return static_cast<float>(static_cast<int>(low | bit_of(high, i) << 4U) - 16) * d;
    });
}

/// FP16 d, FP16 m, then as Q5_0: code * d + m.
void q5_1_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0), m = half_at(block, half_bytes);
    const Block high = block.subspan(2 * half_bytes, 4);
    set_nibbles(block.subspan(2 * half_bytes + 4), out, [d, m, high](unsigned low, std::size_t i) {
        return static_cast<float>(low | bit_of(high, i) << 4U) * d + m;
    });
}

/// FP16 d, 32 signed bytes: code * d.
void q8_0_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(static_cast<std::int8_t>(block[half_bytes + i])) * d;
    }
}

/// FP16 d, 16 bytes of codes: uneven[code] * d.
void iq4_nl_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    set_nibbles(block.subspan(half_bytes), out,
                [d](unsigned code, std::size_t) { return static_cast<float>(uneven[code]) * d; });
}

/// A byte e, 16 bytes of codes of FP4 (E2M1): FP4 * 2^(e - 127); e of 255 is not a number.
void mxfp4_block(Block block, std::span<float> out)
{
    constexpr int bias = 127, not_a_number = 255;
    const float d = block[0] == not_a_number ? std::numeric_limits<float>::quiet_NaN()
                                             : std::ldexp(1.0F, block[0] - bias - 1);
    set_nibbles(block.subspan(1), out, [d](unsigned code, std::size_t) {
        return static_cast<float>(twice_fp4[code]) * d;
    });
}

/// 16 bytes, each a scale s below a minimum m of 16 values, 64 bytes of two-bit codes, FP16 d, FP16
/// e: code * d * s - e * m.
void q2_k_block(Block block, std::span<float> out)
{
    constexpr std::size_t codes_at = 16, d_at = codes_at + 64;
    const float d = half_at(block, d_at), e = half_at(block, d_at + half_bytes);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const unsigned both = block[i / scaled];
        const int code = static_cast<int>(two_bits(block.subspan(codes_at), i));
        out[i] = product(d, static_cast<int>(both & 15U), code) -
                 product(e, static_cast<int>(both >> 4U), 1);
    }
}

/// 32 bytes of third bits, a bit of each for 32 values, 64 bytes of two-bit codes, 12 bytes of
/// scales s, FP16 d: (code - 4) * d * s of its 16 values.
void q3_k_block(Block block, std::span<float> out)
{
    constexpr std::size_t codes_at = 32, scales_at = codes_at + 64, d_at = scales_at + 12;
    const float d = half_at(block, d_at);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const unsigned high = block[i % part] >> i / part & 1U;
        const unsigned code = two_bits(block.subspan(codes_at), i) | high << 2U;
        const int scale = signed_six_bits(block.subspan(scales_at), i / scaled);
        out[i] = product(d, scale, static_cast<int>(code) - 4);
    }
}

/// Scales and minima of the two parts from value `first` on.
std::array<ScaleAndMinimum, 2> two_parts(Block scales, std::size_t first)
{
    return {six_bits(scales, first / part), six_bits(scales, first / part + 1)};
}

/// FP16 d, FP16 e, 12 bytes of scales s and minima m, each of 32 values, 128 bytes of codes, 32 for
/// 64 values: code * d * s - e * m.
void q4_k_block(Block block, std::span<float> out)
{
    constexpr std::size_t scales_at = 2 * half_bytes, codes_at = scales_at + 12;
    const float d = half_at(block, 0), e = half_at(block, half_bytes);
    for (std::size_t first = 0; first < out.size(); first += 2 * part) {
        const auto both = two_parts(block.subspan(scales_at), first);
        set_nibbles(block.subspan(codes_at + first / 2), out.subspan(first, 2 * part),
                    [&](unsigned code, std::size_t i) {
                        const auto [scale, minimum] = both[i / part];
                        return d * static_cast<float>(scale * code) -
                               e * static_cast<float>(minimum);
                    });
    }
}

/// Like Q4_K, with 32 additional bytes before the codes: the fifth bits, one in each byte for 32
/// values.
void q5_k_block(Block block, std::span<float> out)
{
    constexpr std::size_t scales_at = 2 * half_bytes, high_at = scales_at + 12;
    constexpr std::size_t codes_at = high_at + 32;
    const float d = half_at(block, 0), e = half_at(block, half_bytes);
    for (std::size_t first = 0; first < out.size(); first += 2 * part) {
        const auto both = two_parts(block.subspan(scales_at), first);
        set_nibbles(block.subspan(codes_at + first / 2), out.subspan(first, 2 * part),
                    [&](unsigned low, std::size_t i) {
                        const unsigned high = block[high_at + i % part] >> (first + i) / part & 1U;
                        const auto [scale, minimum] = both[i / part];
                        return d * static_cast<float>(scale * (low | high << 4U)) -
                               e * static_cast<float>(minimum);
                    });
    }
}

/// 128 bytes of low nibbles, 64 for 128 values, 64 bytes of pairs of high bits, 16 signed bytes s,
/// FP16 d: (code - 32) * d * s of its 16 values.
void q6_k_block(Block block, std::span<float> out)
{
    constexpr std::size_t high_at = 128, scales_at = high_at + 64, d_at = scales_at + 16;
    const float d = half_at(block, d_at);
    for (std::size_t first = 0; first < out.size(); first += 4 * part) {
        set_nibbles(block.subspan(first / 2), out.subspan(first, 4 * part),
                    [&](unsigned low, std::size_t i) {
                        const unsigned code = low | two_bits(block.subspan(high_at), first + i)
                                                        << 4U;
                        const auto scale =
                            static_cast<std::int8_t>(block[scales_at + (first + i) / scaled]);
                        return product(d, scale, static_cast<int>(code) - 32);
                    });
    }
}

/// Layout: FP16 d, 2 bytes with pairs of high bits of eight scales, 4 bytes with their low nibbles,
/// 128 bytes of codes (16 for 32 values). Value: uneven[code] * d * (scale - 32).
void iq4_xs_block(Block block, std::span<float> out)
{
    constexpr std::size_t high_at = half_bytes, low_at = high_at + 2, codes_at = low_at + 4;
    const float d = half_at(block, 0);
    for (std::size_t k = 0; k < out.size() / part; ++k) {
        const unsigned low = block[low_at + k / 2] >> k % 2 * 4 & 15U;
        const unsigned high = block[high_at + k / 4] >> k % 4 * 2 & 3U;
        const int scale = static_cast<int>(low | high << 4U) - 32;
        set_nibbles(block.subspan(codes_at + k * part / 2), out.subspan(k * part, part),
                    [&](unsigned code, std::size_t) { return product(d, scale, uneven[code]); });
    }
}

/// 64 bytes of two-bit codes, FP16 d: (code - 1) * d.
void tq2_0_block(Block block, std::span<float> out)
{
    constexpr std::size_t d_at = 64;
    const float d = half_at(block, d_at);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(static_cast<int>(two_bits(block, i)) - 1) * d;
    }
}

/// Layout: 48 bytes with five base-3 digits each, 4 bytes with four, FP16 d. Value: (digit - 1) *
/// d. A byte is its digits as a fraction in 256ths, the first digit highest. The first 32 bytes
/// hold the first digits of all, then the second ones, and so on; the next 16 and the last 4 bytes
/// are arranged likewise.
void tq1_0_block(Block block, std::span<float> out)
{
    struct Run {
        std::size_t bytes, digits;
    };
    constexpr std::array runs{Run{32, 5}, Run{16, 5}, Run{4, 4}};
    constexpr std::size_t d_at = 52;
    const float d = half_at(block, d_at);
    std::size_t at = 0, i = 0;
    for (const Run& run : runs) {
        unsigned power = 1;
        for (std::size_t digit = 0; digit < run.digits; ++digit, power *= 3) {
            for (std::size_t k = 0; k < run.bytes; ++k, ++i) {
                const unsigned fraction = block[at + k] * power & 0xFFU;
                out[i] = static_cast<float>(static_cast<int>(fraction * 3 >> 8U) - 1) * d;
            }
        }
        at += run.bytes;
    }
}

} // namespace levee::gguf
