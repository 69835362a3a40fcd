// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/decision_statistics.hpp"
#include "platform/observe/decisions/fingerprint.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace levee {

/// Where a run's decisions go, or come from.
class RunDecisions {
public:
    /// `record`: a file for the decisions of a functional run. Throws config::Error or
    /// std::runtime_error for a source that is not of this run, or a file that cannot be made.
    RunDecisions(const std::optional<std::filesystem::path>& record,
                 const config::Scenario& scenario, const Fingerprint& fingerprint);
    ~RunDecisions();
    RunDecisions(const RunDecisions&) = delete;
    RunDecisions& operator=(const RunDecisions&) = delete;

    /// For the system's blocks; valid as long as this object.
    [[nodiscard]] Decisions for_blocks() const;
    /// The run has ended, well or not: what a failed one has recorded is removed.
    void finish(bool ended_well);

private:
    std::unique_ptr<RecordingWriter> writer_;
    std::unique_ptr<Recording> recording_;
    std::optional<DecisionStatistics> statistics_;
};

} // namespace levee
