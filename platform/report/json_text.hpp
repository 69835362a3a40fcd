#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace levee {

/// JSON text, indented; numbers in their shortest form that reads back the same, lists of numbers on
/// one line. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

} // namespace levee
