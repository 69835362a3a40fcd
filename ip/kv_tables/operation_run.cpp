// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/operation_run.hpp"

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

/// Converts a Refusal (inconsistent tables) to a CommandFault that names the descriptor
/// field.
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

OperationSize OperationRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    operands_.read(descriptor);
    operation.iterations = operands_.entries() * operands_.heads();
    if (operands_.forgets())
        return forgetting_.prepare(operation, operands_.policy(ties_));
    operands_.open(operation);
    tables_.load();
    const OperationSize size = size_of(operands_, chain_, ties_);
    operands_.check_writes();
    try {
        compute();
    } catch (const Refusal& refusal) {
        throw fault_of(refusal);
    }
    writer_.take(tables_.entries(), evicted_);
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        writer_.commit(first, last);
    };
    return size;
}

/// Computes the results. A timing-only run draws decisions instead, and reads scores only from
/// memories that track accesses.
void OperationRun::compute()
{
    std::vector<Entry>& entries = tables_.entries();
    evicted_.clear();
    const bool reads = operands_.rows_of_scores() != 0 && !operands_.scores_stream() &&
                       !operands_.selects() &&
                       makes_access(queue_, Direction::Read, operands_.op().scores);
    for (std::uint32_t o0 = 0; o0 < operands_.entries() && (reads || !entries.empty()); ++o0) {
        if (operands_.accumulates())
            accumulate_entry(o0, entries.empty() ? nullptr : &entries[o0]);
        else if (operands_.evicts())
            evict_entry(o0, entries.empty() ? nullptr : &entries[o0]);
        else if (operands_.selects())
            select_entry(entries[o0]);
        else
            popular(entries[o0]);
    }
    if (draws(queue_) && !operands_.accumulates())
        drawn_.draw(operands_.policy(ties_));
}

/// Executes ACCUMULATE for an entry, which is null in timing-only runs. With an engine, all heads
/// form one stream.
void OperationRun::accumulate_entry(std::uint32_t o0, Entry* entry)
{
    const Op& op = operands_.op();
    const bool is_causal = (op.flags & LEVEE_SE_CAUSAL) != 0;
    const auto format = static_cast<levee_se_score>(op.score);
    const std::uint32_t length = operands_.length(o0);
    std::vector<Stream> streams;
    scores_.assign(1, {});
    for (std::uint32_t o1 = 0; o1 < operands_.heads(); ++o1) {
        const ScoreRows scores = scores_of(o0, o1);
        if (entry == nullptr)
            continue;
        std::vector<std::uint16_t>& importance = entry->heads[o1].importance;
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

void OperationRun::evict_entry(std::uint32_t o0, Entry* entry)
{
    const std::span<const std::uint32_t> slots = operands_.arrivals(o0);
    Arrival arriving{operands_.now(o0), operands_.length(o0), {slots.begin(), slots.end()}, {}};
    scores_.assign(operands_.heads(), {});
    for (std::size_t o1 = 0; o1 < operands_.heads(); ++o1)
        arriving.scores.push_back(scores_of(o0, o1));
    if (entry != nullptr)
        evicted_.push_back(evict(operands_.policy(ties_), *entry, arriving, engine_));
}

void OperationRun::select_entry(Entry& entry)
{
    // SELECT's importance, which was read by position.
    std::vector<std::vector<std::uint16_t>> by_position;
    for (Head& head : entry.heads)
        by_position.push_back(std::move(head.importance));
    const std::vector<std::span<const std::uint16_t>> importance(by_position.begin(),
                                                                 by_position.end());
    select(operands_.policy(ties_), entry, importance);
}

/// Returns the rows of scores of one head, with n elements each. The rows stay valid until
/// scores_.size() more heads have been requested.
ScoreRows OperationRun::scores_of(std::size_t o0, std::size_t o1)
{
    const Op& op = operands_.op();
    ScoreRows rows{operands_.streamed(o0, o1), op.n, op.group, op.rows};
    if (operands_.rows_of_scores() == 0 || operands_.scores_stream())
        return rows;
    std::vector<float>& into = scores_[o1 % scores_.size()];
    operands_.scores(o0, o1).read(into);
    rows.n = operands_.length(o0); // Only these elements of each row are read.
    rows.scores = into;
    return rows;
}

} // namespace levee::kv_tables
