// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clock.hpp"
#include "platform/observe/profile/block_profile.hpp"
#include "platform/observe/profile/call_profile.hpp"

#include <map>
#include <string>

namespace levee::profile {

/// Profile of a run: the core's calls, the blocks' times and how they overlap.
class Profile {
public:
    /// All arguments must outlive the profile. `resource_names` gives clearer names to some
    /// resources.
    Profile(const riscv::Hart& hart, const riscv::Clock& clock, const trace::Symbols& symbols,
            const std::vector<BlockProfile::Watched>& blocks,
            std::map<std::string, std::string> resource_names);

    [[nodiscard]] riscv::Observer& core_observer() { return tracker_; }
    [[nodiscard]] BlockProfile& blocks() { return blocks_; }

    /// From now on the symbols are those of another program.
    void program_changed() { tracker_.program_changed(); }

    /// Ends the run, at this cycle of the core and at `now`.
    void finish(std::uint64_t cycle, Picoseconds now);

    /// Text for a terminal: one screen of tables with the most expensive functions and callers.
    [[nodiscard]] std::string text() const;
    /// Input for flame graphs; see CallProfile::folded.
    [[nodiscard]] std::string folded() const { return calls_.folded(); }

private:
    const riscv::Clock& clock_;
    std::map<std::string, std::string> resource_names_;
    CallProfile calls_;
    trace::CallTracker tracker_;
    BlockProfile blocks_;
    Picoseconds end_ = UINT64_MAX;
};

/// Shares of a whole, in tenths of a percent that add up to 1000 (or are all 0): rounded down, with
/// the missing tenths added at the largest remainders, ties to the first.
[[nodiscard]] std::vector<unsigned> shares(const std::vector<std::uint64_t>& parts);

/// The tables as text. `run` is in picoseconds; `asleep` tells how many of the core's cycles were
/// spent in wfi.
[[nodiscard]] std::string calls_text(const CallProfile& calls, const std::string& asleep);
[[nodiscard]] std::string blocks_text(const std::vector<BlockTimes>& blocks, Picoseconds run,
                                      const std::map<std::string, std::string>& resource_names);

} // namespace levee::profile
