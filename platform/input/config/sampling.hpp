// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::config {

/// A selection of a run's parts: a number of them, spread over the run, or a list.
struct SampleConfig {
    std::uint32_t count = 0;
    std::vector<std::uint32_t> list; ///< ascending; empty: `count` says
    Place place;
};

/// `sampling:`, the parts of a run that are simulated.
struct SamplingConfig {
    SampleConfig steps;  ///< samples of decoding
    SampleConfig chunks; ///< samples of one entry's prefill
    /// The fewest layers of each kind that a pass goes through; 0: all.
    std::uint32_t layers = 0;
    /// Every step of decoding counts as its last one does: with the final number of keys and
    /// values.
    bool final_length = false;
    Place place;
};

/// Nothing for `sampling: off`.
[[nodiscard]] std::optional<SamplingConfig> read_sampling(const Node& node);

} // namespace levee::config
