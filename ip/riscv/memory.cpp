// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/memory.hpp"

#include "ip/riscv/decode.hpp"

#include <algorithm>
#include <new>

namespace levee::riscv {
namespace {

constexpr std::uint64_t page_count = (std::uint64_t{1} << 32) / page_bytes;

/// Calls visit(page number, host pointer) for every page that lies completely in a region.
template <class Visit> void for_whole_pages(const DmiRegion& region, Visit visit)
{
    const std::uint64_t first = (region.start + page_bytes - 1) / page_bytes;
    const std::uint64_t last = (region.end + 1) / page_bytes; // exclusive
    for (std::uint64_t page = first; page < last; ++page)
        visit(static_cast<std::uint32_t>(page), region.data + (page * page_bytes - region.start));
}

} // namespace

template <class T>
PageTable<T>::PageTable() : table_(static_cast<T**>(std::calloc(page_count, sizeof(T*))))
{
    if (!table_)
        throw std::bad_alloc();
}
template class PageTable<std::uint8_t>;
template class PageTable<struct CodePage>;
template class PageTable<struct UnfencedPage>;

void MemoryMap::map(const DmiRegion& region)
{
    for_whole_pages(region, [&](std::uint32_t page, std::uint8_t* data) {
        read_[page] = region.readable ? data : nullptr;
        write_[page] = region.writable && !is_slow(page) ? data : nullptr;
    });
}

void MemoryMap::unmap(const DmiRegion& region)
{
    for_whole_pages(region, [&](std::uint32_t page, std::uint8_t*) {
        read_[page] = nullptr;
        write_[page] = nullptr;
    });
}

void MemoryMap::add(DmiRegion region)
{
    region.end = std::min<std::uint64_t>(region.end, UINT32_MAX);
    if (region.start > region.end || region.data == nullptr)
        return;
    remove(region.start, region.end);
    regions_.push_back(region);
    map(region);
}

void MemoryMap::remove(std::uint64_t start, std::uint64_t end)
{
    std::vector<DmiRegion> kept;
    for (const DmiRegion& region : regions_) {
        if (region.end < start || region.start > end) {
            kept.push_back(region);
            continue;
        }
        unmap(region);
        if (region.start < start)
            kept.push_back(
                {region.start, start - 1, region.data, region.readable, region.writable});
        if (region.end > end)
            kept.push_back({end + 1, region.end, region.data + (end + 1 - region.start),
                            region.readable, region.writable});
    }
    regions_ = std::move(kept);
    for (const DmiRegion& region : regions_)
        map(region);
}

void MemoryMap::watch_writes(std::uint32_t page)
{
    if (watched_.size() <= page)
        watched_.resize(page + 1);
    watched_[page] = true;
    write_[page] = nullptr;
}

void MemoryMap::guard_writes(std::uint32_t page, bool guarded)
{
    if (guarded_.size() <= page)
        guarded_.resize(page + 1);
    guarded_[page] = guarded;
    if (guarded)
        write_[page] = nullptr;
    else
        for (const DmiRegion& region : regions_)
            map(region);
}

std::uint8_t* MemoryMap::find(std::uint32_t address, std::uint32_t size, bool write) const
{
    const std::uint64_t last = std::uint64_t{address} + size - 1;
    for (const DmiRegion& region : regions_) {
        if (address >= region.start && last <= region.end)
            return (write ? region.writable : region.readable)
                       ? region.data + (address - region.start)
                       : nullptr;
    }
    return nullptr;
}

} // namespace levee::riscv
