// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/boundary.hpp"

#include "ip/rsa/folds.hpp"

#include <stdexcept>

namespace levee::rsa {

Boundary::Boundary(const Shape& shape) : shape_(shape)
{
    if (shape.rows < 2 || shape.columns < 2 || shape.lanes() > most_lanes)
        throw std::invalid_argument("levee::rsa::Boundary: 2 to 32 rows and columns");
    for (Bank& bank : banks_)
        bank.last_wave = -std::int64_t{shape.rows} - shape.columns;
}

/// Whether the first wave of the fold that is being loaded has reached a row that is not loaded
/// yet.
bool Boundary::waits_for_row() const
{
    return chases_ && step_ - first_wave_ == loaded_;
}

std::uint32_t Boundary::lanes() const
{
    std::uint32_t valid = 0;
    for (const Leaving& wave : leaving_) {
        const std::int64_t lane = step_ - wave.entered - first_lane_steps(shape_);
        if (lane >= 0 && lane < wave.lanes)
            valid |= 1u << lane;
    }
    return valid;
}

bool Boundary::steps(const Inputs& in) const
{
    return !waits_for_row() && (in.out_ready || lanes() == 0);
}

Outputs Boundary::settle(const Inputs& in) const
{
    const Bank& load = banks_[load_bank_];
    const bool is_last = in.wave != nullptr && in.wave->is_last;
    const bool has_rows = load_bank_ == wave_bank_ && loaded_ > 0;
    Outputs out;
    out.load_ready = !load.is_full && step_ - load.last_wave >= loaded_ + shape_.columns;
    out.in_ready = steps(in) && (banks_[wave_bank_].is_full || (has_rows && !is_last));
    out.lanes = waits_for_row() ? 0 : lanes();
    return out;
}

void Boundary::edge(const Inputs& in)
{
    const Outputs out = settle(in);
    const bool moves = steps(in);
    if (in.wave != nullptr && out.in_ready)
        take_wave(*in.wave);
    if (in.load != nullptr && out.load_ready)
        take_row(*in.load);
    if (!moves)
        return;
    ++step_;
    if (!leaving_.empty() &&
        step_ - leaving_.front().entered >= first_lane_steps(shape_) + shape_.lanes())
        leaving_.pop_front();
}

void Boundary::take_wave(const Wave& wave)
{
    if (is_first_) {
        chases_ = !banks_[wave_bank_].is_full;
        first_wave_ = step_;
    }
    is_first_ = wave.is_last;
    if (wave.leaves)
        leaving_.push_back({step_, wave.lanes});
    if (!wave.is_last)
        return;
    banks_[wave_bank_].is_full = false;
    banks_[wave_bank_].last_wave = step_;
    wave_bank_ ^= 1;
}

void Boundary::take_row(const StoredRow& row)
{
    ++loaded_;
    if (!row.is_last)
        return;
    banks_[load_bank_].is_full = true;
    chases_ = false;
    loaded_ = 0;
    load_bank_ ^= 1;
}

} // namespace levee::rsa
