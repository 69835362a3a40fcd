// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"
#include "ip/dram/parameters.hpp"

#include <string>

namespace levee::config {

/// Reads a DRAM standard, a map as in scenarios/tech/dram. `path` is the map's name in messages.
/// Throws Error at the first wrong key, or at the map if the values do not fit together.
[[nodiscard]] dram::Parameters read_dram_parameters(const Node& node, const std::string& path);

} // namespace levee::config
