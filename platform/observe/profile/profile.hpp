// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clock.hpp"
#include "platform/observe/profile/block_profile.hpp"
#include "platform/observe/profile/call_profile.hpp"

#include <map>
#include <string>

namespace levee::profile {

/// Profile of a run: the core's calls, the blocks' times, and how these overlap.
class Profile {
public:
    /// All arguments must outlive the profile. `resource_names` maps names of resources to clearer
    /// names.
    Profile(const riscv::Hart& hart, const riscv::Clock& clock, const trace::Symbols& symbols,
            const std::vector<BlockProfile::Watched>& blocks,
            std::map<std::string, std::string> resource_names);

    [[nodiscard]] riscv::Observer& core_observer() { return tracker_; }
    [[nodiscard]] BlockProfile& blocks() { return blocks_; }

    /// Called when the symbols now belong to another program.
    void program_changed() { tracker_.program_changed(); }

    /// Ends the profile at the core's `cycle` and the time `now`.
    void finish(std::uint64_t cycle, Picoseconds now);

    /// Returns tables for one screen of a terminal, with the functions and callers that took the
    /// most time.
    [[nodiscard]] std::string text() const;
    /// Returns folded stacks, the input of flame graphs (CallProfile::folded).
    [[nodiscard]] std::string folded() const { return calls_.folded(); }

private:
    const riscv::Clock& clock_;
    std::map<std::string, std::string> resource_names_;
    CallProfile calls_;
    trace::CallTracker tracker_;
    BlockProfile blocks_;
    Picoseconds end_ = UINT64_MAX;
};

/// Returns each part's share of the sum in tenths of a percent. The shares add up to 1000, unless
/// all parts are 0. Each share is rounded down. Missing tenths then go to the parts with the
/// largest remainders; among equal remainders, to the first.
[[nodiscard]] std::vector<unsigned> shares(const std::vector<std::uint64_t>& parts);

/// Returns the tables as text. `run` is in picoseconds. `asleep` is the function name for sleep in
/// wfi.
[[nodiscard]] std::string calls_text(const CallProfile& calls, const std::string& asleep);
[[nodiscard]] std::string blocks_text(const std::vector<BlockTimes>& blocks, Picoseconds run,
                                      const std::map<std::string, std::string>& resource_names);

} // namespace levee::profile
