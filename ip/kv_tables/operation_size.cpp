// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/operation_size.hpp"

#include "ip/kv_tables/timing.hpp"

namespace levee::kv_tables {

OperationSize size_of(const Operands& operands, std::uint32_t chain, Ties ties)
{
    using Op = levee_se_operation;
    const Op& op = operands.op();
    const std::uint64_t heads = operands.heads(), rows = operands.rows_of_scores();
    OperationSize size;
    for (std::size_t o0 = 0; o0 < operands.entries(); ++o0) {
        const std::uint64_t length = operands.length(o0);
        const bool is_full = length > op.capacity;
        if (operands.is_popular()) {
            for (std::size_t o1 = 0; o1 < heads; ++o1)
                size.compared = size.steps += popular_steps(operands.stored(o0, o1));
        } else if (operands.selects()) {
            need_field(!is_full || std::uint64_t{op.sinks} + op.window <= op.capacity,
                       LEVEE_ERROR_FIELD, offsetof(Op, capacity));
            size.compared = size.steps +=
                heads * select_steps(length, op.capacity, (op.flags & LEVEE_SE_RANDOM) != 0);
        } else {
            size.steps += operands.accumulates() ? accumulate_steps(heads, rows, length, chain)
                                                 : heads * score_steps(rows, length);
            size.scores += heads * rows * length;
            size.compared += operands.evicts() ? heads * length : 0;
            size.evicted += operands.evicts() && is_full ? heads : 0;
        }
    }
    if (operands.evicts() && ties == Ties::Earliest)
        size.positions_compared = size.compared;
    return size;
}

} // namespace levee::kv_tables
