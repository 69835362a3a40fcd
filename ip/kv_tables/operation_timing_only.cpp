// SPDX-License-Identifier: Apache-2.0
// Operations of timing-only runs: the same checks, streams, accesses and time, but nothing is
// computed; decisions are replayed from a recording.
#include "ip/kv_tables/operation_run.hpp"
#include "ip/kv_tables/timing.hpp"

#include <algorithm>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

} // namespace

OperationRun::Size OperationRun::prepare_timing_only(Operation& operation)
{
    if (opcode_ == LEVEE_SE_POPULAR)
        read_kept();
    else
        read_lengths();
    if (opcode_ == LEVEE_SE_EVICT)
        check_arrivals();
    accept_scores();
    open_streams(operation);
    touch_tables();
    const Size size = timing_only_size();
    check_timing_only_writes();
    if (draws() && opcode_ != LEVEE_SE_ACCUMULATE)
        draw_decisions();
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        if (opcode_ != LEVEE_SE_POPULAR)
            touch_importance(first, last);
        if (opcode_ != LEVEE_SE_ACCUMULATE)
            decide_timing_only(first, last);
    };
    return size;
}

/// Replays recorded decisions pair by pair; writes drawn ones at once, with the first pair.
void OperationRun::decide_timing_only(std::uint32_t first, std::uint32_t last)
{
    if (!draws())
        queue_.replay(first, last);
    else if (first == 0)
        write_drawn();
}

/// Checks the arrivals' slots. Where decisions are drawn, all heads of an entry have the same one.
void OperationRun::check_arrivals()
{
    now_ = read_words(layout_.now(), 1);
    const std::size_t heads = draws() ? 1 : op_.outer[1];
    arrival_slots_ = read_words(layout_.arrival(), heads);
    for (std::size_t i = 0; i < arrival_slots_.size(); ++i)
        need_field(arrival_slots_[i] < lengths_[i / heads], LEVEE_ERROR_FIELD,
                   offsetof(Op, arrival));
}

/// Reads `elements` of each entry and head, for memories that track reads.
void OperationRun::touch(const Table& table, std::span<const std::uint32_t> elements)
{
    if (!queue_.tracks(table.address))
        return;
    for (std::size_t o0 = 0; o0 < elements.size(); ++o0)
        for (std::size_t o1 = 0; o1 < op_.outer[1]; ++o1)
            queue_.read(table.run(o0, o1, elements[o0]), nullptr, table.field);
}

/// Makes the accesses of load_tables.
void OperationRun::touch_tables()
{
    const bool evicts = opcode_ == LEVEE_SE_EVICT;
    if (opcode_ == LEVEE_SE_POPULAR) {
        touch_kept(layout_.positions());
        touch_kept(layout_.gather());
        return;
    }
    if (opcode_ == LEVEE_SE_SELECT && op_.scores != 0)
        touch(layout_.by_position(), lengths_);
    if (opcode_ == LEVEE_SE_SELECT)
        return;
    touch(layout_.importance(), lengths_);
    touch_scores();
    if (evicts)
        touch(layout_.positions(), lengths_);
    if (!evicts || formats_.rows == 0)
        return;
    const std::vector<std::uint32_t> once(op_.outer[0], 1), rows(op_.outer[0], formats_.rows);
    touch_entries(layout_.per_entry(formats_.current), once);
    touch_entries(layout_.per_row(formats_.holders), rows);
    touch_entries(layout_.per_row(formats_.x_positions), rows);
    touch(layout_.redirect(), lengths_);
    touch(layout_.slot_of(), rows);
}

/// Makes POPULAR's reads for each head.
void OperationRun::touch_kept(const Table& table)
{
    if (!queue_.tracks(table.address))
        return;
    for (std::size_t i = 0; i < kept_.size(); ++i)
        queue_.read(table.run(i / op_.outer[1], i % op_.outer[1], kept_[i]), nullptr, table.field);
}

/// Like touch, for a table shared by an entry's heads.
void OperationRun::touch_entries(const Table& table, std::span<const std::uint32_t> elements)
{
    if (!queue_.tracks(table.address))
        return;
    for (std::size_t o0 = 0; o0 < elements.size(); ++o0)
        queue_.read(table.run(o0, 0, elements[o0]), nullptr, table.field);
}

void OperationRun::touch_scores()
{
    if (rows_of_scores() == 0 || from_stream_ || !queue_.tracks(op_.scores))
        return;
    for (std::size_t o0 = 0; o0 < op_.outer[0]; ++o0)
        for (std::size_t o1 = 0; o1 < op_.outer[1]; ++o1)
            queue_.read(scores_pattern(o0, o1), nullptr, operation_field(offsetof(Op, scores)));
}

void OperationRun::touch_importance(std::uint32_t first, std::uint32_t last)
{
    if (!queue_.tracks(op_.importance))
        return;
    const std::vector<std::uint32_t> elements =
        opcode_ == LEVEE_SE_SELECT ? kept_of_lengths() : lengths_;
    for (std::uint32_t i = first; i < last; ++i) {
        const std::size_t o0 = i / op_.outer[1];
        queue_.write(layout_.importance().run(o0, i % op_.outer[1], elements[o0]), nullptr);
    }
}

OperationRun::Size OperationRun::timing_only_size() const
{
    Size size;
    for (const std::uint32_t length : lengths_) {
        const bool is_full = length > op_.capacity;
        if (opcode_ == LEVEE_SE_SELECT) {
            if (is_full && std::uint64_t{op_.sinks} + op_.window > op_.capacity)
                throw CommandFault{LEVEE_ERROR_FIELD, operation_field(offsetof(Op, capacity))};
            add_selection(size, length);
        } else if (opcode_ != LEVEE_SE_POPULAR) {
            add_scores(size, length);
            size.evicted += opcode_ == LEVEE_SE_EVICT && is_full ? op_.outer[1] : 0;
        }
    }
    if (opcode_ == LEVEE_SE_POPULAR)
        for (const std::uint32_t kept : kept_)
            size.compared = size.steps += popular_steps(kept);
    return size;
}

/// Checks the addresses of everything that is written without a stream.
void OperationRun::check_timing_only_writes()
{
    const bool evicts = opcode_ == LEVEE_SE_EVICT;
    const std::vector<std::uint32_t> once(op_.outer[0], 1);
    if (evicts || opcode_ == LEVEE_SE_SELECT)
        check_rows(layout_.next(), once, op_.outer[1]);
    if (evicts)
        check_rows(layout_.positions(), lengths_, op_.outer[1]);
    if (formats_.rows == 0)
        return;
    const std::vector<std::uint32_t> rows(op_.outer[0], formats_.rows);
    check_rows(layout_.per_row(formats_.holders), rows, 1);
    check_rows(layout_.per_row(formats_.x_positions), rows, 1);
    if (opcode_ == LEVEE_SE_POPULAR)
        check_rows(layout_.per_row(formats_.x_gather), rows, 1);
    check_rows(layout_.per_entry(formats_.current), once, 1);
    check_rows(layout_.per_entry(formats_.used), once, 1);
    check_rows(layout_.slot_of(), rows, op_.outer[1]);
    std::vector<std::uint32_t> slots = lengths_; // and the next token's slot
    for (std::uint32_t& count : slots)
        count += count <= op_.capacity || !evicts ? 1 : 0;
    check_rows(layout_.redirect(), slots, op_.outer[1]);
}

/// Runs of elements[o0] for each of `heads` heads of each entry: one rectangle if all entries
/// agree.
void OperationRun::check_rows(const Table& table, std::span<const std::uint32_t> elements,
                              std::size_t heads)
{
    const bool agree = std::ranges::all_of(
        elements, [&](std::uint32_t count) { return count == elements.front(); });
    for (std::size_t o0 = 0; o0 < (agree ? 1 : elements.size()); ++o0) {
        AccessPattern pattern = table.run(o0, 0, elements[o0]);
        pattern.count = {agree ? elements.size() : 1, heads, 1};
        pattern.stride = {table.stride0, table.stride1, 0};
        queue_.check_write(pattern, table.field);
    }
}

} // namespace levee::kv_tables
