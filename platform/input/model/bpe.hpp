// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace levee {

struct Merge {
    std::uint32_t id;
    float score;
};

/// The token that two neighbours make together, if there is one.
using MergeRule = std::function<std::optional<Merge>(std::uint32_t left, std::uint32_t right)>;

/// Merges the best-scored pair of neighbours (the leftmost among equals) until no pair merges, in n
/// log n steps; llama2.c examines every pair each time.
std::vector<std::uint32_t> merge_pairs(const std::vector<std::uint32_t>& ids,
                                       const MergeRule& rule);

} // namespace levee
