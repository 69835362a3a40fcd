// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee {

[[nodiscard]] std::string version();

/// Returns the versions of the program and of the formats that it reads and writes, for
/// results.json.
[[nodiscard]] nlohmann::ordered_json versions();

[[nodiscard]] std::string compiler_name();
[[nodiscard]] std::string build_type(); ///< "Release", "Debug", ...

/// Returns the folder of the scenarios that were installed with this program (core/shipped).
[[nodiscard]] std::string scenarios_folder();

/// Returns the path of a shipped scenario that the program itself uses. A file of the same name in
/// the current folder does not replace it.
[[nodiscard]] std::string shipped_scenario(const std::string& name);
[[nodiscard]] std::string firmware_folder();

} // namespace levee
