// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/register_file.hpp"
#include "ip/common/sockets.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <functional>

namespace levee::uart {

/// A UART with the byte registers of ip/uart/regs.h. Sending takes no time; the queue of received
/// bytes has no limit.
class Uart : public sc_core::sc_module {
public:
    TargetSocket socket;

    explicit Uart(const sc_core::sc_module_name& name);

    std::function<void(char)> sink;      ///< gets every byte sent; may be empty
    std::function<void(bool level)> irq; ///< called when the interrupt line changes; may be empty
    void push(std::uint8_t byte);        ///< a byte arrives

    [[nodiscard]] const RegisterFile& register_file() const { return registers_; }

private:
    void add_registers();
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    [[nodiscard]] std::uint32_t line_status() const;
    [[nodiscard]] std::uint8_t next_received() const;
    std::uint8_t receive();
    void send(std::uint32_t value);
    void enable_interrupts(std::uint32_t value);
    void update_irq();

    RegisterFile registers_{RegisterFile::Width::Byte};
    std::deque<std::uint8_t> received_;
    std::uint32_t interrupt_enable_ = 0;
    std::uint32_t line_control_ = 0;
    bool irq_level_ = false;
};

} // namespace levee::uart
