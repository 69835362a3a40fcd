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

/// Computes the bottlenecks of a run (docs/bottlenecks.md). For each phase, it has each block's
/// time by cause, and the load and peak of memories and arrays.
class Bottlenecks : private FlowObserver {
public:
    /// All arguments must outlive the simulation.
    Bottlenecks(const SystemPlan& plan, System& system);

    void enter(levee_phase phase, Picoseconds now);
    /// Returns the sums of all cells until `now`. A later call returns the same cells at the same
    /// indices, and may append cells. Callers can thus subtract two results cell by cell.
    [[nodiscard]] const std::vector<std::uint64_t>& counts(Picoseconds now);
    /// Ends the run. Waits whose partners are still unknown are attributed to the core.
    void finish(Picoseconds now);

    /// Computes each phase's bottlenecks from `counts`, which counts() has returned.
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
    TimeBook::Row time_, awake_, alone_; ///< Times by phase: the total, with the core awake, and
                                         ///< with the core awake and all blocks idle.
    std::uint64_t binding_ = 0; ///< Bit mask of the resources in resources_.all() that limit a
                                ///< block now.
    Picoseconds binding_since_ = 0;
    Picoseconds entered_ = 0, core_since_ = 0, slept_ = 0;
};

/// Returns null if no block of the system executes descriptors.
[[nodiscard]] std::unique_ptr<Bottlenecks> watch(const SystemPlan& plan, System& system);

} // namespace levee::bottlenecks
