// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace levee::riscv {

/// Memory that the hart may access by pointer. Both ends are inclusive, as in TLM-2.0.
struct DmiRegion {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint8_t* data = nullptr; ///< Points to the byte at `start`.
    bool readable = false;
    bool writable = false;
};

/// One pointer, initially null, for each page of the 32-bit address space. calloc() allocates it,
/// so that the system maps only the parts in use.
template <class T> class PageTable {
public:
    PageTable();
    T* operator[](std::uint32_t page) const { return table_.get()[page]; }
    T*& operator[](std::uint32_t page) { return table_.get()[page]; }
    T* const* data() const { return table_.get(); }

private:
    struct Free {
        void operator()(T** table) const { std::free(table); }
    };
    std::unique_ptr<T*, Free> table_;
};

// DMI memory in the address space. The page tables, which the interpreter reads inline, have whole
// pages. find() handles partial pages at the ends of a region, and pages with watched writes.
class MemoryMap {
public:
    /// Adds a region. It replaces the parts of earlier regions that it overlaps. Bytes above 2^32
    /// are ignored.
    void add(DmiRegion region);
    /// Removes [start, end]. Other parts of the affected regions stay.
    void remove(std::uint64_t start, std::uint64_t end);
    /// Makes writes to this page bypass the write table, because the page contains code or tohost.
    void watch_writes(std::uint32_t page);
    /// Guards a page: each write to it is also reported (HartPort::guarded).
    void guard_writes(std::uint32_t page, bool guarded);
    bool guards(std::uint32_t page) const { return page < guarded_.size() && guarded_[page]; }

    /// Returns a pointer to the `size` bytes at `address` if one region contains all of them and
    /// permits the access; otherwise null.
    std::uint8_t* find(std::uint32_t address, std::uint32_t size, bool write) const;
    /// Returns a pointer to a page that is readable as a whole, or null.
    std::uint8_t* read_page(std::uint32_t page) const { return read_[page]; }

    /// Returns a table from page numbers to host addresses, which are null if the page needs the
    /// slow path.
    std::uint8_t* const* read_table() const { return read_.data(); }
    std::uint8_t* const* write_table() const { return write_.data(); }

private:
    void map(const DmiRegion& region);
    void unmap(const DmiRegion& region);
    bool is_slow(std::uint32_t page) const
    {
        return (page < watched_.size() && watched_[page]) || guards(page);
    }

    std::vector<DmiRegion> regions_;
    std::vector<bool> watched_;
    std::vector<bool> guarded_;
    PageTable<std::uint8_t> read_;
    PageTable<std::uint8_t> write_;
};

} // namespace levee::riscv
