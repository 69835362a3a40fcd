// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee {

/// "levee 0.1.0", for --version.
[[nodiscard]] std::string version_text();

/// The program's version and those of the formats it reads and writes, for results.json.
[[nodiscard]] nlohmann::ordered_json versions();

[[nodiscard]] std::string compiler_name(); ///< of this program
[[nodiscard]] std::string build_type();    ///< "Release", "Debug", ...

/// Folders of the tree this program lies in, built or installed, wherever that has been moved to;
/// if it lies in neither, of the tree it was built in.
[[nodiscard]] std::string scenarios_folder();
[[nodiscard]] std::string firmware_folder();

} // namespace levee
