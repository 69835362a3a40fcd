// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/input/config/scenario.hpp"

namespace levee::config {

/// Reads `system.core` (core_keys), and sets the core and the timebase in `system`. Throws Error.
void read_core(MapReader reader, SystemConfig& system);

} // namespace levee::config
