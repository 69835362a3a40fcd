// SPDX-License-Identifier: Apache-2.0
// Reads and writes an operation's tables: the streams it opens, and the bytes.
#include "core/memory/loop_nest.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/kv_tables/operation_run.hpp"

#include <algorithm>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

constexpr std::uint32_t field_scores = operation_field(offsetof(Op, scores));
constexpr std::uint32_t field_keys = operation_field(offsetof(Op, keys));
constexpr std::uint32_t field_values = operation_field(offsetof(Op, values));

// Most slots of all heads of one descriptor: bounds what a corrupt one allocates.
constexpr std::uint64_t most_slots = std::uint64_t{1} << 26;

} // namespace

/// Reads one word for each of `heads` heads of each entry, entry by entry.
std::vector<std::uint32_t> OperationRun::read_words(const Table& table, std::size_t heads)
{
    std::vector<std::uint32_t> words(op_.outer[0] * heads);
    AccessPattern pattern = table.run(0, 0, 1);
    pattern.count = {op_.outer[0], heads, 1};
    pattern.stride = {table.stride0, table.stride1, 0};
    queue_.read_control(pattern, words.data(), table.field);
    return words;
}

void OperationRun::read_lengths()
{
    if (op_.lengths == 0)
        lengths_.assign(op_.outer[0], op_.n);
    else
        lengths_ = read_words(layout_.lengths(), 1);
    for (const std::uint32_t length : lengths_) {
        need_field(length > 0 && length <= op_.n &&
                       std::uint64_t{length} * op_.outer[0] * op_.outer[1] <= most_slots,
                   LEVEE_ERROR_FIELD, offsetof(Op, lengths));
        need_field((op_.flags & LEVEE_SE_CAUSAL) == 0 || length >= op_.rows, LEVEE_ERROR_FIELD,
                   offsetof(Op, rows));
    }
}

/// POPULAR: number of tokens that each head stores.
void OperationRun::read_kept()
{
    lengths_.assign(op_.outer[0], 0);
    kept_ = read_words(layout_.next(), op_.outer[1]);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        need_field(kept_[i] > 0 &&
                       std::uint64_t{kept_[i]} * op_.outer[0] * op_.outer[1] <= most_slots,
                   LEVEE_ERROR_FIELD, offsetof(Op, next));
        std::uint32_t& longest = lengths_[i / op_.outer[1]];
        longest = std::max(longest, kept_[i]);
    }
}

void OperationRun::read_arrivals()
{
    arrivals_.clear();
    if (opcode_ != LEVEE_SE_EVICT)
        return;
    now_ = read_words(layout_.now(), 1);
    const std::vector<std::uint32_t> slots = read_words(layout_.arrival(), op_.outer[1]);
    for (std::size_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        const auto first = slots.begin() + static_cast<std::ptrdiff_t>(o0 * op_.outer[1]);
        arrivals_.push_back({now_[o0], lengths_[o0], {first, first + op_.outer[1]}, {}});
    }
}

void OperationRun::accept_scores()
{
    stream_ = {};
    from_stream_ = opcode_ != LEVEE_SE_POPULAR && StreamPorts::is_stream(op_.scores);
    if (!from_stream_)
        return;
    StreamPort* const port = queue_.streams().find(op_.scores);
    if (port == nullptr)
        throw CommandFault{LEVEE_ERROR_STREAM, field_scores};
    const Operation& producer = queue_.accept(*port);
    stream_ = producer.stream;
    const std::uint64_t rows = std::uint64_t{op_.outer[0]} * op_.outer[1] * rows_of_scores();
    const std::uint64_t elements = producer.streamed();
    if (elements == 0 || elements / op_.n != rows || elements % op_.n != 0)
        throw CommandFault{LEVEE_ERROR_STREAM, field_scores};
}

/// Opens runs of elements[o0] for every (o0, o1): one rectangle if all entries agree.
void OperationRun::open(Operation& operation, Direction direction, const Table& table,
                        std::span<const std::uint32_t> elements)
{
    const bool agree = std::ranges::all_of(
        elements, [&](std::uint32_t count) { return count == elements.front(); });
    const std::size_t steps = agree ? 1 : elements.size();
    for (std::size_t o0 = 0; o0 < steps; ++o0)
        for (const AccessPattern& pattern : patterns_of(
                 table.at(o0, 0), std::uint64_t{elements[o0]} * table.element_bytes,
                 {{agree ? elements.size() : 1, table.stride0}, {op_.outer[1], table.stride1}}))
            queue_.add_stream(operation, direction, pattern, pattern.bytes(), table.field);
}

/// Opens the valid part of each row of scores.
void OperationRun::open_scores(Operation& operation)
{
    if (rows_of_scores() == 0 || from_stream_)
        return;
    for (std::size_t o0 = 0; o0 < op_.outer[0]; ++o0)
        for (const AccessPattern& pattern : patterns_of(
                 offset_by(op_.scores, op_.scores_stride[0], o0),
                 std::uint64_t{lengths_[o0]} * sizeof(float),
                 {{op_.outer[1], op_.scores_stride[1]}, {rows_of_scores(), op_.scores_stride[2]}}))
            queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field_scores);
}

/// Opens streams for tables with an element for each slot. Per-head and per-input-row words are
/// read with the descriptor, without traffic.
void OperationRun::open_streams(Operation& operation)
{
    const bool accumulates = opcode_ == LEVEE_SE_ACCUMULATE;
    const bool evicts = opcode_ == LEVEE_SE_EVICT;
    const bool is_popular = opcode_ == LEVEE_SE_POPULAR;
    if (accumulates || evicts) {
        open_scores(operation);
        open(operation, Direction::Read, layout_.importance(), lengths_);
        open(operation, Direction::Write, layout_.importance(), lengths_);
        if (evicts)
            open(operation, Direction::Read, layout_.positions(), lengths_);
        if (makes_views())
            open(operation, Direction::Write, layout_.views(), lengths_);
        return;
    }
    if (is_popular) {
        open(operation, Direction::Read, layout_.positions(), lengths_);
        open(operation, Direction::Write, layout_.gather(), lengths_);
        open(operation, Direction::Write, layout_.redirect(), lengths_);
        return;
    }
    if (op_.scores != 0)
        open(operation, Direction::Read, layout_.by_position(), lengths_);
    const std::vector<std::uint32_t> kept = kept_of_lengths();
    open(operation, Direction::Write, layout_.importance(), kept);
    open(operation, Direction::Write, layout_.positions(), kept);
    open(operation, Direction::Write, layout_.gather(), kept);
    if (makes_views())
        open(operation, Direction::Write, layout_.views(), kept);
}

/// SELECT: what each entry's heads retain.
std::vector<std::uint32_t> OperationRun::kept_of_lengths() const
{
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t length : lengths_)
        kept.push_back(std::min(length, op_.capacity));
    return kept;
}

void OperationRun::load(const Table& table, std::size_t o0, std::size_t o1, std::size_t elements,
                        std::vector<std::uint32_t>& into)
{
    into.resize(elements);
    queue_.read_control(table.run(o0, o1, elements), into.data(), table.field);
}

/// Importance is payload.
void OperationRun::load(const Table& table, std::size_t o0, std::size_t o1, std::size_t elements,
                        std::vector<std::uint16_t>& into)
{
    into.resize(elements);
    queue_.read(table.run(o0, o1, elements), into.data(), table.field);
}

void OperationRun::load_tables()
{
    const bool selects = opcode_ == LEVEE_SE_SELECT;
    for (Entry& entry : entries_) {
        const std::uint32_t o0 = entry.index;
        for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
            Head& head = entry.heads[o1];
            if (selects && op_.scores == 0)
                head.importance.assign(lengths_[o0], 0);
            else if (opcode_ != LEVEE_SE_POPULAR)
                load(selects ? layout_.by_position() : layout_.importance(), o0, o1, lengths_[o0],
                     head.importance);
            if (opcode_ == LEVEE_SE_EVICT)
                load(layout_.positions(), o0, o1, lengths_[o0], head.positions);
            if (opcode_ == LEVEE_SE_POPULAR) {
                head.next = kept_[o0 * op_.outer[1] + o1];
                load(layout_.positions(), o0, o1, head.next, head.positions);
                load(layout_.gather(), o0, o1, head.next, head.gather);
            }
        }
        load_formats(entry);
    }
}

void OperationRun::load_formats(Entry& entry)
{
    if (formats_.rows == 0)
        return;
    const std::uint32_t o0 = entry.index;
    Formats& formats = entry.formats.emplace();
    formats.rows = formats_.rows;
    formats.arrival_row = formats_.arrival_row;
    if (opcode_ != LEVEE_SE_EVICT)
        return;
    const Table current = layout_.per_entry(formats_.current);
    formats.current = queue_.read_word(current.at(o0, 0), current.field);
    load(layout_.per_row(formats_.holders), o0, 0, formats.rows, formats.holders);
    load(layout_.per_row(formats_.x_positions), o0, 0, formats.rows, formats.x_positions);
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        load(layout_.redirect(), o0, o1, lengths_[o0], entry.heads[o1].redirect);
        load(layout_.slot_of(), o0, o1, formats.rows, entry.heads[o1].slot_of);
    }
}

/// Pattern of the valid scores of one head, in memory.
AccessPattern OperationRun::scores_pattern(std::size_t o0, std::size_t o1) const
{
    AccessPattern pattern;
    pattern.address =
        offset_by(offset_by(op_.scores, op_.scores_stride[0], o0), op_.scores_stride[1], o1);
    pattern.run_bytes = std::uint64_t{lengths_[o0]} * sizeof(float);
    pattern.count[2] = rows_of_scores();
    pattern.stride[2] = op_.scores_stride[2];
    return pattern;
}

/// Rows of scores of one head, of n elements each; valid until `heads` further ones are requested.
ScoreRows OperationRun::scores_of(std::size_t o0, std::size_t o1)
{
    ScoreRows result{{}, op_.n, op_.group, op_.rows};
    const std::size_t rows = rows_of_scores();
    if (rows == 0)
        return result;
    if (from_stream_) {
        const std::size_t each = rows * op_.n;
        result.scores = stream_.subspan((o0 * op_.outer[1] + o1) * each, each);
        return result;
    }
    result.n = lengths_[o0]; // only these are read of each row
    std::vector<float>& into = scores_[o1 % scores_.size()];
    into.resize(rows * result.n);
    queue_.read(scores_pattern(o0, o1), into.data(), field_scores);
    result.scores = into;
    return result;
}

/// Checks the addresses of everything that is written or discarded without a stream.
void OperationRun::check_writes()
{
    for (const Entry& entry : entries_) {
        const std::uint32_t o0 = entry.index;
        for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
            if (opcode_ == LEVEE_SE_EVICT || opcode_ == LEVEE_SE_SELECT)
                queue_.check_write(layout_.next().element(o0, o1, 0), layout_.next().field);
            if (opcode_ != LEVEE_SE_EVICT)
                continue;
            const std::uint32_t slot = arrivals_[o0].slots[o1];
            queue_.check_write(layout_.positions().element(o0, o1, slot),
                               layout_.positions().field);
        }
        check_write_formats(entry);
    }
}

void OperationRun::check_write_formats(const Entry& entry)
{
    if (formats_.rows == 0)
        return;
    const std::uint32_t o0 = entry.index;
    const auto rows = [&](const Table& table, std::size_t o1) {
        queue_.check_write(table.run(o0, o1, formats_.rows), table.field);
    };
    rows(layout_.per_row(formats_.holders), 0);
    rows(layout_.per_row(formats_.x_positions), 0);
    if (opcode_ == LEVEE_SE_POPULAR)
        rows(layout_.per_row(formats_.x_gather), 0);
    for (const std::uint64_t table : {formats_.current, formats_.used})
        queue_.check_write(layout_.per_entry(table).element(o0, 0, 0),
                           layout_.per_entry(table).field);
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        rows(layout_.slot_of(), o1);
        queue_.check_write(layout_.redirect().element(o0, o1, entry.heads[o1].next),
                           layout_.redirect().field);
        if (opcode_ == LEVEE_SE_EVICT)
            queue_.check_write(layout_.redirect().element(o0, o1, arrivals_[o0].slots[o1]),
                               layout_.redirect().field);
    }
    if (opcode_ == LEVEE_SE_EVICT && formats_.x != 0)
        for (const std::uint32_t row : evicted_[o0].released_inputs)
            queue_.check_write(layout_.x_row(o0, row), operation_field(offsetof(Op, formats)));
}

/// FORGET: the slots of one head whose rows are discarded.
std::vector<std::uint32_t> OperationRun::read_discards(std::size_t o0, std::size_t o1)
{
    const std::uint32_t length = lengths_[o0];
    const auto read_slot = [&](const Table& table, std::size_t member) {
        const std::uint32_t slot = queue_.read_word(table.at(o0, o1), table.field);
        need_field(slot < length, LEVEE_ERROR_FIELD, member);
        return slot;
    };
    const std::uint32_t leaving =
        length > op_.capacity ? read_slot(layout_.next(), offsetof(Op, next)) : none;
    std::optional<std::uint32_t> stored;
    if (formats_.rows != 0) {
        const std::uint32_t slot = read_slot(layout_.arrival(), offsetof(Op, arrival));
        const AccessPattern format = layout_.redirect().element(o0, o1, slot);
        if (queue_.read_word(format.address, layout_.redirect().field) != none)
            stored = slot;
    }
    const std::vector<std::uint32_t> slots = discarded_slots(policy(), length, leaving, stored);
    for (const std::uint32_t slot : slots) {
        if (op_.keys != 0)
            queue_.check_write(layout_.kv_row(op_.keys, o0, o1, slot), field_keys);
        if (op_.values != 0)
            queue_.check_write(layout_.kv_row(op_.values, o0, o1, slot), field_values);
    }
    return slots;
}

void OperationRun::discard_slots(std::size_t o0, std::size_t o1)
{
    for (const std::uint32_t slot : discarded_slots_[o0 * op_.outer[1] + o1])
        for (const std::uint64_t base : {op_.keys, op_.values})
            if (base != 0)
                queue_.discard(layout_.kv_row(base, o0, o1, slot));
}

} // namespace levee::kv_tables
