// SPDX-License-Identifier: Apache-2.0
// Decisions of timing-only runs from statistics: words of entries and heads, and the views of
// slices whose refresh depends on them; the other tables are not written.
#include "core/numerics/tensor.hpp"
#include "ip/kv_tables/operation_run.hpp"
#include "ip/kv_tables/timing.hpp"

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

/// Repeats every entry's word for each head; [o1][o0], the layout of firmware's per-head words.
std::vector<std::uint32_t> repeated(const std::vector<std::uint32_t>& words, std::size_t times)
{
    std::vector<std::uint32_t> result;
    result.reserve(words.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        result.insert(result.end(), words.begin(), words.end());
    return result;
}

} // namespace

/// Finds each entry's drawn cache by the address of its positions.
void OperationRun::find_drawn()
{
    entries_drawn_.clear();
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        const std::uint32_t stream =
            (std::uint32_t{op_.first_o0} << 16 | op_.first_o1) + (o0 << 16);
        DrawnCache& cache =
            drawn_
                .try_emplace(layout_.positions().at(o0, 0), *queue_.decisions().statistics, stream)
                .first->second;
        entries_drawn_.push_back(&cache);
    }
}

/// Draws the decisions of all entries.
void OperationRun::draw_decisions()
{
    find_drawn();
    const Policy policy = this->policy();
    try {
        for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
            DrawnCache& cache = *entries_drawn_[o0];
            if (opcode_ == LEVEE_SE_SELECT)
                cache.select(policy, lengths_[o0]);
            else if (opcode_ == LEVEE_SE_POPULAR)
                cache.popular(policy, formats_.rows);
            else
                cache.evict(policy, lengths_[o0], now_[o0], arrival_slots_[o0],
                            rows_of_scores() != 0);
        }
    } catch (const Refusal& refusal) {
        throw fault_of(refusal);
    }
}

void OperationRun::write_drawn()
{
    std::vector<std::uint32_t> next_words, current, used;
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        const DrawnCache& cache = *entries_drawn_[o0];
        next_words.push_back(cache.next());
        current.push_back(cache.current());
        used.push_back(cache.used());
    }
    if (opcode_ != LEVEE_SE_POPULAR)
        write_words(layout_.next(), repeated(next_words, op_.outer[1]), op_.outer[1]);
    if (formats_.rows != 0) {
        write_words(layout_.per_entry(formats_.current), current, 1);
        write_words(layout_.per_entry(formats_.used), used, 1);
    }
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        if (opcode_ != LEVEE_SE_EVICT)
            write_drawn_gather(o0);
        if (makes_views())
            write_drawn_views(o0);
        if (opcode_ == LEVEE_SE_EVICT && formats_.x != 0 && queue_.tracks(formats_.x))
            for (const std::uint32_t row : entries_drawn_[o0]->freed())
                queue_.discard(layout_.x_row(o0, row));
    }
}

/// Rows of a prompt that are retained as keys and values, the same for all heads.
void OperationRun::write_drawn_gather(std::uint32_t o0)
{
    const DrawnCache& cache = *entries_drawn_[o0];
    const auto kept = cache.positions().first(cache.next());
    std::vector<std::uint32_t> words(kept.begin(), kept.end());
    for (const std::uint32_t slot : cache.popular())
        words[slot] = none;
    words = repeated(words, op_.outer[1]);
    AccessPattern pattern = layout_.gather().run(o0, 0, kept.size());
    pattern.count[2] = op_.outer[1];
    pattern.stride[2] = layout_.gather().stride1;
    queue_.write_control(pattern, words.data());
    if (formats_.rows == 0)
        return;
    std::vector<std::uint32_t> rows(formats_.rows, none);
    for (std::uint32_t row = 0; row < cache.used(); ++row)
        rows[row] = kept[std::uint64_t{row} * kept.size() / cache.used()];
    queue_.write_control(layout_.per_row(formats_.x_gather).run(o0, 0, rows.size()), rows.data());
}

/// [heads][o0]
void OperationRun::write_words(const Table& table, const std::vector<std::uint32_t>& words,
                               std::size_t heads)
{
    AccessPattern pattern = table.run(0, 0, 1);
    pattern.count = {1, heads, op_.outer[0]};
    pattern.stride = {0, table.stride1, table.stride0};
    queue_.write_control(pattern, words.data());
}

/// All views for SELECT, otherwise those that change. Only HIGH is drawn.
void OperationRun::write_drawn_views(std::uint32_t o0)
{
    const DrawnCache& cache = *entries_drawn_[o0];
    const auto write = [&](std::uint32_t first, const std::vector<std::uint8_t>& of_a_head) {
        AccessPattern pattern = layout_.views().element(o0, 0, first);
        pattern.run_bytes = of_a_head.size();
        pattern.count[2] = op_.outer[1];
        pattern.stride[2] = layout_.views().stride1;
        std::vector<std::uint8_t> bytes;
        for (std::size_t o1 = 0; o1 < op_.outer[1]; ++o1)
            bytes.insert(bytes.end(), of_a_head.begin(), of_a_head.end());
        queue_.write_control(pattern, bytes.data());
    };
    const auto view = [&](std::uint32_t slot) -> std::uint8_t {
        return cache.is_high(slot) ? LEVEE_SE_VIEW_HIGH : 0;
    };
    if (opcode_ == LEVEE_SE_EVICT) {
        for (const std::uint32_t slot : cache.changes())
            write(slot, {view(slot)});
        return;
    }
    std::vector<std::uint8_t> all;
    for (std::uint32_t slot = 0; slot < cache.next(); ++slot)
        all.push_back(view(slot));
    write(0, all);
}

/// FORGET: discards what EVICT has drawn, in memories that track it.
OperationRun::Size OperationRun::prepare_drawn_forget(Operation& operation)
{
    find_drawn();
    const Policy policy = this->policy();
    const std::vector<std::uint32_t> arrivals =
        formats_.rows != 0 ? read_words(layout_.arrival(), 1) : std::vector<std::uint32_t>();
    discarded_rows_.clear();
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        const DrawnCache& cache = *entries_drawn_[o0];
        std::optional<std::uint32_t> stored;
        if (formats_.rows != 0 && cache.stored())
            stored = arrivals[o0];
        for (const std::uint32_t slot : discarded_slots(policy, lengths_[o0], cache.next(), stored))
            discard_slot(o0, slot);
    }
    operation.commit = [this](std::uint32_t first, std::uint32_t) {
        for (const AccessPattern& rows : discarded_rows_)
            if (first == 0)
                queue_.discard(rows);
    };
    return {forget_steps * operation.iterations, 0, 0, 0};
}

/// Rows of a slot, for every head of an entry.
void OperationRun::discard_slot(std::uint32_t o0, std::uint32_t slot)
{
    const std::pair<std::uint64_t, std::size_t> bases[] = {{op_.keys, offsetof(Op, keys)},
                                                           {op_.values, offsetof(Op, values)}};
    for (const auto& [base, member] : bases) {
        if (base == 0 || !queue_.tracks(base))
            continue;
        AccessPattern rows = layout_.kv_row(base, o0, 0, slot);
        rows.count[2] = op_.outer[1];
        rows.stride[2] = op_.kv_stride[1];
        queue_.check_write(rows, operation_field(static_cast<std::uint32_t>(member)));
        discarded_rows_.push_back(rows);
    }
}

} // namespace levee::kv_tables
