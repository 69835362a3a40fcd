// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee::cli {

/// Returns the text of --version: the program, its file formats, its build, and the versions that
/// plug-ins must match.
[[nodiscard]] std::string version_text();

} // namespace levee::cli
