// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/input/config/scenario.hpp"

namespace levee::config {

/// Reads `system.core` (core_keys) into `system`: its core and timebase. Throws Error.
void read_core(MapReader reader, SystemConfig& system);

} // namespace levee::config
