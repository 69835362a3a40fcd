// SPDX-License-Identifier: Apache-2.0
// Exact integer inner products, the hot loop of the reference. Internal to ip/rsa and its tests.
#pragma once

#include "core/abi/descriptor.h"

#include <cstddef>
#include <cstdint>

namespace levee::rsa {

// Most columns computed per call.
inline constexpr std::uint32_t kMaxColumns = 64;

// sums[j] = sum_l a[l] * b(l, j) for j < count <= kMaxColumns. b points at the first column's row
// (transposed), or at the first column's element of row 0, which starts on a byte (plain).
using SumFunction = void (*)(const std::byte* a, const std::byte* b, std::size_t b_pitch,
                             std::uint32_t k, std::uint32_t count, std::int64_t* sums);

enum class Isa { portable, avx2 };
Isa best_isa();

// The types are among those the array supports (passes() != 0); isa is portable or best_isa().
SumFunction select_sums(Isa isa, levee_type a_type, levee_type b_type, bool transposed);

} // namespace levee::rsa
