// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace levee::sweep {

/// Names in the table of docs/results.md as written: `<phase>.tokens`, `energy_<list>.*`.
extern const std::span<const std::string_view> documented_metrics;

} // namespace levee::sweep
