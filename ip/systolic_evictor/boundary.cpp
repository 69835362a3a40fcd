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
    if (rows < 3 || rows > most_rows)
        throw std::invalid_argument("levee::systolic_evictor::Boundary: 3 to 64 rows");
}

void Boundary::reset()
{
    *this = Boundary(rows_);
}

Outputs Boundary::settle(const Inputs& in) const
{
    const Bank& load = banks_[load_bank_];
    const Bank& score = banks_[wave_bank_];
    const bool load_reads =
        streams_ && update_takes(in) && load_bank_ == read_bank_ && load_row_ == read_row_;
    Outputs out;
    out.cmd_ready = !load_waits_ && !score_waits_;
    out.load_ready =
        loading_ && !has(load.full, load_row_) && (!has(load.done, load_row_) || load_reads);
    out.score_ready = scoring_ && has(score.full, score_row_) && (!result_ || in.result_ready);
    out.wave_ready = score.loaded && !(wave_first_ && (waves_.any & waves_.first) != 0);
    out.result_valid = result_;
    out.update_valid = has(banks_[read_bank_].done, read_row_);
    out.update_last = has(banks_[read_bank_].last, read_row_);
    return out;
}

bool Boundary::update_takes(const Inputs& in) const
{
    return has(banks_[read_bank_].done, read_row_) && in.update_ready;
}

/// Whether the waiting command may start. Either it is of the same kind as the previous tiles
/// (search or stream), or the previous tiles have been read out.
bool Boundary::can_start() const
{
    const auto is_idle = [](const Bank& bank) { return bank.full == 0 && bank.done == 0; };
    return waiting_streams_ == streams_ || (!loading_ && is_idle(banks_[0]) && is_idle(banks_[1]));
}

void Boundary::edge(const Inputs& in, const Outputs& out)
{
    const bool load = in.load_valid && out.load_ready;
    const bool score = in.score_valid && out.score_ready;
    const bool load_last = load_row_ + 1 == load_rows_;
    const bool score_last = has(banks_[wave_bank_].last, score_row_);
    const bool load_start = load_waits_ && can_start() && (!loading_ || (load && load_last));
    const bool score_start = score_waits_ && can_start() && (!scoring_ || (score && score_last));

    if (in.result_ready)
        result_ = false;
    if (update_takes(in))
        take_update(out.update_last);
    if (score)
        take_score(score_last);
    move_waves(in.wave_valid && out.wave_ready, in.wave_last);
    if (load)
        take_load(load_last);
    start_stages(load_start, score_start);
    if (in.cmd_valid && out.cmd_ready) {
        load_waits_ = true;
        score_waits_ = !in.cmd_stream;
        waiting_streams_ = in.cmd_stream;
        waiting_rows_ = in.cmd_rows;
    }
}

void Boundary::take_update(bool is_last)
{
    set(banks_[read_bank_].done, read_row_, false);
    read_row_ = is_last ? 0 : read_row_ + 1;
    if (is_last && streams_)
        read_bank_ ^= 1;
}

void Boundary::take_score(bool is_last)
{
    set(banks_[wave_bank_].full, score_row_, false);
    set(banks_[wave_bank_].done, score_row_, true);
    result_ = result_ || is_last;
    scoring_ = !is_last;
    score_row_ = is_last ? 0 : score_row_ + 1;
}

/// Moves every wave to the next row, including a wave that enters row 0. A wave ends at its tile's
/// last row.
void Boundary::move_waves(bool enters, bool is_last)
{
    if (!enters && waves_.any == 0)
        return;
    set(waves_.any, 0, enters);
    set(waves_.first, 0, wave_first_);
    set(waves_.last, 0, is_last);
    set(waves_.second_bank, 0, wave_bank_ != 0);
    std::uint64_t moving = 0;
    for (const std::size_t b : {0, 1}) {
        Bank& bank = banks_[b];
        const std::uint64_t own = waves_.any & (b == 0 ? ~waves_.second_bank : waves_.second_bank);
        bank.full &= ~(own & waves_.last);
        bank.done |= own & waves_.last;
        moving |= own & ~bank.last;
    }
    set(moving, rows_ - 1, false);
    waves_ = {moving << 1, waves_.first << 1, waves_.last << 1, waves_.second_bank << 1};
    if (!enters)
        return;
    wave_first_ = is_last;
    if (is_last) {
        banks_[wave_bank_].loaded = false;
        wave_bank_ ^= 1;
    }
}

void Boundary::take_load(bool is_last)
{
    Bank& bank = banks_[load_bank_];
    set(bank.full, load_row_, true);
    set(bank.last, load_row_, is_last);
    loading_ = !is_last;
    load_row_ = is_last ? 0 : load_row_ + 1;
    if (!is_last || !streams_)
        return;
    bank.loaded = true;
    load_bank_ ^= 1;
}

/// Passes the waiting command to the load or score stage, if the stage is free.
void Boundary::start_stages(bool load, bool score)
{
    if (load) {
        streams_ = waiting_streams_;
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
