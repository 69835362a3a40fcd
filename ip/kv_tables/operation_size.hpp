// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operands.hpp"

#include <cstdint>

namespace levee::kv_tables {

struct OperationSize {
    std::uint64_t steps = 0;  ///< Steps by the rule of timing.hpp.
    std::uint64_t scores = 0; ///< Scores added.
    std::uint64_t evicted = 0;
    std::uint64_t compared = 0;           ///< Tokens that searches and selections examine.
    std::uint64_t positions_compared = 0; ///< Comparisons that include positions.
};

/// Computes the sizes, which depend only on lengths. `chain` is the number of tokens whose
/// importance ACCUMULATE updates in parallel. Throws CommandFault if SELECT protects more tokens
/// than it may keep.
[[nodiscard]] OperationSize size_of(const Operands& operands, std::uint32_t chain, Ties ties);

} // namespace levee::kv_tables
