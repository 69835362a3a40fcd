// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decision_statistics.hpp"
#include "platform/observe/decisions/fingerprint.hpp"
#include "platform/observe/decisions/kept_tokens.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace levee {

/// Destination or source of a run's decisions.
class RunDecisions {
public:
    /// `record` is a file for the decisions of a functional run. Throws config::Error or
    /// std::runtime_error for a source that does not match this run, or for a file that cannot be
    /// created.
    RunDecisions(const std::optional<std::filesystem::path>& record,
                 const config::Scenario& scenario, const Fingerprint& fingerprint);
    ~RunDecisions();
    RunDecisions(const RunDecisions&) = delete;
    RunDecisions& operator=(const RunDecisions&) = delete;

    /// Follows a functional run's decisions from now on; before for_blocks().
    void follow(const KeptTokens& kept) { kept_ = kept; }
    /// Tokens that it has followed; null: none.
    [[nodiscard]] const KeptTokens* kept() const { return kept_ ? &*kept_ : nullptr; }

    /// Handed to the system's blocks; valid for the lifetime of this object.
    [[nodiscard]] Decisions for_blocks();
    /// Ends the run, successful or not: the recording of a failed run is removed.
    void finish(bool ended_well);

private:
    /// Passes each decision on.
    struct Both : DecisionRecorder {
        DecisionRecorder *first = nullptr, *second = nullptr;
        void decided(const std::string& block, std::uint64_t operation,
                     const Decision& decision) override;
    };

    std::unique_ptr<RecordingWriter> writer_;
    std::unique_ptr<Recording> recording_;
    std::optional<DecisionStatistics> statistics_;
    std::optional<KeptTokens> kept_;
    Both both_;
};

} // namespace levee
