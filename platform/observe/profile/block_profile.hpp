// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_queue.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace levee::profile {

/// What a block does at a time.
enum class State {
    Busy,       ///< executes at its own pace, or waits for the first result's latency
    Memory,     ///< executes at the pace of a memory, link or stream port
    Dependency, ///< has a descriptor, and waits for a counter or for the block at the other end of
                ///< a stream port
    Fetch,      ///< fetches a descriptor
    Idle        ///< has nothing to do
};
constexpr std::size_t states = 5;

/// How one block spent a run.
struct BlockTimes {
    std::string name;
    std::uint64_t operations = 0;
    std::array<Picoseconds, states> in{};             ///< by State; together the whole run
    std::map<std::string, Picoseconds> bound_by;      ///< of Memory: by resource
    std::map<std::string, Picoseconds> idle_while_in; ///< of Idle: by the core's function
};

/// Follows all blocks of a system.
class BlockProfile : public CommandObserver, public FlowObserver {
public:
    struct Watched {
        std::string name;
        const CommandQueue* queue;
    };
    explicit BlockProfile(const std::vector<Watched>& blocks);

    /// The core was in `function` for [from, to). To be called in order, when all that happens
    /// before `to` has happened.
    void core_was_in(const std::string& function, Picoseconds from, Picoseconds to);
    /// The run ended, and the core's last stretch has been told of.
    void finish(Picoseconds now);
    [[nodiscard]] std::vector<BlockTimes> times() const;

    void submitted(const CommandQueue&, std::uint64_t, std::uint32_t) override {}
    void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor,
                 const Activity& activity, bool streams) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;
    void emptied(const CommandQueue&) override {}
    void shared(Picoseconds now, std::span<Activity* const> running) override;

private:
    struct Block {
        const CommandQueue* queue;
        BlockTimes times;
        State state = State::Idle;
        Picoseconds since = 0;
        const FlowResource* bound_by = nullptr;
        const Activity* activity = nullptr;                    // in execution
        bool streams = false;                                  // as part of its consumer's
        std::vector<std::pair<Picoseconds, Picoseconds>> idle; // over, and not yet attributed
    };

    Block& block(const CommandQueue& queue);
    static void change(Block& block, State state, const FlowResource* bound_by, Picoseconds now);
    static const Activity* running_for(const Block& block, std::span<Activity* const> running);

    std::vector<Block> blocks_;
};

} // namespace levee::profile
