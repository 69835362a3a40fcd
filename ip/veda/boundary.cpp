// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/boundary.hpp"

#include "ip/veda/timing.hpp"

#include <algorithm>

namespace levee::veda {

namespace {

/// Shifts the pipeline stages by one; `stage` becomes the first.
void enter(auto& stages, const auto& stage)
{
    std::rotate(stages.begin(), stages.end() - 1, stages.end());
    stages.front() = stage;
}

} // namespace

// The fill time consists of the stages and one cycle at the port. Both modes use the same adders.
// An outer-mode beat needs the adders when it leaves the multipliers; by then, the last addition of
// an earlier inner-mode beat must have begun.
Boundary::Boundary(const ArrayShape& shape)
    : inner_(fill_cycles(shape, Mode::Inner) - shape.pipeline.rounding - 1),
      outer_(shape.pipeline.multiplier + shape.partial_sums - 1),
      results_(shape.pipeline.rounding + 1), busy_(inner_.size() - outer_.size())
{
}

void Boundary::reset()
{
    for (std::vector<Stage>* const stages : {&inner_, &outer_, &results_})
        std::fill(stages->begin(), stages->end(), Stage{});
    kept_ = {};
}

Outputs Boundary::settle(const Inputs& in) const
{
    Outputs out;
    const bool tree_is_busy =
        std::any_of(inner_.begin(), inner_.begin() + static_cast<std::ptrdiff_t>(busy_),
                    [](const Stage& stage) { return stage.valid; });
    const bool is_outer = in.beat != nullptr && in.beat->configuration.mode == Mode::Outer;
    out.takes_beat = !kept_.valid && !(is_outer && tree_is_busy);
    out.has_result = at_port().valid;
    out.outer = at_port().outer;
    out.enabled = at_port().ends;
    return out;
}

void Boundary::edge(const Inputs& in)
{
    Stage taken;
    if (in.beat != nullptr && settle(in).takes_beat) {
        const Configuration& configuration = in.beat->configuration;
        taken.valid = true;
        taken.outer = configuration.mode == Mode::Outer;
        taken.ends = in.beat->last & in.beat->enabled;
        if (!taken.outer && !configuration.split)
            taken.ends &= 1; // One result, in the first array's lane.
    }
    const bool stands = kept_.valid;
    kept_ = in.take_result ? Stage{} : at_port();
    if (!stands)
        advance(taken);
}

void Boundary::advance(const Stage& taken)
{
    const Stage& leaves = outer_.back().valid ? outer_.back() : inner_.back();
    enter(results_, leaves.valid && leaves.ends != 0 ? leaves : Stage{});
    enter(inner_, taken.valid && !taken.outer ? taken : Stage{});
    enter(outer_, taken.valid && taken.outer ? taken : Stage{});
}

} // namespace levee::veda
