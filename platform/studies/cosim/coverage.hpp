// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/recording.hpp"
#include "core/rtl/build/tools.hpp"

#include <filesystem>
#include <string>

namespace levee::cosim {

/// Writes a run's structural coverage of the recorded design to `folder`/`run`.dat. It also adds up
/// all runs in the folder, in coverage.info and, if genhtml exists, in html/. Prints how many
/// blocks of statements and how many toggles were covered. Throws std::runtime_error if a file
/// cannot be written.
void write_coverage(const own_rtl::Recording& recording, const own_rtl::Tools& tools,
                    const std::filesystem::path& folder, const std::string& run);

} // namespace levee::cosim
