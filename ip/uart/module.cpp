// SPDX-License-Identifier: Apache-2.0
#include "ip/uart/module.hpp"

#include "ip/uart/regs.h"

#include <algorithm>
#include <array>

namespace levee::uart {

namespace {

/// Inputs from a modem that is ready and has a carrier.
constexpr std::uint32_t connected = LEVEE_UART_MSR_CTS | LEVEE_UART_MSR_DSR | LEVEE_UART_MSR_DCD;
constexpr unsigned changes_shift = 4; ///< Shift from an input's bit in MSR to its change bit.

} // namespace

Uart::Uart(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
{
    socket.register_b_transport(this, &Uart::b_transport);
    socket.register_transport_dbg(this, &Uart::transport_dbg);
    add_registers();
    add_status_registers();
}

void Uart::add_registers()
{
    static_assert(LEVEE_UART_RBR == LEVEE_UART_THR, "one register: reads receive, writes send");
    registers_.add({"RBR/THR", LEVEE_UART_RBR,
                    [this] { return selects_divisor() ? divisor_low_ : receive(); },
                    [this](std::uint32_t value) {
                        if (selects_divisor())
                            divisor_low_ = value;
                        else
                            send(static_cast<std::uint8_t>(value));
                    },
                    [this] { return selects_divisor() ? divisor_low_ : next_received(); }});
    registers_.add({"IER", LEVEE_UART_IER,
                    [this] { return selects_divisor() ? divisor_high_ : interrupt_enable_; },
                    [this](std::uint32_t value) {
                        if (selects_divisor())
                            divisor_high_ = value;
                        else
                            enable_interrupts(value);
                    }});
    registers_.add({"LCR", LEVEE_UART_LCR, [this] { return line_control_; },
                    [this](std::uint32_t value) { line_control_ = value; }});
    registers_.add({"MCR", LEVEE_UART_MCR, [this] { return modem_control_; },
                    [this](std::uint32_t value) { control_modem(value); }});
    registers_.add({"SCR", LEVEE_UART_SCR, [this] { return scratch_; },
                    [this](std::uint32_t value) { scratch_ = value; }});
}

void Uart::add_status_registers()
{
    const auto fifo_bits = [this] { return has_fifo() ? LEVEE_UART_IIR_FIFO : 0u; };
    registers_.add({"IIR/FCR", LEVEE_UART_IIR,
                    [this, fifo_bits] { return identify() | fifo_bits(); },
                    [this](std::uint32_t value) { control_fifos(value); },
                    [this, fifo_bits] { return interrupt() | fifo_bits(); }});
    registers_.add({"LSR",
                    LEVEE_UART_LSR,
                    [this] { return read_line_status(); },
                    {},
                    [this] { return line_status(); }});
    registers_.add({"MSR",
                    LEVEE_UART_MSR,
                    [this] { return read_modem_status(); },
                    {},
                    [this] { return modem_inputs() | modem_changes_; }});
}

void Uart::push(std::uint8_t byte)
{
    line_.push_back(byte);
    update_irq();
}

std::optional<std::uint8_t> Uart::take()
{
    if (line_.empty())
        return std::nullopt;
    const std::uint8_t byte = line_.front();
    line_.pop_front();
    update_irq();
    return byte;
}

bool Uart::selects_divisor() const
{
    return (line_control_ & LEVEE_UART_LCR_DLAB) != 0;
}

bool Uart::loops() const
{
    return (modem_control_ & LEVEE_UART_MCR_LOOP) != 0;
}

bool Uart::has_fifo() const
{
    return (fifo_control_ & LEVEE_UART_FCR_ENABLE) != 0;
}

/// Returns the number of bytes that the program can read.
std::size_t Uart::available() const
{
    return looped_.size() + (loops() ? 0 : line_.size());
}

/// Returns the enabled, pending interrupt with the highest priority, as a value of IIR.
std::uint32_t Uart::interrupt() const
{
    constexpr std::array<std::size_t, 4> triggers{1, 4, 8, 14};
    const auto is_enabled = [this](std::uint32_t bit) { return (interrupt_enable_ & bit) != 0; };
    if (is_enabled(LEVEE_UART_IER_LINE) && overrun_)
        return LEVEE_UART_IIR_LINE;
    if (is_enabled(LEVEE_UART_IER_RX) && available() != 0) {
        const std::size_t trigger = triggers[fifo_control_ >> LEVEE_UART_FCR_TRIGGER_SHIFT];
        return has_fifo() && available() < trigger ? LEVEE_UART_IIR_RX_TIMEOUT : LEVEE_UART_IIR_RX;
    }
    if (is_enabled(LEVEE_UART_IER_TX) && sent_)
        return LEVEE_UART_IIR_TX;
    if (is_enabled(LEVEE_UART_IER_MODEM) && modem_changes_ != 0)
        return LEVEE_UART_IIR_MODEM;
    return LEVEE_UART_IIR_NONE;
}

std::uint32_t Uart::identify()
{
    const std::uint32_t pending = interrupt();
    if (pending == LEVEE_UART_IIR_TX)
        sent_ = false;
    update_irq();
    return pending;
}

std::uint32_t Uart::line_status() const
{
    return (available() != 0 ? LEVEE_UART_LSR_DATA_READY : 0) |
           (overrun_ ? LEVEE_UART_LSR_OVERRUN : 0) | LEVEE_UART_LSR_THR_EMPTY | LEVEE_UART_LSR_IDLE;
}

std::uint32_t Uart::read_line_status()
{
    const std::uint32_t status = line_status();
    overrun_ = false;
    update_irq();
    return status;
}

/// Returns the modem inputs. In loopback mode, the outputs are connected to them.
std::uint32_t Uart::modem_inputs() const
{
    if (!loops())
        return connected;
    const auto input = [this](std::uint32_t output, std::uint32_t bit) {
        return (modem_control_ & output) != 0 ? bit : 0u;
    };
    return input(LEVEE_UART_MCR_RTS, LEVEE_UART_MSR_CTS) |
           input(LEVEE_UART_MCR_DTR, LEVEE_UART_MSR_DSR) |
           input(LEVEE_UART_MCR_OUT1, LEVEE_UART_MSR_RI) |
           input(LEVEE_UART_MCR_OUT2, LEVEE_UART_MSR_DCD);
}

std::uint32_t Uart::read_modem_status()
{
    const std::uint32_t status = modem_inputs() | modem_changes_;
    modem_changes_ = 0;
    update_irq();
    return status;
}

void Uart::control_modem(std::uint32_t value)
{
    constexpr std::uint32_t implemented = LEVEE_UART_MCR_DTR | LEVEE_UART_MCR_RTS |
                                          LEVEE_UART_MCR_OUT1 | LEVEE_UART_MCR_OUT2 |
                                          LEVEE_UART_MCR_LOOP;
    const std::uint32_t before = modem_inputs();
    modem_control_ = value & implemented;
    const std::uint32_t now = modem_inputs();
    const std::uint32_t changed =
        ((before ^ now) & ~LEVEE_UART_MSR_RI) |
        (before & ~now & LEVEE_UART_MSR_RI); // For RI, only the end of the signal is a change.
    modem_changes_ |= changed >> changes_shift;
    update_irq();
}

std::uint8_t Uart::next_received() const
{
    if (!looped_.empty())
        return looped_.front();
    return available() != 0 ? line_.front() : std::uint8_t{0};
}

std::uint8_t Uart::receive()
{
    const std::uint8_t byte = next_received();
    if (!looped_.empty())
        looped_.pop_front();
    else if (available() != 0)
        line_.pop_front();
    update_irq();
    return byte;
}

void Uart::send(std::uint8_t byte)
{
    if (loops())
        loop_back(byte);
    else if (sink)
        sink(static_cast<char>(byte));
    sent_ = true;
    update_irq();
}

void Uart::loop_back(std::uint8_t byte)
{
    const bool is_full = looped_.size() >= (has_fifo() ? LEVEE_UART_FIFO_BYTES : 1);
    overrun_ = overrun_ || is_full;
    if (!is_full)
        looped_.push_back(byte);
    else if (!has_fifo())
        looped_.back() = byte;
}

/// Writes IER. Enabling the transmitter interrupt triggers it if the transmitter is empty.
void Uart::enable_interrupts(std::uint32_t value)
{
    constexpr std::uint32_t implemented =
        LEVEE_UART_IER_RX | LEVEE_UART_IER_TX | LEVEE_UART_IER_LINE | LEVEE_UART_IER_MODEM;
    sent_ = sent_ || (value & ~interrupt_enable_ & LEVEE_UART_IER_TX) != 0;
    interrupt_enable_ = value & implemented;
    update_irq();
}

/// Writes FCR. Bits other than the enable bit have an effect only while FIFOs are enabled. Enabling
/// or disabling FIFOs empties them.
void Uart::control_fifos(std::uint32_t value)
{
    const bool enables = (value & LEVEE_UART_FCR_ENABLE) != 0;
    if (enables != has_fifo() || (value & LEVEE_UART_FCR_CLEAR_RX) != 0)
        looped_.clear();
    fifo_control_ = enables ? value & 0xFF : 0;
    update_irq();
}

void Uart::update_irq()
{
    const bool level = interrupt() != LEVEE_UART_IIR_NONE;
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
