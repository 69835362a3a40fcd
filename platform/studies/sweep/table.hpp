// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/rows.hpp"

#include <string>
#include <vector>

namespace levee::sweep {

/// A field of a CSV line, in quotes where it needs them.
[[nodiscard]] std::string csv_field(const std::string& text);

/// One line for each run: its point, a column for each axis (numbers in SI units, which the head
/// shows in brackets), the seed, a column for each figure, and the error.
[[nodiscard]] std::string table_csv(const Study& study, const std::vector<Row>& rows);

/// One line a point: axes as above, the number of runs, and for each column of numbers the mean and
/// the half width of its 95 % interval; whether the point is on the Pareto front.
[[nodiscard]] std::string points_csv(const Study& study, const std::vector<PointRow>& points);

/// The same, aligned for reading; values of axes as they were written.
[[nodiscard]] std::string table_text(const Study& study, const std::vector<PointRow>& points);

} // namespace levee::sweep
