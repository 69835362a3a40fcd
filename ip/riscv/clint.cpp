// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/clint.hpp"

#include <stdexcept>

namespace levee::riscv {
namespace {

constexpr std::uint64_t max_timebase_hz = ps_per_second;

std::uint64_t checked(std::uint64_t hz)
{
    if (hz < 1 || hz > max_timebase_hz)
        throw std::invalid_argument("CLINT: timebase_hz is " + std::to_string(hz) +
                                    ", expected 1 to " + std::to_string(max_timebase_hz));
    return hz;
}

std::uint32_t low(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value >> 32);
}
std::uint64_t join(std::uint32_t high_word, std::uint32_t low_word)
{
    return std::uint64_t{high_word} << 32 | low_word;
}

} // namespace

Clint::Clint(const sc_core::sc_module_name& name, std::uint64_t timebase_hz)
    : sc_module(name), socket("socket"), timebase_(checked(timebase_hz)), timer_("timer")
{
    socket.register_b_transport(this, &Clint::b_transport);
    socket.register_transport_dbg(this, &Clint::transport_dbg);
    add_registers();
    SC_HAS_PROCESS(Clint);
    SC_METHOD(update_timer);
    sensitive << timer_;
    dont_initialize();
}

void Clint::add_registers()
{
    using namespace clint_register;
    registers_.add({"msip", msip, [this] { return software_ ? 1u : 0u; },
                    [this](std::uint32_t value) { set_software(value); }});
    registers_.add({"mtimecmp", mtimecmp, [this] { return low(mtimecmp_); },
                    [this](std::uint32_t value) { set_mtimecmp(join(high(mtimecmp_), value)); }});
    registers_.add({"mtimecmph", mtimecmp + 4, [this] { return high(mtimecmp_); },
                    [this](std::uint32_t value) { set_mtimecmp(join(value, low(mtimecmp_))); }});
    registers_.add({"mtime", clint_register::mtime, [this] { return low(mtime()); },
                    [this](std::uint32_t value) { set_mtime(join(high(mtime()), value)); }});
    registers_.add({"mtimeh", clint_register::mtime + 4, [this] { return high(mtime()); },
                    [this](std::uint32_t value) { set_mtime(join(value, low(mtime()))); }});
}

void Clint::connect(InterruptSink& hart)
{
    hart_ = &hart;
    update_timer();
}

std::uint64_t Clint::mtime() const
{
    return mtime_at(sc_core::sc_time_stamp().value());
}

void Clint::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    registers_.transport(payload);
}

unsigned Clint::transport_dbg(tlm::tlm_generic_payload& payload)
{
    return registers_.transport_debug(payload);
}

void Clint::set_software(std::uint32_t value)
{
    software_ = (value & 1u) != 0;
    if (hart_ != nullptr)
        drive(Interrupt::software, software_);
}

void Clint::drive(Interrupt line, bool level)
{
    hart_->set_interrupt(line, level);
    if (on_line)
        on_line(line, level);
}

void Clint::set_mtime(std::uint64_t value)
{
    offset_ += value - mtime();
    update_timer();
}

void Clint::set_mtimecmp(std::uint64_t value)
{
    mtimecmp_ = value;
    update_timer();
}

/// Drives the timer line for the present mtime, and schedules its next change.
void Clint::update_timer()
{
    if (hart_ == nullptr)
        return;
    const std::uint64_t now = mtime();
    drive(Interrupt::timer, now >= mtimecmp_);
    timer_.cancel();
    if (now >= mtimecmp_)
        return;
    const std::uint64_t now_ps = sc_core::sc_time_stamp().value();
    const std::uint64_t edges = timebase_.last_edge(now_ps);
    const std::uint64_t wait_edges = mtimecmp_ - now;
    if (wait_edges > UINT64_MAX - edges)
        return;
    if (const auto at = timebase_.edge_ps(edges + wait_edges))
        timer_.notify(sc_core::sc_time::from_value(*at - now_ps));
}

} // namespace levee::riscv
