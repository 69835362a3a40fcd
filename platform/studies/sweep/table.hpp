// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/study.hpp"

#include <string>
#include <vector>

namespace levee::sweep {

/// The results of one run of a point: a value for each column.
struct Row {
    std::string point;
    std::string seed; ///< empty: the scenario's
    std::vector<double> values;
};

/// One line a run.
[[nodiscard]] std::string table_csv(const std::vector<Column>& columns,
                                    const std::vector<Row>& rows);

/// One line a point, in order of first appearance, with the means over its seeds.
[[nodiscard]] std::vector<Row> means(const std::vector<Row>& rows);

/// Rows aligned for reading.
[[nodiscard]] std::string table_text(const std::vector<Column>& columns,
                                     const std::vector<Row>& rows);

} // namespace levee::sweep
