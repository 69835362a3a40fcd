// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/recording.hpp"
#include "core/rtl/build/tools.hpp"

#include <filesystem>
#include <string>

namespace levee::cosim {

/// Writes the recorded design's structural coverage of a run to `folder`/`run`.dat. Also writes the
/// sum of all runs there to coverage.info, and to html/ if genhtml exists. Prints the covered share
/// of lines and toggles. Throws std::runtime_error if a file cannot be written.
void write_coverage(const own_rtl::Recording& recording, const own_rtl::Tools& tools,
                    const std::filesystem::path& folder, const std::string& run);

} // namespace levee::cosim
