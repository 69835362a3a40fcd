// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace levee::riscv {

/// Memory the hart may access by pointer. Both ends inclusive, as in TLM-2.0.
struct DmiRegion {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint8_t* data = nullptr; ///< the byte at start
    bool readable = false;
    bool writable = false;
};

/// One zero-initialised pointer for each page of the 32-bit address space. Allocated with calloc:
/// the system maps only the pages in use.
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

// Parts of the address space that are DMI memory. Whole pages are in the page tables, which the
// interpreter accesses inline; incomplete pages at a region's ends, and pages with watched writes,
// are reached through find().
class MemoryMap {
public:
    /// Replaces all overlapping regions. Bytes above 2^32 are ignored.
    void add(DmiRegion region);
    /// Removes [start, end]; the remaining parts of a region stay.
    void remove(std::uint64_t start, std::uint64_t end);
    /// From now on writes to this page bypass the write table (code, tohost).
    void watch_writes(std::uint32_t page);
    /// The same while a page is guarded: each write is reported to its owner (HartPort::guarded).
    void guard_writes(std::uint32_t page, bool guarded);
    bool guards(std::uint32_t page) const { return page < guarded_.size() && guarded_[page]; }

    /// Pointer to the `size` bytes at address if one region holds them all and permits the access;
    /// otherwise null.
    std::uint8_t* find(std::uint32_t address, std::uint32_t size, bool write) const;
    /// Pointer to a whole readable page, or null.
    std::uint8_t* read_page(std::uint32_t page) const { return read_[page]; }

    /// Page number -> host address of the page, null if it takes the slow path.
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
