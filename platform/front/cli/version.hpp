// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee::cli {

/// The text of --version: the program, the formats that it reads and writes, its build, and what
/// plug-ins must match.
[[nodiscard]] std::string version_text();

} // namespace levee::cli
