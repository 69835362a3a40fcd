// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/input/config/scenario.hpp"

namespace levee::config {

/// Reads `timing:` of the scenario's root: a word, or a map of causes and of components, whose
/// names are checked with the plan. Throws Error.
[[nodiscard]] TimingConfig read_timing(MapReader& scenario);

} // namespace levee::config
