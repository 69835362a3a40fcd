// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "core/units/data_mode.hpp"
#include "platform/input/config/compose.hpp"

#include <filesystem>
#include <optional>

namespace levee::config {

/// `decisions:`, the source of decisions in a timing-only run. A functional run derives decisions
/// from data. A timing-only run of a model has exactly one of the two sources below. Other runs
/// have none.
struct DecisionsConfig {
    std::optional<std::filesystem::path> recorded;
    std::optional<Node> statistics; ///< as written; the statistics' own reader checks it later
    double expert_skew = 0.0;       ///< exponent of the distribution by which experts are drawn
    Place place;
};

/// Reads `decisions:` of a scenario. A timing-only run with a model (`has_model`) must have it.
[[nodiscard]] DecisionsConfig read_decisions(MapReader& scenario, const FileFinder& finder,
                                             DataMode data, bool has_model);

} // namespace levee::config
