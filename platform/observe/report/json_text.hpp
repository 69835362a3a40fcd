// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee {

/// Indented JSON text. Numbers have the shortest form that reads back equal, lists of numbers take
/// one line, and invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

} // namespace levee
