// SPDX-License-Identifier: Apache-2.0
// An operation's decisions, as writes and discards.
#include "ip/kv_tables/operation_run.hpp"

namespace levee::kv_tables {

/// Writes the importance of the pairs [first, last) and records their decisions.
void OperationRun::commit(std::uint32_t first, std::uint32_t last)
{
    const std::size_t heads = op_.outer[1];
    if (opcode_ != LEVEE_SE_POPULAR)
        for (std::uint32_t i = first; i < last; ++i) {
            const Head& head = entries_[i / heads].heads[i % heads];
            queue_.write(layout_.importance().run(i / heads, i % heads, head.importance.size()),
                         head.importance.data());
        }
    if (opcode_ == LEVEE_SE_ACCUMULATE)
        return;
    Decision decision;
    for (std::uint32_t i = first; i < last; ++i)
        decide_pair(i, decision);
    queue_.decide(std::move(decision));
}

void OperationRun::decide_pair(std::uint32_t pair, Decision& decision) const
{
    const std::size_t o0 = pair / op_.outer[1], o1 = pair % op_.outer[1];
    const Entry& entry = entries_[o0];
    const Head& head = entry.heads[o1];
    const auto run = [&](Decided what, const Table& table, const auto& values) {
        add(decision, pair, what, table.run(o0, o1, values.size()), values.data());
    };
    const auto word = [&](Decided what, const Table& table, std::uint32_t at,
                          const std::uint32_t& value) {
        add(decision, pair, what, table.element(o0, o1, at), &value);
    };
    const bool evicts = opcode_ == LEVEE_SE_EVICT, selects = opcode_ == LEVEE_SE_SELECT;
    if (makes_views())
        run(Decided::Views, layout_.views(), head.views);
    if (evicts || selects)
        word(Decided::Next, layout_.next(), 0, head.next);
    if (selects)
        run(Decided::Positions, layout_.positions(), head.positions);
    if (!evicts)
        run(Decided::Gather, layout_.gather(), head.gather);
    const std::uint32_t slot = evicts ? arrivals_[o0].slots[o1] : 0;
    if (evicts)
        word(Decided::Positions, layout_.positions(), slot, head.positions[slot]);
    if (formats_.rows == 0)
        return;
    run(Decided::SlotOf, layout_.slot_of(), head.slot_of);
    if (evicts)
        word(Decided::Redirect, layout_.redirect(), slot, head.redirect[slot]);
    else
        run(Decided::Redirect, layout_.redirect(), std::span(head.redirect).first(head.next));
    word(Decided::Redirect, layout_.redirect(), head.next, head.redirect[head.next]);
    if (o1 + 1 == entry.heads.size())
        decide_formats(pair, decision);
}

/// Decides the formats, which are shared by an entry's heads.
void OperationRun::decide_formats(std::uint32_t pair, Decision& decision) const
{
    const std::uint32_t o0 = pair / op_.outer[1];
    const Formats& formats = *entries_[o0].formats;
    const auto rows = [&](Decided what, std::uint64_t table,
                          const std::vector<std::uint32_t>& values) {
        add(decision, pair, what, layout_.per_row(table).run(o0, 0, formats.rows), values.data());
    };
    rows(Decided::Holders, formats_.holders, formats.holders);
    rows(Decided::XPositions, formats_.x_positions, formats.x_positions);
    if (opcode_ == LEVEE_SE_POPULAR)
        rows(Decided::XGather, formats_.x_gather, formats.x_gather);
    add(decision, pair, Decided::Current, layout_.per_entry(formats_.current).element(o0, 0, 0),
        &formats.current);
    add(decision, pair, Decided::Used, layout_.per_entry(formats_.used).element(o0, 0, 0),
        &formats.used);
    if (opcode_ == LEVEE_SE_EVICT && formats_.x != 0)
        for (const std::uint32_t row : evicted_[o0].released_inputs)
            add(decision, pair, Decided::XRow, layout_.x_row(o0, row), nullptr);
}

/// `packed`: the pattern's bytes; null: the pattern is discarded.
void OperationRun::add(Decision& decision, std::uint32_t pair, Decided what,
                       const AccessPattern& pattern, const void* packed)
{
    Decision::Write& write = decision.writes.emplace_back();
    write.pattern = pattern;
    write.iteration = pair;
    write.what = static_cast<std::uint8_t>(what);
    const auto* const bytes = static_cast<const std::uint8_t*>(packed);
    if (bytes != nullptr)
        write.bytes.assign(bytes, bytes + pattern.bytes());
}

} // namespace levee::kv_tables
