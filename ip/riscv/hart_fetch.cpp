// SPDX-License-Identifier: Apache-2.0
// Instruction fetch. Pages of decoded code are filled from memory, the instruction cache or the
// bus.
#include "ip/riscv/hart.hpp"

#include <cstring>

namespace levee::riscv {

CodePage& Hart::enter_page()
{
    end_stay();
    const std::uint32_t number = pc_ >> page_shift;
    CodePage* page = code_.find(number);
    if (page == nullptr)
        page = &new_page(number);
    code_.refresh(*page);
    in_cached_page_ = page->source == CodePage::Source::Cache;
    entered_at_ = retired_;
    return *page;
}

CodePage& Hart::new_page(std::uint32_t number)
{
    if (icache_ && cacheable(pc_) != nullptr) {
        if (dcache_) // Stores to this page must take the slow path from now on.
            for (const Cache::Line* line : dcache_->used_lines())
                if (line->address >> page_shift == number)
                    stores_.remove(*line);
        return code_.create(number, CodePage::Source::Cache, nullptr);
    }
    if (memory_.read_page(number) == nullptr)
        dmi(pc_, 2, false);
    if (const std::uint8_t* memory = memory_.read_page(number)) {
        memory_.watch_writes(number);
        return code_.create(number, CodePage::Source::Memory, memory);
    }
    for (const std::uint32_t slot : transient_slots_)
        transient_page_.slots[slot].code = Code::decode;
    transient_slots_.clear();
    transient_page_.base = number << page_shift;
    return transient_page_;
}

Hart::Fetched Hart::fetch_half(std::uint32_t pc, std::uint32_t address, std::uint16_t& half)
{
    std::uint8_t bytes[2];
    if (const std::uint8_t* memory = memory_.read_page(address >> page_shift)) {
        std::memcpy(bytes, memory + address % page_bytes, sizeof bytes);
    } else if (icache_ && cacheable(address) != nullptr) {
        const Cache::Line* line = icache_->find(address);
        if (line == nullptr)
            return fetch_line(pc, address);
        std::memcpy(bytes, line->data + (address - line->address), sizeof bytes);
    } else if (!read_uncached(address, bytes)) {
        raise(Cause::fetch_fault, address, pc);
        return Fetched::Trapped;
    }
    half = static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
    return Fetched::Yes;
}

/// Fetches and decodes the instruction of a slot, if it can be fetched now.
Hart::Fetched Hart::fetch_instruction(CodePage& page, std::uint32_t slot)
{
    const std::uint32_t pc = page.base + 2 * slot;
    std::uint16_t first = 0;
    std::uint16_t second = 0;
    if (const Fetched fetched = fetch_half(pc, pc, first); fetched != Fetched::Yes)
        return fetched;
    if (is_wide(first)) {
        if (const Fetched fetched = fetch_half(pc, pc + 2, second); fetched != Fetched::Yes)
            return fetched;
        if (slot == slots_per_page - 1 && page.source != CodePage::Source::Transient)
            memory_.watch_writes((pc + 2) >> page_shift);
    }
    missed_pc_.reset();
    if (page.source == CodePage::Source::Memory)
        page.remember(2 * slot, is_wide(first) ? 4 : 2);
    else if (page.source == CodePage::Source::Transient)
        transient_slots_.push_back(slot);
    page.slots[slot] = decode(static_cast<std::uint32_t>(second) << 16 | first, pc, config_.costs);
    return Fetched::Yes;
}

/// Fetches the instruction from the bus, unless it was already fetched before the hart stopped.
Hart::Fetched Hart::fetch_ahead(CodePage& page, std::uint32_t slot)
{
    pc_ = page.base + 2 * slot;
    if (is_fetched_ahead()) {
        transient_slots_.push_back(slot);
        page.slots[slot] = ahead_->op;
        return Fetched::Yes;
    }
    const Fetched fetched = fetch_instruction(page, slot);
    if (fetched == Fetched::Yes)
        ahead_ = Ahead{page.base + 2 * slot, retired_, page.slots[slot]};
    return fetched;
}

/// Fills a slot with its held instruction, if it has one, otherwise with a fetched one. If a
/// breakpoint is set on the slot, the slot gets the breakpoint, and the instruction is held until
/// the breakpoint is cleared.
Hart::Fetched Hart::fetch(CodePage& page, std::uint32_t slot)
{
    const std::uint32_t pc = page.base + 2 * slot;
    const bool is_transient = page.source == CodePage::Source::Transient;
    if (!page.put_back(slot))
        if (const Fetched fetched =
                is_transient ? fetch_ahead(page, slot) : fetch_instruction(page, slot);
            fetched != Fetched::Yes)
            return fetched;
    if (!breakpoints_.empty() && breakpoints_.contains(pc)) {
        if (!is_transient)
            page.hold(slot, slot);
        page.slots[slot].code = Code::breakpoint;
    } else if (code_.is_unfenced(pc, 2u * page.slots[slot].step)) {
        port_.fetched_stale(pc);
    }
    return Fetched::Yes;
}

} // namespace levee::riscv
