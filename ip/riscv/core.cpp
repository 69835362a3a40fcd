// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/core.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace levee::riscv {
namespace {

using sc_core::sc_time;

std::uint64_t now_ps()
{
    return sc_core::sc_time_stamp().value();
}

/// Runs all remaining events of the current simulated time.
void settle()
{
    while (sc_core::sc_pending_activity_at_current_time())
        sc_core::wait(sc_core::SC_ZERO_TIME);
}

} // namespace

Core::Core(const sc_core::sc_module_name& name, const CoreConfig& config)
    : sc_module(name), bus("bus"), clock_((validate(config), config.clock_hz)),
      quantum_cycles_(config.quantum_cycles), hart_(config, *this), wake_("wake")
{
    bus.register_invalidate_direct_mem_ptr(this, &Core::invalidate);
    SC_HAS_PROCESS(Core);
    SC_THREAD(run);
}

void Core::run()
{
    settle();
    while (!stopped_) {
        if (stop_requested_) {
            halt();
            continue;
        }
        if (hart_.cycle() >= stop_cycle_) {
            halt();
            continue;
        }
        const std::uint64_t until = std::min(horizon(), stop_cycle_);
        if (hart_.cycle() >= until) {
            synchronise(hart_.cycle());
            continue;
        }
        switch (hart_.run(until)) {
        case Stop::deadline:
            break;
        case Stop::wfi:
            sleep();
            break;
        case Stop::observer:
            halt();
            break;
        }
    }
}

void Core::halt()
{
    stop_requested_ = false;
    if (hart_.cycle() >= stop_cycle_)
        stop_cycle_ = never;
    synchronise(hart_.cycle());
    // The function is copied, because it may replace itself by calling attach().
    if (const std::function<void()> stopped = on_observer_stop_)
        stopped();
}

void Core::request_stop()
{
    stop_requested_ = true;
    hart_.leave();
    wake_.notify(sc_core::SC_ZERO_TIME);
}

void Core::stop_at(std::uint64_t cycle, std::uint64_t ps)
{
    stop_cycle_ = cycle;
    stop_ps_ = ps;
    hart_.leave();
    wake_.notify(sc_core::SC_ZERO_TIME);
}

/// Returns the cycle up to which the core may run: the end of its quantum or, if earlier, the next
/// pending event of the simulation. Nothing else can happen before this event.
std::uint64_t Core::horizon() const
{
    const std::uint64_t now = now_ps();
    const std::uint64_t quantum_end = clock_.first_edge(now) + quantum_cycles_;
    if (!sc_core::sc_pending_activity())
        return quantum_end;
    const std::uint64_t next =
        sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext()).value();
    return std::min(quantum_end, clock_.first_edge(now + next));
}

void Core::synchronise(std::uint64_t cycle)
{
    const auto edge = clock_.edge_ps(cycle);
    if (!edge) {
        SC_REPORT_ERROR(name(), "simulated time exceeds 2^64 ps");
        return;
    }
    if (*edge > now_ps())
        wait(sc_time::from_value(*edge - now_ps()));
    settle();
}

/// Waits for an interrupt or a request, but not beyond the cycle at which the core must stop. If no
/// event is pending, waits without this limit, so that the simulation can end.
void Core::await_wake()
{
    const auto stop = stop_cycle_ == never ? std::nullopt
                      : stop_ps_ != 0      ? std::optional(stop_ps_)
                                           : clock_.edge_ps(stop_cycle_);
    if (stop && *stop > now_ps() && sc_core::sc_pending_activity_at_future_time())
        wait(sc_time::from_value(*stop - now_ps()), wake_);
    else
        wait(wake_);
}

void Core::sleep()
{
    synchronise(hart_.cycle());
    const std::uint32_t pc = hart_.pc();
    if (on_sleep)
        on_sleep(true);
    // A debugger that changes the pc also wakes the core.
    while (!hart_.interrupt_pending() && !stopped_ && hart_.pc() == pc) {
        if (!stop_requested_ && hart_.cycle() < stop_cycle_) {
            await_wake();
            settle();
        }
        hart_.set_cycle(std::max(hart_.cycle(), clock_.first_edge(now_ps())));
        if (stop_requested_ || hart_.cycle() >= stop_cycle_)
            halt();
    }
    if (on_sleep)
        on_sleep(false);
}

void Core::set_interrupt(Interrupt line, bool level)
{
    hart_.set_line(line, level);
    if (level)
        wake_.notify(sc_core::SC_ZERO_TIME);
}

void Core::stop()
{
    stopped_ = true;
    hart_.leave();
    wake_.notify(sc_core::SC_ZERO_TIME);
}

bool Core::transport(tlm::tlm_command command, std::uint32_t address, std::span<std::uint8_t> data,
                     double ps_per_byte, std::uint64_t& cycle)
{
    const auto size = static_cast<unsigned>(data.size());
    synchronise(cycle);
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_time delay = sc_core::SC_ZERO_TIME;
    bus->b_transport(payload, delay);
    const auto moving = static_cast<std::uint64_t>(std::ceil(ps_per_byte * size));
    cycle = std::max(cycle, clock_.first_edge(now_ps() + delay.value() + moving));
    if (payload.is_dmi_allowed())
        set_denied(address, false);
    return payload.is_response_ok();
}

bool Core::read(std::uint32_t address, std::span<std::uint8_t> data, std::uint64_t& cycle)
{
    return transport(tlm::TLM_READ_COMMAND, address, data, 0, cycle);
}

bool Core::write(std::uint32_t address, std::span<const std::uint8_t> data, std::uint64_t& cycle)
{
    // The payload's pointer is not const, but a target does not change the data of a write.
    return transport(tlm::TLM_WRITE_COMMAND, address,
                     {const_cast<std::uint8_t*>(data.data()), data.size()}, 0, cycle);
}

bool Core::read_line(std::uint32_t address, std::span<std::uint8_t> data, double ps_per_byte,
                     std::uint64_t& cycle)
{
    return transport(tlm::TLM_READ_COMMAND, address, data, ps_per_byte, cycle);
}

bool Core::write_line(std::uint32_t address, std::span<const std::uint8_t> data, double ps_per_byte,
                      std::uint64_t& cycle)
{
    return transport(tlm::TLM_WRITE_COMMAND, address,
                     {const_cast<std::uint8_t*>(data.data()), data.size()}, ps_per_byte, cycle);
}

std::uint64_t Core::time(std::uint64_t cycle)
{
    const auto edge = clock_.edge_ps(cycle);
    return time_source_ != nullptr && edge ? time_source_->mtime_at(*edge) : 0;
}

void Core::exited(std::uint32_t code, std::uint64_t cycle)
{
    synchronise(cycle);
    stop();
    if (on_exit)
        on_exit(static_cast<int>(code));
}

void Core::htif_request(std::uint64_t request, std::uint64_t cycle)
{
    synchronise(cycle);
    const std::optional<std::string> problem =
        on_htif ? on_htif(request) : "this core accepts only exit codes (odd values) in tohost";
    if (!problem)
        return;
    stop();
    if (on_error)
        on_error("the program wrote " + std::to_string(request) +
                 " to tohost, an HTIF request: " + *problem);
}

bool Core::environment_call(std::uint32_t pc, std::uint64_t cycle)
{
    if (!on_semihosting)
        return false;
    // The instructions around the ebreak of a semihosting call: slli x0, x0, 0x1f and srai x0, x0,
    // 7, little endian.
    constexpr std::array<std::uint8_t, 4> before{0x13, 0x10, 0xF0, 0x01},
        after{0x13, 0x50, 0x70, 0x40};
    std::array<std::uint8_t, 12> code{};
    if (debug_read(pc - 4, code) != code.size() ||
        !std::equal(before.begin(), before.end(), code.begin()) ||
        !std::equal(after.begin(), after.end(), code.begin() + 8))
        return false;
    synchronise(cycle);
    on_semihosting(hart_.reg(10), hart_.reg(11));
    return true;
}

bool Core::is_denied(std::uint32_t address) const
{
    const std::uint32_t page = address >> page_shift;
    return page < denied_pages_.size() && denied_pages_[page];
}

void Core::set_denied(std::uint32_t address, bool denied)
{
    const std::uint32_t page = address >> page_shift;
    if (page >= denied_pages_.size()) {
        if (!denied)
            return;
        denied_pages_.resize(page + 1);
    }
    denied_pages_[page] = denied;
}

std::optional<DmiRegion> Core::request_dmi(std::uint32_t address)
{
    if (is_denied(address))
        return std::nullopt;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    tlm::tlm_dmi dmi;
    const bool granted = bus->get_direct_mem_ptr(payload, dmi) && dmi.is_read_allowed() &&
                         dmi.get_start_address() <= address && address <= dmi.get_end_address();
    if (!granted) {
        set_denied(address, true);
        return std::nullopt;
    }
    return DmiRegion{dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr(), true,
                     dmi.is_write_allowed()};
}

void Core::invalidate(sc_dt::uint64 start, sc_dt::uint64 end)
{
    hart_.invalidate_dmi(start, end);
    // A DMI request that was refused before may be granted now.
    const std::uint64_t last = std::min<std::uint64_t>(end >> page_shift, denied_pages_.size());
    for (std::uint64_t page = start >> page_shift; page <= last && page < denied_pages_.size();
         ++page)
        denied_pages_[page] = false;
}

unsigned Core::debug(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data,
                     unsigned size)
{
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    return bus->transport_dbg(payload);
}

unsigned Core::debug_read(std::uint32_t address, std::span<std::uint8_t> data)
{
    const unsigned read =
        debug(tlm::TLM_READ_COMMAND, address, data.data(), static_cast<unsigned>(data.size()));
    hart_.debug_read(address, data.first(read));
    return read;
}

unsigned Core::debug_write(std::uint32_t address, std::span<const std::uint8_t> data)
{
    const unsigned written =
        debug(tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(data.data()),
              static_cast<unsigned>(data.size()));
    if (written != 0)
        hart_.debug_wrote(address, data.first(written));
    return written;
}

void Core::snoop(std::uint32_t address, std::uint64_t bytes, bool write)
{
    hart_.snoop(address, bytes, write,
                [this](std::uint32_t line, std::span<const std::uint8_t> data) {
                    debug(tlm::TLM_WRITE_COMMAND, line, const_cast<std::uint8_t*>(data.data()),
                          static_cast<unsigned>(data.size()));
                });
}

void Core::attach(Observer* observer, std::function<void()> stopped)
{
    debugger_ = observer;
    on_observer_stop_ = std::move(stopped);
    connect_observers();
}

void Core::observe(Observer& observer)
{
    onlookers_.push_back(&observer);
    connect_observers();
}

/// Connects the observers to the hart. A single observer is called directly.
void Core::connect_observers()
{
    observers_.clear();
    if (debugger_ != nullptr)
        observers_.add(*debugger_);
    for (Observer* onlooker : onlookers_)
        observers_.add(*onlooker);
    if (onlookers_.empty())
        hart_.attach(debugger_);
    else if (debugger_ == nullptr && onlookers_.size() == 1)
        hart_.attach(onlookers_.front());
    else
        hart_.attach(&observers_);
    hart_.leave();
}

} // namespace levee::riscv
