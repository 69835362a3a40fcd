// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee {

/// Returns indented JSON text. A number has the shortest form that reads back as the same value. A
/// list of numbers takes one line. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

} // namespace levee
