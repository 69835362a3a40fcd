// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/drawn_decisions.hpp"
#include "ip/kv_tables/operands.hpp"
#include "ip/kv_tables/operation_size.hpp"

#include <cstddef>
#include <vector>

namespace levee::kv_tables {

/// FORGET: discards rows of keys and values that are no longer read. Reads the tables that EVICT
/// has written, and does not change them.
class Forgetting {
public:
    Forgetting(CommandQueue& queue, const Operands& operands, DrawnDecisions& drawn)
        : queue_(queue), operands_(operands), drawn_(drawn)
    {
    }

    /// Throws CommandFault.
    OperationSize prepare(Operation& operation, const Policy& policy);

private:
    void add(const Policy& policy, std::size_t o0, std::size_t o1);

    CommandQueue& queue_;
    const Operands& operands_;
    DrawnDecisions& drawn_;
    /// Discarded ranges by head; if decisions are drawn, all in the first
    /// element.
    std::vector<std::vector<AccessPattern>> discarded_;
};

} // namespace levee::kv_tables
