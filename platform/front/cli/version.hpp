// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee::cli {

/// Lines for --version: the program, the formats that it reads and writes, its build, and the
/// requirements of plug-ins.
[[nodiscard]] std::string version_text();

} // namespace levee::cli
