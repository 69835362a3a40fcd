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

/// A run of a point: a value for each column, or an error.
struct Row {
    std::size_t point = 0;
    std::string seed = {}; ///< empty: the scenario's seed
    std::vector<Cell> cells = {};
    std::string error = {};  ///< empty: success; otherwise the cells are empty
    std::string folder = {}; ///< the run's folder, if its files are kept
    /// Ranges of the cells with uncertain prices; nothing for an exact value.
    std::vector<std::optional<Interval>> intervals = {};
};

/// A point, combined over all seeds.
struct PointRow {
    std::size_t point = 0;
    std::size_t runs = 0;
    /// Means of numbers; different texts with " | " between them. Empty if a run failed or lacks
    /// the figure.
    std::vector<Cell> cells = {};
    std::vector<std::optional<double>> half_widths =
        {}; ///< half of each mean's 95 % confidence interval
    /// Mean lower and upper bound of the runs' figures; nothing for exact figures.
    std::vector<std::optional<Interval>> intervals = {};
    std::string error = {}; ///< error of the first failed run
    bool pareto = false;    ///< whether the point is on the Pareto front of the objectives
};

using FindOutcome = std::function<const Outcome*(const std::string& key)>;

/// Returns a row for each run of the plan.
[[nodiscard]] std::vector<Row> rows_of(const Plan& plan, const Study& study,
                                       const FindOutcome& find);

/// Returns a row for each point. `rows` must be in the order of points.
[[nodiscard]] std::vector<PointRow> point_rows(const std::vector<Row>& rows, const Study& study);

} // namespace levee::sweep
