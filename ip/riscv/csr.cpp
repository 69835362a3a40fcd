// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/csr.hpp"

namespace levee::riscv {
namespace {

using namespace csr_number;

constexpr uint32_t mstatus_mie = 1u << 3, mstatus_mpie = 1u << 7;
constexpr uint32_t mstatus_mpp_machine = 3u << 11; // WARL: no other mode exists
constexpr uint32_t misa_value =
    1u << 30 | 1u << ('I' - 'A') | 1u << ('M' - 'A') | 1u << ('A' - 'A') | 1u << ('C' - 'A');
constexpr uint32_t interrupt_mask = 1u << 3 | 1u << 7 | 1u << 11;
constexpr uint32_t cause_interrupt = 1u << 31;
constexpr uint32_t inhibit_cycle = 1u << 0, inhibit_instret = 1u << 2;
constexpr uint32_t pmpcfg_writable = 0x1F; // R, W, X, A; L is zero

constexpr bool within(uint32_t number, uint32_t first, uint32_t last)
{
    return number >= first && number <= last;
}

// CSRs that exist and always read zero; writes, where the number allows them, have no effect.
bool is_zero(uint32_t number)
{
    return number == mcounteren || number == mstatush || within(number, mhpmevent3, 0x33F) ||
           within(number, pmpcfg0 + 1, pmpcfg0 + 3) ||
           within(number, pmpaddr0 + 1, pmpaddr0 + 15) || within(number, tselect, tdata3) ||
           within(number, 0xB03, 0xB1F) || within(number, 0xB83, 0xB9F) ||
           within(number, 0xC03, 0xC1F) || within(number, 0xC83, 0xC9F) ||
           within(number, mvendorid, mvendorid + 2) || number == mconfigptr;
}

constexpr uint32_t low(uint64_t value)
{
    return static_cast<uint32_t>(value);
}
constexpr uint32_t high(uint64_t value)
{
    return static_cast<uint32_t>(value >> 32);
}
constexpr uint64_t with_low(uint64_t value, uint32_t word)
{
    return value >> 32 << 32 | word;
}
constexpr uint64_t with_high(uint64_t value, uint32_t word)
{
    return uint64_t{word} << 32 | low(value);
}

} // namespace

void Counter::write(uint64_t count, uint64_t value)
{
    frozen_ = value;
    offset_ = value - count;
}

void Counter::inhibit(uint64_t count, bool inhibited)
{
    const uint64_t now = value(count);
    inhibited_ = inhibited;
    write(count, now);
}

std::optional<uint32_t> CsrFile::read(uint32_t number, const CounterView& counters) const
{
    switch (number) {
    case mstatus:
        return mstatus_mpp_machine | (mie_bit_ ? mstatus_mie : 0) | (mpie_bit_ ? mstatus_mpie : 0);
    case misa:
        return misa_value;
    case mie:
        return mie_;
    case mip:
        return mip_;
    case mtvec:
        return mtvec_;
    case mscratch:
        return mscratch_;
    case mepc:
        return mepc_;
    case mcause:
        return mcause_;
    case mtval:
        return mtval_;
    case pmpcfg0:
        return pmpcfg0_;
    case pmpaddr0:
        return pmpaddr0_;
    case mhartid:
        return hart_id_;
    case mcountinhibit:
        return (cycle_.inhibited() ? inhibit_cycle : 0) |
               (instret_.inhibited() ? inhibit_instret : 0);
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
        return is_zero(number) ? std::optional(0u) : std::nullopt;
    }
}

bool CsrFile::write_counter(uint32_t number, uint32_t value, const CounterView& counters)
{
    // The instruction that writes a counter does not itself count (privileged spec, 3.1.10).
    const uint64_t cycle_count = cycle_.value(counters.cycle);
    const uint64_t instret_count = instret_.value(counters.instret);
    switch (number) {
    case mcycle:
        cycle_.write(counters.next_cycle, with_low(cycle_count, value));
        return true;
    case mcycleh:
        cycle_.write(counters.next_cycle, with_high(cycle_count, value));
        return true;
    case minstret:
        instret_.write(counters.instret + 1, with_low(instret_count, value));
        return true;
    case minstreth:
        instret_.write(counters.instret + 1, with_high(instret_count, value));
        return true;
    default:
        return false;
    }
}

void CsrFile::write_inhibit(uint32_t value, const CounterView& counters)
{
    cycle_.inhibit(counters.next_cycle, (value & inhibit_cycle) != 0);
    instret_.inhibit(counters.instret + 1, (value & inhibit_instret) != 0);
}

bool CsrFile::write(uint32_t number, uint32_t value, const CounterView& counters)
{
    if (number >> 10 == 3) // read-only by its number (privileged spec, 2.1)
        return false;
    switch (number) {
    case mstatus:
        mie_bit_ = (value & mstatus_mie) != 0;
        mpie_bit_ = (value & mstatus_mpie) != 0;
        return true;
    case misa:
    case mip: // all three bits are read-only to software in machine mode
        return true;
    case mie:
        mie_ = value & interrupt_mask;
        return true;
    case mtvec:
        mtvec_ = value & ~2u;
        return true;
    case mscratch:
        mscratch_ = value;
        return true;
    case mepc:
        mepc_ = value & ~1u;
        return true;
    case mcause:
        mcause_ = value;
        return true;
    case mtval:
        mtval_ = value;
        return true;
    case pmpcfg0:
        pmpcfg0_ = value & pmpcfg_writable;
        return true;
    case pmpaddr0:
        pmpaddr0_ = value;
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
    const uint32_t bit = 1u << static_cast<uint32_t>(line);
    mip_ = level ? mip_ | bit : mip_ & ~bit;
}

std::optional<Interrupt> CsrFile::deliverable() const
{
    if (!mie_bit_ || pending() == 0)
        return std::nullopt;
    for (const Interrupt line : {Interrupt::external, Interrupt::software}) {
        if (pending() >> static_cast<uint32_t>(line) & 1u)
            return line;
    }
    return Interrupt::timer;
}

uint32_t CsrFile::enter(uint32_t cause, uint32_t value, uint32_t pc)
{
    mcause_ = cause;
    mtval_ = value;
    mepc_ = pc;
    mpie_bit_ = mie_bit_;
    mie_bit_ = false;
    return mtvec_ & ~3u;
}

uint32_t CsrFile::trap(Cause cause, uint32_t value, uint32_t pc)
{
    return enter(static_cast<uint32_t>(cause), value, pc);
}

uint32_t CsrFile::trap(Interrupt interrupt, uint32_t pc)
{
    const auto number = static_cast<uint32_t>(interrupt);
    const uint32_t base = enter(cause_interrupt | number, 0, pc);
    return (mtvec_ & 1u) != 0 ? base + 4 * number : base;
}

uint32_t CsrFile::leave_trap()
{
    mie_bit_ = mpie_bit_;
    mpie_bit_ = true;
    return mepc_;
}

} // namespace levee::riscv
