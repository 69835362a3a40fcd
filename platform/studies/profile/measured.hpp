// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/profile/profile.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace levee::profile_export {

struct Grid {
    std::vector<std::uint32_t> batches;
    std::vector<std::uint32_t> contexts; ///< tokens in the cache before a step
    std::vector<std::uint32_t> chunks;   ///< tokens of a prefill pass
    std::vector<std::uint32_t> before;   ///< tokens in the cache before a prefill pass
};

/// The measured times of passes, in picoseconds.
struct Measured {
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    std::map<Pair, std::uint64_t> steps;    ///< keyed by number of sequences and context
    std::map<Pair, std::uint64_t> prefills; ///< keyed by tokens in the pass and before it
};

/// Runs the scenario timing-only until all points are measured. `full_chunk` is the number of
/// tokens in a prefill pass that is not the last. If a run fails, throws std::runtime_error with
/// its message.
[[nodiscard]] Measured measure(const Request& request, const Grid& grid, std::uint32_t full_chunk);

/// Returns overrides that make the scenario generate `new_tokens` after prompts of `prompt_tokens`.
[[nodiscard]] std::vector<std::string> generating(const Request& request, std::uint32_t batch,
                                                  std::uint32_t prompt_tokens,
                                                  std::uint32_t new_tokens);

} // namespace levee::profile_export
