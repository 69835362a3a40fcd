// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace levee::own_rtl {

/// All source files in `sources` that any module (module.hpp) may be built from, sorted.
[[nodiscard]] std::vector<std::filesystem::path>
module_sources(const std::filesystem::path& sources);

} // namespace levee::own_rtl
