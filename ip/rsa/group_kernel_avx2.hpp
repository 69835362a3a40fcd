// SPDX-License-Identifier: Apache-2.0
// AVX2 version of GroupFunction (kernels.hpp), for scales that belong to groups. Computes four
// columns of B at a time, group by group. Sums stay in registers until the scales are applied.
#pragma once

#include "ip/rsa/kernels_avx2.hpp"

#ifdef LEVEE_RSA_HAS_AVX2

namespace levee::rsa::avx2 {

inline constexpr std::uint32_t kColumns = 4;

/// Computes the sums of one group for four columns. 32 bits suffice for the sum in each lane.
template <levee_type a_type, levee_type b_type>
[[gnu::target("avx2"), gnu::always_inline]] inline __m128i
group_sums(const std::byte* a, const std::byte* const (&rows)[kColumns], std::size_t offset,
           std::uint32_t elements)
{
    Accumulator<false> acc[kColumns];
    for (auto& each : acc)
        each.clear();
    std::uint32_t l = 0;
    if constexpr (b_type == LEVEE_TYPE_INT4)
        for (; l + 2 * kStep <= elements; l += 2 * kStep) {
            __m256i av[2], bv[2];
            load_apart<a_type>(a + byte_offset(a_type, l), av);
            for (std::uint32_t r = 0; r < kColumns; ++r) {
                load_codes_apart(rows[r] + offset + byte_offset(b_type, l), bv);
                acc[r].add(av[0], bv[0]);
                acc[r].add(av[1], bv[1]);
            }
        }
    for (; l < elements; l += kStep) {
        const __m256i av = load<a_type>(a + byte_offset(a_type, l));
        for (std::uint32_t r = 0; r < kColumns; ++r)
            acc[r].add(av, load<b_type>(rows[r] + offset + byte_offset(b_type, l)));
    }
    return lane_sums({acc[0].sum, acc[1].sum, acc[2].sum, acc[3].sum});
}

/// Prefetches the bytes of B that four columns of a group will use. Addresses ascend from call to
/// call, so hardware prefetchers follow them. Hardware does not recognise the access pattern of the
/// products themselves.
inline void fetch_ahead(const std::byte* at, std::size_t bytes)
{
    constexpr std::size_t line_bytes = 64;
    for (std::size_t done = 0; done < bytes; done += line_bytes)
        _mm_prefetch(reinterpret_cast<const char*>(at + done), _MM_HINT_T0);
}

template <levee_type a_type, levee_type b_type>
[[gnu::target("avx2")]] void scaled_groups(const GroupedRow& row, float* values)
{
    // Prefetch distance in bytes. A memory access takes about as long as computing the products of
    // this many bytes.
    constexpr std::size_t ahead = 8192;
    const std::size_t a_step = byte_offset(a_type, row.group);
    const std::size_t b_step = byte_offset(b_type, row.group);
    for (std::uint32_t j = 0; j < row.count; j += kColumns) {
        const std::uint32_t here = std::min(kColumns, row.count - j);
        const std::byte* rows[kColumns]; // Beyond the last column: the last column again, whose
                                         // result is dropped.
        const float* scales[kColumns];
        for (std::uint32_t r = 0; r < kColumns; ++r) {
            const std::size_t column = j + std::min(r, here - 1);
            rows[r] = row.b + column * row.b_pitch;
            scales[r] = row.scales + column * row.scale_pitch;
        }
        const std::byte* a = row.a;
        const std::byte* next = rows[0] + ahead;
        __m128 sum = _mm_setzero_ps();
        std::size_t offset = 0, group = 0;
        for (std::uint32_t l = 0; l < row.k; l += row.group, a += a_step, offset += b_step) {
            if (row.is_first) {
                fetch_ahead(next, kColumns * b_step);
                next += kColumns * b_step;
            }
            const __m128 exact = _mm_cvtepi32_ps(
                group_sums<a_type, b_type>(a, rows, offset, std::min(row.group, row.k - l)));
            const __m128 scaled =
                _mm_mul_ps(exact, _mm_setr_ps(scales[0][group], scales[1][group], scales[2][group],
                                              scales[3][group]));
            sum = group++ == 0 ? scaled : _mm_add_ps(sum, scaled);
        }
        float results[kColumns];
        _mm_storeu_ps(results, sum);
        std::copy_n(results, here, values + j);
    }
}

} // namespace levee::rsa::avx2

#endif
