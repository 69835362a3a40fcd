// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/register_file.hpp"
#include "core/flow/sockets.hpp"

#include <systemc>
#include <tlm>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

namespace levee::uart {

/// A 16550A with the byte registers of ip/uart/regs.h. Sending takes no time. Received bytes wait
/// on the line, without limit, until the program reads them, so a FIFO reset does not lose any.
class Uart : public sc_core::sc_module {
public:
    TargetSocket socket;

    explicit Uart(const sc_core::sc_module_name& name);

    std::function<void(char)> sink;      ///< Receives every byte sent; may be empty.
    std::function<void(bool level)> irq; ///< Called when the interrupt line changes; may be empty.
    void push(std::uint8_t byte);        ///< Adds a byte that arrives on the line.
    /// Removes and returns the next byte received, bypassing the registers.
    [[nodiscard]] std::optional<std::uint8_t> take();

    [[nodiscard]] const RegisterFile& register_file() const { return registers_; }

private:
    void add_registers();
    void add_status_registers();
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);

    [[nodiscard]] bool selects_divisor() const;
    [[nodiscard]] bool loops() const;
    [[nodiscard]] bool has_fifo() const;
    [[nodiscard]] std::size_t available() const;
    [[nodiscard]] std::uint32_t interrupt() const;
    [[nodiscard]] std::uint32_t line_status() const;
    [[nodiscard]] std::uint32_t modem_inputs() const;
    [[nodiscard]] std::uint8_t next_received() const;
    std::uint8_t receive();
    std::uint32_t identify();
    std::uint32_t read_line_status();
    std::uint32_t read_modem_status();
    void send(std::uint8_t byte);
    void loop_back(std::uint8_t byte);
    void enable_interrupts(std::uint32_t value);
    void control_fifos(std::uint32_t value);
    void control_modem(std::uint32_t value);
    void update_irq();

    RegisterFile registers_{RegisterFile::Width::Byte};
    std::deque<std::uint8_t> line_;
    std::deque<std::uint8_t> looped_; ///< Bytes received in loopback mode.
    std::uint32_t interrupt_enable_ = 0;
    std::uint32_t fifo_control_ = 0;
    std::uint32_t line_control_ = 0;
    std::uint32_t modem_control_ = 0;
    std::uint32_t modem_changes_ = 0;
    std::uint32_t scratch_ = 0;
    std::uint32_t divisor_low_ = 0;
    std::uint32_t divisor_high_ = 0;
    bool overrun_ = false;
    bool sent_ = false; ///< The transmitter has become empty, and IIR has not reported it yet.
    bool irq_level_ = false;
};

} // namespace levee::uart
