// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace levee::rsa {

// Longest inner dimension for which the sums of a byte pass cannot overflow INT32 accumulators.
// With an INT16 b, two unsigned low bytes are multiplied (32768 * 255 * 255 < 2^31). Otherwise one
// factor is a signed byte (65536 * 255 * 128 < 2^31).
inline constexpr std::uint32_t kMaxInner = LEVEE_RSA_MAX_INNER;
inline constexpr std::uint32_t kMaxInnerOfBytes = 2 * kMaxInner;
constexpr std::uint32_t max_inner(levee_type b_type)
{
    return b_type == LEVEE_TYPE_INT16 ? kMaxInner : kMaxInnerOfBytes;
}

// A packed operand. Its rows of contiguous elements are `pitch` bytes apart; each row starts at a
// byte.
struct Operand {
    std::span<const std::byte> data;
    std::size_t pitch = 0;
    levee_type type = LEVEE_TYPE_NONE;
};

// FP32 factors, `stride` elements apart (0: all are the same element). Without data, all factors
// are 1.
struct Factors {
    std::span<const float> data;
    std::size_t stride = 1;
};

// out[i][j] = float(sum_l a[i][l] * b(l, j)) * a_scale[i] * b_scale[j] * alpha + bias[j] for i < m,
// j < n, l < k. a is [m][k]; b is stored as [n][k] (transposed) or [k][n]. With `group`, b has one
// scale for each group of `group` elements of k. The exact sums of groups, multiplied by
// b_scale[j][group], are then added in ascending order; the result replaces float(sum) *
// b_scale[j].
struct Gemm {
    std::uint32_t m = 0, n = 0, k = 0;
    Operand a; // INT16 or INT8
    Operand b; // INT16, INT8, INT4 or INT3
    bool b_transposed = false;
    // Elements of k that share a scale of b, a multiple of 8; 0: one scale per column.
    std::uint32_t group = 0;
    Factors a_scale;
    Factors b_scale; // Scales of a column's groups are consecutive; columns are `stride` apart.
    std::span<const float> bias; // n elements, or empty.
    float alpha = 1.0f;
    bool accumulate = false; // Adds to earlier results: out[i][j] = out[i][j] * keep[i] + the
                             // above.
    Factors keep;
    std::span<float> out;
    std::size_t out_pitch = 0; // Distance of rows in elements.
};

// Groups in a column of k elements; 1 if `group` is 0.
constexpr std::uint64_t groups_of(std::uint64_t k, std::uint32_t group)
{
    return group == 0 ? 1 : (k + group - 1) / group;
}

// Number of passes of the 8-bit array per product: bytes of an element of a, times bytes of an
// element of b (1 for INT4 and INT3). 0 for types that the array does not support.
unsigned passes(levee_type a_type, levee_type b_type);

// Throws std::invalid_argument, naming the operand, for unsupported types, an empty dimension, or a
// view that is too short for its shape. A NaN in out is canonical.
void gemm(const Gemm& gemm);

// Applies only the output stage of gemm() to exact sums of products, [groups][m][n], that hardware
// has computed. a and b are not read.
void scale_sums(const Gemm& gemm, std::span<const std::int64_t> sums);

// Computes the same result as gemm(), bit for bit, but as the array does: INT32 partial sums of
// signed high and unsigned low bytes, one pass each, combined in 64 bits. Also throws for k >
// max_inner(). Slow; tests compare gemm() with it.
void gemm_by_passes(const Gemm& gemm);

} // namespace levee::rsa
