// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/block_values.hpp"

#include "platform/input/import/e8m0.hpp"
#include "platform/input/import/stored_values.hpp"

#include <array>
#include <cstddef>

namespace levee::gguf {

namespace {

constexpr std::size_t half_bytes = 2; // of an FP16
// number of values of a large block that are unpacked at once
constexpr std::size_t part = 32;
constexpr std::size_t scaled = 16; // values of a large block that share a scale

/// Values that the codes of IQ4_NL and IQ4_XS represent.
constexpr std::array<std::int8_t, 16> uneven{-127, -104, -83, -65, -49, -35, -22, -10,
                                             1,    13,   25,  38,  53,  69,  89,  113};
/// FP4 (E2M1) values, times two.
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

/// Sets values from codes of four bits. The low nibbles have the first half of the values, and the
/// high nibbles the second half. `value` gets a code and the index of its value.
template <typename Value> void set_nibbles(Block codes, std::span<float> out, Value value)
{
    const std::size_t half = out.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
        out[i] = value(codes[i] & 0x0FU, i);
        out[i + half] = value(static_cast<unsigned>(codes[i] >> 4), i + half);
    }
}

/// Returns code `index` of 256 two-bit codes. Every 128 codes have 32 bytes. The lowest bits of
/// these bytes are the first 32 codes.
unsigned two_bits(Block codes, std::size_t index)
{
    return codes[index / 128 * part + index % part] >> index % 128 / part * 2 & 3U;
}

struct ScaleAndMinimum {
    unsigned scale, minimum;
};

/// Unpacks one of eight six-bit scales and eight six-bit minima from 12 bytes. Bytes 0 to 3 hold
/// the first four scales, and bytes 4 to 7 the first four minima, in their low six bits. Bytes 8 to
/// 11 hold the low nibbles of the other four, of scales in the low half and of minima in the high
/// half. Their high bits are the top bits of bytes 0 to 7.
ScaleAndMinimum six_bits(Block packed, std::size_t index)
{
    if (index < 4) {
        return {packed[index] & 63U, packed[index + 4] & 63U};
    }
    const unsigned low = packed[index + 4];
    return {(low & 15U) | (packed[index - 4] >> 6U) << 4U, low >> 4U | (packed[index] >> 6U) << 4U};
}

/// Unpacks one of sixteen six-bit scales from 12 bytes. Bytes 0 to 7 have the low nibbles: those of
/// the first eight scales in the low halves, the others in the high halves. Bytes 8 to 11 have
/// pairs of high bits. A stored 32 means 0.
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

/// Layout: FP16 d, 16 bytes of codes. Value: (code - 8) * d.
void q4_0_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    set_nibbles(block.subspan(half_bytes), out, [d](unsigned code, std::size_t) {
        return static_cast<float>(static_cast<int>(code) - 8) * d;
    });
}

/// Layout: FP16 d, FP16 m, 16 bytes of codes. Value: code * d + m.
void q4_1_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0), m = half_at(block, half_bytes);
    set_nibbles(block.subspan(2 * half_bytes), out,
                [d, m](unsigned code, std::size_t) { return static_cast<float>(code) * d + m; });
}

/// Layout: FP16 d, 4 bytes with the codes' fifth bits, 16 bytes with the codes' lower four bits.
/// Value: (code - 16) * d.
void q5_0_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    const Block high = block.subspan(half_bytes, 4);
    set_nibbles(block.subspan(half_bytes + 4), out, [d, high](unsigned low, std::size_t i) {
        return static_cast<float>(static_cast<int>(low | bit_of(high, i) << 4U) - 16) * d;
    });
}

/// Layout: FP16 d, FP16 m, and then the codes as in Q5_0. Value: code * d + m.
void q5_1_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0), m = half_at(block, half_bytes);
    const Block high = block.subspan(2 * half_bytes, 4);
    set_nibbles(block.subspan(2 * half_bytes + 4), out, [d, m, high](unsigned low, std::size_t i) {
        return static_cast<float>(low | bit_of(high, i) << 4U) * d + m;
    });
}

/// Layout: FP16 d, 32 codes as signed bytes. Value: code * d.
void q8_0_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(static_cast<std::int8_t>(block[half_bytes + i])) * d;
    }
}

/// Layout: FP16 d, 16 bytes of codes. Value: uneven[code] * d.
void iq4_nl_block(Block block, std::span<float> out)
{
    const float d = half_at(block, 0);
    set_nibbles(block.subspan(half_bytes), out,
                [d](unsigned code, std::size_t) { return static_cast<float>(uneven[code]) * d; });
}

/// Layout: one byte e, 16 bytes of FP4 (E2M1) codes. Value: FP4 * 2^(e - 127). With e = 255 it is
/// not a number.
void mxfp4_block(Block block, std::span<float> out)
{
    const float d = e8m0(block[0], -1); // the codes' values are doubled
    set_nibbles(block.subspan(1), out, [d](unsigned code, std::size_t) {
        return static_cast<float>(twice_fp4[code]) * d;
    });
}

/// Layout: 16 bytes, each with a scale s (low half) and a minimum m (high half) for 16 values; 64
/// bytes of two-bit codes; FP16 d; FP16 e. Value: code * d * s - e * m.
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

/// Layout: 32 bytes with the codes' third bits (each bit position has 32 values), 64 bytes with
/// their lower two bits, 12 bytes of scales s, FP16 d. Value: (code - 4) * d * s. 16 values share
/// one s.
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

/// Scales and minima of the two parts that begin with value `first`.
std::array<ScaleAndMinimum, 2> two_parts(Block scales, std::size_t first)
{
    return {six_bits(scales, first / part), six_bits(scales, first / part + 1)};
}

/// Layout: FP16 d, FP16 e, 12 bytes of scales s and minima m (32 values share one of each), 128
/// bytes of codes (32 bytes for 64 values). Value: code * d * s - e * m.
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

/// Has the layout of Q4_K, with 32 more bytes before the codes. These hold the codes' fifth bits;
/// each bit position has 32 values.
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

/// Layout: 128 bytes with the codes' low nibbles (64 bytes for 128 values), 64 bytes with pairs of
/// their high bits, 16 scales s as signed bytes, FP16 d. Value: (code - 32) * d * s. 16 values
/// share one s.
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

/// Layout: 64 bytes of two-bit codes, FP16 d. Value: (code - 1) * d.
void tq2_0_block(Block block, std::span<float> out)
{
    constexpr std::size_t d_at = 64;
    const float d = half_at(block, d_at);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(static_cast<int>(two_bits(block, i)) - 1) * d;
    }
}

/// Layout: 48 bytes with five base-3 digits each, 4 bytes with four, FP16 d. Value: (digit - 1) *
/// d. A byte holds its digits as a base-3 fraction, in 256ths. The first 32 bytes hold all first
/// digits of 32 values, then all second ones, and so on. The next 16 bytes and the last 4 bytes use
/// the same order.
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
