// SPDX-License-Identifier: Apache-2.0
// What operations compute, and how long it takes.
#include "ip/kv_tables/operation_run.hpp"

#include "ip/kv_tables/timing.hpp"

#include <algorithm>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

/// Maps a contradiction between tables to the descriptor field it is reported for.
CommandFault fault_of(const Refusal& refusal)
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

} // namespace

OperationRun::Size OperationRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    operands_.read(descriptor);
    operation.iterations = operands_.entries() * operands_.heads();
    if (operands_.forgets())
        return prepare_forget(operation);
    operands_.open(operation);
    load_tables();
    const Size size = this->size();
    operands_.check_writes();
    try {
        compute();
    } catch (const Refusal& refusal) {
        throw fault_of(refusal);
    }
    check_released();
    operation.commit = [this](std::uint32_t first, std::uint32_t last) { commit(first, last); };
    return size;
}

/// Follows from lengths alone.
OperationRun::Size OperationRun::size() const
{
    const Op& op = operands_.op();
    const std::uint64_t heads = operands_.heads(), rows = operands_.rows_of_scores();
    Size size;
    for (std::size_t o0 = 0; o0 < operands_.entries(); ++o0) {
        const std::uint64_t length = operands_.length(o0);
        const bool is_full = length > op.capacity;
        if (operands_.is_popular()) {
            for (std::size_t o1 = 0; o1 < heads; ++o1)
                size.compared = size.steps += popular_steps(operands_.stored(o0, o1));
        } else if (operands_.selects()) {
            need_field(!is_full || std::uint64_t{op.sinks} + op.window <= op.capacity,
                       LEVEE_ERROR_FIELD, offsetof(Op, capacity));
            size.compared = size.steps +=
                heads * select_steps(length, op.capacity, (op.flags & LEVEE_SE_RANDOM) != 0);
        } else {
            size.steps += operands_.accumulates() ? accumulate_steps(heads, rows, length, chain_)
                                                  : heads * score_steps(rows, length);
            size.scores += heads * rows * length;
            size.compared += operands_.evicts() ? heads * length : 0;
            size.evicted += operands_.evicts() && is_full ? heads : 0;
        }
    }
    if (operands_.evicts() && ties_ == Ties::Earliest)
        size.positions_compared = size.compared;
    return size;
}

/// Computes what follows from scores and importance; without payload, reads scores where a memory
/// takes notice, and draws.
void OperationRun::compute()
{
    evicted_.clear();
    const bool reads = operands_.rows_of_scores() != 0 && !operands_.scores_stream() &&
                       !operands_.selects() &&
                       makes_access(queue_, Direction::Read, operands_.op().scores);
    for (std::uint32_t o0 = 0; o0 < operands_.entries() && (reads || !entries_.empty()); ++o0) {
        if (operands_.accumulates())
            accumulate_entry(o0);
        else if (operands_.evicts())
            evict_entry(o0);
        else if (operands_.selects())
            select_entry(entries_[o0]);
        else
            popular(entries_[o0]);
    }
    if (draws(queue_) && !operands_.accumulates())
        drawn_.draw(operands_.policy(ties_));
}

/// By an engine all heads are one stream.
void OperationRun::accumulate_entry(std::uint32_t o0)
{
    const Op& op = operands_.op();
    const bool is_causal = (op.flags & LEVEE_SE_CAUSAL) != 0;
    const auto format = static_cast<levee_se_score>(op.score);
    const std::uint32_t length = operands_.length(o0);
    std::vector<Stream> streams;
    scores_.assign(1, {});
    for (std::uint32_t o1 = 0; o1 < operands_.heads(); ++o1) {
        const ScoreRows scores = scores_of(o0, o1);
        if (entries_.empty())
            continue;
        std::vector<std::uint16_t>& importance = entries_[o0].heads[o1].importance;
        if (engine_ == nullptr) {
            accumulate(importance, scores, length, is_causal, format);
            continue;
        }
        streams.push_back(stream_of(importance, scores, length, is_causal, format));
        streams.back().place = {o0, o1};
    }
    if (!streams.empty())
        engine_->stream(streams);
}

void OperationRun::evict_entry(std::uint32_t o0)
{
    const std::span<const std::uint32_t> slots = operands_.arrivals(o0);
    Arrival arriving{operands_.now(o0), operands_.length(o0), {slots.begin(), slots.end()}, {}};
    scores_.assign(operands_.heads(), {});
    for (std::size_t o1 = 0; o1 < operands_.heads(); ++o1)
        arriving.scores.push_back(scores_of(o0, o1));
    if (!entries_.empty())
        evicted_.push_back(evict(operands_.policy(ties_), entries_[o0], arriving, engine_));
}

void OperationRun::select_entry(Entry& entry)
{
    // load_tables has read it by position.
    std::vector<std::vector<std::uint16_t>> by_position;
    for (Head& head : entry.heads)
        by_position.push_back(std::move(head.importance));
    const std::vector<std::span<const std::uint16_t>> importance(by_position.begin(),
                                                                 by_position.end());
    select(operands_.policy(ties_), entry, importance);
}

/// Rows of scores of one head, of n elements each; valid until as many heads as scores_ holds are
/// requested further.
ScoreRows OperationRun::scores_of(std::size_t o0, std::size_t o1)
{
    const Op& op = operands_.op();
    ScoreRows rows{operands_.streamed(o0, o1), op.n, op.group, op.rows};
    if (operands_.rows_of_scores() == 0 || operands_.scores_stream())
        return rows;
    std::vector<float>& into = scores_[o1 % scores_.size()];
    operands_.scores(o0, o1).read(into);
    rows.n = operands_.length(o0); // only these are read of each row
    rows.scores = into;
    return rows;
}

/// FORGET reads the tables that EVICT has written and changes none.
OperationRun::Size OperationRun::prepare_forget(Operation& operation)
{
    discarded_.assign(operation.iterations, {});
    if (draws(queue_))
        discarded_.front() = drawn_.discarded(operands_.policy(ties_));
    else
        for (std::size_t o0 = 0; o0 < operands_.entries(); ++o0)
            for (std::size_t o1 = 0; o1 < operands_.heads(); ++o1)
                add_discards(o0, o1);
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t i = first; i < last; ++i)
            for (const AccessPattern& rows : discarded_[i])
                queue_.discard(rows);
    };
    return {.steps = forget_steps * operation.iterations};
}

/// FORGET: the rows of one head that are discarded.
void OperationRun::add_discards(std::size_t o0, std::size_t o1)
{
    const Op& op = operands_.op();
    const Layout& layout = operands_.layout();
    const std::uint32_t length = operands_.length(o0);
    const auto read_slot = [&](const Table& table, std::size_t member) {
        const std::uint32_t slot = queue_.read_word(table.at(o0, o1), table.field);
        need_field(slot < length, LEVEE_ERROR_FIELD, member);
        return slot;
    };
    const std::uint32_t leaving =
        length > op.capacity ? read_slot(layout.next(), offsetof(Op, next)) : none;
    std::optional<std::uint32_t> stored;
    if (operands_.formats().rows != 0) {
        const std::uint32_t slot = read_slot(layout.arrival(), offsetof(Op, arrival));
        const AccessPattern format = layout.redirect().element(o0, o1, slot);
        if (queue_.read_word(format.address, layout.redirect().field) != none)
            stored = slot;
    }
    const std::pair<std::uint64_t, std::size_t> bases[] = {{op.keys, offsetof(Op, keys)},
                                                           {op.values, offsetof(Op, values)}};
    for (const std::uint32_t slot :
         discarded_slots(operands_.policy(ties_), length, leaving, stored))
        for (const auto& [base, member] : bases) {
            if (base == 0)
                continue;
            discarded_[o0 * operands_.heads() + o1].push_back(layout.kv_row(base, o0, o1, slot));
            queue_.check_write(discarded_[o0 * operands_.heads() + o1].back(),
                               operation_field(member));
        }
}

} // namespace levee::kv_tables
