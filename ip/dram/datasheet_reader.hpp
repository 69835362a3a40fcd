// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"
#include "ip/dram/power.hpp"

#include <string>

namespace levee::config {

/// Reads the datasheet for `standard` from a map from families of standards to datasheets.
/// "LPDDR5-6400" belongs to the family LPDDR5. Reads the whole map; `path` is the map's name in
/// messages. Throws Error at the first wrong key, or if the family is missing.
[[nodiscard]] dram::Datasheet read_dram_datasheet(const Node& families, const std::string& path,
                                                  const std::string& standard);

} // namespace levee::config
