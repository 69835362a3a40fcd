// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operands.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::kv_tables {

/// Reads an operation's tables for the reference. A timing-only run only makes accesses that
/// memories track, and has no entries.
class TableReader {
public:
    TableReader(CommandQueue& queue, const Operands& operands) : queue_(queue), operands_(operands)
    {
    }

    /// Reads the tables of all entries. Throws CommandFault.
    void load();
    [[nodiscard]] std::vector<Entry>& entries() { return entries_; }

private:
    void load_formats();
    template <typename Element>
    void load(const Table& table, auto elements, std::vector<Element> Head::*into);
    void load(const Table& table, std::size_t elements, std::vector<std::uint32_t> Formats::*into);

    CommandQueue& queue_;
    const Operands& operands_;
    std::vector<Entry> entries_;
};

} // namespace levee::kv_tables
