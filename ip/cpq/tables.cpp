// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/tables.hpp"

namespace levee::cpq {

namespace {

using Op = levee_cpq_operation;

} // namespace

const Tables::Slot* Tables::find(const Operands& operands, std::size_t o0) const
{
    const std::size_t index = operands.table(o0);
    return index < slots_.size() && slots_[index].channels != 0 ? &slots_[index] : nullptr;
}

Tables::Slot& Tables::open(const Operands& operands, std::size_t o0, bool with_levels)
{
    const std::size_t index = operands.table(o0);
    if (index >= slots_.size())
        slots_.resize(index + 1);
    Slot& used = slots_[index];
    if (used.channels == 0 || operands.opens())
        used = {operands.channels(), settings_of(operands.op()), std::nullopt};
    if (!used.table && with_levels)
        used.table.emplace(used.channels, used.settings);
    return used;
}

void Tables::reset(const Operands& operands)
{
    for (std::size_t o0 = 0; o0 < operands.entries(); ++o0)
        if (operands.table(o0) < slots_.size())
            slots_[operands.table(o0)] = {};
}

/// Returns the number of buffer bytes in use, including the operation's tables.
std::uint64_t Tables::bytes_with(const Operands& operands) const
{
    const auto bytes_of = [](const Slot& used) {
        return LEVEE_CPQ_TABLE_BYTES(used.channels, used.settings.max_levels);
    };
    std::uint64_t bytes =
        operands.entries() * LEVEE_CPQ_TABLE_BYTES(operands.channels(), operands.op().max_levels);
    for (const Slot& used : slots_)
        bytes += bytes_of(used);
    for (std::size_t o0 = 0; o0 < operands.entries(); ++o0)
        if (const Slot* const used = find(operands, o0); used != nullptr)
            bytes -= bytes_of(*used);
    return bytes;
}

void Tables::check(const Operands& operands) const
{
    const Op& op = operands.op();
    const std::uint64_t last = operands.table(operands.entries() - 1);
    const std::uint64_t bytes = LEVEE_CPQ_TABLE_BYTES(operands.channels(), op.max_levels);
    need_field(last < bytes_ / bytes && (!operands.compresses() || bytes_with(operands) <= bytes_),
               LEVEE_ERROR_FIELD, offsetof(Op, table));
    for (std::size_t o0 = 0; o0 < op.outer && !operands.resets() && !operands.opens(); ++o0) {
        const Slot* const used = find(operands, o0);
        if (used == nullptr)
            continue;
        need_field(used->channels == operands.channels(), LEVEE_ERROR_FIELD, offsetof(Op, vectors));
        need_field(used->settings.bits == op.bits, LEVEE_ERROR_FIELD, offsetof(Op, bits));
        need_field(used->settings.max_levels == op.max_levels, LEVEE_ERROR_FIELD,
                   offsetof(Op, max_levels));
        need_field(used->settings.tolerance == op.tolerance, LEVEE_ERROR_FIELD,
                   offsetof(Op, tolerance));
    }
}

} // namespace levee::cpq
