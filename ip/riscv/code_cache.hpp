// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/decode.hpp"
#include "ip/riscv/memory.hpp"

#include <array>
#include <memory>
#include <vector>

namespace levee::riscv {

constexpr std::uint32_t slots_per_page = page_bytes / 2;

/// Decoded instructions of one page, with one slot for each halfword of code. A four-byte
/// instruction in the last halfword continues in the next page. Two page_end slots follow, which
/// stop execution at the end of the page.
///
/// If the code is in DMI memory, the page keeps a copy of the decoded bytes, block by block. At a
/// fence.i, comparing the copy with memory shows which bytes another master has written.
struct CodePage {
    CodePage();
    std::uint32_t base = 0; ///< Address of slot 0.
    /// Source of the page's instructions.
    enum class Source {
        Memory,   ///< DMI memory
        Cache,    ///< The instruction cache; only lines that it holds are decoded.
        Transient ///< The bus; each instruction is fetched for each execution.
    };
    Source source = Source::Memory;
    const std::uint8_t* memory = nullptr; ///< For Source::Memory: the page in memory.
    std::uint64_t checked = 0;            ///< Number of the last fence.i that checked this page.
    std::uint64_t copied = 0;             ///< Bit b: block b has a copy.
    std::uint64_t stale = 0;              ///< Bit b: memory contained different bytes when the
                                          ///< instructions of block b were decoded.
    std::array<Op, slots_per_page + 2> slots;
    std::array<std::uint8_t, page_bytes> copy;
    /// An old instruction, which the next fetch before a fence.i puts back into its slot.
    /// Either another master has overwritten the instruction, or a breakpoint is set on
    /// it.
    struct Held {
        std::uint32_t slot;
        Op op;
    };
    std::vector<Held> held;

    /// Copies the blocks of [offset, offset + size), whose code has been decoded.
    void remember(std::uint32_t offset, std::uint32_t size);
    /// Updates the copy after a write of [offset, offset + size) by the hart or a debugger.
    void wrote(std::uint32_t offset, std::uint32_t size);
    /// Invalidates slots whose code differs from memory.
    void compare();
    /// Marks the slots [first, last] to be decoded again.
    void invalidate(std::uint32_t first, std::uint32_t last);
    void reset();
    /// Keeps the old instructions of the slots [first, last] as Held, so that their next fetch can
    /// be observed.
    void hold(std::uint32_t first, std::uint32_t last);
    /// Restores a held instruction to its slot. Returns false if there is none.
    bool put_back(std::uint32_t slot);
};

/// Halfwords of a page that were written since a fence.i. Writes by the hart are recorded only
/// where code has been decoded; writes by other masters are recorded everywhere.
struct UnfencedPage {
    std::uint64_t fences = 0; ///< Number of the fence.i after which the halfwords were written.
    std::array<std::uint64_t, slots_per_page / 64> halfwords{};
};

class CodeCache {
public:
    /// Returns the page, or null if none of its code has been decoded.
    CodePage* find(std::uint32_t page) const { return table_[page]; }
    /// Creates an empty page; `memory` as in CodePage.
    CodePage& create(std::uint32_t page, CodePage::Source source, const std::uint8_t* memory);
    /// Invalidates the code that overlaps [address, address + size), which has changed.
    void written(std::uint32_t address, std::uint32_t size);
    /// Executes fence.i: code written by other masters becomes visible. The current page is checked
    /// now; any other page is checked when the hart enters it (refresh).
    void fence(CodePage& here);
    void refresh(CodePage& page);
    /// Like written(), for a store of the hart. The program must execute a fence.i before it
    /// executes these bytes.
    void stored(std::uint32_t address, std::uint32_t size);
    /// Another master wrote [address, address + bytes). The hart sees that code after its next
    /// fence.i.
    void overwritten(std::uint32_t address, std::uint64_t bytes);
    /// Makes the hart fetch the present contents of `address` again.
    void fetch_again(std::uint32_t address);
    /// Whether the hart or another master has written any of these bytes since the last fence.i.
    bool is_unfenced(std::uint32_t address, std::uint32_t bytes) const;
    /// Drops pages that overlap [start, end], which is no longer DMI memory.
    void drop(std::uint64_t start, std::uint64_t end);

private:
    void invalidate_slots(std::uint32_t page, std::uint32_t first, std::uint32_t last);
    /// Called when another master has overwritten the code of these slots.
    void outdate(std::uint32_t page, std::uint32_t first, std::uint32_t last);
    void mark_unfenced(std::uint32_t page, std::uint32_t first, std::uint32_t last);

    std::uint64_t fences_ = 0;
    PageTable<CodePage> table_;
    PageTable<UnfencedPage> unfenced_;
    std::vector<std::unique_ptr<CodePage>> pages_;
    std::vector<std::unique_ptr<UnfencedPage>> unfenced_pages_;
    std::vector<std::unique_ptr<CodePage>>
        spare_; // Dropped pages. They are kept because the interpreter may still execute one.
};

} // namespace levee::riscv
