// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operands.hpp"

#include <cstdint>

namespace levee::kv_tables {

struct OperationSize {
    std::uint64_t steps = 0;  ///< timing.hpp
    std::uint64_t scores = 0; ///< added
    std::uint64_t evicted = 0;
    std::uint64_t compared = 0;           ///< tokens examined by searches and selections
    std::uint64_t positions_compared = 0; ///< Comparisons that include positions.
};

/// Follows from lengths alone. `chain`: tokens whose importance is added to at the same time by
/// ACCUMULATE. Throws CommandFault if SELECT protects more tokens than it may keep.
[[nodiscard]] OperationSize size_of(const Operands& operands, std::uint32_t chain, Ties ties);

} // namespace levee::kv_tables
