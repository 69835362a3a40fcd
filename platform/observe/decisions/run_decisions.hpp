// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decision_statistics.hpp"
#include "platform/observe/decisions/fingerprint.hpp"
#include "platform/observe/decisions/kept_tokens.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace levee {

/// The source of a run's decisions, and their recorder.
class RunDecisions {
public:
    /// `record` is the file for a functional run's decisions. Throws config::Error or
    /// std::runtime_error if recorded decisions do not match this run, or if the file cannot be
    /// created.
    RunDecisions(const std::optional<std::filesystem::path>& record,
                 const config::Scenario& scenario, const Fingerprint& fingerprint);
    ~RunDecisions();
    RunDecisions(const RunDecisions&) = delete;
    RunDecisions& operator=(const RunDecisions&) = delete;

    /// Passes a functional run's decisions also to a copy of `kept`, which kept() returns. Must be
    /// called before for_blocks().
    void follow(const KeptTokens& kept) { kept_ = kept; }
    /// Returns the tokens recorded until now; null without follow().
    [[nodiscard]] const KeptTokens* kept() const { return kept_ ? &*kept_ : nullptr; }

    /// Returns the decisions as the system's blocks use them. The result is valid until this object
    /// is destroyed.
    [[nodiscard]] Decisions for_blocks();
    /// Ends the run. If the run failed, its recording is removed.
    void finish(bool ended_well);

private:
    /// Passes each decision to two recorders.
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
