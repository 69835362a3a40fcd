// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace levee::own_rtl {

/// What modules (module.hpp) may be made from, of the tree in `sources`, sorted: more than any one
/// is.
[[nodiscard]] std::vector<std::filesystem::path>
module_sources(const std::filesystem::path& sources);

} // namespace levee::own_rtl
