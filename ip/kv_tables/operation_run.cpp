// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/operation_run.hpp"

#include "core/numerics/tensor.hpp"
#include "ip/kv_tables/timing.hpp"

#include <algorithm>
#include <cstring>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

} // namespace

/// Maps a contradiction between tables to the descriptor field it is reported for.
CommandFault OperationRun::fault_of(const Refusal& refusal)
{
    switch (refusal.reason) {
    case Refusal::Reason::Arrival:
        return {LEVEE_ERROR_FIELD, operation_field(offsetof(Op, arrival))};
    case Refusal::Reason::Positions:
        return {LEVEE_ERROR_FIELD, operation_field(offsetof(Op, positions))};
    case Refusal::Reason::Protected:
        return {LEVEE_ERROR_FIELD, operation_field(offsetof(Op, capacity))};
    case Refusal::Reason::Formats:
        return {LEVEE_ERROR_FIELD, operation_field(offsetof(Op, formats))};
    default:
        return {LEVEE_ERROR_FIELD, operation_field(offsetof(Op, n))};
    }
}

OperationRun::Size OperationRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, descriptor.operation, sizeof op_);
    check();
    read_formats();
    operation.iterations = std::uint32_t{op_.outer[0]} * op_.outer[1];
    if (opcode_ == LEVEE_SE_FORGET)
        return prepare_forget(operation);
    if (queue_.timing_only())
        return prepare_timing_only(operation);
    entries_.assign(op_.outer[0], Entry{});
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        entries_[o0].index = o0;
        entries_[o0].heads.resize(op_.outer[1]);
    }
    if (opcode_ == LEVEE_SE_POPULAR)
        read_kept();
    else
        read_lengths();
    read_arrivals();
    accept_scores();
    open_streams(operation);
    load_tables();
    const Size size = compute();
    check_writes();

    operation.commit = [this](std::uint32_t first, std::uint32_t last) { commit(first, last); };
    return size;
}

/// FORGET reads the tables that EVICT has written and changes none.
OperationRun::Size OperationRun::prepare_forget(Operation& operation)
{
    from_stream_ = false;
    discarded_slots_.clear();
    read_lengths();
    if (draws())
        return prepare_drawn_forget(operation);
    for (std::size_t o0 = 0; o0 < op_.outer[0]; ++o0)
        for (std::size_t o1 = 0; o1 < op_.outer[1]; ++o1)
            discarded_slots_.push_back(read_discards(o0, o1));
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t i = first; i < last; ++i)
            discard_slots(i / op_.outer[1], i % op_.outer[1]);
    };
    return {forget_steps * operation.iterations, 0, 0};
}

OperationRun::Size OperationRun::compute()
{
    evicted_.clear();
    try {
        switch (opcode_) {
        case LEVEE_SE_ACCUMULATE:
            return accumulate_all();
        case LEVEE_SE_EVICT:
            return evict_all();
        case LEVEE_SE_SELECT:
            return select_all();
        default:
            return popular_all();
        }
    } catch (const Refusal& refusal) {
        throw fault_of(refusal);
    }
}

OperationRun::Size OperationRun::accumulate_all()
{
    Size size;
    for (Entry& entry : entries_) {
        const std::uint32_t length = lengths_[entry.index];
        scores_.assign(1, {});
        if (engine_ != nullptr)
            stream_entry(entry, length);
        for (std::size_t o1 = 0; engine_ == nullptr && o1 < entry.heads.size(); ++o1)
            accumulate(entry.heads[o1].importance, scores_of(entry.index, o1), length,
                       (op_.flags & LEVEE_SE_CAUSAL) != 0, policy().score);
        add_scores(size, length);
    }
    return size;
}

/// ACCUMULATE of an entry by the engine: all heads in one stream.
void OperationRun::stream_entry(Entry& entry, std::uint32_t length)
{
    std::vector<Stream> streams;
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        streams.push_back(stream_of(entry.heads[o1].importance, scores_of(entry.index, o1), length,
                                    (op_.flags & LEVEE_SE_CAUSAL) != 0, policy().score));
        streams.back().place = {entry.index, static_cast<std::uint32_t>(o1)};
    }
    engine_->stream(streams);
}

OperationRun::Size OperationRun::evict_all()
{
    Size size;
    for (Entry& entry : entries_) {
        Arrival& arriving = arrivals_[entry.index];
        scores_.assign(entry.heads.size(), {});
        arriving.scores.clear();
        for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1)
            arriving.scores.push_back(scores_of(entry.index, o1));
        add_scores(size, arriving.length);
        evicted_.push_back(evict(policy(), entry, arriving, engine_));
        for (const Evicted::OfHead& head : evicted_.back().heads)
            size.evicted += head.slot == none ? 0 : 1;
    }
    return size;
}

OperationRun::Size OperationRun::select_all()
{
    Size size;
    for (Entry& entry : entries_) {
        // load_tables has read it by position.
        std::vector<std::vector<std::uint16_t>> by_position;
        for (Head& head : entry.heads)
            by_position.push_back(std::move(head.importance));
        const std::vector<std::span<const std::uint16_t>> importance(by_position.begin(),
                                                                     by_position.end());
        select(policy(), entry, importance);
        add_selection(size, lengths_[entry.index]);
    }
    return size;
}

/// Adds the steps of an entry of `length` tokens.
void OperationRun::add_scores(Size& size, std::uint32_t length) const
{
    const std::uint64_t heads = op_.outer[1], rows = rows_of_scores();
    size.steps += opcode_ == LEVEE_SE_ACCUMULATE ? accumulate_steps(heads, rows, length, chain_)
                                                 : heads * score_steps(rows, length);
    size.scores += heads * rows * length;
    const std::uint64_t searched = opcode_ == LEVEE_SE_EVICT ? heads * length : 0;
    size.compared += searched;
    size.positions_compared += ties_ == Ties::Earliest ? searched : 0;
}

/// Adds the steps of a selection from an entry of `length` tokens.
void OperationRun::add_selection(Size& size, std::uint32_t length) const
{
    const std::uint64_t steps =
        op_.outer[1] * select_steps(length, op_.capacity, (op_.flags & LEVEE_SE_RANDOM) != 0);
    size.steps += steps;
    size.compared += steps;
}

OperationRun::Size OperationRun::popular_all()
{
    Size size;
    for (Entry& entry : entries_) {
        for (const Head& head : entry.heads)
            size.steps += popular_steps(head.next);
        popular(entry);
    }
    size.compared = size.steps;
    return size;
}

Policy OperationRun::policy() const
{
    return {op_.capacity,
            op_.sinks,
            op_.window,
            static_cast<levee_se_score>(op_.score),
            makes_views() ? unsigned{op_.view_bits} : 0u,
            (op_.flags & LEVEE_SE_RANDOM) != 0,
            op_.seed,
            std::uint32_t{op_.first_o0} << 16 | op_.first_o1,
            (op_.flags & LEVEE_SE_RECENT_HIGH) != 0,
            (op_.flags & LEVEE_SE_REDRAW) != 0,
            ties_};
}

bool OperationRun::makes_views() const
{
    return op_.views != 0 && (opcode_ == LEVEE_SE_EVICT || opcode_ == LEVEE_SE_SELECT);
}

/// Rows of scores to add for each (o0, o1).
std::size_t OperationRun::rows_of_scores() const
{
    return op_.scores == 0 ? 0 : std::size_t{op_.group} * op_.rows;
}

} // namespace levee::kv_tables
