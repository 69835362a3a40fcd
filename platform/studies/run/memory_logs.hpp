// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/report/results.hpp"
#include "platform/observe/trace/text_file.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace levee {

/// What a scenario's `observe:` asks of its memories: which bits failed, how long data lived.
class MemoryLogs {
public:
    /// `folder`: for names without one. Throws std::runtime_error for a file that cannot be made,
    /// config::Error where no memory has anything to tell. `plan` outlives this.
    MemoryLogs(const config::Scenario& scenario, const SystemPlan& plan, System& system,
               const std::filesystem::path& folder);

    /// Whether saw_logits() matters.
    [[nodiscard]] bool counts_passes() const { return retention_.has_value(); }
    void saw_logits() { ++passes_; }

    /// The run ended. Throws std::runtime_error if not all could be written.
    void finish();
    /// Where lifetimes are observed and the program has told where something lies, as a figure
    /// `GROUP.NAME.address`: adds `GROUP.NAME.lifetime_ps`, of the data that began there and were
    /// discarded last, and `GROUP.lifetime_ps`, their sum. What was never discarded is not there.
    void add_lifetimes(Results& results) const;

private:
    void log_failures(const std::string& memory, Component& source);
    void log_lifetimes(const PlannedComponent& memory, Component& source);

    std::optional<trace::TextFile> retention_, lifetimes_;
    std::map<std::uint64_t, std::uint64_t> last_lifetimes_; ///< ps, by address
    std::uint64_t passes_ = 0;                              ///< logits vectors so far
};

} // namespace levee
