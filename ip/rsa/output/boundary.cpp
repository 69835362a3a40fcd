// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/boundary.hpp"

#include "ip/rsa/output/folds.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::rsa::output {

Boundary::Boundary(const Shape& shape) : shape_(shape)
{
    if (std::min(shape.rows, shape.columns) < 2 || std::max(shape.rows, shape.columns) > most_lanes)
        throw std::invalid_argument("levee::rsa::output::Boundary: 2 to 32 rows and columns");
}

/// Returns the valid lanes. The rows of a wave's sums leave one after another, and each lane is one
/// step later than the previous lane.
std::uint32_t Boundary::lanes() const
{
    std::uint32_t valid = 0;
    for (const Leaving& wave : leaving_)
        for (std::uint32_t lane = 0; lane < wave.lanes; ++lane) {
            const std::int64_t row = step_ - wave.entered - first_lane_steps(shape_) - lane;
            if (row >= 0 && row < wave.rows)
                valid |= 1u << lane;
        }
    return valid;
}

bool Boundary::steps(const Inputs& in) const
{
    return in.out_ready || lanes() == 0;
}

Outputs Boundary::settle(const Inputs& in) const
{
    const bool must_wait = in.wave != nullptr && in.wave->leaves && step_ < may_leave_;
    Outputs out;
    out.in_ready = steps(in) && has_columns_ && !must_wait;
    out.load_ready = !has_columns_ || (in.wave != nullptr && in.wave->is_next && out.in_ready);
    out.lanes = lanes();
    return out;
}

void Boundary::edge(const Inputs& in)
{
    const Outputs out = settle(in);
    const bool moves = steps(in);
    if (in.wave != nullptr && out.in_ready) {
        has_columns_ = !in.wave->is_next;
        if (in.wave->leaves) {
            may_leave_ = step_ + in.wave->rows;
            leaving_.push_back({step_, in.wave->rows, in.wave->lanes});
        }
    }
    if (in.load != nullptr && out.load_ready)
        has_columns_ = true;
    if (!moves)
        return;
    ++step_;
    if (!leaving_.empty() &&
        step_ - leaving_.front().entered >= first_lane_steps(shape_) + shape_.rows + shape_.columns)
        leaving_.pop_front();
}

} // namespace levee::rsa::output
