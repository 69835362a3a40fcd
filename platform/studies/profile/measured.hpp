// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/profile/profile.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace levee::profile_export {

/// Points of a profile.
struct Grid {
    std::vector<std::uint32_t> batches;  ///< entries of a step
    std::vector<std::uint32_t> contexts; ///< tokens in the cache before a step
    std::vector<std::uint32_t> chunks;   ///< tokens of a prefill pass
    std::vector<std::uint32_t> before;   ///< tokens in the cache before a prefill pass
};

/// Times of passes, in picoseconds.
struct Measured {
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    std::map<Pair, std::uint64_t> steps;    ///< Steps by entries and context.
    std::map<Pair, std::uint64_t> prefills; ///< Prefill passes by tokens and preceding tokens.
};

/// Runs the scenario timing-only until all points are measured. `full_chunk`: tokens of a prefill
/// pass that is not the last. Throws std::runtime_error with the run's message if a run fails.
[[nodiscard]] Measured measure(const Request& request, const Grid& grid, std::uint32_t full_chunk);

/// Overrides with which the scenario generates `new_tokens` after prompts of `prompt_tokens`.
[[nodiscard]] std::vector<std::string> generating(const Request& request, std::uint32_t batch,
                                                  std::uint32_t prompt_tokens,
                                                  std::uint32_t new_tokens);

} // namespace levee::profile_export
