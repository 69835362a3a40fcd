// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/cache.hpp"
#include "ip/riscv/code_cache.hpp"
#include "ip/riscv/config.hpp"
#include "ip/riscv/csr.hpp"
#include "ip/riscv/memory.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>

namespace levee::riscv {

/// How the core used bytes of a cache line after another master had overwritten them in memory.
enum class OutdatedUse { Loaded, Stored, WrittenBack };

/// A hart's interface to its environment. Cycles count from reset; `cycle` is the start of the
/// current instruction.
class HartPort {
public:
    virtual ~HartPort() = default;

    /// Returns the DMI region that contains the address, if there is one.
    virtual std::optional<DmiRegion> request_dmi(std::uint32_t address) = 0;
    /// Performs an access that is not possible by pointer, and advances `cycle` to its end. Returns
    /// false on an access fault.
    virtual bool read(std::uint32_t address, std::span<std::uint8_t> data,
                      std::uint64_t& cycle) = 0;
    virtual bool write(std::uint32_t address, std::span<const std::uint8_t> data,
                       std::uint64_t& cycle) = 0;
    /// Reads a cache line like read(); `ps_per_byte` as in CacheableRange.
    virtual bool read_line(std::uint32_t address, std::span<std::uint8_t> data,
                           double /*ps_per_byte*/, std::uint64_t& cycle)
    {
        return read(address, data, cycle);
    }
    virtual bool write_line(std::uint32_t address, std::span<const std::uint8_t> data,
                            double /*ps_per_byte*/, std::uint64_t& cycle)
    {
        return write(address, data, cycle);
    }
    /// Lets all other modules of the simulation advance to `cycle`.
    virtual void reach(std::uint64_t /*cycle*/) {}
    /// Returns mtime at `cycle`.
    virtual std::uint64_t time(std::uint64_t cycle) = 0;
    /// Called when the program has written an odd 32-bit value v to tohost; code = v >> 1.
    virtual void exited(std::uint32_t code, std::uint64_t cycle) = 0;
    /// Called when the program has written a nonzero value to tohost that is not an exit code (an
    /// HTIF request).
    virtual void htif_request(std::uint64_t request, std::uint64_t cycle) = 0;
    /// Called when an uncompressed ebreak executes. Returns true if it was a request to the
    /// environment, after serving the request.
    virtual bool environment_call(std::uint32_t, std::uint64_t) { return false; }
    /// Called when the instruction at `pc` is about to take an exception.
    virtual void trapped(Cause, std::uint32_t /*value*/, std::uint32_t /*pc*/) {}
    /// Called when an interrupt is about to be taken before the instruction at `pc`.
    virtual void interrupted(Interrupt, std::uint32_t /*pc*/) {}
    /// Called when the instruction at Hart::access_pc() stores to a guarded page (Hart::guard).
    virtual void guarded(std::uint32_t /*address*/, std::uint32_t /*size*/) {}
    /// Called when the instruction at `pc` executes although it was overwritten after the last
    /// fence.i.
    virtual void fetched_stale(std::uint32_t /*pc*/) {}
    /// Called when the hart uses these bytes of an outdated line (Hart::mark_outdated).
    virtual void used_outdated(const Cache::Line&, std::uint32_t /*address*/,
                               std::uint32_t /*size*/, OutdatedUse)
    {
    }
};

/// A range of code.
struct CodeRange {
    std::uint32_t begin = 0;
    std::uint64_t end = 0; ///< One past the last byte.
    /// For Observer::straight(): the observer derives the target from the jump itself. The
    /// instruction at the target is then shown only if it is outside the range.
    bool knows_jumps = false;
};

/// The access of a load, store or atomic.
struct DataAccess {
    std::uint32_t address;
    std::uint32_t size;
    bool reads;
    bool writes;
};

/// Interface of debuggers, tracers and profilers. The hart uses a slower loop while an observer is
/// attached. Observers do not slow down the fast loop.
class Observer {
public:
    virtual ~Observer() = default;
    /// Called before an instruction executes (Hart::instruction()). If it returns false, the hart
    /// stops before the instruction (Stop::observer). When the hart continues, it calls this
    /// function again.
    virtual bool before_instruction(std::uint32_t pc, std::uint64_t cycle) = 0;
    /// Called after a load, store or atomic operation.
    virtual void after_access(std::uint32_t address, std::uint32_t size, bool write) = 0;
    /// If not null, the hart need not show straight-line execution within this range. It then runs
    /// nearly as fast as without an observer. The range may change between calls.
    /// before_instruction() is still called for instructions outside the range; for jal, jalr, mret
    /// and wfi; for the instruction after each of these (after jumps only without knows_jumps); and
    /// for the first instruction after a break (Hart::breaks). after_access() is not called.
    virtual const CodeRange* straight() const { return nullptr; }
};

struct CacheCounts {
    /// Accesses to cacheable memory: instruction fetches, or loads, stores and atomics.
    std::uint64_t accesses = 0;
    std::uint64_t misses = 0; ///< Accesses with at least one byte that was not in the cache.
    std::uint64_t filled_bytes = 0;
    std::uint64_t written_bytes = 0; ///< Bytes of dirty lines written back to memory.
};

enum class Stop {
    deadline, ///< The given cycle was reached, or an event requires an earlier stop.
    wfi,      ///< wfi executed, and no enabled interrupt is pending.
    observer  ///< The observer stops the hart at pc(), or a breakpoint is there.
};

/// An RV32IMAC hart: registers, CSRs, decoded code, caches and its map of DMI memory. The class
/// does not use SystemC: time is a cycle number, and HartPort is its environment.
class Hart {
public:
    /// The port must outlive the hart. Throws std::invalid_argument for an invalid configuration.
    Hart(const CoreConfig& config, HartPort& port);
    Hart(const Hart&) = delete;
    Hart& operator=(const Hart&) = delete;

    /// Takes a deliverable interrupt, if any, then executes until cycle() >= until or until there
    /// is another reason to stop.
    Stop run(std::uint64_t until);
    /// Makes a run() in progress return at the next instruction boundary.
    void leave() { until_ = cycle_; }

    std::uint32_t pc() const { return pc_; }
    void set_pc(std::uint32_t pc)
    {
        if ((pc & ~1u) != pc_)
            broken();
        pc_ = pc & ~1u;
    }
    /// Number of changes of control flow by exceptions, interrupts and set_pc().
    std::uint64_t breaks() const { return breaks_; }
    std::uint32_t reg(unsigned index) const { return x_[index]; }
    void set_reg(unsigned index, std::uint32_t value) { x_[index == 0 ? discard : index] = value; }
    std::uint64_t cycle() const { return cycle_; }
    void set_cycle(std::uint64_t cycle) { cycle_ = cycle; }
    std::uint64_t instructions() const { return retired_; }

    /// Address of the instruction that makes, or last made, an access on the bus.
    std::uint32_t access_pc() const { return access_pc_; }

    bool sleeping() const { return sleeping_; }
    void set_line(Interrupt line, bool level) { csrs_.set_line(line, level); }
    bool interrupt_pending() const { return csrs_.pending() != 0; }
    /// Whether the hart executes an interrupt handler, including functions that the handler calls.
    bool handles_interrupt() const { return csrs_.handles_interrupt(); }

    /// Accesses a CSR as an instruction would. Empty or false if the CSR does not exist, or if a
    /// write is not permitted.
    std::optional<std::uint32_t> read_csr(std::uint32_t number)
    {
        return csrs_.read(number, view(number));
    }
    bool write_csr(std::uint32_t number, std::uint32_t value)
    {
        return csrs_.write(number, value, view(number));
    }

    /// Call when another master wrote code in DMI memory.
    void code_written(std::uint32_t address, std::uint32_t size)
    {
        code_.written(address, size);
        ahead_.reset();
    }
    /// Call after a debugger wrote memory with transport_dbg. Decoded code and cache lines are
    /// updated.
    void debug_wrote(std::uint32_t address, std::span<const std::uint8_t> data);
    /// Replaces bytes that were read from memory by the bytes in the data cache, which gives the
    /// core's view.
    void debug_read(std::uint32_t address, std::span<std::uint8_t> data);

    const CacheCounts& icache_counts() const { return icounts_; }
    const CacheCounts& dcache_counts() const { return dcounts_; }
    /// Cycle of the last fence.i; 0 if there was none.
    std::uint64_t fenced_at() const { return fenced_at_; }
    /// Call when another master wrote [address, address + bytes) of memory. Decoded code is updated
    /// at the next fence.i. If old code executes before the fence.i, this is reported
    /// (HartPort::fetched_stale).
    void code_overwritten(std::uint32_t address, std::uint64_t bytes)
    {
        code_.overwritten(address, bytes);
    }
    /// Calls visit(line) for each data cache line that overlaps [address, address + bytes).
    void visit_lines(std::uint32_t address, std::uint64_t bytes,
                     const std::function<void(Cache::Line&)>& visit);
    /// Marks a valid data cache line. Every use of the line is reported (HartPort::used_outdated)
    /// until the line is filled again.
    void mark_outdated(Cache::Line& line);

    using Clean = std::function<void(std::uint32_t address, std::span<const std::uint8_t> bytes)>;
    /// Call before another master reads or writes [address, address + bytes) of cacheable memory.
    /// First passes dirty lines to `clean`. For a write, then invalidates the lines. Takes no time.
    void snoop(std::uint32_t address, std::uint64_t bytes, bool write, const Clean& clean);
    /// Invalidates DMI pointers into [start, end].
    void invalidate_dmi(std::uint64_t start, std::uint64_t end);

    /// Reports each store to this page through the port. Such stores become slower.
    void guard(std::uint32_t page, bool guarded) { memory_.guard_writes(page, guarded); }

    /// The current instruction. Valid only in before_instruction().
    const Op& instruction() const { return *instruction_; }
    /// Returns the access that the current instruction will make, even if the access will trap.
    /// Empty if the instruction makes no access, or is an sc that will fail.
    std::optional<DataAccess> data_access();
    /// Sets the address of the program's tohost, aligned to 8 bytes; empty if it has none.
    void set_tohost(std::optional<std::uint32_t> address);
    /// Attaches an observer, which must exist while attached; null detaches it.
    void attach(Observer* observer)
    {
        observer_ = observer;
        straight_ = observer != nullptr ? observer->straight() : nullptr;
        ask_ = true;
    }

    /// Stops the hart each time before the instruction at `pc`. To continue, clear the breakpoint.
    /// This costs no speed and does not change memory.
    void set_breakpoint(std::uint32_t pc);
    void clear_breakpoint(std::uint32_t pc);
    bool has_breakpoint(std::uint32_t pc) const { return breakpoints_.contains(pc); }

private:
    /// Variants of the interpreter's loop.
    enum class Loop {
        Plain,
        Cached,   ///< Loads and stores look up data cache lines.
        Observed, ///< The observer sees every instruction and access.
        Straight  ///< The observer sees the instructions that Observer::straight() requires.
                  ///< Includes the lookups of Cached.
    };
    template <Loop loop> Stop execute();
    Stop execute();
    void broken()
    {
        ++breaks_;
        ask_ = true;
    }
    template <class T> bool line_load(std::uint32_t address, std::uint32_t& value);
    template <class T> bool line_store(std::uint32_t address, std::uint32_t value);
    CodePage& enter_page();
    void find_quiet(const CodePage& page, std::uintptr_t& begin, std::uintptr_t& bytes) const;
    CodePage& new_page(std::uint32_t number);
    enum class Fetched {
        Yes,
        Trapped,
        Later ///< Lines were filled; after the time of the fill, the fetch is repeated.
    };
    Fetched fetch(CodePage& page, std::uint32_t slot);
    Fetched fetch_instruction(CodePage& page, std::uint32_t slot);
    Fetched fetch_ahead(CodePage& page, std::uint32_t slot);
    /// Whether the instruction at pc() is already fetched. If so, it executes before interrupts are
    /// checked, as if the hart had not stopped.
    bool is_fetched_ahead() const
    {
        return ahead_ && ahead_->pc == pc_ && ahead_->retired == retired_;
    }
    Fetched fetch_half(std::uint32_t pc, std::uint32_t address, std::uint16_t& half);
    Fetched fetch_line(std::uint32_t pc, std::uint32_t address);
    bool fill(Cache& cache, CacheCounts& counts, Cache::Line& line, std::uint32_t address);
    void end_stay();
    void end_miss();

    const CacheableRange* cacheable(std::uint32_t address) const;
    Cache::Line* fill_data(std::uint32_t address);
    template <class Visit> bool for_lines(std::uint32_t address, std::size_t size, Visit visit);
    bool write_back(Cache::Line& line);
    bool read_cached(std::uint32_t address, std::span<std::uint8_t> data);
    bool write_cached(std::uint32_t address, std::span<const std::uint8_t> data);
    bool cache_block(std::uint32_t pc, const Op& op);
    bool fence_i(std::uint32_t pc, CodePage& page);

    void raise(Cause cause, std::uint32_t value, std::uint32_t pc);
    // Slow paths of memory accesses, which return false if the access trapped.
    bool load(std::uint32_t pc, std::uint32_t address, std::uint32_t size, std::uint32_t& value);
    bool store(std::uint32_t pc, std::uint32_t address, std::uint32_t size, std::uint32_t value);
    bool atomic(std::uint32_t pc, const Op& op);
    bool load_reserved(std::uint32_t pc, const Op& op);
    bool store_conditional(std::uint32_t pc, const Op& op);
    bool is_still_reserved(std::uint32_t address);
    bool csr(std::uint32_t pc, const Op& op);
    bool environment_break(std::uint32_t pc, const Op& op);

    bool is_cached_data(std::uint32_t address) const
    {
        return dcache_ && cacheable(address) != nullptr;
    }
    bool read_bytes(std::uint32_t address, std::span<std::uint8_t> data);
    bool read_uncached(std::uint32_t address, std::span<std::uint8_t> data);
    bool write_bytes(std::uint32_t address, std::span<const std::uint8_t> data);
    std::uint8_t* dmi(std::uint32_t address, std::uint32_t size, bool write);
    bool misaligned_allowed(std::uint32_t address, std::uint32_t size, bool write);
    void check_tohost(std::uint32_t address, std::uint32_t size);
    void serve_tohost();
    void observe_access(std::uint32_t address, std::uint32_t size, bool write);
    CounterView view(std::uint32_t number) const;

    CoreConfig config_;
    HartPort& port_;
    Observer* observer_ = nullptr;
    std::set<std::uint32_t> breakpoints_;
    const CodeRange* straight_ = nullptr; ///< The observer's range, if it has one.
    bool ask_ = true; ///< The observer must see the next instruction, even inside the
                      ///< range.
    std::uint64_t breaks_ = 0;
    const Op* instruction_ = nullptr;
    MemoryMap memory_;
    CodeCache code_;
    CodePage transient_page_;
    std::vector<std::uint32_t> transient_slots_; ///< Decoded slots of the page.
    /// The last instruction fetched from the bus, which is executed once. If the hart stops before
    /// the instruction, it stays fetched.
    struct Ahead {
        std::uint32_t pc;
        std::uint64_t retired; ///< Instructions retired earlier.
        Op op;
    };
    std::optional<Ahead> ahead_;
    std::optional<Cache> icache_, dcache_;
    CacheCounts icounts_, dcounts_;
    LineTable loads_, stores_; ///< Data cache lines that may be accessed directly; stores_ has only
                               ///< dirty ones.
    bool in_cached_page_ = false;
    std::uint64_t entered_at_ = 0;           ///< retired_ when the page was entered.
    std::optional<std::uint32_t> missed_pc_; ///< Instruction that waits for cache lines.
    CsrFile csrs_;
    std::array<std::uint32_t, 33> x_{}; // Element [discard] receives writes to x0.
    std::uint32_t pc_;
    std::uint32_t access_pc_ = 0;
    std::uint64_t cycle_ = 0;
    std::uint64_t until_ = 0;
    std::uint64_t retired_ = 0;
    std::uint64_t fenced_at_ = 0;
    bool sleeping_ = false; // wfi was just executed.
    struct Reservation {
        std::uint32_t address;
        std::uint32_t value;
    };
    std::optional<Reservation> reservation_;
    /// Number of calls of run() since one half of a tohost request was written, while the other
    /// half may follow.
    std::optional<std::uint64_t> half_request_;
};

} // namespace levee::riscv
