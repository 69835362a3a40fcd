// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/figures.hpp"
#include "platform/studies/sweep/forks.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// The recorded result of a run in a study.
struct Outcome {
    std::vector<Cell> cells; ///< for each column; empty for a failed run
    std::vector<std::optional<Interval>>
        intervals; ///< ranges of the cells; nothing for an exact value
    std::vector<std::string> warnings;
    std::string error; ///< one line; empty if the run succeeded
};

/// Returns a run's entry in the journal, under its key. It has the run's metrics and warnings, or
/// its error.
[[nodiscard]] nlohmann::json record_of(const std::string& key, const std::string& point,
                                       const Ended& ended);

/// Returns whether an entry of a journal is a complete record with a result.
[[nodiscard]] bool is_record(const nlohmann::json& record);

[[nodiscard]] Outcome outcome_of(const nlohmann::json& record, const std::vector<Column>& columns);

} // namespace levee::sweep
