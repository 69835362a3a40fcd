// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"
#include "ip/dram/power.hpp"

#include <string>

namespace levee::config {

/// The datasheet for `standard` in a map from families of standards to datasheets. "LPDDR5-6400" is
/// of the family LPDDR5. All of the map is read; `path` is its name in messages. Error at the first
/// key that is wrong, or if the family is not there.
[[nodiscard]] dram::Datasheet read_dram_datasheet(const Node& families, const std::string& path,
                                                  const std::string& standard);

} // namespace levee::config
