// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/forgetting.hpp"

#include "ip/kv_tables/timing.hpp"

#include <optional>
#include <utility>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

} // namespace

OperationSize Forgetting::prepare(Operation& operation, const Policy& policy)
{
    discarded_.assign(operation.iterations, {});
    if (draws(queue_))
        discarded_.front() = drawn_.discarded(policy);
    else
        for (std::size_t o0 = 0; o0 < operands_.entries(); ++o0)
            for (std::size_t o1 = 0; o1 < operands_.heads(); ++o1)
                add(policy, o0, o1);
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t i = first; i < last; ++i)
            for (const AccessPattern& rows : discarded_[i])
                queue_.discard(rows);
    };
    return {.steps = forget_steps * operation.iterations};
}

/// Adds the rows that one head discards.
void Forgetting::add(const Policy& policy, std::size_t o0, std::size_t o1)
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
    for (const std::uint32_t slot : discarded_slots(policy, length, leaving, stored))
        for (const auto& [base, member] : bases) {
            if (base == 0)
                continue;
            discarded_[o0 * operands_.heads() + o1].push_back(layout.kv_row(base, o0, o1, slot));
            queue_.check_write(discarded_[o0 * operands_.heads() + o1].back(),
                               operation_field(member));
        }
}

} // namespace levee::kv_tables
