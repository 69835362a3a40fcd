// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::config {

/// The steps or chunks to simulate: either a number of them, spread over the run, or a
/// list.
struct SampleConfig {
    std::uint32_t count = 0;
    std::vector<std::uint32_t> list; ///< ascending; if empty, `count` applies
    Place place;
};

/// `sampling:`, the parts of a run that are simulated.
struct SamplingConfig {
    SampleConfig steps;
    SampleConfig chunks; ///< chunks of one entry's prefill
    /// Minimum number of layers of each kind in a simulated pass; 0: all.
    std::uint32_t layers = 0;
    /// If true, only the last decode step is simulated, with the final number of keys and values.
    /// All decode steps count like this one.
    bool final_length = false;
    Place place;
};

/// Reads `sampling:`. Returns nothing for `sampling: off`.
[[nodiscard]] std::optional<SamplingConfig> read_sampling(const Node& node);

} // namespace levee::config
