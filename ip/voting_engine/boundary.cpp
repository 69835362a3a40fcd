// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/boundary.hpp"

#include "ip/voting_engine/timing.hpp"

namespace levee::voting_engine {

bool Boundary::advances(const Inputs& in) const
{
    return !leaves() || (in.count_valid && !electing_ && in.store_ready);
}

bool Boundary::is_idle() const
{
    return !entering_ && !slots_open_ && !electing_ && !square_ && !sum_ && !threshold_ &&
           !reading_ && !slot_ && !result_;
}

Outputs Boundary::settle(const Inputs& in) const
{
    Outputs out;
    out.cmd_ready = !waits_;
    out.slot_ready = slots_open_ || (electing_ && in.count_valid);
    out.element_ready = entering_ && !stalls() && index_ < loaded_ && stored_ != capacity_;
    out.count_ready = electing_ ? in.slot_valid : leaves() && in.store_ready;
    out.store_valid = leaves() && in.count_valid && !electing_;
    out.store_last = slot_is_last_;
    out.result_valid = result_;
    return out;
}

Boundary::Moves Boundary::moves(const Inputs& in) const
{
    const Outputs out = settle(in);
    Moves moves{};
    moves.slot = in.slot_valid && out.slot_ready;
    moves.element = in.element_valid && out.element_ready;
    moves.element_last = moves.element && index_ + 1 == entering_->length;
    moves.handed_over = sum_ && !threshold_;
    moves.starts = threshold_ && threshold_cycles_ == 0 && !reading_ && advances(in);
    moves.read = reading_ ? advances(in) : moves.starts;
    moves.vector = waits_ && !waiting_elects_ &&
                   (waiting_first_ ? is_idle() : !entering_ || moves.element_last);
    moves.entry = moves.vector && waiting_first_;
    moves.election = waits_ && waiting_elects_ && is_idle();
    return moves;
}

void Boundary::edge(const Inputs& in)
{
    const Moves moves = this->moves(in);
    const bool advance = advances(in), ready = !waits_;
    if (in.result_ready)
        result_ = false;
    take_slot(moves);
    const bool stalled = stalls();
    const Vector squared = squared_;
    const bool sum = square_ && square_is_last_;
    pass(moves, advance);
    make_threshold(moves);
    if (!stalled) {
        sum_ = sum ? std::optional(squared) : std::nullopt;
        square_ = moves.element;
        square_is_last_ = moves.element_last;
    }
    take_element(moves);
    if (moves.vector || moves.election)
        waits_ = false;
    if (in.cmd_valid && ready) {
        waits_ = true;
        waiting_elects_ = in.cmd_elect;
        waiting_first_ = in.cmd_first;
        waiting_ = {in.cmd_length, in.cmd_last};
        waiting_slots_ = in.cmd_elect ? in.cmd_length : in.cmd_slots;
    }
}

void Boundary::take_slot(const Moves& moves)
{
    if (moves.slot && ++loaded_ == slots_end_) {
        result_ = result_ || electing_;
        slots_open_ = electing_ = false;
    }
    if (!moves.entry && !moves.election)
        return;
    slots_open_ = moves.entry;
    electing_ = moves.election;
    loaded_ = 0;
    slots_end_ = waiting_slots_;
}

void Boundary::take_element(const Moves& moves)
{
    if (moves.element) {
        ++index_;
        ++stored_;
    }
    if (moves.element_last) {
        squared_ = *entering_;
        entering_.reset();
    }
    if (moves.vector) {
        entering_ = waiting_;
        index_ = 0;
    }
}

void Boundary::make_threshold(const Moves& moves)
{
    if (moves.starts)
        threshold_.reset();
    else if (threshold_ && threshold_cycles_ > 0)
        --threshold_cycles_;
    if (moves.handed_over) {
        threshold_ = sum_;
        threshold_cycles_ = threshold_stages;
    }
}

void Boundary::pass(const Moves& moves, bool advance)
{
    if (moves.starts) {
        reading_ = threshold_;
        read_index_ = 0;
        pass_is_last_ = threshold_->is_last;
    }
    if (advance)
        slot_ = moves.read;
    if (!moves.read)
        return;
    --stored_;
    slot_is_last_ = ++read_index_ == reading_->length;
    if (slot_is_last_)
        reading_.reset();
}

} // namespace levee::voting_engine
