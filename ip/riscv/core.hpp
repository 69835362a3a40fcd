// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/sockets.hpp"
#include "ip/riscv/clock.hpp"
#include "ip/riscv/hart.hpp"
#include "ip/riscv/observers.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee::riscv {

/// The driver of a hart's interrupt lines.
class InterruptSink {
public:
    virtual ~InterruptSink() = default;
    virtual void set_interrupt(Interrupt line, bool level) = 0;
};

/// The source of the `time` CSR.
class TimeSource {
public:
    virtual ~TimeSource() = default;
    virtual std::uint64_t mtime_at(std::uint64_t ps) const = 0;
};

/// A hart in simulated time. It runs ahead of the kernel, but never past the next pending event, so
/// its observations do not depend on the quantum: an interrupt is taken at the first instruction
/// boundary at or after the event that raised it, and an access outside DMI memory is made when all
/// activity at its time is over. At most one Core per simulation: two would wait for each other.
class Core : public sc_core::sc_module, public InterruptSink, private HartPort {
public:
    InitiatorSocket bus;

    /// Throws std::invalid_argument for a bad configuration.
    Core(const sc_core::sc_module_name& name, const CoreConfig& config);

    void set_interrupt(Interrupt line, bool level) override;
    /// Without one, `time` reads zero.
    void set_time_source(const TimeSource* source) { time_source_ = source; }

    /// The program ended through tohost; the core has stopped. Code 0 is success.
    std::function<void(int code)> on_exit;
    /// The program wrote a request to tohost that is no exit code (Spike's HTIF). Called at the
    /// core's exact time. It returns a fault, if any; a fault, or a missing function, is an error.
    std::function<std::optional<std::string>(std::uint64_t request)> on_htif;
    /// The program has requested an operation that the core does not support; the core has stopped.
    std::function<void(const std::string& message)> on_error;

    /// The program executed the semihosting sequence (RISC-V semihosting specification, section 2):
    /// slli x0, x0, 0x1f; ebreak; srai x0, x0, 7. Called at the core's exact time; the result goes
    /// to a0. If not set, that ebreak is an ordinary one.
    std::function<void(std::uint32_t operation, std::uint32_t parameter)> on_semihosting;

    /// An instruction at pc takes an exception; mtval will be `value`. Must not change anything.
    std::function<void(Cause cause, std::uint32_t value, std::uint32_t pc)> on_exception;

    /// An interrupt is taken in front of the instruction at pc.
    std::function<void(Interrupt interrupt, std::uint32_t pc)> on_interrupt;

    /// A store to a page for which Hart::guard has been called; hart().access_pc() made it.
    std::function<void(std::uint32_t address, std::uint32_t size)> on_guarded;

    /// An instruction that a store or another master has written is executed without a fence.i in
    /// between.
    std::function<void(std::uint32_t pc)> on_stale_fetch;

    /// These bytes of an outdated line of the data cache (Hart::mark_outdated) are used.
    std::function<void(const Cache::Line& line, std::uint32_t address, std::uint32_t size,
                       OutdatedUse use)>
        on_outdated_line;

    /// The core sleeps (wfi) from now on, or has woken.
    std::function<void(bool asleep)> on_sleep;

    /// Stops execution; may be called from anywhere.
    void stop();

    std::uint64_t instructions() const { return hart_.instructions(); } ///< retired
    std::uint64_t cycles() const { return hart_.cycle(); } ///< cycles of its clock since time zero

    /// For a debugger: registers and CSRs through hart(), memory through debug_*, execution through
    /// an observer. debug_* return the number of accessible bytes; caches of code notice writes.
    Hart& hart() { return hart_; }
    const Hart& hart() const { return hart_; }
    unsigned debug_read(std::uint32_t address, std::span<std::uint8_t> data);
    unsigned debug_write(std::uint32_t address, std::span<const std::uint8_t> data);
    /// Attaches an observer; null detaches. When an observer or a breakpoint stops the hart,
    /// `stopped` is called at the core's exact time, and simulated time stands still until it
    /// returns.
    void attach(Observer* observer, std::function<void()> stopped);
    /// Calls `stopped` at the next instruction boundary, or at once if the core sleeps. May be
    /// called from any process.
    void request_stop();
    static constexpr std::uint64_t never = UINT64_MAX;
    /// Calls `stopped` once at the first instruction boundary at or after this cycle or, if the
    /// core sleeps then, at the time `ps` (0: the cycle's). `never` withdraws that.
    void stop_at(std::uint64_t cycle, std::uint64_t ps = 0);
    /// Adds an observer that only looks (before_instruction is always true), in addition to the
    /// attached one.
    void observe(Observer& observer);

    /// Call this before another master reads or writes cacheable memory, at the core's addresses.
    /// The data cache writes dirty lines back and, for a write, drops its lines. Takes no time.
    void snoop(std::uint32_t address, std::uint64_t bytes, bool write);

    const Clock& clock() const { return clock_; }

private:
    void run();
    void connect_observers();
    std::uint64_t horizon() const;
    void synchronise(std::uint64_t cycle);
    void sleep();
    void await_wake();
    void halt();
    bool transport(tlm::tlm_command command, std::uint32_t address, std::span<std::uint8_t> data,
                   double ps_per_byte, std::uint64_t& cycle);
    unsigned debug(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data,
                   unsigned size);
    void invalidate(sc_dt::uint64 start, sc_dt::uint64 end);
    bool is_denied(std::uint32_t address) const;
    void set_denied(std::uint32_t address, bool denied);

    std::optional<DmiRegion> request_dmi(std::uint32_t address) override;
    bool read(std::uint32_t address, std::span<std::uint8_t> data, std::uint64_t& cycle) override;
    bool write(std::uint32_t address, std::span<const std::uint8_t> data,
               std::uint64_t& cycle) override;
    bool read_line(std::uint32_t address, std::span<std::uint8_t> data, double ps_per_byte,
                   std::uint64_t& cycle) override;
    bool write_line(std::uint32_t address, std::span<const std::uint8_t> data, double ps_per_byte,
                    std::uint64_t& cycle) override;
    void reach(std::uint64_t cycle) override { synchronise(cycle); }
    std::uint64_t time(std::uint64_t cycle) override;
    void exited(std::uint32_t code, std::uint64_t cycle) override;
    void htif_request(std::uint64_t request, std::uint64_t cycle) override;
    bool environment_call(std::uint32_t pc, std::uint64_t cycle) override;
    void trapped(Cause cause, std::uint32_t value, std::uint32_t pc) override
    {
        if (on_exception)
            on_exception(cause, value, pc);
    }
    void interrupted(Interrupt interrupt, std::uint32_t pc) override
    {
        if (on_interrupt)
            on_interrupt(interrupt, pc);
    }
    void guarded(std::uint32_t address, std::uint32_t size) override
    {
        if (on_guarded)
            on_guarded(address, size);
    }
    void fetched_stale(std::uint32_t pc) override
    {
        if (on_stale_fetch)
            on_stale_fetch(pc);
    }
    void used_outdated(const Cache::Line& line, std::uint32_t address, std::uint32_t size,
                       OutdatedUse use) override
    {
        if (on_outdated_line)
            on_outdated_line(line, address, size, use);
    }

    Clock clock_;
    std::uint64_t quantum_cycles_;
    Hart hart_;
    const TimeSource* time_source_ = nullptr;
    Observer* debugger_ = nullptr;
    std::vector<Observer*> onlookers_;
    Observers observers_; // the debugger, if attached, then the onlookers
    std::function<void()> on_observer_stop_;
    sc_core::sc_event wake_;
    std::vector<bool> denied_pages_; // pages for which DMI was requested and refused
    bool stopped_ = false;
    bool stop_requested_ = false;
    std::uint64_t stop_cycle_ = never;
    std::uint64_t stop_ps_ = 0; // Stop time of a sleeping core; 0: at the cycle's time.
};

} // namespace levee::riscv
