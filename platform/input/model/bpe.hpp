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

/// Returns the token into which two neighbours merge, if they do.
using MergeRule = std::function<std::optional<Merge>(std::uint32_t left, std::uint32_t right)>;

/// Merges the pair of neighbours with the best score until no pair merges. Among equal scores, the
/// leftmost pair is first. This takes n log n steps, unlike llama2.c, which examines every pair
/// before each merge.
std::vector<std::uint32_t> merge_pairs(const std::vector<std::uint32_t>& ids,
                                       const MergeRule& rule);

} // namespace levee
