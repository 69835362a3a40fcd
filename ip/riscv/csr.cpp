// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/csr.hpp"

#include <bit>

namespace levee::riscv {
namespace {

using namespace csr_number;

constexpr std::uint32_t mstatus_mie = 1u << 3, mstatus_mpie = 1u << 7;
constexpr std::uint32_t mstatus_mpp_machine = 3u << 11; // WARL: only machine mode exists.
constexpr std::uint32_t misa_value =
    1u << 30 | 1u << ('I' - 'A') | 1u << ('M' - 'A') | 1u << ('A' - 'A') | 1u << ('C' - 'A');
constexpr std::uint32_t misa_custom = 1u << ('X' - 'A');
constexpr std::uint32_t interrupt_mask = 1u << 3 | 1u << 7 | 1u << 11;
constexpr std::uint32_t cause_interrupt = 1u << 31;
constexpr std::uint32_t inhibit_cycle = 1u << 0, inhibit_instret = 1u << 2;
constexpr std::uint32_t pmpcfg_writable = 0x1F; // Writable: R, W, X, A. L stays zero.

constexpr bool within(std::uint32_t number, std::uint32_t first, std::uint32_t last)
{
    return number >= first && number <= last;
}

/// CSRs that exist but always read as zero. Writes to them, where allowed, have no effect.
bool is_zero(std::uint32_t number)
{
    return number == mstatush || within(number, mhpmevent3, 0x33F) ||
           within(number, pmpcfg0 + 1, pmpcfg0 + 3) ||
           within(number, pmpaddr0 + 1, pmpaddr0 + 15) || within(number, tselect, tdata3) ||
           within(number, 0xB03, 0xB1F) || within(number, 0xB83, 0xB9F) ||
           within(number, 0xC03, 0xC1F) || within(number, 0xC83, 0xC9F) ||
           within(number, mvendorid, mvendorid + 2) || number == mconfigptr;
}

constexpr std::uint32_t low(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value >> 32);
}
constexpr std::uint64_t with_low(std::uint64_t value, std::uint32_t word)
{
    return value >> 32 << 32 | word;
}
constexpr std::uint64_t with_high(std::uint64_t value, std::uint32_t word)
{
    return std::uint64_t{word} << 32 | low(value);
}

std::uint32_t geometry(const std::optional<CacheConfig>& cache)
{
    if (!cache)
        return 0;
    const std::uint32_t sets = cache->size_bytes / cache->line_bytes / cache->ways;
    return static_cast<std::uint32_t>(std::countr_zero(cache->line_bytes)) | cache->ways << 8 |
           static_cast<std::uint32_t>(std::countr_zero(sets)) << 16;
}

} // namespace

void CsrFile::set_caches(const std::optional<CacheConfig>& icache,
                         const std::optional<CacheConfig>& dcache)
{
    micache_ = geometry(icache);
    mdcache_ = geometry(dcache);
}

void Counter::write(std::uint64_t count, std::uint64_t value)
{
    frozen_ = value;
    offset_ = value - count;
}

void Counter::inhibit(std::uint64_t count, bool inhibited)
{
    const std::uint64_t now = value(count);
    inhibited_ = inhibited;
    write(count, now);
}

const CsrFile::Plain* CsrFile::find_plain(std::uint32_t number)
{
    static constexpr Plain plain[] = {
        {mie, &CsrFile::mie_, interrupt_mask},
        {mip, &CsrFile::mip_, 0}, // In machine mode, all three bits are read-only for software.
        {mtvec, &CsrFile::mtvec_, ~2u},
        {mscratch, &CsrFile::mscratch_, ~0u},
        {mepc, &CsrFile::mepc_, ~1u},
        {mcause, &CsrFile::mcause_, ~0u},
        {mtval, &CsrFile::mtval_, ~0u},
        {pmpcfg0, &CsrFile::pmpcfg0_, pmpcfg_writable},
        {pmpaddr0, &CsrFile::pmpaddr0_, ~0u},
    };
    for (const Plain& csr : plain)
        if (csr.number == number)
            return &csr;
    return nullptr;
}

std::optional<std::uint32_t> CsrFile::read(std::uint32_t number, const CounterView& counters) const
{
    if (const Plain* const csr = find_plain(number))
        return this->*csr->value;
    switch (number) {
    case mstatus:
        return mstatus_mpp_machine | (mie_bit_ ? mstatus_mie : 0) | (mpie_bit_ ? mstatus_mpie : 0);
    case misa:
        return misa_value | (has_cache() ? misa_custom : 0);
    case micache:
        return has_cache() ? std::optional(micache_) : std::nullopt;
    case mdcache:
        return has_cache() ? std::optional(mdcache_) : std::nullopt;
    case mhartid:
        return hart_id_;
    case mcountinhibit:
        return (cycle_.inhibited() ? inhibit_cycle : 0) |
               (instret_.inhibited() ? inhibit_instret : 0);
    default:
        return is_zero(number) ? std::optional(0u) : read_counter(number, counters);
    }
}

std::optional<std::uint32_t> CsrFile::read_counter(std::uint32_t number,
                                                   const CounterView& counters) const
{
    switch (number) {
    case mcycle:
    case csr_number::cycle:
        return low(cycle_.value(counters.cycle));
    case mcycleh:
    case cycleh:
        return high(cycle_.value(counters.cycle));
    case minstret:
    case csr_number::instret:
        return low(instret_.value(counters.instret));
    case minstreth:
    case instreth:
        return high(instret_.value(counters.instret));
    case csr_number::time:
        return low(counters.time);
    case timeh:
        return high(counters.time);
    default:
        return std::nullopt;
    }
}

bool CsrFile::write_counter(std::uint32_t number, std::uint32_t value, const CounterView& counters)
{
    // A counter does not count the instruction that writes it (privileged spec, 3.1.10).
    const std::uint64_t cycle_count = cycle_.value(counters.cycle);
    const std::uint64_t instret_count = instret_.value(counters.instret);
    switch (number) {
    case mcycle:
        cycle_.write(counters.next_cycle, with_low(cycle_count, value));
        return true;
    case mcycleh:
        cycle_.write(counters.next_cycle, with_high(cycle_count, value));
        return true;
    case minstret:
        instret_.write(counters.next_instret, with_low(instret_count, value));
        return true;
    case minstreth:
        instret_.write(counters.next_instret, with_high(instret_count, value));
        return true;
    default:
        return false;
    }
}

void CsrFile::write_inhibit(std::uint32_t value, const CounterView& counters)
{
    cycle_.inhibit(counters.next_cycle, (value & inhibit_cycle) != 0);
    instret_.inhibit(counters.next_instret, (value & inhibit_instret) != 0);
}

bool CsrFile::write(std::uint32_t number, std::uint32_t value, const CounterView& counters)
{
    if (number >> 10 == 3) // These numbers mark read-only CSRs (privileged spec, 2.1).
        return false;
    if (const Plain* const csr = find_plain(number)) {
        if (csr->writable != 0)
            this->*csr->value = value & csr->writable;
        return true;
    }
    switch (number) {
    case mstatus:
        mie_bit_ = (value & mstatus_mie) != 0;
        mpie_bit_ = (value & mstatus_mpie) != 0;
        return true;
    case misa:
        return true;
    case mcountinhibit:
        write_inhibit(value, counters);
        return true;
    default:
        return write_counter(number, value, counters) || is_zero(number);
    }
}

void CsrFile::set_line(Interrupt line, bool level)
{
    const std::uint32_t bit = 1u << static_cast<std::uint32_t>(line);
    mip_ = level ? mip_ | bit : mip_ & ~bit;
}

std::optional<Interrupt> CsrFile::deliverable() const
{
    if (!mie_bit_ || pending() == 0)
        return std::nullopt;
    for (const Interrupt line : {Interrupt::external, Interrupt::software}) {
        if (pending() >> static_cast<std::uint32_t>(line) & 1u)
            return line;
    }
    return Interrupt::timer;
}

std::uint32_t CsrFile::enter(std::uint32_t cause, std::uint32_t value, std::uint32_t pc)
{
    mcause_ = cause;
    mtval_ = value;
    mepc_ = pc;
    mpie_bit_ = mie_bit_;
    mie_bit_ = false;
    trap_levels_ = trap_levels_ << 1 | cause / cause_interrupt;
    return mtvec_ & ~3u;
}

std::uint32_t CsrFile::trap(Cause cause, std::uint32_t value, std::uint32_t pc)
{
    return enter(static_cast<std::uint32_t>(cause), value, pc);
}

std::uint32_t CsrFile::trap(Interrupt interrupt, std::uint32_t pc)
{
    const auto number = static_cast<std::uint32_t>(interrupt);
    const std::uint32_t base = enter(cause_interrupt | number, 0, pc);
    return (mtvec_ & 1u) != 0 ? base + 4 * number : base;
}

std::uint32_t CsrFile::leave_trap()
{
    mie_bit_ = mpie_bit_;
    mpie_bit_ = true;
    trap_levels_ >>= 1;
    return mepc_;
}

} // namespace levee::riscv
