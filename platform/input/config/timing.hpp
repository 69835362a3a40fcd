// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/input/config/scenario.hpp"

namespace levee::config {

/// Reads `timing:` of a scenario: a word, or a map with causes and components. The components'
/// names are checked later, with the plan. Throws Error.
[[nodiscard]] TimingConfig read_timing(MapReader& scenario);

} // namespace levee::config
