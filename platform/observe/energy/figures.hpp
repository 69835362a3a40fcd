// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/bill.hpp"
#include "platform/observe/report/results.hpp"

#include <string>

namespace levee::energy {

/// Adds a bill's figures under `prefix`. Some figures also use the times and tokens in
/// `results`.
void add_figures(const Bill& bill, const std::string& prefix, Results& results);

/// Adds the bounds `<figure>.low` and `<figure>.high` for each figure that depends on uncertain
/// prices. Both bills have the same counts. `low` has the lower bounds of prices, and `high` the
/// upper bounds.
void add_intervals(const Bill& low, const Bill& high, const std::string& prefix, Results& results);

/// Returns the range between the two bills' totals, as a line for the terminal.
[[nodiscard]] std::string interval_text(const Bill& low, const Bill& high);

/// Returns a bill as a table by component and phase. `title` is the price list's name.
[[nodiscard]] std::string table(const Bill& bill, const std::string& title, const Results& results);

} // namespace levee::energy
