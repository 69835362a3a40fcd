// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/observe/bounds/block_watch.hpp"
#include "platform/observe/bounds/phase_bounds.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::bounds {

/// Why a run is not faster (docs/bounds.md): how each block's time divides in each phase, by cause,
/// and what each phase asks of memories and arrays beside what they could do.
class Bounds : private FlowObserver {
public:
    /// All outlive the simulation.
    Bounds(const SystemPlan& plan, System& system);

    /// A phase begins.
    void enter(levee_phase phase, Picoseconds now);
    /// The run ended, or is looked at: all sums until `now`. Later ones have the same in the same
    /// places, and more behind them; differences of two may be scaled and added.
    [[nodiscard]] const std::vector<std::uint64_t>& counts(Picoseconds now);
    /// The run ended: what was waited for and has not come is not known.
    void finish(Picoseconds now);

    /// What `counts` say.
    [[nodiscard]] std::vector<PhaseBounds> phases(std::span<const std::uint64_t> counts) const;

private:
    void shared(Picoseconds now, std::span<Activity* const> running) override;
    void settle(Picoseconds now);
    void settle_resources(Picoseconds now);
    void settle_core(Picoseconds now);
    [[nodiscard]] std::string name_of_pace(const BlockWatch& block) const;
    static constexpr std::size_t most_binding = 64;

    const SystemPlan& plan_;
    TimeBook book_;
    CoreWatch core_;
    Resources resources_;
    Watched watched_;
    std::deque<BlockWatch> blocks_;
    TimeBook::Row time_, awake_, alone_; ///< phases; the core works; and nothing else does
    std::uint64_t binding_ = 0; ///< those of resources_.all() that bound a block now, a bit each
    Picoseconds binding_since_ = 0;
    Picoseconds entered_ = 0, core_since_ = 0, slept_ = 0;
};

/// Null for a system in which no block executes descriptors.
[[nodiscard]] std::unique_ptr<Bounds> watch(const SystemPlan& plan, System& system);

} // namespace levee::bounds
