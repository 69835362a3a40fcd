// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/kernels.hpp"

#include "core/numerics/elements.hpp"
#include "ip/rsa/kernels_avx2.hpp"

#include <algorithm>
#include <type_traits>

namespace levee::rsa {
namespace {

// A 16-bit by 16-bit product needs 31 bits, so it is summed in 64; the others are summed in 32 bits
// over as many products of at most 2^22 as fit, then spilled.
template <levee_type a_type, levee_type b_type>
inline constexpr bool wide = (a_type == LEVEE_TYPE_INT16) && (b_type == LEVEE_TYPE_INT16);
constexpr std::uint32_t kNarrowRun = 256;

template <levee_type a_type, levee_type b_type>
void sums_transposed(const std::byte* a, const std::byte* b, std::size_t b_pitch, std::uint32_t k,
                     std::uint32_t count, std::int64_t* sums)
{
    for (std::uint32_t j = 0; j < count; ++j, b += b_pitch) {
        std::int64_t total = 0;
        for (std::uint32_t first = 0; first < k; first += kNarrowRun) {
            const std::uint32_t end = std::min(k, first + kNarrowRun);
            std::conditional_t<wide<a_type, b_type>, std::int64_t, std::int32_t> part = 0;
            for (std::uint32_t l = first; l < end; ++l)
                part += integer_element(a, a_type, l) * integer_element(b, b_type, l);
            total += part;
        }
        sums[j] = total;
    }
}

template <levee_type a_type, levee_type b_type>
void sums_plain(const std::byte* a, const std::byte* b, std::size_t b_pitch, std::uint32_t k,
                std::uint32_t count, std::int64_t* sums)
{
    std::fill_n(sums, count, 0);
    for (std::uint32_t l = 0; l < k; ++l, b += b_pitch) {
        const std::int32_t factor = integer_element(a, a_type, l);
        for (std::uint32_t j = 0; j < count; ++j)
            sums[j] += factor * integer_element(b, b_type, j);
    }
}

template <levee_type a_type, levee_type b_type> SumFunction select_layout(Isa isa, bool transposed)
{
#ifdef LEVEE_RSA_HAS_AVX2
    if (isa == Isa::avx2)
        return transposed ? avx2::sums_transposed<a_type, b_type>
                          : avx2::sums_plain<a_type, b_type>;
#endif
    static_cast<void>(isa);
    return transposed ? sums_transposed<a_type, b_type> : sums_plain<a_type, b_type>;
}

template <levee_type a_type> SumFunction select_b(Isa isa, levee_type b_type, bool transposed)
{
    if (b_type == LEVEE_TYPE_INT3) // elements cross bytes, so all processors use one form
        return transposed ? sums_transposed<a_type, LEVEE_TYPE_INT3>
                          : sums_plain<a_type, LEVEE_TYPE_INT3>;
    if (b_type == LEVEE_TYPE_INT4)
        return select_layout<a_type, LEVEE_TYPE_INT4>(isa, transposed);
    if (b_type == LEVEE_TYPE_INT8)
        return select_layout<a_type, LEVEE_TYPE_INT8>(isa, transposed);
    return select_layout<a_type, LEVEE_TYPE_INT16>(isa, transposed);
}

} // namespace

Isa best_isa()
{
#ifdef LEVEE_RSA_HAS_AVX2
    static const Isa best = __builtin_cpu_supports("avx2") ? Isa::avx2 : Isa::portable;
    return best;
#else
    return Isa::portable;
#endif
}

SumFunction select_sums(Isa isa, levee_type a_type, levee_type b_type, bool transposed)
{
    return a_type == LEVEE_TYPE_INT16 ? select_b<LEVEE_TYPE_INT16>(isa, b_type, transposed)
                                      : select_b<LEVEE_TYPE_INT8>(isa, b_type, transposed);
}

} // namespace levee::rsa
