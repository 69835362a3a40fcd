// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/text_file.hpp"
#include "platform/run/observer.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace levee {

/// Writes the logs of memories that a scenario requests in `observe:`: failed bits, and lifetimes
/// of data.
class MemoryLogs final : public RunObserver {
public:
    /// Throws std::runtime_error for a file that cannot be created, and config::Error if no memory
    /// can report the requested data.
    explicit MemoryLogs(const RunContext& run);

    /// Logits are wanted because the log of failures counts passes, and each vector of logits ends
    /// a pass.
    [[nodiscard]] bool wants_logits() const override { return retention_.has_value(); }
    void logits(std::span<const float>) override { ++passes_; }
    void finish() override;
    /// Adds the lifetimes of data whose addresses the program reports as metrics
    /// `GROUP.NAME.address`. `GROUP.NAME.lifetime_ps` is the lifetime of the data discarded last at
    /// this address, and `GROUP.lifetime_ps` is the sum over the group. Data that were never
    /// discarded add nothing.
    void report(Results& results) override;

private:
    void log_failures(const std::string& memory, Component& source);
    void log_lifetimes(const PlannedComponent& memory, Component& source);

    std::optional<trace::TextFile> retention_, lifetimes_;
    std::map<std::uint64_t, std::uint64_t> last_lifetimes_; ///< in ps, for each address
    std::uint64_t passes_ = 0;                              ///< number of vectors of logits so far
};

} // namespace levee
