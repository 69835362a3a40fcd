// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_queue.hpp"
#include "platform/observe/bounds/core_watch.hpp"
#include "platform/observe/bounds/resources.hpp"
#include "platform/observe/bounds/time_book.hpp"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::bounds {

/// Why a block's time passes.
struct Cause {
    std::string name; ///< as in figures: "pace", "memory_dram", "wait_rsa"
    TimeBook::Row row;
};

class BlockWatch;

/// What the watches of a system share.
struct Watched {
    TimeBook& book;
    const CoreWatch& core;
    const SyncCounters& counters;
    Resources& resources;
    std::vector<BlockWatch*> blocks;
    unsigned busy = 0;                              ///< blocks that have something to do
    std::function<void(Picoseconds)> before_change; ///< of `busy` from or to 0
};

/// Follows one block's queue: at any time there is one cause why the block's time passes.
class BlockWatch : public CommandObserver {
public:
    /// `shared` outlives this.
    BlockWatch(std::string name, CommandQueue& queue, Watched& shared);
    BlockWatch(const BlockWatch&) = delete;
    BlockWatch& operator=(const BlockWatch&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    /// In the order in which they occurred first, but the fixed ones before.
    [[nodiscard]] const std::vector<Cause>& causes() const { return causes_; }

    [[nodiscard]] const Cause& pace() const { return causes_[Pace]; }
    [[nodiscard]] TimeBook::Row macs() const { return macs_; } ///< multiply-accumulates

    /// The activities that run from `now` on.
    void shared(Picoseconds now, std::span<Activity* const> running);
    /// Books all time until `now`, but what it is not known yet who was waited for.
    void settle(Picoseconds now);
    /// Nothing more will be known.
    void finish(Picoseconds now);

private:
    enum class State {
        Idle, ///< its queue is empty
        Fetch,
        Counter, ///< waits for one to reach a value
        Partner, ///< waits for the block at the other end of a stream port
        Latency, ///< before its first result
        Running
    };
    enum Fixed : std::size_t { Pace, Latency, Fetch, Firmware, Idle, fixed };

    void submitted(const CommandQueue&, std::uint64_t, std::uint32_t) override {}
    void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor,
                 const Activity& activity, bool streams) override;
    void costs(const CommandQueue& queue, const levee_descriptor& descriptor,
               std::span<const FlowUse> uses, std::span<const CountedEvent> work) override;
    void signalled(const CommandQueue& queue, std::uint32_t counter) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;
    void emptied(const CommandQueue&) override {}

    void enter(State state, Picoseconds now);
    bool next_counter();
    void counter_changed(const BlockWatch& by, std::uint32_t counter, Picoseconds now);
    /// What is waited for has come: `who` was it; null: the core.
    void waited_for(const BlockWatch* who);
    void begin(const Activity& activity, Picoseconds now);
    [[nodiscard]] const FlowResource* port() const;
    void run(Picoseconds now, const FlowResource* bound_by);
    [[nodiscard]] TimeBook::Row row_of(const std::string& cause);
    [[nodiscard]] TimeBook::Row row_of(const FlowResource* resource);

    std::string name_;
    Watched& shared_;
    std::vector<Cause> causes_;
    std::vector<std::pair<const FlowResource*, TimeBook::Row>> resources_; ///< known so far
    std::vector<std::pair<const BlockWatch*, TimeBook::Row>> partners_;    ///< waited for so far

    State state_ = State::Idle;
    Picoseconds since_ = 0;
    Picoseconds slept_ = 0; ///< by the core until since_
    TimeBook::Row running_ = 0;
    const FlowResource* bound_by_ = nullptr;
    ByPhase unknown_{}; ///< waited for someone not known yet

    struct Wait {
        std::uint32_t counter, value;
    };
    std::array<Wait, sizeof levee_descriptor::wait_counter> wait_{};
    std::size_t waits_ = 0;              ///< that are left of them, the next one last
    const Activity* activity_ = nullptr; ///< of what is being executed
    bool produces_ = false;              ///< it goes into a stream port
    const Activity* within_ = nullptr;   ///< in which it advances, once that is known
    TimeBook::Row macs_ = 0;
};

} // namespace levee::bounds
