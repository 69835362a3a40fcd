// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/drawn_decisions.hpp"

#include "core/numerics/tensor.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

/// Repeats the words `times` times. One word per entry thus becomes one word per head and entry.
std::vector<std::uint32_t> repeated(const std::vector<std::uint32_t>& words, std::size_t times)
{
    std::vector<std::uint32_t> result;
    result.reserve(words.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        result.insert(result.end(), words.begin(), words.end());
    return result;
}

} // namespace

/// Finds the drawn cache of each entry. The address of the entry's positions identifies the cache.
void DrawnDecisions::find()
{
    entries_.clear();
    const Op& op = operands_.op();
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0) {
        const std::uint32_t stream = (std::uint32_t{op.first_o0} << 16 | op.first_o1) + (o0 << 16);
        const std::uint64_t address = operands_.layout().positions().at(o0, 0);
        entries_.push_back(
            &caches_.try_emplace(address, *queue_.decisions().statistics, stream).first->second);
    }
}

/// Rejects absurd sizes from a corrupt descriptor.
void DrawnDecisions::check_slots(const Policy& policy) const
{
    std::uint64_t slots = 0;
    for (std::uint32_t o0 = 0; !operands_.is_popular() && o0 < operands_.entries(); ++o0) {
        const std::uint32_t tokens = operands_.selects()
                                         ? operands_.length(o0)
                                         : std::max(operands_.length(o0), operands_.now(o0));
        slots += std::min(tokens, policy.capacity);
    }
    need_field(slots <= most_slots, LEVEE_ERROR_FIELD, offsetof(levee_se_operation, capacity));
    need_field(std::uint64_t{operands_.entries()} * policy.reach <= most_slots, LEVEE_ERROR_FIELD,
               offsetof(levee_se_operation, reach));
}

void DrawnDecisions::draw(const Policy& policy)
{
    check_slots(policy);
    find();
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0) {
        DrawnCache& cache = *entries_[o0];
        if (operands_.selects())
            cache.select(policy, operands_.length(o0));
        else if (operands_.is_popular())
            cache.popular(policy, operands_.formats().rows);
        else
            cache.evict(policy, operands_.length(o0), operands_.now(o0),
                        operands_.arrivals(o0).front(), operands_.rows_of_scores() != 0);
    }
}

void DrawnDecisions::write() const
{
    std::vector<std::uint32_t> next_words, current, used;
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0) {
        const DrawnCache& cache = *entries_[o0];
        next_words.push_back(cache.next());
        current.push_back(cache.current());
        used.push_back(cache.used());
    }
    if (!operands_.is_popular())
        write_words(operands_.layout().next(), repeated(next_words, operands_.heads()),
                    operands_.heads());
    if (operands_.formats().rows != 0) {
        write_words(operands_.layout().per_entry(operands_.formats().current), current, 1);
        write_words(operands_.layout().per_entry(operands_.formats().used), used, 1);
    }
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0) {
        if (!operands_.evicts())
            write_gather(o0);
        if (operands_.makes_views())
            write_views(o0);
        if (operands_.evicts() && operands_.formats().x != 0 &&
            queue_.tracks(operands_.formats().x))
            for (const std::uint32_t row : entries_[o0]->freed())
                queue_.discard(operands_.layout().x_row(o0, row));
    }
}

/// Writes which rows of a prompt are kept as keys and values. All heads keep the same rows.
void DrawnDecisions::write_gather(std::uint32_t o0) const
{
    const DrawnCache& cache = *entries_[o0];
    const auto kept = cache.positions().first(cache.next());
    std::vector<std::uint32_t> words(kept.begin(), kept.end());
    for (const std::uint32_t slot : cache.popular())
        words[slot] = none;
    words = repeated(words, operands_.heads());
    AccessPattern pattern = operands_.layout().gather().run(o0, 0, kept.size());
    pattern.count[2] = operands_.heads();
    pattern.stride[2] = operands_.layout().gather().stride1;
    queue_.write_control(pattern, words.data());
    if (operands_.formats().rows == 0)
        return;
    std::vector<std::uint32_t> rows(operands_.formats().rows, none);
    for (std::uint32_t row = 0; row < cache.used(); ++row)
        rows[row] = kept[std::uint64_t{row} * kept.size() / cache.used()];
    queue_.write_control(
        operands_.layout().per_row(operands_.formats().x_gather).run(o0, 0, rows.size()),
        rows.data());
}

/// Writes one word per head and entry; `words` is ordered [head][entry].
void DrawnDecisions::write_words(const Table& table, const std::vector<std::uint32_t>& words,
                                 std::size_t heads) const
{
    AccessPattern pattern = table.run(0, 0, 1);
    pattern.count = {1, heads, operands_.entries()};
    pattern.stride = {0, table.stride1, table.stride0};
    queue_.write_control(pattern, words.data());
}

/// For SELECT, writes all views; otherwise only those that change. Only the bit HIGH is drawn; the
/// score bits are not.
void DrawnDecisions::write_views(std::uint32_t o0) const
{
    const DrawnCache& cache = *entries_[o0];
    const auto write = [&](std::uint32_t first, const std::vector<std::uint8_t>& of_a_head) {
        AccessPattern pattern = operands_.layout().views().element(o0, 0, first);
        pattern.run_bytes = of_a_head.size();
        pattern.count[2] = operands_.heads();
        pattern.stride[2] = operands_.layout().views().stride1;
        std::vector<std::uint8_t> bytes;
        for (std::size_t o1 = 0; o1 < operands_.heads(); ++o1)
            bytes.insert(bytes.end(), of_a_head.begin(), of_a_head.end());
        queue_.write_control(pattern, bytes.data());
    };
    const auto view = [&](std::uint32_t slot) -> std::uint8_t {
        return cache.is_high(slot) ? LEVEE_SE_VIEW_HIGH : 0;
    };
    if (operands_.evicts()) {
        for (const std::uint32_t slot : cache.changes())
            write(slot, {view(slot)});
        return;
    }
    std::vector<std::uint8_t> all;
    for (std::uint32_t slot = 0; slot < cache.next(); ++slot)
        all.push_back(view(slot));
    write(0, all);
}

std::vector<AccessPattern> DrawnDecisions::discarded(const Policy& policy)
{
    find();
    const bool has_formats = operands_.formats().rows != 0;
    const std::vector<std::uint32_t> arrivals =
        has_formats ? operands_.words(operands_.layout().arrival(), 1)
                    : std::vector<std::uint32_t>();
    std::vector<AccessPattern> all;
    for (std::uint32_t o0 = 0; o0 < operands_.entries(); ++o0) {
        const DrawnCache& cache = *entries_[o0];
        std::optional<std::uint32_t> stored;
        if (has_formats && cache.stored())
            stored = arrivals[o0];
        for (const std::uint32_t slot :
             discarded_slots(policy, operands_.length(o0), cache.next(), stored))
            discard_slot(o0, slot, all);
    }
    return all;
}

/// Adds the key and value rows of a slot, in every head of an entry, to the discarded rows.
void DrawnDecisions::discard_slot(std::uint32_t o0, std::uint32_t slot,
                                  std::vector<AccessPattern>& all)
{
    const std::pair<std::uint64_t, std::size_t> bases[] = {
        {operands_.op().keys, offsetof(Op, keys)}, {operands_.op().values, offsetof(Op, values)}};
    for (const auto& [base, member] : bases) {
        if (base == 0 || !queue_.tracks(base))
            continue;
        AccessPattern rows = operands_.layout().kv_row(base, o0, 0, slot);
        rows.count[2] = operands_.heads();
        rows.stride[2] = operands_.op().kv_stride[1];
        queue_.check_write(rows, operation_field(static_cast<std::uint32_t>(member)));
        all.push_back(rows);
    }
}

} // namespace levee::kv_tables
