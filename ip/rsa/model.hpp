// SPDX-License-Identifier: Apache-2.0
// The reference of LEVEE_RSA_GEMM (ip/rsa/regs.h) for one (o0, o1): pure, allocation-free, no time.
#pragma once

#include "ip/rsa/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace levee::rsa {

// Longest inner dimension whose byte passes cannot overflow their INT32 accumulators. With an INT16
// b, two unsigned low bytes meet (32768 * 255 * 255 < 2^31); otherwise one meets a signed byte
// (65536 * 255 * 128 < 2^31).
inline constexpr std::uint32_t kMaxInner = LEVEE_RSA_MAX_INNER;
inline constexpr std::uint32_t kMaxInnerOfBytes = 2 * kMaxInner;
constexpr std::uint32_t max_inner(levee_type b_type)
{
    return b_type == LEVEE_TYPE_INT16 ? kMaxInner : kMaxInnerOfBytes;
}

// A packed operand: rows of contiguous elements, `pitch` bytes apart; each row starts on a byte.
struct Operand {
    std::span<const std::byte> data;
    std::size_t pitch = 0;
    levee_type type = LEVEE_TYPE_NONE;
};

// FP32 factors, `stride` elements apart (0 repeats one); no data: all 1.
struct Factors {
    std::span<const float> data;
    std::size_t stride = 1;
};

// out[i][j] = float(sum_l a[i][l] * b(l, j)) * a_scale[i] * b_scale[j] * alpha + bias[j] for i < m,
// j < n, l < k; a is [m][k], b is stored [n][k] (transposed) or [k][n]. With `group`, b has one
// scale for each group of that many elements of k. The exact sums of groups, times
// b_scale[j][group], are added in ascending order; the result replaces float(sum) * b_scale[j].
struct Gemm {
    std::uint32_t m = 0, n = 0, k = 0;
    Operand a; // INT16 or INT8
    Operand b; // INT16, INT8, INT4 or INT3
    bool b_transposed = false;
    // Elements of k that share a scale of b, a multiple of 8; 0: one scale for each column.
    std::uint32_t group = 0;
    Factors a_scale;
    Factors b_scale; // scales of groups: consecutive for each column, columns `stride` apart
    std::span<const float> bias; // n, or empty
    float alpha = 1.0f;
    bool accumulate = false; // out[i][j] = out[i][j] * keep[i] + the above
    Factors keep;
    std::span<float> out;
    std::size_t out_pitch = 0; // elements
};

// Groups of a column of k elements: 1 if `group` is 0.
constexpr std::uint64_t groups_of(std::uint64_t k, std::uint32_t group)
{
    return group == 0 ? 1 : (k + group - 1) / group;
}

// Passes of the 8-bit array per product: bytes of an element of a times bytes of one of b (INT4 and
// INT3 count as one). 0 for types that the array does not support.
unsigned passes(levee_type a_type, levee_type b_type);

// Throws std::invalid_argument, naming the operand, for types the array does not support, an empty
// dimension, or a view too short for its shape. A NaN in out is canonical.
void gemm(const Gemm& gemm);

// The same of the exact sums of the products, [groups][m][n], which hardware has computed: the
// output stage. a and b are not read.
void scale_sums(const Gemm& gemm, std::span<const std::int64_t> sums);

// The same result computed as the array does: INT32 partial sums of signed high and unsigned low
// bytes, one pass each, combined in 64 bits. Throws also for k > max_inner(). Slow; gemm() must
// equal it in every bit.
void gemm_by_passes(const Gemm& gemm);

} // namespace levee::rsa
