// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/differences.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace levee::compare {

/// Returns the text for a reader: the main figures side by side, explanations of their differences,
/// and the keys that differ.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

/// Returns the complete comparison, with lines `table,name,<run>...,share of <run>...`.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

[[nodiscard]] nlohmann::ordered_json comparison_data(const Comparison& comparison);

} // namespace levee::compare
