// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"

#include <string>

namespace levee::config {

/// Reads `system.core` into `system`: its core and timebase. Throws Error.
void read_core(const Node& node, const std::string& path, SystemConfig& system);

} // namespace levee::config
