// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/boundary.hpp"

#include <algorithm>

namespace levee::cpq {

Outputs Boundary::settle(const Inputs& in) const
{
    Outputs out;
    out.result_valid = busy_ && cycle_ >= due_;
    out.group_ready = !busy_ || (out.result_valid && in.result_ready);
    // Work on the first level starts one cycle after the group is examined.
    constexpr std::uint64_t before = 1;
    out.level_valid = busy_ && cycle_ > before && (cycle_ - before) % level_cycles == 0 &&
                      (cycle_ - before) / level_cycles <= openings_;
    return out;
}

void Boundary::edge(const Inputs& in)
{
    const Outputs out = settle(in);
    ++cycle_;
    if (out.result_valid && in.result_ready)
        busy_ = false;
    if (in.group == nullptr || !out.group_ready)
        return;
    busy_ = true;
    cycle_ = 1;
    openings_ = in.group->openings;
    due_ = cycles_of(in.group->kind, openings_);
}

} // namespace levee::cpq
