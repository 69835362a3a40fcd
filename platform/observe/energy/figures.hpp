// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/bill.hpp"
#include "platform/observe/report/results.hpp"

#include <string>

namespace levee::energy {

/// Adds a bill's figures under `prefix`, and those derived from them and from the times and tokens
/// in `results`.
void add_figures(const Bill& bill, const std::string& prefix, Results& results);

/// For each figure with uncertain prices, adds the bounds `<figure>.low` and `<figure>.high`. The
/// bills have the same counts, priced at the lower and at the upper bound of each price.
void add_intervals(const Bill& low, const Bill& high, const std::string& prefix, Results& results);

/// The interval of their totals, as a line under the table.
[[nodiscard]] std::string interval_text(const Bill& low, const Bill& high);

/// Text of a bill by component and phase. `title` is the list's name.
[[nodiscard]] std::string table(const Bill& bill, const std::string& title, const Results& results);

} // namespace levee::energy
