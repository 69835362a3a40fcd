// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/decode.hpp"
#include "ip/riscv/memory.hpp"

#include <array>
#include <bitset>
#include <memory>
#include <vector>

namespace levee::riscv {

constexpr std::uint32_t slots_per_page = page_bytes / 2;

/// The decoded instructions of one page, one slot per halfword of code. A four-byte instruction in
/// the last halfword continues in the next page; two page_end slots catch the flow behind it.
struct CodePage {
    CodePage();
    std::uint32_t base = 0; ///< address of slot 0
    /// Nothing is kept: the page is no DMI memory, each instruction is fetched when it is executed.
    bool transient = false;
    std::array<Op, slots_per_page + 2> slots;
    /// Halfwords that the hart has stored to since the last fence.i.
    std::bitset<slots_per_page> stale;
};

class CodeCache {
public:
    /// The page, or null if nothing of it has been decoded.
    CodePage* find(std::uint32_t page) const { return table_[page]; }
    CodePage& create(std::uint32_t page);
    /// The bytes [address, address + size) changed: decode again what overlaps them.
    void written(std::uint32_t address, std::uint32_t size);
    /// The same by a store of the hart, after which a fence.i is due.
    void stored(std::uint32_t address, std::uint32_t size);
    /// Everything may have changed.
    void invalidate_all();
    /// Pages overlapping [start, end] are no DMI memory any more.
    void drop(std::uint64_t start, std::uint64_t end);

private:
    static void invalidate(CodePage& page);
    void invalidate_slots(std::uint32_t page, std::uint32_t first, std::uint32_t last);

    PageTable<CodePage> table_;
    std::vector<std::unique_ptr<CodePage>> pages_;
    std::vector<std::unique_ptr<CodePage>>
        spare_; // dropped: the interpreter may still stand in one
};

} // namespace levee::riscv
