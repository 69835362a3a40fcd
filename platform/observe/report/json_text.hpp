// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee {

/// JSON text, indented; numbers in their shortest form that reads back the same, lists of numbers
/// on one line. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

} // namespace levee
