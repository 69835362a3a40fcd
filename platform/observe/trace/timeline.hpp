// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/command/inner_spans.hpp"
#include "core/flow/flow_observer.hpp"
#include "ip/riscv/clock.hpp"
#include "platform/observe/trace/operation_text.hpp"
#include "platform/observe/trace/tags.hpp"
#include "platform/observe/trace/timeline_counters.hpp"
#include "platform/observe/trace/timeline_states.hpp"
#include "platform/observe/trace/timeline_waits.hpp"
#include "platform/observe/trace/timeline_writer.hpp"
#include "platform/observe/trace/windowed_timeline.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace levee::trace {

/// A component that executes descriptors, as a timeline shows it.
struct TracedBlock {
    std::string name;
    const CommandQueue* queue;
    const InnerSpans* inside = nullptr; ///< Set if the timeline also shows the inside of the
                                        ///< component.
};

/// Everything that a timeline shows. All objects behind pointers must outlive the timeline.
struct TimelinePlan {
    std::vector<TracedBlock> blocks;
    std::vector<std::string> memories{}; ///< names of components whose bandwidth is shown
    SyncCounters* counters = nullptr;    ///< null: the system has no sync counters
    Tags tags{};
    const Window* window = nullptr; ///< null: the whole run
};

/// Timeline of a run. Its processes are:
/// - "program": the phase, the part of the work, and the current token of each sequence;
/// - "core": the core's call stack;
/// - "blocks": operations, divided into fetch, wait and execution, and the number of queued
/// descriptors;
/// - "memories": bandwidths;
/// - "counters": values of the sync counters;
/// - "interrupts": interrupt requests by source;
/// - "inside BLOCK", for each such block: tracks that the block defines for its inside.
/// Arrows lead from each doorbell to the start and end of the execution, and along each chain of
/// spans inside a block.
class Timeline : public CommandObserver, public FlowObserver {
public:
    /// Throws std::runtime_error if the file cannot be created. `clock` must outlive the timeline.
    Timeline(const riscv::Clock& clock, const TimelinePlan& plan,
             const std::filesystem::path& path);

    [[nodiscard]] CallListener& calls() { return *calls_; }

    void submitted(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor,
                 const Activity& activity, bool streams) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;
    void signalled(const CommandQueue& queue, std::uint32_t counter) override;
    void emptied(const CommandQueue& queue) override;

    void shared(Picoseconds now, std::span<Activity* const> running) override;

    /// Sets the state of the program's `track` ("phase", "part") from now on. An empty state ends
    /// the current one.
    void program(const std::string& track, const std::string& state, Picoseconds now);
    /// Adds a span to the program's `track` ("sequence 0"), from the last call for this track until
    /// now.
    void reached(const std::string& track, const std::string& what, Picoseconds now);
    /// Sets the state of a source's interrupt request. Empty: there is no request.
    void interrupt(const std::string& source, const std::string& state, Picoseconds now);

    /// Sets the names of tags that are used from now on.
    void follow(Tags tags) { tags_ = std::move(tags); }

    /// Ends the timeline; the call tracker must have finished. Throws std::runtime_error if the
    /// file could not be written completely.
    void finish(Picoseconds now);

private:
    struct Current {
        std::uint64_t id = 0;
        Picoseconds taken_at = 0;
        std::optional<Picoseconds> fetched_at, started_at;
        levee_descriptor descriptor{};
    };
    struct Line {
        TracedBlock block;
        Track track;
        std::size_t occupancy;
        std::optional<Current> current;
        std::vector<std::uint64_t> queued;
        std::vector<std::uint64_t> lost;
        std::uint32_t inside;
        std::vector<InnerSpan> inner;
    };

    void look_inside(const TracedBlock& block, std::size_t number);
    Line& line(const CommandQueue& queue);
    void watch(SyncCounters& counters);
    void written(std::uint32_t counter);
    [[nodiscard]] Fields fields_of(const Line& line, const std::string& outcome) const;
    void write_operation(Line& line, Picoseconds end, const std::string& outcome);
    void write_inner(Line& line, Picoseconds end);
    void write_lost(Line& line, Picoseconds now);

    std::unique_ptr<TimelineWriter> file_;
    std::optional<WindowedTimeline> windowed_;
    TimelineWriter& writer_;
    std::unique_ptr<CallListener> calls_;
    TimelineCounters counters_;
    std::vector<Line> lines_;
    Tags tags_;
    TimelineStates program_, interrupts_;
    SyncCounters* sync_;
    std::optional<TimelineWaits> waits_;
    std::map<std::uint32_t, std::size_t> written_;
    std::map<std::string, std::size_t> bandwidths_;
};

} // namespace levee::trace
