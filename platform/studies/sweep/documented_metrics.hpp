// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace levee::sweep {

/// The names in the table of docs/results.md, as they are written there, such as `<phase>.tokens`
/// or `energy_<list>.*`.
extern const std::span<const std::string_view> documented_metrics;

} // namespace levee::sweep
