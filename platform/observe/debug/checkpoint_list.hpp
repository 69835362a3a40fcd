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

/// A position in a run at which the core can stop: between two instructions, at most one for each
/// cycle, or asleep.
struct Position {
    std::uint64_t cycle = 0;
    Picoseconds ps = 0;
    std::uint64_t instructions = 0;
};

struct Checkpoint {
    unsigned id = 0; ///< counts from 1
    Position at;
    bool kept = false; ///< Requested by the user, or made after a change; others are dropped first.
    OwnedFd wake;
};

/// The checkpoints of a run, in order of time. Older checkpoints made at intervals are thinned out,
/// so that their number is bounded.
class CheckpointList {
public:
    static constexpr std::size_t most = 24;

    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] const std::vector<Checkpoint>& all() const { return all_; }
    [[nodiscard]] unsigned next_id() const { return next_id_; }
    [[nodiscard]] const Checkpoint* find(std::uint64_t id) const;
    /// Last checkpoint before (or at) a cycle; null: none.
    [[nodiscard]] const Checkpoint* before(std::uint64_t cycle) const;
    [[nodiscard]] const Checkpoint* at_or_before(std::uint64_t cycle) const;

    /// Whether a periodic checkpoint is worth its cost at this cycle. Copying the process may take
    /// as long as many intervals, so checkpoints are at least 1/`closest` of the run apart.
    [[nodiscard]] bool is_worth(std::uint64_t cycle) const;
    static constexpr std::uint64_t closest = 256;
    /// Adds a checkpoint at its place, and drops another if there are too many.
    void add(const Position& at, bool kept, OwnedFd wake);
    void remove(unsigned id);
    /// Drops checkpoints after a cycle, since the run has taken another course.
    void drop_behind(std::uint64_t cycle);

    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::json json() const;
    [[nodiscard]] std::vector<int> fds() const;
    /// Takes over the list of another process, from its json() and fds().
    void adopt(const nlohmann::json& json, std::vector<OwnedFd> fds);
    /// The files are closed already, by the copying of the process.
    void forget();

private:
    void thin();

    std::vector<Checkpoint> all_;
    unsigned next_id_ = 1;
};

} // namespace levee::debug
