// SPDX-License-Identifier: Apache-2.0
// Decisions of timing-only runs, drawn from statistics. They consist of the words of entries and
// heads, and of the views, which determine refresh. Other tables are not written.
#pragma once

#include "ip/kv_tables/drawn_cache.hpp"
#include "ip/kv_tables/operands.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace levee::kv_tables {

/// The drawn caches of all layers, which supply the decisions of an operation for its entries.
class DrawnDecisions {
public:
    DrawnDecisions(CommandQueue& queue, const Operands& operands)
        : queue_(queue), operands_(operands)
    {
    }

    /// Draws the decisions of EVICT, SELECT or POPULAR. Throws Refusal.
    void draw(const Policy& policy);
    void write() const;
    /// FORGET: returns the rows to discard in memories that track their rows. Throws CommandFault.
    [[nodiscard]] std::vector<AccessPattern> discarded(const Policy& policy);

private:
    void find();
    void write_words(const Table& table, const std::vector<std::uint32_t>& words,
                     std::size_t heads) const;
    void check_slots(const Policy& policy) const;
    void write_gather(std::uint32_t o0) const;
    void write_views(std::uint32_t o0) const;
    void discard_slot(std::uint32_t o0, std::uint32_t slot, std::vector<AccessPattern>& all);

    CommandQueue& queue_;
    const Operands& operands_;
    std::unordered_map<std::uint64_t, DrawnCache> caches_; // Caches by the address of their
                                                           // positions.
    std::vector<DrawnCache*> entries_;                     // Entries of the current operation.
};

} // namespace levee::kv_tables
