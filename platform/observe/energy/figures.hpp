// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/bill.hpp"
#include "platform/observe/report/results.hpp"

#include <string>

namespace levee::energy {

/// Adds a bill's figures under `prefix`, and those derived from them and from the times and tokens
/// in `results`.
void add_figures(const Bill& bill, const std::string& prefix, Results& results);

/// Text of a bill by component and phase. `title` is the list's name.
[[nodiscard]] std::string table(const Bill& bill, const std::string& title, const Results& results);

} // namespace levee::energy
