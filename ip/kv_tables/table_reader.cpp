// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/table_reader.hpp"

namespace levee::kv_tables {

/// Reads the run of each head o1 of each entry o0, which has elements(o0, o1) elements.
template <typename Element>
void TableReader::load(const Table& table, auto elements, std::vector<Element> Head::*into)
{
    if (!makes_access(queue_, Direction::Read, table.address))
        return;
    std::vector<Element> no_elements;
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0)
        for (std::uint32_t o1 = 0; o1 < operands_.heads(); ++o1)
            View{queue_, table.run(o0, o1, elements(o0, o1)), table.field}.read(
                entries_.empty() ? no_elements : entries_[o0].heads[o1].*into);
}

/// Reads a run of elements for each entry, which its heads share.
void TableReader::load(const Table& table, std::size_t elements,
                       std::vector<std::uint32_t> Formats::*into)
{
    std::vector<std::uint32_t> no_elements;
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0)
        View{queue_, table.run(o0, 0, elements), table.field}.read(
            entries_.empty() ? no_elements : *entries_[o0].formats.*into);
}

void TableReader::load()
{
    const Layout& layout = operands_.layout();
    entries_.assign(queue_.timing_only() ? 0 : operands_.entries(), Entry{});
    for (std::uint32_t o0 = 0; o0 < entries_.size(); ++o0) {
        entries_[o0].index = o0;
        entries_[o0].heads.resize(operands_.heads());
    }
    const auto valid = [this](std::size_t o0, std::size_t) { return operands_.length(o0); };
    const auto stored = [this](std::size_t o0, std::size_t o1) { return operands_.stored(o0, o1); };
    if (operands_.is_popular()) {
        load(layout.positions(), stored, &Head::positions);
        load(layout.gather(), stored, &Head::gather);
    } else if (!operands_.selects()) {
        load(layout.importance(), valid, &Head::importance);
    } else if (operands_.op().scores != 0) {
        load(layout.by_position(), valid, &Head::importance);
    }
    if (operands_.evicts())
        load(layout.positions(), valid, &Head::positions);
    for (Entry& entry : entries_)
        for (std::size_t o1 = 0; o1 < operands_.heads(); ++o1) {
            Head& head = entry.heads[o1];
            if (operands_.is_popular())
                head.next = operands_.stored(entry.index, o1);
            else // Adds zeros only for SELECT without scores.
                head.importance.resize(operands_.length(entry.index));
        }
    if (operands_.formats().rows != 0)
        load_formats();
}

void TableReader::load_formats()
{
    const Layout& layout = operands_.layout();
    const levee_se_formats& tables = operands_.formats();
    for (Entry& entry : entries_) {
        entry.formats.emplace();
        entry.formats->rows = tables.rows;
        entry.formats->arrival_row = tables.arrival_row;
    }
    if (!operands_.evicts())
        return;
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0) {
        const Table current = layout.per_entry(tables.current);
        std::vector<std::uint32_t> word;
        if (View{queue_, current.run(o0, 0, 1), current.field}.read(word))
            entries_[o0].formats->current = word.front();
    }
    load(layout.per_row(tables.holders), tables.rows, &Formats::holders);
    load(layout.per_row(tables.x_positions), tables.rows, &Formats::x_positions);
    load(
        layout.redirect(), [this](std::size_t o0, std::size_t) { return operands_.length(o0); },
        &Head::redirect);
    load(
        layout.slot_of(), [&](std::size_t, std::size_t) { return tables.rows; }, &Head::slot_of);
}

} // namespace levee::kv_tables
