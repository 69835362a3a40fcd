// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/rows.hpp"

#include <string>
#include <vector>

namespace levee::sweep {

/// Returns a field of a CSV line, in quotes if necessary.
[[nodiscard]] std::string csv_field(const std::string& text);

/// Returns a line for each run: its point, a column for each axis (numbers in SI units, which the
/// heading has in brackets), the seed, a column for each figure, and the error.
[[nodiscard]] std::string table_csv(const Study& study, const std::vector<Row>& rows);

/// Returns a line for each point: the axes as above, the number of runs, for each column of numbers
/// the mean and half of its 95 % interval, and whether the point is on the Pareto front.
[[nodiscard]] std::string points_csv(const Study& study, const std::vector<PointRow>& points);

/// Returns the table of points_csv(), aligned for reading, with the axes' values as they were
/// written.
[[nodiscard]] std::string table_text(const Study& study, const std::vector<PointRow>& points);

} // namespace levee::sweep
