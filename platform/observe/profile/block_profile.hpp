// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/flow/flow_observer.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace levee::profile {

enum class State {
    Busy,       ///< executes at its own pace, or waits for the first result
    Memory,     ///< executes, limited by a memory, link or stream port
    Dependency, ///< a descriptor waits for a counter or for the other end of a stream port
    Fetch,
    Idle
};
constexpr std::size_t states = 5;

/// One block's time in a run, by state.
struct BlockTimes {
    std::string name;
    std::uint64_t operations = 0;
    std::array<Picoseconds, states> in{};             ///< time in each State; the sum is the whole
                                                      ///< run
    std::map<std::string, Picoseconds> bound_by;      ///< the time in State::Memory, by resource
    std::map<std::string, Picoseconds> idle_while_in; ///< the time in State::Idle, by the function
                                                      ///< in which the core was then
};

class BlockProfile : public CommandObserver, public FlowObserver {
public:
    struct Watched {
        std::string name;
        const CommandQueue* queue;
    };
    explicit BlockProfile(const std::vector<Watched>& blocks);

    /// Records that the core was in `function` during [from, to). Calls must be in order of time,
    /// and must come after all other events before `to`.
    void core_was_in(const std::string& function, Picoseconds from, Picoseconds to);
    /// Ends the run. The last call of core_was_in() must come before it.
    void finish(Picoseconds now);
    [[nodiscard]] std::vector<BlockTimes> times() const;

    void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor,
                 const Activity& activity, bool streams) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;
    void shared(Picoseconds now, std::span<Activity* const> running) override;

private:
    struct Block {
        const CommandQueue* queue;
        BlockTimes times;
        State state = State::Idle;
        Picoseconds since = 0;
        const FlowResource* bound_by = nullptr;
        const Activity* activity = nullptr;
        bool streams = false; // executes as a part of its consumer's activity
        std::vector<std::pair<Picoseconds, Picoseconds>> idle; // idle times that have ended and are
                                                               // not yet attributed to functions
        std::vector<Picoseconds> idle_in;
    };

    Block& block(const CommandQueue& queue);
    static void change(Block& block, State state, const FlowResource* bound_by, Picoseconds now);
    static const Activity* running_for(const Block& block, std::span<Activity* const> running);

    std::size_t number_of(const std::string& function);

    std::vector<Block> blocks_;
    std::vector<std::string> functions_;
    std::map<std::string, std::size_t> numbers_;
    std::unordered_map<const std::string*, std::size_t> known_; // indices of names seen before, by
                                                                // the string's address
};

} // namespace levee::profile
