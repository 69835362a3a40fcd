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

/// A cause of a block's time, such as waiting for memory.
struct Cause {
    std::string name; ///< Name in results, such as "pace", "memory_dram" or "wait_rsa".
    TimeBook::Row row;
};

class BlockWatch;

struct Watched {
    TimeBook& book;
    const CoreWatch& core;
    SyncCounters& counters;
    Resources& resources;
    std::vector<BlockWatch*> blocks{};
    unsigned busy = 0;                                ///< number of blocks that have a descriptor
    std::function<void(Picoseconds)> before_change{}; ///< called before `busy` changes from or to 0
    Picoseconds settled = 0;                          ///< time until which the book has all time

    /// Returns the time to which an event at `now` is attributed. A phase or mark begins when the
    /// program's bus access completes, which may be later than `now`. Earlier events are then
    /// attributed to the later time, so that no time is counted twice.
    [[nodiscard]] Picoseconds at(Picoseconds now) const { return std::max(now, settled); }
    [[nodiscard]] Picoseconds now() const { return at(now_ps()); }
};

/// Observes one block's queue and attributes every moment of the block's time to exactly one cause.
class BlockWatch : public CommandObserver {
public:
    /// `shared` must outlive this object.
    BlockWatch(std::string name, CommandQueue& queue, Watched& shared);
    BlockWatch(const BlockWatch&) = delete;
    BlockWatch& operator=(const BlockWatch&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Returns the causes: first those that every block has, then others in the order in which they
    /// first occurred.
    [[nodiscard]] const std::vector<Cause>& causes() const { return causes_; }

    [[nodiscard]] const Cause& pace() const { return causes_[Pace]; }
    [[nodiscard]] const Cause& load() const
    {
        return causes_[Load];
    } ///< part of the pace that is
      ///< spent loading operands
    [[nodiscard]] TimeBook::Row macs() const
    {
        return macs_;
    } ///< row that counts
      ///< multiply-accumulates

    /// Called at `now`; from then on, the activities in `running` run.
    void shared(Picoseconds now, std::span<Activity* const> running);
    /// Attributes all time until `now` to causes, except waits whose partner is still unknown.
    void settle(Picoseconds now);
    /// At the end of an operation or of the run, attributes waits with an unknown partner to the
    /// core.
    void finish(Picoseconds now);

private:
    enum class State {
        Idle,
        Fetch,
        Counter,
        Partner, ///< waits for the block at the other end of a stream port
        Latency, ///< waits for the operation's first result
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
    /// Attributes a completed wait to `who`, the block that ended it. Null means the core.
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
    std::vector<std::pair<const FlowResource*, TimeBook::Row>> resources_;
    std::vector<std::pair<const BlockWatch*, TimeBook::Row>> partners_;

    State state_ = State::Idle;
    Picoseconds since_ = 0;
    Picoseconds slept_ = 0; ///< the core's total sleep until since_
    TimeBook::Row running_ = 0;
    const FlowResource* bound_by_ = nullptr;
    TimeBook::Row refresh_ = 0;  ///< row for refresh time; valid if refresh_share_ is above 0
    double refresh_share_ = 0.0; ///< the refresh's share of the running time
    ByPhase unknown_{};          ///< waits whose partner is not known yet
    ByPhase upstream_{};         ///< a producer's wait for the block whose output it consumes
    ByPhase written_{}; ///< A wait that a write has ended. If a block's signal follows at once, the
                        ///< wait counts as that block's, otherwise as the core's.

    struct Wait {
        std::uint32_t counter, value;
    };
    std::array<Wait, sizeof levee_descriptor::wait_counter> wait_{};
    std::size_t waits_ = 0; ///< number of waits that are not satisfied yet
    const Activity* activity_ = nullptr;
    Picoseconds minimum_ = 0;          ///< The operation's own minimum time, without its
                                       ///< producers.
    bool produces_ = false;            ///< the operation writes to a stream port
    const Activity* within_ = nullptr; ///< the activity in which the operation advances, once known
    TimeBook::Row macs_ = 0;
};

} // namespace levee::bottlenecks
