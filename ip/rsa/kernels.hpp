// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"

#include <cstddef>
#include <cstdint>

namespace levee::rsa {

// Maximum number of columns per call of a SumFunction.
inline constexpr std::uint32_t kMaxColumns = 64;

// sums[j] = sum_l a[l] * b(l, j) for j < count <= kMaxColumns. `b` points to the first column's row
// (transposed), or to the first column's element in row 0, which must start at a byte.
using SumFunction = void (*)(const std::byte* a, const std::byte* b, std::size_t b_pitch,
                             std::uint32_t k, std::uint32_t count, std::int64_t* sums);

enum class Isa { portable, avx2 };
Isa best_isa();

// The array must support the types (passes() != 0). `isa` is portable or best_isa().
SumFunction select_sums(Isa isa, levee_type a_type, levee_type b_type, bool transposed);

/// A row of A and `count` columns of a transposed B. B's elements have one scale per group of k.
struct GroupedRow {
    const std::byte* a;
    const std::byte* b; ///< Row of the first column.
    std::size_t b_pitch;
    const float* scales; ///< Scales of the first column.
    std::size_t scale_pitch;
    std::uint32_t k, group, count;
    bool is_first; ///< This is the first row of A for these columns, so their bytes might not be
                   ///< in the core's cache yet.
};
/// values[j] = sum over groups, in ascending order, of float(exact sum of the group) times the
/// group's scale in column j.
using GroupFunction = void (*)(const GroupedRow& row, float* values);

/// Returns null if no GroupFunction exists for these types and lengths; groups are then summed one
/// by one.
GroupFunction select_groups(Isa isa, levee_type a_type, levee_type b_type, std::uint32_t k,
                            std::uint32_t group);

} // namespace levee::rsa
