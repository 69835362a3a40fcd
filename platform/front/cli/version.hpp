// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee::cli {

/// Lines for --version: of the program, of the formats it reads and writes, of what it was built
/// with, and what plug-ins must be built against.
[[nodiscard]] std::string version_text();

} // namespace levee::cli
