// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "platform/observe/bottlenecks/core_watch.hpp"
#include "platform/observe/bottlenecks/resources.hpp"
#include "platform/observe/bottlenecks/time_book.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::bottlenecks {

/// A cause of a block's time.
struct Cause {
    std::string name; ///< Name as in figures: "pace", "memory_dram", "wait_rsa".
    TimeBook::Row row;
};

class BlockWatch;

/// State shared by all watches of a system.
struct Watched {
    TimeBook& book;
    const CoreWatch& core;
    SyncCounters& counters;
    Resources& resources;
    std::vector<BlockWatch*> blocks{};
    unsigned busy = 0;                                ///< number of blocks with work
    std::function<void(Picoseconds)> before_change{}; ///< called before `busy` changes from or to 0
    Picoseconds settled = 0;                          ///< the book has no later time

    /// Time at which an event of `now` counts. A phase or mark begins when the program's bus access
    /// has completed; events until then are postponed to it, so that no time is booked twice.
    [[nodiscard]] Picoseconds at(Picoseconds now) const { return std::max(now, settled); }
    [[nodiscard]] Picoseconds now() const { return at(now_ps()); }
};

/// Follows one block's queue and attributes each moment of the block's time to exactly one cause.
class BlockWatch : public CommandObserver {
public:
    /// `shared` outlives this.
    BlockWatch(std::string name, CommandQueue& queue, Watched& shared);
    BlockWatch(const BlockWatch&) = delete;
    BlockWatch& operator=(const BlockWatch&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    /// The causes: the fixed ones first, then the others in order of first occurrence.
    [[nodiscard]] const std::vector<Cause>& causes() const { return causes_; }

    [[nodiscard]] const Cause& pace() const { return causes_[Pace]; }
    [[nodiscard]] const Cause& load() const { return causes_[Load]; } ///< a kind of pace
    [[nodiscard]] TimeBook::Row macs() const { return macs_; }        ///< multiply-accumulates

    /// Sets the activities that run from `now` on.
    void shared(Picoseconds now, std::span<Activity* const> running);
    /// Books all time until `now`, except waits whose partner is not known yet.
    void settle(Picoseconds now);
    /// Books a wait with unknown partner to the core, when an operation or the run ends.
    void finish(Picoseconds now);

private:
    enum class State {
        Idle, ///< The queue is empty.
        Fetch,
        Counter, ///< waits for a counter to reach a value
        Partner, ///< waits for the block at the other end of a stream port
        Latency, ///< The block waits for the operation's first result.
        Running
    };
    enum Fixed : std::size_t { Pace, Load, Latency, Fetch, Firmware, Idle, fixed };

    void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor,
                 const Activity& activity, bool streams) override;
    void costs(const CommandQueue& queue, const levee_descriptor& descriptor,
               std::span<const FlowUse> uses, std::span<const CountedEvent> work) override;
    void signalled(const CommandQueue& queue, std::uint32_t counter) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;

    void enter(State state, Picoseconds now);
    bool next_counter();
    void counter_written(std::uint32_t counter, Picoseconds now);
    void counter_changed(const BlockWatch& by, std::uint32_t counter, Picoseconds now);
    /// Books a completed wait to `who`, the block that ended it; null: the core.
    void waited_for(const BlockWatch* who) { book(unknown_, who); }
    void book(ByPhase& wait, const BlockWatch* who);
    void begin(const Activity& activity, Picoseconds now);
    [[nodiscard]] const FlowResource* port() const;
    [[nodiscard]] const BlockWatch* upstream_in(const Activity& activity) const;
    void run(Picoseconds now, const Activity& activity);
    [[nodiscard]] bool advances_in(const Activity& activity) const;
    [[nodiscard]] const BlockWatch& pacer_of(const Activity& activity) const;
    [[nodiscard]] TimeBook::Row row_of(const std::string& cause);
    [[nodiscard]] TimeBook::Row row_of(const FlowResource* resource);
    [[nodiscard]] TimeBook::Row refresh_row_of(const FlowResource& resource);

    std::string name_;
    Watched& shared_;
    std::vector<Cause> causes_;
    std::vector<std::pair<const FlowResource*, TimeBook::Row>> resources_; ///< met so far
    /// Blocks and times of waits so far.
    std::vector<std::pair<const BlockWatch*, TimeBook::Row>> partners_;

    State state_ = State::Idle;
    Picoseconds since_ = 0;
    Picoseconds slept_ = 0; ///< time the core slept until since_
    TimeBook::Row running_ = 0;
    const FlowResource* bound_by_ = nullptr;
    TimeBook::Row refresh_ = 0;  ///< row of the refresh, if refresh_share_ is above 0
    double refresh_share_ = 0.0; ///< refresh's share of the running time
    ByPhase unknown_{};          ///< waits whose partner is not known yet
    ByPhase upstream_{};         ///< a producer's wait for the producer that it consumes from
    ByPhase written_{}; ///< A wait that a write has ended. It counts as the block's if its signal
                        ///< follows at once, otherwise as the core's.

    struct Wait {
        std::uint32_t counter, value;
    };
    std::array<Wait, sizeof levee_descriptor::wait_counter> wait_{};
    std::size_t waits_ = 0;              ///< waits still open; the next one is the last
    const Activity* activity_ = nullptr; ///< activity of the operation in execution
    Picoseconds minimum_ = 0;            ///< Minimum of the operation itself, without its
                                         ///< producers.
    bool produces_ = false;              ///< the operation's output goes to a stream port
    const Activity* within_ = nullptr; ///< the activity that the operation advances in, once known
    TimeBook::Row macs_ = 0;
};

} // namespace levee::bottlenecks
