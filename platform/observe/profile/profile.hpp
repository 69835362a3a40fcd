// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clock.hpp"
#include "platform/observe/profile/block_profile.hpp"
#include "platform/observe/profile/call_profile.hpp"

#include <map>
#include <string>

namespace levee::profile {

/// The profile of a run: the core's calls, the blocks' times and how they go together.
class Profile {
public:
    /// All outlive the profile. `resource_names`: what to call resources whose own name says
    /// little.
    Profile(const riscv::Hart& hart, const riscv::Clock& clock, const trace::Symbols& symbols,
            const std::vector<BlockProfile::Watched>& blocks,
            std::map<std::string, std::string> resource_names);

    [[nodiscard]] riscv::Observer& core_observer() { return tracker_; }
    [[nodiscard]] BlockProfile& blocks() { return blocks_; }

    /// The run ended: at this cycle for the core, and at `now` for all.
    void finish(std::uint64_t cycle, Picoseconds now);

    /// For people: a screen of tables with the functions and callers that matter.
    [[nodiscard]] std::string text() const;
    /// For flame graphs; see CallProfile::folded.
    [[nodiscard]] std::string folded() const { return calls_.folded(); }

private:
    const riscv::Clock& clock_;
    std::map<std::string, std::string> resource_names_;
    CallProfile calls_;
    trace::CallTracker tracker_;
    BlockProfile blocks_;
    Picoseconds end_ = UINT64_MAX;
};

/// Shares of a whole in tenths of a per cent that add up to 1000 (or are all 0): rounded down, and
/// what is missing given to the largest remainders, ties to the first.
[[nodiscard]] std::vector<unsigned> shares(const std::vector<std::uint64_t>& parts);

/// The tables; `run` in picoseconds, cycles of a core of which `asleep` were spent in wfi.
[[nodiscard]] std::string calls_text(const CallProfile& calls, const std::string& asleep);
[[nodiscard]] std::string blocks_text(const std::vector<BlockTimes>& blocks, Picoseconds run,
                                      const std::map<std::string, std::string>& resource_names);

} // namespace levee::profile
