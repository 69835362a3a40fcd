// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/differences.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace levee::compare {

/// Text for reading: the answers side by side, explanations of their differences, and the keys that
/// differ.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

/// The complete comparison as `table,name,<run>...,share of <run>...`, one line each.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

/// The content of compare.json (docs/sweeps.md).
[[nodiscard]] nlohmann::ordered_json comparison_data(const Comparison& comparison);

} // namespace levee::compare
