// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/kernels.hpp"

#include "core/numerics/elements.hpp"
#include "ip/rsa/group_kernel_avx2.hpp"

#include <algorithm>
#include <type_traits>

namespace levee::rsa {
namespace {

// Products of two 16-bit elements need 31 bits, so they are summed in 64 bits. Other products are
// at most 2^22: as many as fit are summed in 32 bits, and these sums are added to a 64-bit sum.
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
    if (b_type == LEVEE_TYPE_INT3) // Elements cross byte boundaries, so all processors use the same
                                   // code.
        return transposed ? sums_transposed<a_type, LEVEE_TYPE_INT3>
                          : sums_plain<a_type, LEVEE_TYPE_INT3>;
    if (b_type == LEVEE_TYPE_INT4)
        return select_layout<a_type, LEVEE_TYPE_INT4>(isa, transposed);
    if (b_type == LEVEE_TYPE_INT8)
        return select_layout<a_type, LEVEE_TYPE_INT8>(isa, transposed);
    return select_layout<a_type, LEVEE_TYPE_INT16>(isa, transposed);
}

#ifdef LEVEE_RSA_HAS_AVX2
template <levee_type a_type> GroupFunction select_group_b(levee_type b_type)
{
    return b_type == LEVEE_TYPE_INT8   ? avx2::scaled_groups<a_type, LEVEE_TYPE_INT8>
           : b_type == LEVEE_TYPE_INT4 ? avx2::scaled_groups<a_type, LEVEE_TYPE_INT4>
                                       : nullptr;
}
#endif

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

GroupFunction select_groups([[maybe_unused]] Isa isa, [[maybe_unused]] levee_type a_type,
                            [[maybe_unused]] levee_type b_type, [[maybe_unused]] std::uint32_t k,
                            [[maybe_unused]] std::uint32_t group)
{
#ifdef LEVEE_RSA_HAS_AVX2
    constexpr std::uint32_t longest = avx2::kStep * avx2::Accumulator<false>::max_lane_sum_steps;
    if (isa == Isa::avx2 && k % avx2::kStep == 0 && group % avx2::kStep == 0 && group <= longest)
        return a_type == LEVEE_TYPE_INT16 ? select_group_b<LEVEE_TYPE_INT16>(b_type)
                                          : select_group_b<LEVEE_TYPE_INT8>(b_type);
#endif
    return nullptr;
}

} // namespace levee::rsa
