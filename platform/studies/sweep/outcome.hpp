// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/figures.hpp"
#include "platform/studies/sweep/forks.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// The record of one run in a study.
struct Outcome {
    std::vector<Cell> cells; ///< Cells by column; empty for a failed run.
    std::vector<std::optional<Interval>>
        intervals;                     ///< Intervals of the cells; empty: the value is exact.
    std::vector<std::string> warnings; ///< warnings of its results
    std::string error;                 ///< Error in one line; empty: success.
};

/// A run's record in the journal, under its key: its metrics and warnings, or its error.
[[nodiscard]] nlohmann::json record_of(const std::string& key, const std::string& point,
                                       const Ended& ended);

/// Whether a line of a journal is a complete record; otherwise it has no outcome.
[[nodiscard]] bool is_record(const nlohmann::json& record);

[[nodiscard]] Outcome outcome_of(const nlohmann::json& record, const std::vector<Column>& columns);

} // namespace levee::sweep
