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

/// State of a block at a time.
enum class State {
    Busy,       ///< executes at its own pace, or waits for the latency of the first result
    Memory,     ///< executes at the pace of a memory, link or stream port
    Dependency, ///< A descriptor waits for a counter or for the other end of a stream port.
    Fetch,      ///< fetches a descriptor
    Idle        ///< has no descriptor
};
constexpr std::size_t states = 5;

/// Division of one block's time in a run.
struct BlockTimes {
    std::string name;
    std::uint64_t operations = 0;
    std::array<Picoseconds, states> in{};             ///< Times by State; they add up to the whole
                                                      ///< run.
    std::map<std::string, Picoseconds> bound_by;      ///< the part of Memory, by resource
    std::map<std::string, Picoseconds> idle_while_in; ///< the part of Idle, by the core's function
};

/// Observes all blocks of a system.
class BlockProfile : public CommandObserver, public FlowObserver {
public:
    struct Watched {
        std::string name;
        const CommandQueue* queue;
    };
    explicit BlockProfile(const std::vector<Watched>& blocks);

    /// Attributes [from, to), in which the core was in `function`. Calls must be in order, each
    /// after all events before `to`.
    void core_was_in(const std::string& function, Picoseconds from, Picoseconds to);
    /// Ends the run, after the core's last interval has been attributed.
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
        const Activity* activity = nullptr; // Activity of the running operation.
        bool streams = false;               // executes as part of its consumer's activity
        std::vector<std::pair<Picoseconds, Picoseconds>> idle; // finished, not attributed yet
        std::vector<Picoseconds> idle_in;                      // Idle times by number of the core's
                                                               // function.
    };

    Block& block(const CommandQueue& queue);
    static void change(Block& block, State state, const FlowResource* bound_by, Picoseconds now);
    static const Activity* running_for(const Block& block, std::span<Activity* const> running);

    std::size_t number_of(const std::string& function);

    std::vector<Block> blocks_;
    std::vector<std::string> functions_; // Functions by number.
    std::map<std::string, std::size_t> numbers_;
    std::unordered_map<const std::string*, std::size_t> known_; // numbers of strings seen before
};

} // namespace levee::profile
