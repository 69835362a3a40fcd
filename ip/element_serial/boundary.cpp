// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/boundary.hpp"

#include "ip/element_serial/timing.hpp"

#include <algorithm>

namespace levee::element_serial {

namespace {

constexpr std::uint64_t enter_stages = multiply_stages + add_stages + round_stages;

constexpr std::uint32_t bit(std::uint64_t stage)
{
    return 1u << (stage - 1);
}

} // namespace

void Boundary::reset()
{
    *this = Boundary(shape_);
}

std::uint64_t Boundary::out_fill(const Configuration& configuration)
{
    return configuration.normalise ? normalise_fill(configuration.function) : enter_stages;
}

/// Returns the number of steps from the time when a vector's last element leaves the FIFO (for
/// norms: arrives) to the vector's statistics.
std::uint64_t Boundary::sums_fill(const Configuration& configuration)
{
    return reduce_fill(configuration.function, 0) - enter_stages;
}

/// Whether this step computes the square of a layer norm's mean, after the divisions by n.
bool Boundary::lends(const Configuration& configuration) const
{
    return configuration.function == Function::LayerNorm && set_up_ == divide_stages;
}

Outputs Boundary::settle(const Inputs& in) const
{
    const Configuration& configuration = in.configuration;
    Outputs out;
    out.out_valid = !out_taken_ && (elements_ & bit(out_fill(configuration))) != 0;
    out.result_valid = !result_taken_ && (results_ & bit(sums_fill(configuration))) != 0;
    const bool step = (!out.out_valid || in.out_ready) && (!out.result_valid || in.result_ready);
    out.stats_ready = step && set_up_ == 0;
    const bool has_factors = streaming_ || set_up_ == set_up(configuration.function);
    out.in_ready = step && !lends(configuration) &&
                   (configuration.normalise ? has_factors : !vector_first_ || pause_ == 0);
    return out;
}

void Boundary::edge(const Inputs& in)
{
    const Outputs out = settle(in);
    if ((out.out_valid && !in.out_ready) || (out.result_valid && !in.result_ready)) {
        out_taken_ = out_taken_ || (out.out_valid && in.out_ready);
        result_taken_ = result_taken_ || (out.result_valid && in.result_ready);
        return;
    }
    out_taken_ = result_taken_ = false;
    pass_results(in.configuration);
    pass_elements(in, out);
}

/// Moves results of REDUCE from the element port to the statistics port.
void Boundary::pass_results(const Configuration& configuration)
{
    const bool shown = !configuration.normalise && (elements_ & bit(out_fill(configuration))) != 0;
    const bool is_last = (lasts_ & bit(out_fill(configuration))) != 0;
    const bool is_softmax = configuration.function == Function::Softmax;
    const bool leaving = leaves();
    const bool ends = is_softmax ? leaving && fifo_.front().last : shown && is_last;
    results_ = (results_ & (bit(sums_fill(configuration)) - 1)) << 1 | (ends ? 1u : 0u);
    if (leaving) {
        tiles_ -= fifo_.front().tile_last ? 1 : 0;
        fifo_.pop_front();
    }
    age_ -= std::min(age_, 1u);
    if (!shown)
        return;
    const bool is_tile_last = is_last || in_tile_ + 1 == shape_.tile;
    if (is_softmax) {
        fifo_.push_back({tiles_first_, is_tile_last, is_last});
        tiles_ += is_tile_last ? 1 : 0;
        age_ = tiles_first_ ? shape_.tile - 1 : age_;
    }
    in_tile_ = is_tile_last ? 0 : in_tile_ + 1;
    tiles_first_ = is_last;
}

/// Whether the FIFO's first element leaves in this step.
bool Boundary::leaves() const
{
    return tiles_ > 0 && (!fifo_.front().vector_first || age_ == 0);
}

void Boundary::pass_elements(const Inputs& in, const Outputs& out)
{
    const Configuration& configuration = in.configuration;
    const bool takes = in.in_valid && out.in_ready;
    const std::uint32_t before_port = bit(out_fill(configuration)) - 1;
    if (lends(configuration)) {
        elements_ &= before_port;
    } else {
        elements_ = (elements_ & before_port) << 1 | (takes ? 1u : 0u);
        lasts_ = lasts_ << 1 | (takes && in.in_last ? 1u : 0u);
    }
    pass_set_up(in, out);
    pause_ -= std::min(pause_, 1u);
    if (!takes)
        return;
    if (vector_first_ && !configuration.normalise && configuration.function == Function::Softmax)
        pause_ = shape_.tile - 1;
    vector_first_ = in.in_last;
    streaming_ = configuration.normalise && !in.in_last;
}

void Boundary::pass_set_up(const Inputs& in, const Outputs& out)
{
    const bool begins = in.in_valid && out.in_ready && in.configuration.normalise && !streaming_;
    if (begins)
        set_up_ = 0;
    else if (set_up_ != 0)
        set_up_ = std::min(set_up_ + 1, set_up(in.configuration.function));
    else if (in.stats_valid && out.stats_ready)
        set_up_ = 1;
}

} // namespace levee::element_serial
