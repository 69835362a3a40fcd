// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/code_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace levee::riscv {
namespace {

constexpr std::uint32_t block_bytes = page_bytes / 64; // Unit in which CodePage copies and compares
                                                       // code.

} // namespace

CodePage::CodePage()
{
    slots[slots_per_page].code = Code::page_end;
    slots[slots_per_page + 1].code = Code::page_end;
}

void CodePage::remember(std::uint32_t offset, std::uint32_t size)
{
    const std::uint32_t end = std::min(offset + size, page_bytes);
    for (std::uint32_t at = offset; at < end; at = (at / block_bytes + 1) * block_bytes) {
        const std::uint64_t bit = std::uint64_t{1} << (at / block_bytes);
        const std::uint32_t first = at / block_bytes * block_bytes;
        if ((copied & bit) == 0)
            std::memcpy(&copy[first], memory + first, block_bytes);
        else if (std::memcmp(&copy[at], memory + at, std::min(end, first + block_bytes) - at) != 0)
            stale |= bit;
        copied |= bit;
    }
}

void CodePage::wrote(std::uint32_t offset, std::uint32_t size)
{
    if (source == Source::Memory)
        std::memcpy(&copy[offset], memory + offset, size);
}

void CodePage::compare()
{
    for (std::uint64_t left = copied; left != 0; left &= left - 1) {
        const auto block = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::uint64_t bit = std::uint64_t{1} << block;
        const std::uint32_t first = block * block_bytes;
        if ((stale & bit) == 0 && std::memcmp(&copy[first], memory + first, block_bytes) == 0)
            continue;
        copied &= ~bit;
        stale &= ~bit;
        // An instruction that starts two bytes earlier may reach into the block.
        invalidate(first == 0 ? 0 : first / 2 - 1, (first + block_bytes) / 2 - 1);
    }
    // The last instruction may continue in the next page. This page has no copy of those bytes to
    // compare.
    invalidate(slots_per_page - 1, slots_per_page - 1);
}

void CodePage::invalidate(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t slot = first; slot <= last; ++slot)
        slots[slot].code = Code::decode;
    std::erase_if(held,
                  [first, last](const Held& one) { return one.slot >= first && one.slot <= last; });
}

/// Resets only the member `code` of each slot. The interpreter may be executing a slot, and then
/// still reads its cost and length.
void CodePage::reset()
{
    for (std::uint32_t slot = 0; slot < slots_per_page; ++slot)
        slots[slot].code = Code::decode;
    copied = 0;
    stale = 0;
    held.clear();
}

void CodePage::hold(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t slot = first; slot <= last; ++slot) {
        const Code code = slots[slot].code;
        if (code == Code::decode || code == Code::breakpoint)
            continue;
        held.push_back({slot, slots[slot]});
        slots[slot].code = Code::decode;
    }
}

bool CodePage::put_back(std::uint32_t slot)
{
    const auto found = std::find_if(held.begin(), held.end(),
                                    [slot](const Held& one) { return one.slot == slot; });
    if (found == held.end())
        return false;
    slots[slot] = found->op;
    held.erase(found);
    return true;
}

CodePage& CodeCache::create(std::uint32_t page, CodePage::Source source, const std::uint8_t* memory)
{
    if (spare_.empty()) {
        pages_.push_back(std::make_unique<CodePage>());
    } else {
        pages_.push_back(std::move(spare_.back()));
        spare_.pop_back();
        pages_.back()->reset();
    }
    CodePage& created = *pages_.back();
    created.base = page << page_shift;
    created.source = source;
    created.memory = memory;
    created.checked = fences_;
    table_[page] = &created;
    return created;
}

void CodeCache::invalidate_slots(std::uint32_t page, std::uint32_t first, std::uint32_t last)
{
    if (CodePage* decoded = table_[page])
        decoded->invalidate(first, last);
}

void CodeCache::written(std::uint32_t address, std::uint32_t size)
{
    // An instruction that starts two bytes before the written bytes may reach into them.
    const std::uint64_t last_byte =
        std::min<std::uint64_t>(std::uint64_t{address} + size - 1, UINT32_MAX);
    const std::uint32_t begin = address >= 2 ? (address & ~1u) - 2 : 0;
    const auto last = static_cast<std::uint32_t>(last_byte);
    for (std::uint32_t page = begin >> page_shift; page <= last >> page_shift; ++page) {
        const std::uint32_t base = page << page_shift;
        const std::uint32_t from = std::max(begin, base) - base;
        const std::uint32_t to = std::min(last - base, page_bytes - 1);
        invalidate_slots(page, from / 2, to / 2);
        const std::uint32_t written = std::max(address, base) - base;
        if (CodePage* decoded = table_[page]; decoded != nullptr && written <= to)
            decoded->wrote(written, to + 1 - written);
    }
}

void CodeCache::stored(std::uint32_t address, std::uint32_t size)
{
    written(address, size);
    for (std::uint64_t at = address & ~1u; at < std::uint64_t{address} + size; at += 2)
        if (const auto page = static_cast<std::uint32_t>(at >> page_shift); find(page) != nullptr) {
            const std::uint32_t slot = at % page_bytes / 2;
            mark_unfenced(page, slot, slot);
        }
}

void CodeCache::overwritten(std::uint32_t address, std::uint64_t bytes)
{
    const std::uint64_t end =
        std::min<std::uint64_t>(std::uint64_t{address} + bytes, std::uint64_t{UINT32_MAX} + 1);
    for (std::uint64_t at = address; at < end; at = (at / page_bytes + 1) * page_bytes) {
        const auto page = static_cast<std::uint32_t>(at >> page_shift);
        const std::uint32_t first = at % page_bytes / 2;
        const auto last = static_cast<std::uint32_t>(
            (std::min(end, (at / page_bytes + 1) * page_bytes) - 1) % page_bytes / 2);
        mark_unfenced(page, first, last);
        // An instruction that starts two bytes earlier may reach into the written bytes.
        if (first == 0 && page != 0)
            outdate(page - 1, slots_per_page - 1, slots_per_page - 1);
        outdate(page, first == 0 ? 0 : first - 1, last);
    }
}

void CodeCache::outdate(std::uint32_t page, std::uint32_t first, std::uint32_t last)
{
    CodePage* const decoded = find(page);
    if (decoded == nullptr)
        return;
    if (decoded->checked == fences_)
        decoded->hold(first, last);
    else // The hart has not entered this page since the fence.i. On entry, it compares the page
         // with memory.
        decoded->invalidate(first, last);
}

void CodeCache::fetch_again(std::uint32_t address)
{
    CodePage* const page = find(address >> page_shift);
    if (page == nullptr)
        return;
    const std::uint32_t slot = address % page_bytes / 2;
    page->hold(slot, slot);
    page->slots[slot].code = Code::decode;
}

void CodeCache::mark_unfenced(std::uint32_t page, std::uint32_t first, std::uint32_t last)
{
    UnfencedPage*& marked = unfenced_[page];
    if (marked == nullptr)
        marked = unfenced_pages_.emplace_back(std::make_unique<UnfencedPage>()).get();
    if (marked->fences != fences_)
        *marked = {fences_, {}};
    for (std::uint32_t word = first / 64; word <= last / 64; ++word) {
        const std::uint64_t from =
            word == first / 64 ? ~std::uint64_t{0} << first % 64 : UINT64_MAX;
        const std::uint64_t to = word == last / 64 ? UINT64_MAX >> (63 - last % 64) : UINT64_MAX;
        marked->halfwords[word] |= from & to;
    }
}

bool CodeCache::is_unfenced(std::uint32_t address, std::uint32_t bytes) const
{
    for (std::uint64_t at = address; at < std::uint64_t{address} + bytes && at <= UINT32_MAX;
         at += 2) {
        const UnfencedPage* const page = unfenced_[static_cast<std::uint32_t>(at >> page_shift)];
        const std::uint32_t slot = at % page_bytes / 2;
        if (page != nullptr && page->fences == fences_ &&
            (page->halfwords[slot / 64] >> slot % 64 & 1u) != 0)
            return true;
    }
    return false;
}

void CodeCache::fence(CodePage& here)
{
    ++fences_;
    refresh(here);
}

void CodeCache::refresh(CodePage& page)
{
    if (page.checked == fences_)
        return;
    page.checked = fences_;
    if (page.source == CodePage::Source::Memory)
        page.compare();
    else
        page.held.clear();
}

void CodeCache::drop(std::uint64_t start, std::uint64_t end)
{
    // The instruction in the last halfword of the previous page may reach into the range.
    if (start >= page_bytes && start >> page_shift <= UINT32_MAX >> page_shift)
        invalidate_slots(static_cast<std::uint32_t>(start >> page_shift) - 1, slots_per_page - 1,
                         slots_per_page - 1);
    const auto gone = std::partition(pages_.begin(), pages_.end(), [&](const auto& page) {
        return page->base > end || std::uint64_t{page->base} + page_bytes - 1 < start;
    });
    for (auto page = gone; page != pages_.end(); ++page) {
        table_[(*page)->base >> page_shift] = nullptr;
        (*page)->reset();
        spare_.push_back(std::move(*page));
    }
    pages_.erase(gone, pages_.end());
}

} // namespace levee::riscv
