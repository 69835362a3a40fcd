// SPDX-License-Identifier: Apache-2.0
// AVX2 version of kernels.hpp. Only functions with the attribute target("avx2") use AVX2
// instructions, so a program with this file runs on any x86-64. best_isa() selects the version at
// run time.
//
// All functions use pmaddwd, which gives eight sums of two adjacent 16-bit products. If both
// operands have 16 bits, such a sum overflows in one case: 2 * (-32768)^2 = 2^31 becomes -2^31, a
// value that no other operands give. Subtracting 1 from each sum (modulo 2^32) brings it into
// range; the ones are added again at the end.
#pragma once

#if defined(__x86_64__)
#define LEVEE_RSA_HAS_AVX2 1

#include "core/abi/descriptor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace levee::rsa::avx2 {

inline constexpr std::uint32_t kStep = 16; // Elements of a vector.

constexpr std::size_t byte_offset(levee_type type, std::size_t index)
{
    return type == LEVEE_TYPE_INT16 ? 2 * index : type == LEVEE_TYPE_INT8 ? index : index / 2;
}

// Loads 16 elements, widened to 16 bits.
template <levee_type type>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load(const std::byte* p)
{
    if constexpr (type == LEVEE_TYPE_INT16) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    } else if constexpr (type == LEVEE_TYPE_INT8) {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    } else {
        const __m128i pairs =
            _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        const __m128i even = _mm_srai_epi16(_mm_slli_epi16(pairs, 12), 12);
        const __m128i odd = _mm_srai_epi16(_mm_slli_epi16(pairs, 8), 12);
        return _mm256_set_m128i(_mm_unpackhi_epi16(even, odd), _mm_unpacklo_epi16(even, odd));
    }
}

// Loads 32 elements of a, widened, into two vectors: elements with an even index, and elements with
// an odd index.
template <levee_type type>
[[gnu::target("avx2"), gnu::always_inline]] inline void load_apart(const std::byte* p,
                                                                   __m256i (&apart)[2])
{
    const __m256i first = load<type>(p), second = load<type>(p + byte_offset(type, kStep));
    const __m256i even = _mm256_packs_epi32(_mm256_srai_epi32(_mm256_slli_epi32(first, 16), 16),
                                            _mm256_srai_epi32(_mm256_slli_epi32(second, 16), 16));
    const __m256i odd =
        _mm256_packs_epi32(_mm256_srai_epi32(first, 16), _mm256_srai_epi32(second, 16));
    apart[0] = _mm256_permute4x64_epi64(even, 0xD8); // The pack instruction works on halves of the
                                                     // register.
    apart[1] = _mm256_permute4x64_epi64(odd, 0xD8);
}

// Like load_apart(), for INT4 codes. The low nibble of each byte has an even index, the high nibble
// an odd index.
[[gnu::target("avx2"), gnu::always_inline]] inline void load_codes_apart(const std::byte* p,
                                                                         __m256i (&apart)[2])
{
    const __m256i pairs =
        _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    apart[0] = _mm256_srai_epi16(_mm256_slli_epi16(pairs, 12), 12);
    apart[1] = _mm256_srai_epi16(_mm256_slli_epi16(pairs, 8), 12);
}

// Loads the first count < 16 elements, followed by zeros. Reads no byte after them.
template <levee_type type>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load_part(const std::byte* p,
                                                                     std::uint32_t count)
{
    if (count == 8 && type == LEVEE_TYPE_INT16) // For example, a head with 8 dimensions.
        return _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    if (count == 8 && type == LEVEE_TYPE_INT8)
        return _mm256_zextsi128_si256(
            _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
    std::byte buffer[2 * kStep] = {};
    std::memcpy(buffer, p, byte_offset(type, count + (type == LEVEE_TYPE_INT4 ? 1 : 0)));
    if (type == LEVEE_TYPE_INT4 && count % 2 == 1)
        buffer[count / 2] &= std::byte{0x0F};
    return load<type>(buffer);
}

// Returns, for each of four vectors, the sum of its 32-bit lanes.
[[gnu::target("avx2"), gnu::always_inline]] inline __m128i lane_sums(const __m256i (&v)[4])
{
    const __m256i sums =
        _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
    return _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}

// Sums of pairs of products in the required precision. With `wide`, low and high halves are summed
// separately.
template <bool wide> struct Accumulator;

template <> struct Accumulator<false> {
    // Each step adds at most 2^23 to a lane. The sum of 8 lanes stays below 2^31 for 31 steps; a
    // single lane, for 255 steps.
    static constexpr std::uint32_t max_lane_sum_steps = 31;
    static constexpr std::uint32_t max_steps = 255;
    __m256i sum;
    [[gnu::target("avx2"), gnu::always_inline]] void clear() { sum = _mm256_setzero_si256(); }
    [[gnu::target("avx2"), gnu::always_inline]] void add(__m256i a, __m256i b)
    {
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
    }
};

template <> struct Accumulator<true> {
    // Each step adds less than 2^16 to a lane. The sum of 8 lanes stays below 2^31 for 4095 steps;
    // a single lane, for 32767 steps.
    static constexpr std::uint32_t max_lane_sum_steps = 4095;
    static constexpr std::uint32_t max_steps = 32767;
    __m256i low, high;
    [[gnu::target("avx2"), gnu::always_inline]] void clear()
    {
        low = _mm256_setzero_si256();
        high = _mm256_setzero_si256();
    }
    [[gnu::target("avx2"), gnu::always_inline]] void add(__m256i a, __m256i b)
    {
        const __m256i pairs = _mm256_sub_epi32(_mm256_madd_epi16(a, b), _mm256_set1_epi32(1));
        low = _mm256_add_epi32(low, _mm256_and_si256(pairs, _mm256_set1_epi32(0xFFFF)));
        high = _mm256_add_epi32(high, _mm256_srai_epi32(pairs, 16));
    }
};

// Adds the lane sums of the four accumulators to sums[0..3]. `steps` is the number of additions
// that each accumulator contains.
template <bool wide>
[[gnu::target("avx2"), gnu::always_inline]] inline void
spill_rows(const Accumulator<wide> (&acc)[4], std::uint32_t steps, std::int64_t (&sums)[4])
{
    if constexpr (wide) {
        alignas(16) std::int32_t low[4], high[4];
        const __m256i lows[4] = {acc[0].low, acc[1].low, acc[2].low, acc[3].low};
        const __m256i highs[4] = {acc[0].high, acc[1].high, acc[2].high, acc[3].high};
        _mm_store_si128(reinterpret_cast<__m128i*>(low), lane_sums(lows));
        _mm_store_si128(reinterpret_cast<__m128i*>(high), lane_sums(highs));
        for (int r = 0; r < 4; ++r)
            sums[r] += std::int64_t{high[r]} * 65536 + low[r] + 8 * std::int64_t{steps};
    } else {
        const __m256i lows[4] = {acc[0].sum, acc[1].sum, acc[2].sum, acc[3].sum};
        auto* const to = reinterpret_cast<__m256i*>(sums);
        _mm256_storeu_si256(
            to, _mm256_add_epi64(_mm256_loadu_si256(to), _mm256_cvtepi32_epi64(lane_sums(lows))));
        static_cast<void>(steps);
    }
}

// Adds the last k % 16 elements of four rows. If possible (k >= 16, and for INT4 k is even), the
// last 16 elements are loaded, and elements of a that were already summed are masked out.
template <levee_type a_type, levee_type b_type, bool wide>
[[gnu::target("avx2"), gnu::always_inline]] inline void
add_tail(const std::byte* a, const std::byte* const (&rows)[4], std::uint32_t k,
         Accumulator<wide> (&acc)[4])
{
    const std::uint32_t rest = k % kStep;
    if (k < kStep || (b_type == LEVEE_TYPE_INT4 && k % 2 == 1)) {
        const std::uint32_t first = k - rest;
        const __m256i av = load_part<a_type>(a + byte_offset(a_type, first), rest);
        for (int r = 0; r < 4; ++r)
            acc[r].add(av, load_part<b_type>(rows[r] + byte_offset(b_type, first), rest));
        return;
    }
    const __m256i index = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto done = static_cast<short>(kStep - rest);
    const __m256i fresh =
        _mm256_cmpgt_epi16(index, _mm256_set1_epi16(static_cast<short>(done - 1)));
    const std::uint32_t first = k - kStep;
    const __m256i av = _mm256_and_si256(load<a_type>(a + byte_offset(a_type, first)), fresh);
    for (int r = 0; r < 4; ++r)
        acc[r].add(av, load<b_type>(rows[r] + byte_offset(b_type, first)));
}

template <levee_type a_type, levee_type b_type>
[[gnu::target("avx2")]] void sums_transposed(const std::byte* a, const std::byte* b,
                                             std::size_t b_pitch, std::uint32_t k,
                                             std::uint32_t count, std::int64_t* sums)
{
    constexpr bool wide = a_type == LEVEE_TYPE_INT16 && b_type == LEVEE_TYPE_INT16;
    using Acc = Accumulator<wide>;
    for (std::uint32_t j = 0; j < count; j += 4) {
        const std::uint32_t rows_here = std::min(4u, count - j);
        const std::byte* rows[4]; // Beyond the last row: the last row again, whose sum is ignored.
        for (std::uint32_t r = 0; r < 4; ++r)
            rows[r] = b + (j + std::min(r, rows_here - 1)) * b_pitch;
        if (byte_offset(b_type, k) <
            b_pitch) // A vector covers only part of each row, and later rows follow in memory.
            for (std::uint32_t r = 0; r < 4; ++r)
                _mm_prefetch(reinterpret_cast<const char*>(rows[r] + 4 * b_pitch), _MM_HINT_T0);
        std::int64_t totals[4] = {};
        Acc acc[4];
        std::uint32_t steps_left = k / kStep;
        std::uint32_t l = 0;
        do {
            for (auto& each : acc)
                each.clear();
            // One step remains for the tail.
            const std::uint32_t steps = std::min(steps_left, Acc::max_lane_sum_steps - 1);
            std::uint32_t step = 0;
            if constexpr (b_type == LEVEE_TYPE_INT4)
                for (; step + 2 <= steps; step += 2, l += 2 * kStep) {
                    __m256i av[2], bv[2];
                    load_apart<a_type>(a + byte_offset(a_type, l), av);
                    for (int r = 0; r < 4; ++r) {
                        load_codes_apart(rows[r] + byte_offset(b_type, l), bv);
                        acc[r].add(av[0], bv[0]);
                        acc[r].add(av[1], bv[1]);
                    }
                }
            for (; step < steps; ++step, l += kStep) {
                const __m256i av = load<a_type>(a + byte_offset(a_type, l));
                for (int r = 0; r < 4; ++r)
                    acc[r].add(av, load<b_type>(rows[r] + byte_offset(b_type, l)));
            }
            steps_left -= steps;
            const bool tail = steps_left == 0 && k % kStep != 0;
            if (tail)
                add_tail<a_type, b_type, wide>(a, rows, k, acc);
            spill_rows<wide>(acc, steps + (tail ? 1 : 0), totals);
        } while (steps_left != 0);
        for (std::uint32_t r = 0; r < rows_here; ++r)
            sums[j + r] = totals[r];
    }
}

// Returns elements l and l + 1 of a row, as the two halves of every 32-bit lane. If `pair` is
// false, 0 replaces element l + 1.
template <levee_type type>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i
broadcast_pair(const std::byte* a, std::uint32_t l, bool pair)
{
    std::int16_t values[2] = {0, 0};
    if constexpr (type == LEVEE_TYPE_INT16) {
        std::memcpy(values, a + 2 * std::size_t{l}, pair ? 4 : 2);
    } else {
        values[0] = static_cast<std::int8_t>(a[l]);
        values[1] = pair ? static_cast<std::int8_t>(a[l + 1]) : std::int16_t{0};
    }
    std::int32_t both;
    std::memcpy(&both, values, sizeof both);
    return _mm256_set1_epi32(both);
}

// Adds the lanes of two accumulators to sums[0..15]. Because of the unpacking before pmaddwd, the
// lanes of `first` are columns 0-3 and 8-11, and the lanes of `second` are the other columns.
template <bool wide>
[[gnu::target("avx2"), gnu::always_inline]] inline void
spill_columns(const Accumulator<wide>& first, const Accumulator<wide>& second, std::uint32_t steps,
              std::int64_t (&sums)[kStep])
{
    alignas(32) std::int32_t low[kStep];
    const auto store =
        [](std::int32_t(&to)[kStep], __m256i a, __m256i b) __attribute__((target("avx2")))
    {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm256_permute2x128_si256(a, b, 0x20));
        _mm256_store_si256(reinterpret_cast<__m256i*>(to + 8),
                           _mm256_permute2x128_si256(a, b, 0x31));
    };
    if constexpr (wide) {
        alignas(32) std::int32_t high[kStep];
        store(low, first.low, second.low);
        store(high, first.high, second.high);
        for (std::uint32_t j = 0; j < kStep; ++j)
            sums[j] += std::int64_t{high[j]} * 65536 + low[j] + steps;
    } else {
        store(low, first.sum, second.sum);
        for (std::uint32_t j = 0; j < kStep; ++j)
            sums[j] += low[j];
        static_cast<void>(steps);
    }
}

template <levee_type a_type, levee_type b_type, bool whole>
[[gnu::target("avx2"), gnu::always_inline]] inline void
sums_of_columns(const std::byte* a, const std::byte* b, std::size_t b_pitch, std::uint32_t k,
                std::uint32_t columns, std::int64_t (&sums)[kStep])
{
    constexpr bool wide = a_type == LEVEE_TYPE_INT16 && b_type == LEVEE_TYPE_INT16;
    using Acc = Accumulator<wide>;
    const std::uint32_t steps_total = (k + 1) / 2;
    for (std::uint32_t done = 0; done < steps_total;) {
        Acc first, second;
        first.clear();
        second.clear();
        const std::uint32_t steps = std::min(steps_total - done, Acc::max_steps);
        for (std::uint32_t step = 0; step < steps; ++step, b += 2 * b_pitch) {
            const std::uint32_t l = 2 * (done + step);
            const bool pair = l + 1 < k;
            const __m256i av = broadcast_pair<a_type>(a, l, pair);
            const __m256i even = whole ? load<b_type>(b) : load_part<b_type>(b, columns);
            __m256i odd = _mm256_setzero_si256();
            if (pair)
                odd = whole ? load<b_type>(b + b_pitch) : load_part<b_type>(b + b_pitch, columns);
            first.add(av, _mm256_unpacklo_epi16(even, odd));
            second.add(av, _mm256_unpackhi_epi16(even, odd));
        }
        spill_columns<wide>(first, second, steps, sums);
        done += steps;
    }
}

template <levee_type a_type, levee_type b_type>
[[gnu::target("avx2")]] void sums_plain(const std::byte* a, const std::byte* b, std::size_t b_pitch,
                                        std::uint32_t k, std::uint32_t count, std::int64_t* sums)
{
    for (std::uint32_t j = 0; j < count; j += kStep) {
        const std::byte* columns = b + byte_offset(b_type, j);
        std::int64_t totals[kStep] = {};
        const std::uint32_t here = std::min(kStep, count - j);
        if (here == kStep)
            sums_of_columns<a_type, b_type, true>(a, columns, b_pitch, k, here, totals);
        else
            sums_of_columns<a_type, b_type, false>(a, columns, b_pitch, k, here, totals);
        std::copy_n(totals, here, sums + j);
    }
}

} // namespace levee::rsa::avx2

#endif
