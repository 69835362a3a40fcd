// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/decided.hpp"
#include "ip/kv_tables/drawn_decisions.hpp"
#include "ip/kv_tables/operands.hpp"

#include <cstdint>
#include <span>

namespace levee::kv_tables {

/// Writes an operation's changes to its tables: importance and decisions, one head of one batch
/// entry after another. Decisions are recorded, replayed or drawn from statistics.
class DecisionWriter {
public:
    DecisionWriter(CommandQueue& queue, const Operands& operands, const DrawnDecisions& drawn)
        : queue_(queue), operands_(operands), drawn_(drawn)
    {
    }

    /// Receives the operation's entries (none in timing-only runs) and, for EVICT, the victims. The
    /// spans must stay valid until the last commit(). Throws CommandFault if an unused input row
    /// cannot be discarded.
    void take(std::span<const Entry> entries, std::span<const Evicted> evicted);
    /// Writes the changes of heads [first, last), counted over all entries.
    void commit(std::uint32_t first, std::uint32_t last);

private:
    void check_released() const;
    void decide(std::uint32_t first, std::uint32_t last);
    void decide_pair(std::uint32_t pair, Decision& decision) const;
    void decide_formats(std::uint32_t pair, Decision& decision) const;

    CommandQueue& queue_;
    const Operands& operands_;
    const DrawnDecisions& drawn_;
    std::span<const Entry> entries_;
    std::span<const Evicted> evicted_;
};

} // namespace levee::kv_tables
