// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/outcome.hpp"
#include "platform/studies/sweep/plan.hpp"
#include "platform/studies/sweep/study.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// One run of a point: a value for each column, or its error.
struct Row {
    std::size_t point = 0; ///< point of the study
    std::string seed = {}; ///< empty: the scenario's
    std::vector<Cell> cells = {};
    std::string error = {};  ///< Empty: success; otherwise all cells are blank.
    std::string folder = {}; ///< folder of a run whose files are kept
    /// Ranges of the cells that prices leave open; nothing: the cell is exact.
    std::vector<std::optional<Interval>> intervals = {};
};

/// A point over its seeds.
struct PointRow {
    std::size_t point = 0;
    std::size_t runs = 0;
    /// Means; for texts the different ones, joined by " | ". Blank if a run failed or lacks the
    /// figure.
    std::vector<Cell> cells = {};
    std::vector<std::optional<double>> half_widths =
        {}; ///< half widths of the means' 95 % intervals
    /// Means of the runs' intervals; empty: the values are exact.
    std::vector<std::optional<Interval>> intervals = {};
    std::string error = {}; ///< error of the first run that failed
    bool pareto = false;    ///< Whether the point is on the Pareto front of the study's objectives.
};

using FindOutcome = std::function<const Outcome*(const std::string& key)>;

/// A row for each run of the plan.
[[nodiscard]] std::vector<Row> rows_of(const Plan& plan, const Study& study,
                                       const FindOutcome& find);

/// A row for each point. `rows` are in the order of points.
[[nodiscard]] std::vector<PointRow> point_rows(const std::vector<Row>& rows, const Study& study);

} // namespace levee::sweep
