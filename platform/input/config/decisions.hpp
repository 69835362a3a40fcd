// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "core/units/data_mode.hpp"
#include "platform/input/config/compose.hpp"

#include <filesystem>
#include <optional>

namespace levee::config {

/// `decisions:`, the source of the decisions that a functional run derives from data. A timing-only
/// run of a model has exactly one of the two; other runs have none.
struct DecisionsConfig {
    std::optional<std::filesystem::path> recorded;
    std::optional<Node> statistics; ///< Statistics as written; their own reader parses them.
    double expert_skew = 0.0;       ///< Exponent with which statistics draw experts.
    Place place;                    ///< place of the source
};

/// Reads `decisions:` of the scenario's root. A timing-only run with a model (`has_model`) needs
/// it.
[[nodiscard]] DecisionsConfig read_decisions(MapReader& scenario, const FileFinder& finder,
                                             DataMode data, bool has_model);

} // namespace levee::config
