// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "platform/observe/debug/sleeping_copy.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::debug {

/// A position in a run at which the core can stop: while it sleeps, or between two instructions.
/// Each cycle has at most one position.
struct Position {
    std::uint64_t cycle = 0;
    Picoseconds ps = 0;
    std::uint64_t instructions = 0;
};

struct Checkpoint {
    unsigned id = 0; ///< counts from 1
    Position at;
    bool kept = false; ///< Kept if possible: requested by the user, or made after a change of the
                       ///< system.
    OwnedFd wake;
};

/// The checkpoints of a run, in order of time. If there are more than `most`, add() drops one
/// that need not be kept. If only the first and the last could be dropped, add() drops the
/// first.
class CheckpointList {
public:
    static constexpr std::size_t most = 24;

    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] const std::vector<Checkpoint>& all() const { return all_; }
    [[nodiscard]] const Checkpoint* find(std::uint64_t id) const;
    /// Returns the last checkpoint before a cycle; null if there is none. at_or_before() also
    /// considers a checkpoint at the cycle itself.
    [[nodiscard]] const Checkpoint* before(std::uint64_t cycle) const;
    [[nodiscard]] const Checkpoint* at_or_before(std::uint64_t cycle) const;

    /// Returns whether a checkpoint at this cycle is worth its cost, since copying the process may
    /// take longer than simulating a short interval. Two checkpoints must be at least 1/`closest`
    /// of the run's present length apart.
    [[nodiscard]] bool is_worth(std::uint64_t cycle) const;
    static constexpr std::uint64_t closest = 256;
    /// Inserts a checkpoint in order of time, and drops one if there are too many.
    void add(const Position& at, bool kept, OwnedFd wake);
    void remove(unsigned id);
    /// Drops the checkpoints after a cycle, since the run continues differently from there.
    void drop_behind(std::uint64_t cycle);

    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::json json() const;
    [[nodiscard]] std::vector<int> fds() const;
    /// Adopts another process's list, given as its json() and fds().
    void adopt(const nlohmann::json& json, std::vector<OwnedFd> fds);
    /// Drops all entries without closing their descriptors. Called in a copy of the process that
    /// has already closed them.
    void forget();

private:
    void thin();

    std::vector<Checkpoint> all_;
    unsigned next_id_ = 1;
};

} // namespace levee::debug
