// SPDX-License-Identifier: Apache-2.0
#include "ip/uart/module.hpp"

#include "ip/uart/regs.h"

namespace levee::uart {

Uart::Uart(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
{
    socket.register_b_transport(this, &Uart::b_transport);
    socket.register_transport_dbg(this, &Uart::transport_dbg);
    add_registers();
}

void Uart::add_registers()
{
    static_assert(LEVEE_UART_RBR == LEVEE_UART_THR, "one register: reads receive, writes send");
    registers_.add({"RBR/THR", LEVEE_UART_RBR, [this] { return receive(); },
                    [this](std::uint32_t value) { send(value); },
                    [this] { return next_received(); }});
    registers_.add({"IER", LEVEE_UART_IER, [this] { return interrupt_enable_; },
                    [this](std::uint32_t value) { enable_interrupts(value); }});
    registers_.add({"LCR", LEVEE_UART_LCR, [this] { return line_control_; },
                    [this](std::uint32_t value) { line_control_ = value; }});
    registers_.add({"LSR", LEVEE_UART_LSR, [this] { return line_status(); }, {}});
}

void Uart::push(std::uint8_t byte)
{
    received_.push_back(byte);
    update_irq();
}

std::uint32_t Uart::line_status() const
{
    const unsigned ready = received_.empty() ? 0 : LEVEE_UART_LSR_DATA_READY;
    return ready | LEVEE_UART_LSR_THR_EMPTY | LEVEE_UART_LSR_IDLE;
}

std::uint8_t Uart::next_received() const
{
    return received_.empty() ? std::uint8_t{0} : received_.front();
}

std::uint8_t Uart::receive()
{
    const std::uint8_t byte = next_received();
    if (!received_.empty())
        received_.pop_front();
    update_irq();
    return byte;
}

void Uart::send(std::uint32_t value)
{
    if (sink)
        sink(static_cast<char>(value));
}

void Uart::enable_interrupts(std::uint32_t value)
{
    interrupt_enable_ = value & LEVEE_UART_IER_RX;
    update_irq();
}

void Uart::update_irq()
{
    const bool level = !received_.empty() && (interrupt_enable_ & LEVEE_UART_IER_RX) != 0;
    if (level == irq_level_)
        return;
    irq_level_ = level;
    if (irq)
        irq(level);
}

void Uart::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    registers_.transport(payload);
}

unsigned Uart::transport_dbg(tlm::tlm_generic_payload& payload)
{
    return registers_.transport_debug(payload);
}

} // namespace levee::uart
