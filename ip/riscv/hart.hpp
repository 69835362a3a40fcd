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

/// Use of a line's bytes after another master has written their memory.
enum class OutdatedUse { Loaded, Stored, WrittenBack };

/// The world outside a hart. Cycles count from reset; `cycle` is the boundary at which the current
/// instruction starts.
class HartPort {
public:
    virtual ~HartPort() = default;

    /// DMI memory around the address, if there is some.
    virtual std::optional<DmiRegion> request_dmi(std::uint32_t address) = 0;
    /// Performs an access that cannot be made by pointer. `cycle` is advanced to its completion.
    /// False: access fault.
    virtual bool read(std::uint32_t address, std::span<std::uint8_t> data,
                      std::uint64_t& cycle) = 0;
    virtual bool write(std::uint32_t address, std::span<const std::uint8_t> data,
                       std::uint64_t& cycle) = 0;
    /// The same for a line of a cache; `ps_per_byte` as in CacheableRange.
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
    /// Lets everything that happens outside the hart up to a cycle happen.
    virtual void reach(std::uint64_t /*cycle*/) {}
    /// mtime at a cycle.
    virtual std::uint64_t time(std::uint64_t cycle) = 0;
    /// The program wrote an odd value v of 32 bits to tohost: code = v >> 1.
    virtual void exited(std::uint32_t code, std::uint64_t cycle) = 0;
    /// Called when the program writes a nonzero value to tohost that is not an exit code: an HTIF
    /// request.
    virtual void htif_request(std::uint64_t request, std::uint64_t cycle) = 0;
    /// An uncompressed ebreak at pc. True: it was a request to the environment, and has been
    /// served.
    virtual bool environment_call(std::uint32_t, std::uint64_t) { return false; }
    /// An exception is about to be taken by the instruction at pc.
    virtual void trapped(Cause, std::uint32_t /*value*/, std::uint32_t /*pc*/) {}
    /// An interrupt is about to be taken in front of the instruction at pc.
    virtual void interrupted(Interrupt, std::uint32_t /*pc*/) {}
    /// The instruction at Hart::access_pc() writes to a guarded page (Hart::guard).
    virtual void guarded(std::uint32_t /*address*/, std::uint32_t /*size*/) {}
    /// The instruction at pc is executed although a store or another master has written it without
    /// a fence.i in between.
    virtual void fetched_stale(std::uint32_t /*pc*/) {}
    /// These bytes of an outdated line (Hart::mark_outdated) are used.
    virtual void used_outdated(const Cache::Line&, std::uint32_t /*address*/,
                               std::uint32_t /*size*/, OutdatedUse)
    {
    }
};

/// A range of code.
struct CodeRange {
    std::uint32_t begin = 0;
    std::uint64_t end = 0; ///< one past its last byte
    /// For Observer::straight: targets of jumps are known at the jump, so the instruction at a
    /// target is only shown if it lies outside the range.
    bool knows_jumps = false;
};

/// The access of a load, store or atomic.
struct DataAccess {
    std::uint32_t address;
    std::uint32_t size;
    bool reads;
    bool writes;
};

/// The view of a debugger, tracer or profiler. While one is attached the hart runs its slow loop;
/// with none the fast loop contains no trace of it.
class Observer {
public:
    virtual ~Observer() = default;
    /// Called before an instruction executes (Hart::instruction()); false stops the hart in front
    /// of it (Stop::observer). When the hart continues, it asks again.
    virtual bool before_instruction(std::uint32_t pc, std::uint64_t cycle) = 0;
    /// Called after a load, store or atomic operation.
    virtual void after_access(std::uint32_t address, std::uint32_t size, bool write) = 0;
    /// Not null: within this range, which may change between calls, straight execution and branches
    /// need not be shown. before_instruction is then called for instructions outside the range; for
    /// jal, jalr, mret and wfi; for the instruction after each of these (after jumps only without
    /// knows_jumps); and for the first one after a break (Hart::breaks). after_access is not
    /// called. The hart then runs nearly as fast as without an observer.
    virtual const CodeRange* straight() const { return nullptr; }
};

/// Counts of a cache.
struct CacheCounts {
    /// Accesses to cacheable memory: instructions, or loads, stores and atomics.
    std::uint64_t accesses = 0;
    std::uint64_t misses = 0; ///< those accesses that did not find all of their bytes in the cache
    std::uint64_t filled_bytes = 0;
    std::uint64_t written_bytes = 0; ///< bytes of dirty lines that were written back to memory
};

enum class Stop {
    deadline, ///< the given cycle was reached, or an event requires a new one
    wfi,      ///< wfi executed and no enabled interrupt is pending
    observer  ///< the observer wants the hart stopped at pc(), or a breakpoint lies there
};

/// An RV32IMAC hart with its registers, CSRs, decoded code and knowledge of DMI memory. No SystemC:
/// time is a cycle number, the world a HartPort.
class Hart {
public:
    /// The port outlives the hart. Throws std::invalid_argument for a bad configuration.
    Hart(const CoreConfig& config, HartPort& port);
    Hart(const Hart&) = delete;
    Hart& operator=(const Hart&) = delete;

    /// Takes a deliverable interrupt, then executes until cycle() >= until, or something stops it.
    Stop run(std::uint64_t until);
    /// Makes a run() under way return at the next instruction boundary.
    void leave() { until_ = cycle_; }

    std::uint32_t pc() const { return pc_; }
    void set_pc(std::uint32_t pc)
    {
        if ((pc & ~1u) != pc_)
            broken();
        pc_ = pc & ~1u;
    }
    /// The number of times that an exception, an interrupt or set_pc has changed the flow.
    std::uint64_t breaks() const { return breaks_; }
    std::uint32_t reg(unsigned index) const { return x_[index]; }
    void set_reg(unsigned index, std::uint32_t value) { x_[index == 0 ? discard : index] = value; }
    std::uint64_t cycle() const { return cycle_; }
    void set_cycle(std::uint64_t cycle) { cycle_ = cycle; }
    std::uint64_t instructions() const { return retired_; }

    /// Instruction whose load, store, atomic or cache operation is, or was last, made on the bus.
    std::uint32_t access_pc() const { return access_pc_; }

    /// Whether the hart sleeps in wfi.
    bool sleeping() const { return sleeping_; }
    void set_line(Interrupt line, bool level) { csrs_.set_line(line, level); }
    bool interrupt_pending() const { return csrs_.pending() != 0; }
    /// Whether it executes an interrupt handler, or a function called by it.
    bool handles_interrupt() const { return csrs_.handles_interrupt(); }

    /// Reads or writes a CSR like a CSR instruction; empty or false if it does not exist or, for
    /// writes, is read-only.
    std::optional<std::uint32_t> read_csr(std::uint32_t number)
    {
        return csrs_.read(number, view(number));
    }
    bool write_csr(std::uint32_t number, std::uint32_t value)
    {
        return csrs_.write(number, value, view(number));
    }

    /// Another master wrote code in DMI memory.
    void code_written(std::uint32_t address, std::uint32_t size)
    {
        code_.written(address, size);
        ahead_.reset();
    }
    /// A debugger wrote memory, as by transport_dbg: decoded code and lines of the caches follow.
    void debug_wrote(std::uint32_t address, std::span<const std::uint8_t> data);
    /// Replaces the bytes read from memory by the data cache's: the core's view.
    void debug_read(std::uint32_t address, std::span<std::uint8_t> data);

    const CacheCounts& icache_counts() const { return icounts_; }
    const CacheCounts& dcache_counts() const { return dcounts_; }
    /// The cycle of the last fence.i; 0: there has been none.
    std::uint64_t fenced_at() const { return fenced_at_; }
    /// Another master has written [address, address + bytes) of memory. Decoded code follows after
    /// the next fence.i; execution of old code before that is reported (HartPort::fetched_stale).
    void code_overwritten(std::uint32_t address, std::uint64_t bytes)
    {
        code_.overwritten(address, bytes);
    }
    /// Calls visit(line) for each line of the data cache that meets [address, address + bytes).
    void visit_lines(std::uint32_t address, std::uint64_t bytes,
                     const std::function<void(Cache::Line&)>& visit);
    /// From now on every use of this valid line of the data cache is reported
    /// (HartPort::used_outdated), until it is filled again.
    void mark_outdated(Cache::Line& line);

    /// Another master is about to read or write [address, address + bytes) of cacheable memory:
    /// `clean` receives dirty lines first; a write invalidates. Time does not pass.
    using Clean = std::function<void(std::uint32_t address, std::span<const std::uint8_t> bytes)>;
    void snoop(std::uint32_t address, std::uint64_t bytes, bool write, const Clean& clean);
    /// DMI pointers into [start, end] are void from now on.
    void invalidate_dmi(std::uint64_t start, std::uint64_t end);

    /// Reports each store to this page to the port, which makes stores to it slower.
    void guard(std::uint32_t page, bool guarded) { memory_.guard_writes(page, guarded); }

    /// The instruction in question; valid in before_instruction only.
    const Op& instruction() const { return *instruction_; }
    /// Access that this instruction will make, also if it will trap; empty: no data, or an sc that
    /// will fail.
    std::optional<DataAccess> data_access();
    /// Sets the address of the program's tohost, aligned to 8 bytes; none: it has none.
    void set_tohost(std::optional<std::uint32_t> address);
    /// Null detaches. The observer outlives its attachment.
    void attach(Observer* observer)
    {
        observer_ = observer;
        straight_ = observer != nullptr ? observer->straight() : nullptr;
        ask_ = true;
    }

    /// The hart stops before the instruction at pc each time it reaches it; to continue, the
    /// breakpoint must be cleared. Neither loop becomes slower, and memory is not changed.
    void set_breakpoint(std::uint32_t pc);
    void clear_breakpoint(std::uint32_t pc);
    bool has_breakpoint(std::uint32_t pc) const { return breakpoints_.contains(pc); }

private:
    /// Variants of the interpreter's loop.
    enum class Loop {
        Plain,
        Cached,   ///< loads and stores look for lines of the data cache
        Observed, ///< the observer sees everything
        Straight  ///< shows the instructions that Observer::straight requires; also as Cached
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
        Later ///< lines have been filled; the instruction is fetched again after the time of the
              ///< fills
    };
    Fetched fetch(CodePage& page, std::uint32_t slot);
    Fetched fetch_instruction(CodePage& page, std::uint32_t slot);
    Fetched fetch_ahead(CodePage& page, std::uint32_t slot);
    /// Whether the instruction at pc() is already fetched, so that it executes before interrupts
    /// are checked, as it would have without a stop.
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
    // The slow paths of memory accesses; false if the access trapped.
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
    const CodeRange* straight_ = nullptr; ///< the observer's, if it has one
    bool ask_ = true; ///< the observer must see the next instruction, wherever it is
    std::uint64_t breaks_ = 0;
    const Op* instruction_ = nullptr;
    MemoryMap memory_;
    CodeCache code_;
    CodePage transient_page_;
    std::vector<std::uint32_t> transient_slots_; ///< Decoded slots.
    /// The instruction that was fetched last from the bus, to be executed once: a stop in front of
    /// it leaves it fetched.
    struct Ahead {
        std::uint32_t pc;
        std::uint64_t retired; ///< Instructions retired before it.
        Op op;
    };
    std::optional<Ahead> ahead_;
    std::optional<Cache> icache_, dcache_;
    CacheCounts icounts_, dcounts_;
    LineTable loads_, stores_; ///< lines of the data cache; stores_: the dirty ones
    bool in_cached_page_ = false;
    std::uint64_t entered_at_ = 0;           ///< retired_ at the entry
    std::optional<std::uint32_t> missed_pc_; ///< the instruction that waits for its lines
    CsrFile csrs_;
    std::array<std::uint32_t, 33> x_{}; // [discard] takes writes to x0
    std::uint32_t pc_;
    std::uint32_t access_pc_ = 0;
    std::uint64_t cycle_ = 0;
    std::uint64_t until_ = 0;
    std::uint64_t retired_ = 0;
    std::uint64_t fenced_at_ = 0;
    bool sleeping_ = false; // wfi just executed
    struct Reservation {
        std::uint32_t address;
        std::uint32_t value;
    };
    std::optional<Reservation> reservation_;
    /// Calls of run() since one half of tohost was written, whose other half may follow.
    std::optional<std::uint64_t> half_request_;
};

} // namespace levee::riscv
