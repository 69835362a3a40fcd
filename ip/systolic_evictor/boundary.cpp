// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/boundary.hpp"

#include <stdexcept>

namespace levee::systolic_evictor {

namespace {

void set(std::uint64_t& rows, std::size_t row, bool value)
{
    const std::uint64_t bit = std::uint64_t{1} << row;
    rows = value ? rows | bit : rows & ~bit;
}

} // namespace

Boundary::Boundary(std::size_t rows) : rows_(rows)
{
    if (rows < 2 || rows > 64)
        throw std::invalid_argument("levee::systolic_evictor::Boundary: 2 to 64 rows");
}

void Boundary::reset()
{
    *this = Boundary(rows_);
}

Outputs Boundary::settle(const Inputs& in) const
{
    Outputs out;
    out.cmd_ready = !load_waits_ && !score_waits_;
    out.load_ready = loading_ && !has(full_, load_row_) && !has(done_, load_row_);
    out.score_ready = scoring_ && has(full_, score_row_) && (!result_ || in.result_ready);
    out.result_valid = result_;
    out.update_valid = has(done_, read_row_);
    out.update_last = has(last_, read_row_);
    return out;
}

void Boundary::edge(const Inputs& in)
{
    const Outputs out = settle(in);
    const bool load = in.load_valid && out.load_ready;
    const bool score = in.score_valid && out.score_ready;
    const bool load_last = load_row_ + 1 == load_rows_;
    const bool score_last = has(last_, score_row_);
    const bool load_start = load_waits_ && (!loading_ || (load && load_last));
    const bool score_start = score_waits_ && (!scoring_ || (score && score_last));

    if (in.result_ready)
        result_ = false;
    if (out.update_valid && in.update_ready) {
        set(done_, read_row_, false);
        read_row_ = out.update_last ? 0 : read_row_ + 1;
    }
    if (score)
        take_score(score_last);
    if (load)
        take_load(load_last);
    start_stages(load_start, score_start);
    if (in.cmd_valid && out.cmd_ready) {
        load_waits_ = true;
        score_waits_ = true;
        waiting_rows_ = in.cmd_rows;
    }
}

void Boundary::take_score(bool is_last)
{
    set(full_, score_row_, false);
    set(done_, score_row_, true);
    result_ = result_ || is_last;
    scoring_ = !is_last;
    score_row_ = is_last ? 0 : score_row_ + 1;
}

void Boundary::take_load(bool is_last)
{
    set(full_, load_row_, true);
    set(last_, load_row_, is_last);
    loading_ = !is_last;
    load_row_ = is_last ? 0 : load_row_ + 1;
}

/// Passes the waiting command to a stage that is free.
void Boundary::start_stages(bool load, bool score)
{
    if (load) {
        loading_ = true;
        load_waits_ = false;
        load_rows_ = waiting_rows_;
    }
    if (score) {
        scoring_ = true;
        score_waits_ = false;
    }
}

} // namespace levee::systolic_evictor
