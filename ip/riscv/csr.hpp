// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/config.hpp"

#include <cstdint>
#include <optional>

namespace levee::riscv {

/// Interrupt lines. The values are the numbers of their bits in mip and mie.
enum class Interrupt : std::uint32_t { software = 3, timer = 7, external = 11 };

enum class Cause : std::uint32_t {
    fetch_misaligned = 0,
    fetch_fault = 1,
    illegal_instruction = 2,
    breakpoint = 3,
    load_misaligned = 4,
    load_fault = 5,
    store_misaligned = 6,
    store_fault = 7,
    ecall_machine = 11
};

/// Numbers of the CSRs that other code uses (privileged specification, chapter 2).
namespace csr_number {
constexpr std::uint32_t mstatus = 0x300, misa = 0x301, mie = 0x304, mtvec = 0x305,
                        mcounteren = 0x306;
constexpr std::uint32_t mstatush = 0x310, mcountinhibit = 0x320, mhpmevent3 = 0x323;
constexpr std::uint32_t mscratch = 0x340, mepc = 0x341, mcause = 0x342, mtval = 0x343, mip = 0x344;
constexpr std::uint32_t pmpcfg0 = 0x3A0, pmpaddr0 = 0x3B0, tselect = 0x7A0, tdata3 = 0x7A3;
constexpr std::uint32_t mcycle = 0xB00, minstret = 0xB02, mcycleh = 0xB80, minstreth = 0xB82;
constexpr std::uint32_t cycle = 0xC00, time = 0xC01, instret = 0xC02;
constexpr std::uint32_t cycleh = 0xC80, timeh = 0xC81, instreth = 0xC82;
constexpr std::uint32_t mvendorid = 0xF11, mhartid = 0xF14, mconfigptr = 0xF15;
/// Custom read-only CSRs, which exist if the hart has a cache. Bit X of misa is then set.
constexpr std::uint32_t micache = 0xFC0, mdcache = 0xFC1;
} // namespace csr_number

/// Values of the counters while an instruction executes.
struct CounterView {
    std::uint64_t cycle;        ///< Cycle of the hart's clock since reset at which the instruction
                                ///< starts.
    std::uint64_t next_cycle;   ///< Cycle at which the instruction ends.
    std::uint64_t instret;      ///< Instructions retired before it.
    std::uint64_t next_instret; ///< Instructions retired after it.
    std::uint64_t time;         ///< mtime
};

/// A 64-bit counter that follows a running count. Software can write it and inhibit counting.
class Counter {
public:
    std::uint64_t value(std::uint64_t count) const
    {
        return inhibited_ ? frozen_ : count + offset_;
    }
    void write(std::uint64_t count, std::uint64_t value);
    void inhibit(std::uint64_t count, bool inhibited);
    bool inhibited() const { return inhibited_; }

private:
    std::uint64_t offset_ = 0;
    std::uint64_t frozen_ = 0;
    bool inhibited_ = false;
};

// CSRs of a hart with machine mode only. PMP entry 0 is never locked and never restricts machine
// mode. There are no triggers and no event counters.
class CsrFile {
public:
    explicit CsrFile(std::uint32_t hart_id) : hart_id_(hart_id) {}

    /// Sets micache and mdcache: bits 7:0 log2(line bytes), 15:8 ways, 23:16 log2(sets). A CSR is 0
    /// if its cache does not exist.
    void set_caches(const std::optional<CacheConfig>& icache,
                    const std::optional<CacheConfig>& dcache);

    /// Returns the value of a CSR, or empty if it does not exist.
    std::optional<std::uint32_t> read(std::uint32_t number, const CounterView& counters) const;
    /// Returns false if the CSR does not exist or is read-only. A written counter reads as its new
    /// value from the next instruction on.
    bool write(std::uint32_t number, std::uint32_t value, const CounterView& counters);

    void set_line(Interrupt line, bool level);
    /// mip & mie: interrupts that wake the hart from wfi.
    std::uint32_t pending() const { return mip_ & mie_; }
    /// The interrupt to take now, if any. Priority: external, software, timer.
    std::optional<Interrupt> deliverable() const;

    /// Enters a trap and returns the address of its handler.
    std::uint32_t trap(Cause cause, std::uint32_t value, std::uint32_t pc);
    std::uint32_t trap(Interrupt interrupt, std::uint32_t pc);
    /// Executes mret and returns the address at which execution continues.
    std::uint32_t leave_trap();
    /// Whether the hart is in an interrupt handler, between the trap and its mret.
    bool handles_interrupt() const { return trap_levels_ != 0; }

private:
    bool has_cache() const { return (micache_ | mdcache_) != 0; }
    /// A CSR that only stores a word. Its writable bits read as software has written them.
    struct Plain {
        std::uint32_t number;
        std::uint32_t CsrFile::*value;
        std::uint32_t writable; ///< Writable bits; 0: writes have no effect.
    };

    /// Returns null if the CSR does not exist or has side effects.
    static const Plain* find_plain(std::uint32_t number);
    std::optional<std::uint32_t> read_counter(std::uint32_t number,
                                              const CounterView& counters) const;
    std::uint32_t enter(std::uint32_t cause, std::uint32_t value, std::uint32_t pc);
    bool write_counter(std::uint32_t number, std::uint32_t value, const CounterView& counters);
    void write_inhibit(std::uint32_t value, const CounterView& counters);

    std::uint32_t hart_id_;
    std::uint32_t micache_ = 0, mdcache_ = 0;
    bool mie_bit_ = false; // mstatus.MIE
    bool mpie_bit_ = false;
    /// One bit per nested trap, the latest in bit 0. 1: interrupt, 0: exception.
    std::uint64_t trap_levels_ = 0;
    std::uint32_t mie_ = 0, mip_ = 0, mtvec_ = 0, mscratch_ = 0, mepc_ = 0, mcause_ = 0, mtval_ = 0;
    std::uint32_t pmpcfg0_ = 0, pmpaddr0_ = 0;
    Counter cycle_, instret_;
};

} // namespace levee::riscv
