// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/boundary.hpp"

#include "ip/veda/timing.hpp"

#include <algorithm>

namespace levee::veda {

// The fill is the stages behind the multipliers and one cycle at the port.
Boundary::Boundary(const ArrayShape& shape) : inner_(fill_cycles(shape, Mode::Inner) - 1) {}

void Boundary::reset()
{
    std::fill(inner_.begin(), inner_.end(), Stage{});
    outer_ = result_ = {};
}

Outputs Boundary::settle(const Inputs& in) const
{
    Outputs out;
    const bool advances = !result_.valid || in.take_result;
    // An inner beat leaves its last stage when an outer one arrives.
    const bool tree_is_busy = std::any_of(inner_.begin(), inner_.end() - 1,
                                          [](const Stage& stage) { return stage.valid; });
    const bool is_outer = in.beat != nullptr && in.beat->configuration.mode == Mode::Outer;
    out.takes_beat = advances && !(is_outer && tree_is_busy);
    out.has_result = result_.valid;
    out.outer = result_.outer;
    out.enabled = result_.ends;
    return out;
}

void Boundary::edge(const Inputs& in)
{
    if (result_.valid && !in.take_result)
        return;
    Stage taken;
    if (in.beat != nullptr && settle(in).takes_beat) {
        const Configuration& configuration = in.beat->configuration;
        taken.valid = true;
        taken.outer = configuration.mode == Mode::Outer;
        taken.ends = in.beat->last & in.beat->enabled;
        if (!taken.outer && !configuration.split)
            taken.ends &= 1; // one result, in the first array's lane
    }
    const Stage& leaves = outer_.valid ? outer_ : inner_.back();
    result_ = leaves.valid && leaves.ends != 0 ? leaves : Stage{};
    std::rotate(inner_.begin(), inner_.end() - 1, inner_.end());
    inner_.front() = taken.valid && !taken.outer ? taken : Stage{};
    outer_ = taken.valid && taken.outer ? taken : Stage{};
}

} // namespace levee::veda
