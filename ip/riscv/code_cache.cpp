// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/code_cache.hpp"

#include <algorithm>

namespace levee::riscv {

CodePage::CodePage()
{
    slots[slots_per_page].code = Code::page_end;
    slots[slots_per_page + 1].code = Code::page_end;
}

CodePage& CodeCache::create(std::uint32_t page)
{
    if (spare_.empty()) {
        pages_.push_back(std::make_unique<CodePage>());
    } else {
        pages_.push_back(std::move(spare_.back()));
        spare_.pop_back();
        invalidate(*pages_.back());
    }
    CodePage& created = *pages_.back();
    created.base = page << page_shift;
    table_[page] = &created;
    return created;
}

/// Only the code is reset: the interpreter may be executing one of these and still reads its cost
/// and length.
void CodeCache::invalidate(CodePage& page)
{
    for (std::uint32_t slot = 0; slot < slots_per_page; ++slot)
        page.slots[slot].code = Code::decode;
    page.stale.reset();
}

void CodeCache::invalidate_slots(std::uint32_t page, std::uint32_t first, std::uint32_t last)
{
    if (CodePage* decoded = table_[page]) {
        for (std::uint32_t slot = first; slot <= last; ++slot)
            decoded->slots[slot].code = Code::decode;
    }
}

void CodeCache::written(std::uint32_t address, std::uint32_t size)
{
    // An instruction that starts two bytes before the written ones may reach into them.
    const std::uint64_t last_byte =
        std::min<std::uint64_t>(std::uint64_t{address} + size - 1, UINT32_MAX);
    const std::uint32_t begin = address >= 2 ? (address & ~1u) - 2 : 0;
    const auto last = static_cast<std::uint32_t>(last_byte);
    for (std::uint32_t page = begin >> page_shift; page <= last >> page_shift; ++page) {
        const std::uint32_t base = page << page_shift;
        const std::uint32_t from = std::max(begin, base) - base;
        const std::uint32_t to = std::min(last - base, page_bytes - 1);
        invalidate_slots(page, from / 2, to / 2);
    }
}

void CodeCache::stored(std::uint32_t address, std::uint32_t size)
{
    written(address, size);
    for (std::uint64_t at = address & ~1u; at < std::uint64_t{address} + size; at += 2)
        if (CodePage* const page = find(static_cast<std::uint32_t>(at >> page_shift)))
            page->stale.set(at % page_bytes / 2);
}

void CodeCache::invalidate_all()
{
    for (const auto& page : pages_)
        invalidate(*page);
}

void CodeCache::drop(std::uint64_t start, std::uint64_t end)
{
    // The instruction in the last halfword of the page before may reach into the range.
    if (start >= page_bytes && start >> page_shift <= UINT32_MAX >> page_shift)
        invalidate_slots(static_cast<std::uint32_t>(start >> page_shift) - 1, slots_per_page - 1,
                         slots_per_page - 1);
    const auto gone = std::partition(pages_.begin(), pages_.end(), [&](const auto& page) {
        return page->base > end || std::uint64_t{page->base} + page_bytes - 1 < start;
    });
    for (auto page = gone; page != pages_.end(); ++page) {
        table_[(*page)->base >> page_shift] = nullptr;
        invalidate(**page);
        spare_.push_back(std::move(*page));
    }
    pages_.erase(gone, pages_.end());
}

} // namespace levee::riscv
