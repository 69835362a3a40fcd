// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/node.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::config {

/// So many of the parts of a run, spread over it, or these.
struct SampleConfig {
    std::uint32_t count = 0;
    std::vector<std::uint32_t> list; ///< ascending; empty: `count` says
    Place place;
};

/// `sampling:`, which parts of a run are done, to stand for all.
struct SamplingConfig {
    SampleConfig steps;  ///< of decoding
    SampleConfig chunks; ///< of one entry's prefill
    Place place;
};

/// Nothing for `sampling: off`.
[[nodiscard]] std::optional<SamplingConfig> read_sampling(const Node& node);

} // namespace levee::config
