// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/run_decisions.hpp"

#include "platform/observe/decisions/statistics.hpp"

namespace levee {

namespace {

/// Returns the kind of statistics that a scenario's KV-cache policy needs.
std::string kind_of(const config::KvCacheConfig& policy)
{
    return statistics_kind(config::kv_rule(policy.boot.kv.kind),
                           config::kv_word(LEVEE_KV_KEY_SCORE, policy.boot.kv.score),
                           config::kv_word(LEVEE_KV_KEY_DRAW, policy.boot.random.draw));
}

} // namespace

RunDecisions::RunDecisions(const std::optional<std::filesystem::path>& record,
                           const config::Scenario& scenario, const Fingerprint& fingerprint)
{
    const config::DecisionsConfig& config = scenario.decisions;
    if (record && scenario.system.data == DataMode::TimingOnly)
        throw std::runtime_error(
            "--record-decisions: a timing-only run makes no decisions; expected "
            "'data: functional'");
    if (record)
        writer_ = std::make_unique<RecordingWriter>(*record, fingerprint);
    if (config.recorded) {
        try {
            recording_ = std::make_unique<Recording>(*config.recorded);
            recording_->check(fingerprint);
        } catch (const std::runtime_error& error) {
            throw config::Error(config.place, error.what());
        }
    }
    const bool measured =
        !config::keeps_all(scenario.kv_cache.boot.kv.kind) &&   // the policy evicts tokens
        !config::kv_rule(scenario.kv_cache.boot.kv.kind).votes; // and there are statistics for it
    if (config.statistics && !measured) {
        check_statistics(*config.statistics);
        statistics_.emplace();
    }
    if (config.statistics && measured)
        statistics_ = read_statistics(*config.statistics, kind_of(scenario.kv_cache),
                                      scenario.kv_cache.boot.kv.budget);
    if (!statistics_)
        return;
    statistics_->expert_skew = config.expert_skew;
    statistics_->seed = static_cast<std::uint32_t>(scenario.seed ^ scenario.seed >> 32);
}

RunDecisions::~RunDecisions()
{
    finish(false);
}

void RunDecisions::Both::decided(const std::string& block, std::uint64_t operation,
                                 const Decision& decision)
{
    first->decided(block, operation, decision);
    second->decided(block, operation, decision);
}

Decisions RunDecisions::for_blocks()
{
    DecisionRecorder* recorder = writer_.get();
    if (kept_ && recorder != nullptr) {
        both_.first = recorder;
        both_.second = &*kept_;
        recorder = &both_;
    } else if (kept_) {
        recorder = &*kept_;
    }
    return {recorder, recording_.get(), statistics_ ? &*statistics_ : nullptr};
}

void RunDecisions::finish(bool ended_well)
{
    if (writer_ && ended_well)
        writer_->close();
    writer_.reset();
}

} // namespace levee
