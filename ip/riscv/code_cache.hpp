// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/decode.hpp"
#include "ip/riscv/memory.hpp"

#include <array>
#include <memory>
#include <vector>

namespace levee::riscv {

constexpr std::uint32_t slots_per_page = page_bytes / 2;

/// Decoded instructions of one page, one slot for each halfword of code. A four-byte instruction in
/// the last halfword continues in the next page; two page_end slots catch execution after it.
///
/// For DMI memory a page keeps a copy of the decoded bytes, by blocks, to detect after fence.i
/// which bytes another master has written.
struct CodePage {
    CodePage();
    std::uint32_t base = 0; ///< address of slot 0
    /// The source of the page's instructions.
    enum class Source {
        Memory,   ///< DMI memory
        Cache,    ///< the instruction cache: slots of lines that it does not hold are not decoded
        Transient ///< the bus, for each execution of an instruction: nothing is kept
    };
    Source source = Source::Memory;
    const std::uint8_t* memory = nullptr; ///< Page of memory, for Source::Memory.
    std::uint64_t checked = 0;            ///< number of the last fence.i that it took part in
    std::uint64_t copied = 0;             ///< blocks that have a copy, by bit
    std::uint64_t stale = 0;              ///< blocks decoded from more than one state of memory
    std::array<Op, slots_per_page + 2> slots;
    std::array<std::uint8_t, page_bytes> copy;
    /// A decoded instruction that is executed once more, at its slot's next fetch, until fence.i:
    /// another master has since overwritten it, or a breakpoint is on it.
    struct Held {
        std::uint32_t slot;
        Op op;
    };
    std::vector<Held> held;

    /// The bytes [offset, offset + size) have been decoded.
    void remember(std::uint32_t offset, std::uint32_t size);
    /// The hart or a debugger has written [offset, offset + size): updates the slots.
    void wrote(std::uint32_t offset, std::uint32_t size);
    /// Decodes again the code that differs from memory.
    void compare();
    /// Decodes the slots [first, last] again.
    void invalidate(std::uint32_t first, std::uint32_t last);
    /// Forgets all slots.
    void reset();
    /// Holds the decoded instructions of the slots [first, last], so that they are fetched again.
    void hold(std::uint32_t first, std::uint32_t last);
    /// Puts a held instruction back into its slot; false if none is held there.
    bool put_back(std::uint32_t slot);
};

/// Halfwords of a page that have been written since a fence.i: by the hart where code has been
/// decoded, and by other masters.
struct UnfencedPage {
    std::uint64_t fences = 0; ///< number of that fence.i
    std::array<std::uint64_t, slots_per_page / 64> halfwords{};
};

class CodeCache {
public:
    /// The page, or null if none of it has been decoded.
    CodePage* find(std::uint32_t page) const { return table_[page]; }
    /// Creates a page without slots; `memory` as in CodePage.
    CodePage& create(std::uint32_t page, CodePage::Source source, const std::uint8_t* memory);
    /// The bytes [address, address + size) have changed: decodes again the code that overlaps them.
    void written(std::uint32_t address, std::uint32_t size);
    /// fence.i: data written by other masters become visible, in the page of the hart now, and in
    /// others when it reaches them (refresh).
    void fence(CodePage& here);
    void refresh(CodePage& page);
    /// The same as written() by a store of the hart, after which a fence.i is due.
    void stored(std::uint32_t address, std::uint32_t size);
    /// Another master wrote [address, address + bytes), which counts after the next fence.i.
    void overwritten(std::uint32_t address, std::uint64_t bytes);
    /// Fetches the instruction at address again, with its present contents.
    void fetch_again(std::uint32_t address);
    /// Whether another master or a store has written any of these bytes since the last fence.i.
    bool is_unfenced(std::uint32_t address, std::uint32_t bytes) const;
    /// The pages that overlap [start, end] are no longer DMI memory.
    void drop(std::uint64_t start, std::uint64_t end);

private:
    void invalidate_slots(std::uint32_t page, std::uint32_t first, std::uint32_t last);
    /// Another master has overwritten the code of these slots.
    void outdate(std::uint32_t page, std::uint32_t first, std::uint32_t last);
    void mark_unfenced(std::uint32_t page, std::uint32_t first, std::uint32_t last);

    std::uint64_t fences_ = 0;
    PageTable<CodePage> table_;
    PageTable<UnfencedPage> unfenced_;
    std::vector<std::unique_ptr<CodePage>> pages_;
    std::vector<std::unique_ptr<UnfencedPage>> unfenced_pages_;
    std::vector<std::unique_ptr<CodePage>>
        spare_; // Dropped pages: the interpreter may still be in one.
};

} // namespace levee::riscv
