// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/decision_writer.hpp"

namespace levee::kv_tables {

namespace {

/// Adds one write to a decision. `packed` holds the bytes of the pattern; null: the pattern is
/// discarded.
void add(Decision& decision, std::uint32_t pair, Decided what, const AccessPattern& pattern,
         const void* packed)
{
    Decision::Write& write = decision.writes.emplace_back();
    write.pattern = pattern;
    write.iteration = pair;
    write.what = static_cast<std::uint8_t>(what);
    const auto* const bytes = static_cast<const std::uint8_t*>(packed);
    if (bytes != nullptr)
        write.bytes.assign(bytes, bytes + pattern.bytes());
}

} // namespace

void DecisionWriter::take(std::span<const Entry> entries, std::span<const Evicted> evicted)
{
    entries_ = entries;
    evicted_ = evicted;
    check_released();
}

/// Checks the addresses of the input rows that are discarded because no head uses them any more.
void DecisionWriter::check_released() const
{
    for (std::uint32_t o0 = 0; o0 < evicted_.size() && operands_.formats().x != 0; ++o0)
        for (const std::uint32_t row : evicted_[o0].released_inputs)
            queue_.check_write(operands_.layout().x_row(o0, row),
                               operation_field(offsetof(levee_se_operation, formats)));
}

/// Writes the importance and the decisions of heads [first, last), counted over all entries.
void DecisionWriter::commit(std::uint32_t first, std::uint32_t last)
{
    const Table table = operands_.layout().importance();
    const std::uint32_t heads = operands_.heads();
    if (!operands_.is_popular() && makes_access(queue_, Direction::Write, table.address)) {
        const std::vector<std::uint16_t> no_values;
        for (std::uint32_t i = first; i < last; ++i)
            View{queue_, table.run(i / heads, i % heads, operands_.kept()[i / heads]), table.field}
                .write(entries_.empty() ? no_values
                                        : entries_[i / heads].heads[i % heads].importance);
    }
    if (!operands_.accumulates())
        decide(first, last);
}

/// Writes the decisions of these heads. Decisions from statistics are all written at once, with the
/// first head.
void DecisionWriter::decide(std::uint32_t first, std::uint32_t last)
{
    if (draws(queue_)) {
        if (first == 0)
            drawn_.write();
        return;
    }
    if (replays(queue_))
        return queue_.replay(first, last);
    Decision decision;
    for (std::uint32_t i = first; i < last; ++i)
        decide_pair(i, decision);
    queue_.decide(std::move(decision));
}

void DecisionWriter::decide_pair(std::uint32_t pair, Decision& decision) const
{
    const std::size_t o0 = pair / operands_.heads(), o1 = pair % operands_.heads();
    const Entry& entry = entries_[o0];
    const Head& head = entry.heads[o1];
    const auto run = [&](Decided what, const Table& table, const auto& values) {
        add(decision, pair, what, table.run(o0, o1, values.size()), values.data());
    };
    const auto word = [&](Decided what, const Table& table, std::uint32_t at,
                          const std::uint32_t& value) {
        add(decision, pair, what, table.element(o0, o1, at), &value);
    };
    const bool evicts = operands_.evicts(), selects = operands_.selects();
    const Layout& layout = operands_.layout();
    if (operands_.makes_views())
        run(Decided::Views, layout.views(), head.views);
    if (evicts || selects)
        word(Decided::Next, layout.next(), 0, head.next);
    if (selects)
        run(Decided::Positions, layout.positions(), head.positions);
    if (!evicts)
        run(Decided::Gather, layout.gather(), head.gather);
    const std::uint32_t slot = evicts ? operands_.arrivals(o0)[o1] : 0;
    if (evicts)
        word(Decided::Positions, layout.positions(), slot, head.positions[slot]);
    if (operands_.formats().rows == 0)
        return;
    run(Decided::SlotOf, layout.slot_of(), head.slot_of);
    if (evicts)
        word(Decided::Redirect, layout.redirect(), slot, head.redirect[slot]);
    else
        run(Decided::Redirect, layout.redirect(), std::span(head.redirect).first(head.next));
    word(Decided::Redirect, layout.redirect(), head.next, head.redirect[head.next]);
    if (o1 + 1 == entry.heads.size())
        decide_formats(pair, decision);
}

/// Adds the tables of the formats, which the heads of an entry share, to the decision.
void DecisionWriter::decide_formats(std::uint32_t pair, Decision& decision) const
{
    const std::uint32_t o0 = pair / operands_.heads();
    const Layout& layout = operands_.layout();
    const levee_se_formats& tables = operands_.formats();
    const Formats& formats = *entries_[o0].formats;
    const auto rows = [&](Decided what, std::uint64_t table,
                          const std::vector<std::uint32_t>& values) {
        add(decision, pair, what, layout.per_row(table).run(o0, 0, formats.rows), values.data());
    };
    rows(Decided::Holders, tables.holders, formats.holders);
    rows(Decided::XPositions, tables.x_positions, formats.x_positions);
    if (operands_.is_popular())
        rows(Decided::XGather, tables.x_gather, formats.x_gather);
    add(decision, pair, Decided::Current, layout.per_entry(tables.current).element(o0, 0, 0),
        &formats.current);
    add(decision, pair, Decided::Used, layout.per_entry(tables.used).element(o0, 0, 0),
        &formats.used);
    if (operands_.evicts() && tables.x != 0)
        for (const std::uint32_t row : evicted_[o0].released_inputs)
            add(decision, pair, Decided::XRow, layout.x_row(o0, row), nullptr);
}

} // namespace levee::kv_tables
