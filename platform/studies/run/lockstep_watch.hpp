// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace levee {

/// Follows the blocks that run RTL, to say at the end of a run what is wrong with them and where it
/// happened.
class LockstepWatch : private CommandObserver {
public:
    /// Both outlive this.
    LockstepWatch(const SystemPlan& plan, System& system);

    /// What a design's difference from its reference was, with the operation in which it happened;
    /// waves go into `folder`. Nothing if there was none.
    [[nodiscard]] std::optional<std::string> difference(const std::filesystem::path& folder) const;
    /// After a program that returned 0: a block in lockstep that compared nothing, or a block with
    /// RTL that has not finished. Nothing if there is none.
    [[nodiscard]] std::optional<std::string> unfinished();
    /// "rtl.cycles" and "lockstep.comparisons" of each.
    void report(const std::function<void(const std::string&, const Stats&)>& visit) const;

private:
    struct Watched {
        const PlannedComponent* plan;
        RtlStatus* rtl;
        // The operation that it was last given.
        std::uint64_t id = 0;
        std::uint64_t fetched_ps = 0;
        levee_descriptor descriptor{};
        bool busy = false;
    };

    [[nodiscard]] static std::string operation_text(const Watched& watched);

    void submitted(const CommandQueue&, std::uint64_t, std::uint32_t) override {}
    void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue&, const levee_descriptor&, const Activity&, bool) override {}
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;
    void emptied(const CommandQueue&) override {}

    std::map<std::string, const CommandQueue*> order_; ///< by name: the same on every host
    std::map<const CommandQueue*, Watched> watched_;
};

} // namespace levee
