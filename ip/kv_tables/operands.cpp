// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/operands.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/memory/loop_nest.hpp"
#include "core/numerics/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

constexpr std::uint32_t field_scores = operation_field(offsetof(Op, scores));

// Largest number of heads in one descriptor. Only a corrupt descriptor can have more.
constexpr std::uint64_t most_heads = std::uint64_t{1} << 20;
constexpr std::uint32_t most_input_rows = 1u << 16;

constexpr std::size_t word_bytes = sizeof(std::uint32_t);

bool agree(std::span<const std::uint32_t> elements)
{
    return std::ranges::all_of(elements,
                               [&](std::uint32_t count) { return count == elements.front(); });
}

/// Checks that the descriptor has the tables that its operation needs.
void check_addresses(std::uint8_t opcode, const Op& op)
{
    const bool accumulates = opcode == LEVEE_SE_ACCUMULATE;
    const bool evicts = opcode == LEVEE_SE_EVICT;
    const bool is_popular = opcode == LEVEE_SE_POPULAR;
    const bool forgets = opcode == LEVEE_SE_FORGET;
    const auto need = [](bool needed, std::uint64_t address, std::size_t member) {
        need_field(!needed || address != 0, LEVEE_ERROR_ADDRESS, member);
    };
    need(!is_popular && !accumulates, op.lengths, offsetof(Op, lengths));
    need(!is_popular && !forgets, op.importance, offsetof(Op, importance));
    need(!accumulates && !forgets, op.positions, offsetof(Op, positions));
    need(!accumulates, op.next, offsetof(Op, next));
    need(evicts, op.now, offsetof(Op, now));
    need(evicts || (forgets && op.formats != 0), op.arrival, offsetof(Op, arrival));
    need(opcode == LEVEE_SE_SELECT || is_popular, op.gather, offsetof(Op, gather));
    need(is_popular, op.formats, offsetof(Op, formats));
    need_field(opcode != LEVEE_SE_SELECT || !StreamPorts::is_stream(op.scores), LEVEE_ERROR_STREAM,
               offsetof(Op, scores));
}

void check_alignment(std::uint8_t opcode, const Op& op)
{
    const auto aligned = [](std::uint64_t address, auto& strides, std::uint64_t unit,
                            std::size_t address_member, std::size_t stride_member) {
        need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, address_member);
        for (std::size_t i = 0; address != 0 && i < std::size(strides); ++i)
            need_field(strides[i] % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
                       stride_member + i * sizeof strides[i]);
    };
    constexpr std::size_t half = sizeof(std::uint16_t);
    if (!StreamPorts::is_stream(op.scores))
        aligned(op.scores, op.scores_stride, opcode == LEVEE_SE_SELECT ? half : word_bytes,
                offsetof(Op, scores), offsetof(Op, scores_stride));
    aligned(op.importance, op.importance_stride, half, offsetof(Op, importance),
            offsetof(Op, importance_stride));
    aligned(op.positions, op.positions_stride, word_bytes, offsetof(Op, positions),
            offsetof(Op, positions_stride));
    aligned(op.gather, op.positions_stride, word_bytes, offsetof(Op, gather),
            offsetof(Op, positions_stride));
    const auto words = [&](std::uint64_t address, std::size_t member) {
        aligned(address, op.table_stride, word_bytes, member, offsetof(Op, table_stride));
    };
    words(op.lengths, offsetof(Op, lengths));
    words(op.now, offsetof(Op, now));
    words(op.arrival, offsetof(Op, arrival));
    words(op.next, offsetof(Op, next));
    need_field(op.formats % 8 == 0, LEVEE_ERROR_ADDRESS, offsetof(Op, formats));
}

void check(std::uint8_t opcode, const Op& op, bool makes_views)
{
    if (opcode < LEVEE_SE_ACCUMULATE || opcode > LEVEE_SE_FORGET)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const bool adds = opcode == LEVEE_SE_ACCUMULATE || opcode == LEVEE_SE_EVICT;
    const bool ranks = opcode == LEVEE_SE_EVICT || opcode == LEVEE_SE_SELECT;
    need_field(op.outer[0] > 0 && op.outer[1] > 0 &&
                   std::uint64_t{op.outer[0]} * op.outer[1] <= most_heads,
               LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(!adds || op.rows > 0, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(opcode != LEVEE_SE_EVICT || op.rows == 1, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(!adds || op.group > 0, LEVEE_ERROR_FIELD, offsetof(Op, group));
    const bool forgets = opcode == LEVEE_SE_FORGET;
    need_field(!(adds || ranks || forgets) || op.n > 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
    need_field(!(ranks || forgets) || op.capacity > 0, LEVEE_ERROR_FIELD, offsetof(Op, capacity));
    need_field(!ranks || op.reach == 0 || op.reach > op.capacity, LEVEE_ERROR_FIELD,
               offsetof(Op, reach));
    need_field(op.score <= LEVEE_SE_LOGIT, LEVEE_ERROR_FIELD, offsetof(Op, score));
    const unsigned known_flags = opcode == LEVEE_SE_ACCUMULATE ? LEVEE_SE_CAUSAL
                                 : ranks ? LEVEE_SE_RANDOM | LEVEE_SE_RECENT_HIGH | LEVEE_SE_REDRAW
                                         : 0;
    need_field((op.flags & ~known_flags) == 0, LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!makes_views || (op.view_bits >= 1 && op.view_bits <= 7), LEVEE_ERROR_FIELD,
               offsetof(Op, view_bits));
    need_field(!forgets || (op.keys | op.values) == 0 || op.kv_row_bytes > 0, LEVEE_ERROR_FIELD,
               offsetof(Op, kv_row_bytes));
    check_addresses(opcode, op);
    check_alignment(opcode, op);
}

} // namespace

void Operands::read(const levee_descriptor& descriptor)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, descriptor.operation, sizeof op_);
    from_stream_ = false;
    stream_ = {};
    check(opcode_, op_, makes_views());
    read_formats();
    if (is_popular())
        read_stored();
    else
        read_lengths();
    if (evicts())
        read_arrivals();
}

/// Reads struct levee_se_formats. All its errors name the field `formats`.
void Operands::read_formats()
{
    formats_ = {};
    if (op_.formats == 0 || accumulates() || selects())
        return;
    queue_.read_control(contiguous(op_.formats, sizeof formats_), &formats_,
                        operation_field(offsetof(Op, formats)));
    const auto need = [](bool good, levee_command_error code) {
        need_field(good, code, offsetof(Op, formats));
    };
    need(formats_.rows > 0 && formats_.rows <= most_input_rows, LEVEE_ERROR_FIELD);
    need(std::uint64_t{op_.outer[0]} * op_.outer[1] * formats_.rows <= most_heads * 64,
         LEVEE_ERROR_FIELD);
    need(formats_.x == 0 || formats_.x_row_bytes > 0, LEVEE_ERROR_FIELD);
    for (const std::uint64_t table : {formats_.redirect, formats_.slot_of, formats_.holders,
                                      formats_.x_positions, formats_.current, formats_.used})
        need(table != 0 && table % word_bytes == 0, LEVEE_ERROR_ADDRESS);
    need(!is_popular() || (formats_.x_gather != 0 && formats_.x_gather % word_bytes == 0),
         LEVEE_ERROR_ADDRESS);
    for (const std::int32_t stride : {formats_.slot_of_stride[0], formats_.slot_of_stride[1],
                                      formats_.row_table_stride, formats_.entry_table_stride})
        need(stride % static_cast<std::int32_t>(word_bytes) == 0, LEVEE_ERROR_ADDRESS);
}

std::vector<std::uint32_t> Operands::words(const Table& table, std::size_t heads) const
{
    std::vector<std::uint32_t> words(entries() * heads);
    AccessPattern pattern = table.run(0, 0, 1);
    pattern.count = {entries(), heads, 1};
    pattern.stride = {table.stride0, table.stride1, 0};
    queue_.read_control(pattern, words.data(), table.field);
    return words;
}

void Operands::read_lengths()
{
    if (op_.lengths == 0)
        lengths_.assign(op_.outer[0], op_.n);
    else
        lengths_ = words(layout_.lengths(), 1);
    for (const std::uint32_t length : lengths_) {
        need_field(length > 0 && length <= op_.n &&
                       std::uint64_t{length} * op_.outer[0] * op_.outer[1] <= most_slots,
                   LEVEE_ERROR_FIELD, offsetof(Op, lengths));
        need_field((op_.flags & LEVEE_SE_CAUSAL) == 0 || length >= op_.rows, LEVEE_ERROR_FIELD,
                   offsetof(Op, rows));
    }
    kept_.clear();
    for (std::size_t o0 = 0; selects() && o0 < entries(); ++o0)
        kept_.push_back(std::min(lengths_[o0], op_.capacity));
}

void Operands::read_stored()
{
    lengths_.assign(entries(), 0);
    stored_ = words(layout_.next(), heads());
    for (std::size_t i = 0; i < stored_.size(); ++i) {
        need_field(stored_[i] > 0 &&
                       std::uint64_t{stored_[i]} * op_.outer[0] * op_.outer[1] <= most_slots,
                   LEVEE_ERROR_FIELD, offsetof(Op, next));
        std::uint32_t& longest = lengths_[i / heads()];
        longest = std::max(longest, stored_[i]);
    }
}

void Operands::read_arrivals()
{
    now_ = words(layout_.now(), 1);
    arrivals_ = words(layout_.arrival(), draws(queue_) ? 1 : heads());
    for (std::size_t o0 = 0; !draws(queue_) && o0 < entries(); ++o0)
        for (const std::uint32_t slot : arrivals(o0))
            need_field(slot < lengths_[o0], LEVEE_ERROR_FIELD, offsetof(Op, arrival));
}

std::span<const std::uint32_t> Operands::arrivals(std::size_t o0) const
{
    const std::size_t each = arrivals_.size() / entries();
    return std::span(arrivals_).subspan(o0 * each, each);
}

void Operands::accept_scores()
{
    from_stream_ = !is_popular() && StreamPorts::is_stream(op_.scores);
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

/// Opens streams of elements[o0] elements for every head of entry o0. If all entries have the same
/// length, this is one stream with a rectangular pattern.
void Operands::open_table(Operation& operation, Direction direction, const Table& table,
                          std::span<const std::uint32_t> elements)
{
    const bool alike = agree(elements);
    const std::size_t steps = alike ? 1 : elements.size();
    for (std::size_t o0 = 0; o0 < steps; ++o0)
        for (const AccessPattern& pattern : patterns_of(
                 table.at(o0, 0), std::uint64_t{elements[o0]} * table.element_bytes,
                 {{alike ? elements.size() : 1, table.stride0}, {op_.outer[1], table.stride1}}))
            queue_.add_stream(operation, direction, pattern, pattern.bytes(), table.field);
}

/// Opens streams for the valid part of each row of scores.
void Operands::open_scores(Operation& operation)
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

void Operands::open(Operation& operation)
{
    accept_scores();
    const auto reads = [&](const Table& table) {
        open_table(operation, Direction::Read, table, lengths());
    };
    const auto writes = [&](const Table& table) {
        open_table(operation, Direction::Write, table, kept());
    };
    if (accumulates() || evicts()) {
        open_scores(operation);
        reads(layout_.importance());
        writes(layout_.importance());
        if (evicts())
            reads(layout_.positions());
    } else if (is_popular()) {
        reads(layout_.positions());
        writes(layout_.gather());
        writes(layout_.redirect());
    } else {
        if (op_.scores != 0)
            reads(layout_.by_position());
        writes(layout_.importance());
        writes(layout_.positions());
        writes(layout_.gather());
    }
    if (makes_views())
        writes(layout_.views());
}

void Operands::check_writes()
{
    const std::vector<std::uint32_t> once(entries(), 1);
    if (evicts() || selects())
        check_table(layout_.next(), once, heads());
    if (evicts())
        check_table(layout_.positions(), lengths_, heads());
    if (formats_.rows == 0)
        return;
    const std::vector<std::uint32_t> rows(entries(), formats_.rows);
    check_table(layout_.per_row(formats_.holders), rows, 1);
    check_table(layout_.per_row(formats_.x_positions), rows, 1);
    if (is_popular())
        check_table(layout_.per_row(formats_.x_gather), rows, 1);
    check_table(layout_.per_entry(formats_.current), once, 1);
    check_table(layout_.per_entry(formats_.used), once, 1);
    check_table(layout_.slot_of(), rows, heads());
    std::vector<std::uint32_t> slots = lengths_; // The next token's slot is read, too.
    for (std::uint32_t& count : slots)
        count += count <= op_.capacity || !evicts() ? 1 : 0;
    check_table(layout_.redirect(), slots, heads());
}

/// Checks the addresses of elements[o0] elements for each of `heads` heads of each entry. If all
/// entries have the same length, one check covers them as a rectangular pattern.
void Operands::check_table(const Table& table, std::span<const std::uint32_t> elements,
                           std::size_t heads)
{
    const bool alike = agree(elements);
    for (std::size_t o0 = 0; o0 < (alike ? 1 : elements.size()); ++o0) {
        AccessPattern pattern = table.run(o0, 0, elements[o0]);
        pattern.count = {alike ? elements.size() : 1, heads, 1};
        pattern.stride = {table.stride0, table.stride1, 0};
        queue_.check_write(pattern, table.field);
    }
}

std::size_t Operands::rows_of_scores() const
{
    return op_.scores == 0 ? 0 : std::size_t{op_.group} * op_.rows;
}

std::span<const float> Operands::streamed(std::size_t o0, std::size_t o1) const
{
    const std::size_t each = rows_of_scores() * op_.n;
    return stream_.empty() ? stream_ : stream_.subspan((o0 * heads() + o1) * each, each);
}

View Operands::scores(std::size_t o0, std::size_t o1) const
{
    View view{queue_,
              contiguous(offset_by(offset_by(op_.scores, op_.scores_stride[0], o0),
                                   op_.scores_stride[1], o1),
                         std::uint64_t{lengths_[o0]} * sizeof(float)),
              field_scores};
    view.pattern.count[2] = rows_of_scores();
    view.pattern.stride[2] = op_.scores_stride[2];
    return view;
}

Policy Operands::policy(Ties ties) const
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
            ties,
            evicts() || selects() ? op_.reach : 0};
}

} // namespace levee::kv_tables
