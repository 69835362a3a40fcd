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

class InterruptSink {
public:
    virtual ~InterruptSink() = default;
    virtual void set_interrupt(Interrupt line, bool level) = 0;
};

/// Supplies the value of the `time` CSR.
class TimeSource {
public:
    virtual ~TimeSource() = default;
    virtual std::uint64_t mtime_at(std::uint64_t ps) const = 0;
};

/// A hart in simulated time. The hart may run ahead of the kernel, but never past the next pending
/// event, so results do not depend on the quantum. An interrupt is taken at the first instruction
/// boundary at or after the time of the event that raised it. An access outside DMI memory is made
/// after all other activity of the same simulated time. A simulation can have only one Core,
/// because two would wait for each other.
class Core : public sc_core::sc_module, public InterruptSink, private HartPort {
public:
    InitiatorSocket bus;

    /// Throws std::invalid_argument for an invalid configuration.
    Core(const sc_core::sc_module_name& name, const CoreConfig& config);

    void set_interrupt(Interrupt line, bool level) override;
    /// Sets the source of the `time` CSR. Without a source, `time` reads as zero.
    void set_time_source(const TimeSource* source) { time_source_ = source; }

    /// Called when the program has ended through tohost and the core has stopped. Code 0 means
    /// success.
    std::function<void(int code)> on_exit;
    /// Called when the program has written a request to tohost that is not an exit code (Spike's
    /// HTIF), at the core's exact time. Returns a description of a fault, if any. A fault, or a
    /// missing handler, is an error.
    std::function<std::optional<std::string>(std::uint64_t request)> on_htif;
    /// Called when the program has requested an unsupported operation and the core has stopped.
    std::function<void(const std::string& message)> on_error;

    /// Called when the program executes the semihosting sequence (RISC-V semihosting specification,
    /// section 2): slli x0, x0, 0x1f; ebreak; srai x0, x0, 7. Called at the core's exact time; the
    /// result is written to a0. Without a handler, the ebreak is an ordinary ebreak.
    std::function<void(std::uint32_t operation, std::uint32_t parameter)> on_semihosting;

    /// Called when an instruction at `pc` takes an exception; mtval becomes `value`. The handler
    /// must not change any state.
    std::function<void(Cause cause, std::uint32_t value, std::uint32_t pc)> on_exception;

    /// Called when an interrupt is taken before the instruction at `pc`.
    std::function<void(Interrupt interrupt, std::uint32_t pc)> on_interrupt;

    /// Called when the instruction at hart().access_pc() stores to a page that Hart::guard()
    /// watches.
    std::function<void(std::uint32_t address, std::uint32_t size)> on_guarded;

    /// Called when the core executes an instruction at `pc` that was overwritten after the last
    /// fence.i.
    std::function<void(std::uint32_t pc)> on_stale_fetch;

    /// Called when the core has used these bytes of an outdated data cache line
    /// (Hart::mark_outdated).
    std::function<void(const Cache::Line& line, std::uint32_t address, std::uint32_t size,
                       OutdatedUse use)>
        on_outdated_line;

    /// Called when the core has begun to sleep (wfi) or has woken.
    std::function<void(bool asleep)> on_sleep;

    /// Stops execution. May be called from any process.
    void stop();

    std::uint64_t instructions() const { return hart_.instructions(); } ///< Retired instructions.
    std::uint64_t cycles() const { return hart_.cycle(); } ///< Cycles of its clock since time zero.

    /// Interface for debuggers. hart() gives registers and CSRs, debug_*() access memory, and an
    /// observer follows execution. debug_*() return the number of accessible bytes.
    /// debug_write() also updates caches and decoded code.
    Hart& hart() { return hart_; }
    const Hart& hart() const { return hart_; }
    unsigned debug_read(std::uint32_t address, std::span<std::uint8_t> data);
    unsigned debug_write(std::uint32_t address, std::span<const std::uint8_t> data);
    /// Attaches an observer; null detaches it. When an observer or a breakpoint stops the hart,
    /// `stopped` is called at the core's exact time. Simulated time does not advance until it
    /// returns.
    void attach(Observer* observer, std::function<void()> stopped);
    /// Requests a call of `stopped` at the next instruction boundary, or at once if the core
    /// sleeps. May be called from any process.
    void request_stop();
    static constexpr std::uint64_t never = UINT64_MAX;
    /// Requests one call of `stopped` at the first instruction boundary at or after `cycle`. If the
    /// core sleeps at that cycle, the call comes at time `ps` (0: the cycle's time). `never`
    /// cancels the request.
    void stop_at(std::uint64_t cycle, std::uint64_t ps = 0);
    /// Adds a passive observer, whose before_instruction() always returns true. The core calls it
    /// in addition to the attached observer.
    void observe(Observer& observer);

    /// Call this before another master reads or writes cacheable memory; addresses are the core's.
    /// The data cache writes dirty lines back. Before a write, the data cache also drops the lines
    /// concerned. Takes no time.
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
    Observers observers_; // The debugger's observer first, if attached, then the passive ones.
    std::function<void()> on_observer_stop_;
    sc_core::sc_event wake_;
    std::vector<bool> denied_pages_; // Pages for which DMI was requested and refused.
    bool stopped_ = false;
    bool stop_requested_ = false;
    std::uint64_t stop_cycle_ = never;
    // Time at which to stop if the core sleeps; 0: the time of stop_cycle_.
    std::uint64_t stop_ps_ = 0;
};

} // namespace levee::riscv
