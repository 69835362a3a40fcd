// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow_observer.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/bottlenecks/block_watch.hpp"
#include "platform/observe/bottlenecks/phase_bottlenecks.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::bottlenecks {

/// Bottlenecks of a run (docs/bottlenecks.md): the time of each block by cause in each phase,
/// and the load of memories and arrays in each phase with their peaks.
class Bottlenecks : private FlowObserver {
public:
    /// All arguments must outlive the simulation.
    Bottlenecks(const SystemPlan& plan, System& system);

    /// Marks the beginning of a phase.
    void enter(levee_phase phase, Picoseconds now);
    /// Sums of all cells until `now`, at the end of the run or on a query. Later results keep the
    /// same cells in the same places and append new ones; differences of two may be scaled and
    /// added.
    [[nodiscard]] const std::vector<std::uint64_t>& counts(Picoseconds now);
    /// Ends the run: waits with unknown partners are booked to the core.
    void finish(Picoseconds now);

    /// Bottlenecks of each phase, computed from `counts`.
    [[nodiscard]] std::vector<PhaseBottlenecks> phases(std::span<const std::uint64_t> counts) const;

private:
    void shared(Picoseconds at, std::span<Activity* const> running) override;
    void settle(Picoseconds at);
    void settle_resources(Picoseconds now);
    void settle_core(Picoseconds now);
    void add_loading(const BlockWatch& block, std::uint64_t time, PhaseBottlenecks& phase) const;
    [[nodiscard]] std::string name_of_pace(const BlockWatch& block) const;
    static constexpr std::size_t most_binding = 64;

    const SystemPlan& plan_;
    TimeBook book_;
    CoreWatch core_;
    Resources resources_;
    Watched watched_;
    std::deque<BlockWatch> blocks_;
    TimeBook::Row time_, awake_, alone_; ///< Times by phase: total, core executing, and core
                                         ///< executing while all blocks are idle.
    std::uint64_t binding_ = 0; ///< Bit mask over resources_.all(): resources that limit a block
                                ///< now.
    Picoseconds binding_since_ = 0;
    Picoseconds entered_ = 0, core_since_ = 0, slept_ = 0;
};

/// Null for a system in which no block executes descriptors.
[[nodiscard]] std::unique_ptr<Bottlenecks> watch(const SystemPlan& plan, System& system);

} // namespace levee::bottlenecks
