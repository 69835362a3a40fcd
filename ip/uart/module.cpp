// SPDX-License-Identifier: Apache-2.0
#include "ip/uart/module.hpp"

#include "ip/uart/regs.h"

namespace levee::uart {

Uart::Uart(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
{
    socket.register_b_transport(this, &Uart::b_transport);
    socket.register_transport_dbg(this, &Uart::transport_dbg);
}

void Uart::push(uint8_t byte)
{
    received_.push_back(byte);
    update_irq();
}

uint8_t Uart::line_status() const
{
    const unsigned ready = received_.empty() ? 0 : LEVEE_UART_LSR_DATA_READY;
    return static_cast<uint8_t>(ready | LEVEE_UART_LSR_THR_EMPTY | LEVEE_UART_LSR_IDLE);
}

uint8_t Uart::receive()
{
    if (received_.empty())
        return 0;
    const uint8_t byte = received_.front();
    received_.pop_front();
    update_irq();
    return byte;
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

tlm::tlm_response_status Uart::read(uint64_t offset, uint8_t& value)
{
    switch (offset) {
    case LEVEE_UART_RBR:
        value = receive();
        return tlm::TLM_OK_RESPONSE;
    case LEVEE_UART_IER:
        value = interrupt_enable_;
        return tlm::TLM_OK_RESPONSE;
    case LEVEE_UART_LCR:
        value = line_control_;
        return tlm::TLM_OK_RESPONSE;
    case LEVEE_UART_LSR:
        value = line_status();
        return tlm::TLM_OK_RESPONSE;
    default:
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
}

tlm::tlm_response_status Uart::write(uint64_t offset, uint8_t value)
{
    switch (offset) {
    case LEVEE_UART_THR:
        if (sink)
            sink(static_cast<char>(value));
        return tlm::TLM_OK_RESPONSE;
    case LEVEE_UART_IER:
        interrupt_enable_ = static_cast<uint8_t>(value & LEVEE_UART_IER_RX);
        update_irq();
        return tlm::TLM_OK_RESPONSE;
    case LEVEE_UART_LCR:
        line_control_ = value;
        return tlm::TLM_OK_RESPONSE;
    case LEVEE_UART_LSR:
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    default:
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
}

void Uart::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (payload.get_data_length() != 1) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (payload.is_read()) {
        payload.set_response_status(read(payload.get_address(), *payload.get_data_ptr()));
    } else if (payload.is_write()) {
        payload.set_response_status(write(payload.get_address(), *payload.get_data_ptr()));
    } else {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
}

// A debugger sees the registers whose reading changes nothing.
unsigned Uart::transport_dbg(tlm::tlm_generic_payload& payload)
{
    if (!payload.is_read() || payload.get_data_length() != 1 ||
        payload.get_address() == LEVEE_UART_RBR)
        return 0;
    return read(payload.get_address(), *payload.get_data_ptr()) == tlm::TLM_OK_RESPONSE ? 1 : 0;
}

} // namespace levee::uart
