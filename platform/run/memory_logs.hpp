// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/text_file.hpp"
#include "platform/run/observer.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace levee {

/// The logs of memories that a scenario's `observe:` asks for: failed bits and lifetimes of data.
class MemoryLogs final : public RunObserver {
public:
    /// Throws std::runtime_error for a file that cannot be created, config::Error if no memory can
    /// report the requested data.
    explicit MemoryLogs(const RunContext& run);

    /// Each vector of logits ends a pass, and the log of failures counts passes.
    [[nodiscard]] bool wants_logits() const override { return retention_.has_value(); }
    void logits(std::span<const float>) override { ++passes_; }
    void finish() override;
    /// Adds lifetimes of data whose address the program reports as a metric `GROUP.NAME.address`:
    /// `GROUP.NAME.lifetime_ps` for the data last discarded there, and `GROUP.lifetime_ps`, the sum
    /// over the group. Data never discarded add nothing.
    void report(Results& results) override;

private:
    void log_failures(const std::string& memory, Component& source);
    void log_lifetimes(const PlannedComponent& memory, Component& source);

    std::optional<trace::TextFile> retention_, lifetimes_;
    std::map<std::uint64_t, std::uint64_t> last_lifetimes_; ///< ps, by address
    std::uint64_t passes_ = 0;                              ///< number of logits vectors so far
};

} // namespace levee
