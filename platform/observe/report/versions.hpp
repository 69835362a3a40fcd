// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee {

[[nodiscard]] std::string version(); ///< version of the program

/// Versions, for results.json, of the program and of the formats it reads and writes.
[[nodiscard]] nlohmann::ordered_json versions();

[[nodiscard]] std::string compiler_name(); ///< the compiler of this program
[[nodiscard]] std::string build_type();    ///< "Release", "Debug", ...

/// The folder of the scenarios that belong to this program (core/shipped).
[[nodiscard]] std::string scenarios_folder();
[[nodiscard]] std::string firmware_folder();

} // namespace levee
