// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/code_cache.hpp"
#include "ip/riscv/config.hpp"
#include "ip/riscv/csr.hpp"
#include "ip/riscv/memory.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>

namespace levee::riscv {

/// The world outside a hart. Cycles count from reset; `cycle` is the boundary at which the current
/// instruction starts.
class HartPort {
public:
    virtual ~HartPort() = default;

    /// The DMI memory around address, if it lies in such.
    virtual std::optional<DmiRegion> request_dmi(std::uint32_t address) = 0;
    /// Perform an access that cannot be made by pointer. `cycle` moves on to its completion. False:
    /// access fault.
    virtual bool read(std::uint32_t address, std::span<std::uint8_t> data,
                      std::uint64_t& cycle) = 0;
    virtual bool write(std::uint32_t address, std::span<const std::uint8_t> data,
                       std::uint64_t& cycle) = 0;
    /// mtime at a cycle.
    virtual std::uint64_t time(std::uint64_t cycle) = 0;
    /// The program wrote an odd value v to tohost: code = v >> 1.
    virtual void exited(std::uint32_t code, std::uint64_t cycle) = 0;
    /// The program wrote something else but zero there: an HTIF request, of which none is served.
    virtual void htif_request(std::uint32_t value, std::uint64_t cycle) = 0;
    /// An uncompressed ebreak at pc. True: it was a request to the environment, and has been
    /// served.
    virtual bool environment_call(std::uint32_t, std::uint64_t) { return false; }
    /// An exception is about to be taken by the instruction at pc.
    virtual void trapped(Cause, std::uint32_t /*value*/, std::uint32_t /*pc*/) {}
    /// An interrupt is about to be taken in front of the instruction at pc.
    virtual void interrupted(Interrupt, std::uint32_t /*pc*/) {}
    /// The instruction at Hart::access_pc() writes to a guarded page (Hart::guard).
    virtual void guarded(std::uint32_t /*address*/, std::uint32_t /*size*/) {}
    /// The instruction at pc is executed as a store has written it, without a fence.i in between.
    virtual void fetched_stale(std::uint32_t /*pc*/) {}
};

/// What a debugger, tracer or profiler sees. While one is attached the hart runs its slow loop;
/// with none the fast loop contains no trace of it.
class Observer {
public:
    virtual ~Observer() = default;
    /// Before an instruction executes, which is Hart::instruction(); false stops the hart in front
    /// of it (Stop::observer). When the hart runs on, it asks again.
    virtual bool before_instruction(std::uint32_t pc, std::uint64_t cycle) = 0;
    /// After a load, store or atomic was performed.
    virtual void after_access(std::uint32_t address, std::uint32_t size, bool write) = 0;
};

enum class Stop {
    deadline, ///< the cycle given was reached, or something happened after which it must be renewed
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
    void set_pc(std::uint32_t pc) { pc_ = pc & ~1u; }
    std::uint32_t reg(unsigned index) const { return x_[index]; }
    void set_reg(unsigned index, std::uint32_t value) { x_[index == 0 ? discard : index] = value; }
    std::uint64_t cycle() const { return cycle_; }
    void set_cycle(std::uint64_t cycle) { cycle_ = cycle; }
    std::uint64_t instructions() const { return retired_; }

    /// The instruction whose load, store or atomic is, or was last, made on the bus.
    std::uint32_t access_pc() const { return access_pc_; }

    /// It executed wfi and has not gone on.
    bool sleeping() const { return sleeping_; }
    void set_line(Interrupt line, bool level) { csrs_.set_line(line, level); }
    bool interrupt_pending() const { return csrs_.pending() != 0; }

    /// As a CSR instruction executed now would see or change it; none/false: no such CSR or, to
    /// write, a read-only one.
    std::optional<std::uint32_t> read_csr(std::uint32_t number)
    {
        return csrs_.read(number, view(number, 0));
    }
    bool write_csr(std::uint32_t number, std::uint32_t value)
    {
        return csrs_.write(number, value, view(number, 0));
    }

    /// Somebody else wrote code, e.g. a debugger through transport_dbg.
    void code_written(std::uint32_t address, std::uint32_t size) { code_.written(address, size); }
    /// DMI pointers into [start, end] are void from now on.
    void invalidate_dmi(std::uint64_t start, std::uint64_t end);

    /// The port is told of each store to this page, which makes stores to it slower.
    void guard(std::uint32_t page, bool guarded) { memory_.guard_writes(page, guarded); }

    /// What the observer is being asked about; valid in before_instruction only.
    const Op& instruction() const { return *instruction_; }
    /// Null detaches. The observer outlives its attachment.
    void attach(Observer* observer) { observer_ = observer; }

    /// The hart stops in front of the instruction at pc, as often as it comes to it: to go on, the
    /// breakpoint must be cleared. Neither loop is slower for it, and memory is not changed.
    void set_breakpoint(std::uint32_t pc);
    void clear_breakpoint(std::uint32_t pc);
    bool has_breakpoint(std::uint32_t pc) const { return breakpoints_.contains(pc); }

private:
    template <bool Observed> Stop execute();
    CodePage& enter_page();
    bool fetch(CodePage& page, std::uint32_t slot);
    bool fetch_half(std::uint32_t pc, std::uint32_t address, std::uint16_t& half);

    void raise(Cause cause, std::uint32_t value, std::uint32_t pc);
    // The slow paths of memory accesses; false if the access trapped.
    bool load(std::uint32_t pc, std::uint32_t address, std::uint32_t size, std::uint32_t& value);
    bool store(std::uint32_t pc, std::uint32_t address, std::uint32_t size, std::uint32_t value);
    bool atomic(std::uint32_t pc, const Op& op);
    bool load_reserved(std::uint32_t pc, const Op& op);
    bool store_conditional(std::uint32_t pc, const Op& op);
    bool csr(std::uint32_t pc, const Op& op);
    bool environment_break(std::uint32_t pc, const Op& op);

    bool read_bytes(std::uint32_t address, std::span<std::uint8_t> data);
    bool write_bytes(std::uint32_t address, std::span<const std::uint8_t> data);
    std::uint8_t* dmi(std::uint32_t address, std::uint32_t size, bool write);
    bool misaligned_allowed(std::uint32_t address, std::uint32_t size, bool write);
    void check_tohost(std::uint32_t address, std::uint32_t size);
    void observe_access(std::uint32_t address, std::uint32_t size, bool write);
    CounterView view(std::uint32_t number, std::uint32_t cost) const;

    CoreConfig config_;
    HartPort& port_;
    Observer* observer_ = nullptr;
    std::set<std::uint32_t> breakpoints_;
    const Op* instruction_ = nullptr;
    MemoryMap memory_;
    CodeCache code_;
    CodePage transient_page_;
    CsrFile csrs_;
    std::array<std::uint32_t, 33> x_{}; // [discard] takes writes to x0
    std::uint32_t pc_;
    std::uint32_t access_pc_ = 0;
    std::uint64_t cycle_ = 0;
    std::uint64_t until_ = 0;
    std::uint64_t retired_ = 0;
    bool sleeping_ = false; // wfi just executed
    struct Reservation {
        std::uint32_t address;
        std::uint32_t value;
    };
    std::optional<Reservation> reservation_;
};

} // namespace levee::riscv
