// SPDX-License-Identifier: Apache-2.0
// Accesses through the caches. Time passes only if a line is transferred. The run then ends at the
// next instruction boundary, as after any bus access.
#include "ip/riscv/hart.hpp"

#include <algorithm>
#include <cstring>

namespace levee::riscv {
namespace {

/// Calls visit(offset in the line, offset in the range, count) for the bytes that [address, address
/// + size) and a line share.
template <class Visit>
void common_bytes(const Cache::Line& line, std::uint32_t line_bytes, std::uint32_t address,
                  std::size_t size, Visit visit)
{
    const std::uint64_t first = std::max(line.address, address);
    const std::uint64_t end = std::min(std::uint64_t{line.address} + line_bytes, address + size);
    if (line.valid && first < end)
        visit(line.data + (first - line.address), first - address, end - first);
}

} // namespace

const CacheableRange* Hart::cacheable(std::uint32_t address) const
{
    for (const CacheableRange& range : config_.cacheable)
        if (address - range.base < range.bytes)
            return &range;
    return nullptr;
}

/// Fills a line, which is invalid until the fill has completed. Returns false on a bus error.
bool Hart::fill(Cache& cache, CacheCounts& counts, Cache::Line& line, std::uint32_t address)
{
    const bool done = port_.read_line(cache.line_address(address), cache.bytes(line),
                                      cacheable(address)->ps_per_byte, cycle_);
    leave();
    if (!done)
        return false;
    cache.filled(line, address);
    line.filled_at = cycle_;
    counts.filled_bytes += cache.line_bytes();
    return true;
}

// Instruction cache.

/// Fills the line at `address` for the instruction at `pc`.
Hart::Fetched Hart::fetch_line(std::uint32_t pc, std::uint32_t address)
{
    if (missed_pc_ != pc) {
        end_miss();
        ++icounts_.misses;
        if (!in_cached_page_) // The instruction begins in memory that is not cached.
            ++icounts_.accesses;
    }
    missed_pc_ = pc;
    Cache::Line& line = icache_->replace(address);
    if (line.valid)
        code_.written(line.address, icache_->line_bytes());
    icache_->invalidate(line);
    if (fill(*icache_, icounts_, line, address))
        return Fetched::Later;
    missed_pc_.reset();
    raise(Cause::fetch_fault, address, pc);
    return Fetched::Trapped;
}

/// Ends the miss of an instruction that has not executed, for example because an interrupt came
/// first.
void Hart::end_miss()
{
    if (missed_pc_)
        ++icounts_.accesses;
    missed_pc_.reset();
}

/// Counts the instructions executed since the cached page was entered.
void Hart::end_stay()
{
    if (in_cached_page_)
        icounts_.accesses += retired_ - entered_at_;
    in_cached_page_ = false;
}

/// Executes fence.i. Writes dirty lines back, so that later instruction fetches see this hart's
/// stores.
bool Hart::fence_i(std::uint32_t pc, CodePage& page)
{
    access_pc_ = pc;
    if (dcache_ && dcache_->has_dirty())
        for (Cache::Line* line : dcache_->used_lines())
            if (line->valid && line->dirty && !write_back(*line)) {
                raise(Cause::store_fault, line->address, pc);
                return false;
            }
    if (icache_) {
        for (const Cache::Line* line : icache_->used_lines())
            if (line->valid)
                code_.written(line->address, icache_->line_bytes());
        icache_->invalidate_all();
    }
    code_.fence(page);
    fenced_at_ = cycle_;
    return true;
}

// Data cache.

/// Writes a dirty line back. Returns false on a bus error; the line then does not change.
bool Hart::write_back(Cache::Line& line)
{
    port_.reach(cycle_);
    if (!line.dirty) // An access by another master has already caused the write-back.
        return true;
    const bool done = port_.write_line(line.address, dcache_->bytes(line),
                                       cacheable(line.address)->ps_per_byte, cycle_);
    leave();
    if (!done)
        return false;
    if (line.outdated)
        port_.used_outdated(line, line.address, dcache_->line_bytes(), OutdatedUse::WrittenBack);
    dcounts_.written_bytes += dcache_->line_bytes();
    dcache_->set_dirty(line, false);
    stores_.remove(line);
    return true;
}

/// Fills a line for `address`, which misses. Returns null on a bus error.
Cache::Line* Hart::fill_data(std::uint32_t address)
{
    Cache::Line& line = dcache_->replace(address);
    if (line.valid && line.dirty && !write_back(line))
        return nullptr;
    loads_.remove(line);
    dcache_->invalidate(line);
    return fill(*dcache_, dcounts_, line, address) ? &line : nullptr;
}

/// Calls visit(line, offset in the line, offset in the access, bytes) for each line of an access.
/// Returns false on a bus error.
template <class Visit> bool Hart::for_lines(std::uint32_t address, std::size_t size, Visit visit)
{
    ++dcounts_.accesses;
    bool missed = false;
    for (std::size_t done = 0; done < size;) {
        const std::uint32_t at = address + static_cast<std::uint32_t>(done);
        Cache::Line* line = dcache_->find(at);
        if (line == nullptr) {
            dcounts_.misses += missed ? 0 : 1;
            missed = true;
            line = fill_data(at);
        }
        if (line == nullptr)
            return false;
        const std::uint32_t offset = at - line->address;
        const std::size_t here = std::min<std::size_t>(size - done, dcache_->line_bytes() - offset);
        visit(*line, offset, done, here);
        done += here;
    }
    return true;
}

bool Hart::read_cached(std::uint32_t address, std::span<std::uint8_t> data)
{
    return for_lines(
        address, data.size(),
        [&](Cache::Line& line, std::uint32_t offset, std::size_t done, std::size_t bytes) {
            std::memcpy(&data[done], line.data + offset, bytes);
            if (!line.outdated)
                return loads_.add(line);
            port_.used_outdated(line, line.address + offset, static_cast<std::uint32_t>(bytes),
                                OutdatedUse::Loaded);
        });
}

bool Hart::write_cached(std::uint32_t address, std::span<const std::uint8_t> data)
{
    return for_lines(
        address, data.size(),
        [&](Cache::Line& line, std::uint32_t offset, std::size_t done, std::size_t bytes) {
            std::memcpy(line.data + offset, &data[done], bytes);
            dcache_->set_dirty(line, true);
            if (line.outdated)
                return port_.used_outdated(line, line.address + offset,
                                           static_cast<std::uint32_t>(bytes), OutdatedUse::Stored);
            // Stores to the line with tohost, or to a page with code or a guard, must take the slow
            // path.
            const bool has_tohost =
                config_.tohost && dcache_->line_address(*config_.tohost) == line.address;
            const std::uint32_t page = line.address >> page_shift;
            if (!has_tohost && code_.find(page) == nullptr && !memory_.guards(page))
                stores_.add(line);
        });
}

/// Executes cbo.inval, cbo.clean and cbo.flush (Zicbom 1.0). They have no effect on uncached
/// memory.
bool Hart::cache_block(std::uint32_t pc, const Op& op)
{
    constexpr std::int32_t inval = 0, clean = 1; // flush does both.
    access_pc_ = pc;
    if (!dcache_) {
        raise(Cause::illegal_instruction, op.raw, pc);
        return false;
    }
    Cache::Line* const line = dcache_->find(x_[op.rs1]);
    if (line == nullptr)
        return true;
    if (op.imm != inval && line->dirty && !write_back(*line)) {
        raise(Cause::store_fault, x_[op.rs1], pc);
        return false;
    }
    if (op.imm != clean) {
        loads_.remove(*line);
        stores_.remove(*line);
        dcache_->invalidate(*line);
    }
    return true;
}

void Hart::visit_lines(std::uint32_t address, std::uint64_t bytes,
                       const std::function<void(Cache::Line&)>& visit)
{
    if (!dcache_ || bytes == 0)
        return;
    const std::uint32_t line_bytes = dcache_->line_bytes();
    if (bytes / line_bytes >= dcache_->used_lines().size()) {
        for (Cache::Line* line : dcache_->used_lines())
            common_bytes(*line, line_bytes, address, bytes,
                         [&](std::uint8_t*, std::size_t, std::size_t) { visit(*line); });
        return;
    }
    for (std::uint64_t at = dcache_->line_address(address); at < address + bytes; at += line_bytes)
        if (Cache::Line* line = dcache_->find(static_cast<std::uint32_t>(at)))
            visit(*line);
}

void Hart::mark_outdated(Cache::Line& line)
{
    line.outdated = true;
    loads_.remove(line);
    stores_.remove(line);
}

void Hart::snoop(std::uint32_t address, std::uint64_t bytes, bool write, const Clean& clean)
{
    visit_lines(address, bytes, [&](Cache::Line& line) {
        if (line.dirty)
            clean(line.address, dcache_->bytes(line));
        dcache_->set_dirty(line, false);
        stores_.remove(line);
        if (!write)
            return;
        loads_.remove(line);
        dcache_->invalidate(line);
    });
}

// Debug accesses, which take no time.

void Hart::debug_wrote(std::uint32_t address, std::span<const std::uint8_t> data)
{
    for (auto* cache : {&icache_, &dcache_}) {
        if (!*cache)
            continue;
        for (const Cache::Line* line : (*cache)->used_lines())
            common_bytes(*line, (*cache)->line_bytes(), address, data.size(),
                         [&](std::uint8_t* bytes, std::size_t offset, std::size_t size) {
                             std::memcpy(bytes, &data[offset], size);
                         });
    }
    code_written(address, static_cast<std::uint32_t>(data.size()));
}

void Hart::debug_read(std::uint32_t address, std::span<std::uint8_t> data)
{
    if (!dcache_)
        return;
    for (const Cache::Line* line : dcache_->used_lines())
        common_bytes(*line, dcache_->line_bytes(), address, data.size(),
                     [&](const std::uint8_t* bytes, std::size_t offset, std::size_t size) {
                         std::memcpy(&data[offset], bytes, size);
                     });
}

} // namespace levee::riscv
