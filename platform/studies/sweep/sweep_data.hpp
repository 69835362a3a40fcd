// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/rows.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace levee::sweep {

/// Returns the contents of sweep.json (docs/sweeps.md): axes, columns, objectives, and points with
/// their values, figures, ranges and errors.
[[nodiscard]] nlohmann::ordered_json sweep_data(const Study& study, const std::vector<Row>& rows,
                                                const std::vector<PointRow>& points,
                                                const std::vector<std::string>& warnings);

} // namespace levee::sweep
