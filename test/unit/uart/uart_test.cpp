// SPDX-License-Identifier: Apache-2.0
// Tests the UART through its socket.
#include "ip/uart/module.hpp"
#include "ip/uart/regs.h"
#include "test/support/bus_master.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace {

struct Bench {
    levee::uart::Uart uart{"uart"};
    levee::test::BusMaster master{"master"};
    std::string sent;
    std::string irq_changes;
    Bench()
    {
        master.socket.bind(uart.socket);
        uart.sink = [this](char c) { sent += c; };
        uart.irq = [this](bool level) { irq_changes += level ? '1' : '0'; };
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
};

} // namespace

TEST_CASE("Bytes written are sent at once")
{
    Bench bench;
    for (const char c : std::string("Hi\n"))
        bench.master.write8(LEVEE_UART_THR, static_cast<std::uint8_t>(c));
    CHECK(bench.sent == "Hi\n");
    CHECK(bench.master.read8(LEVEE_UART_LSR) == (LEVEE_UART_LSR_THR_EMPTY | LEVEE_UART_LSR_IDLE));
}

TEST_CASE("Bytes pushed into the UART are received in order")
{
    Bench bench;
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 0);
    bench.uart.push('a');
    bench.uart.push('b');
    CHECK((bench.master.read8(LEVEE_UART_LSR) & LEVEE_UART_LSR_DATA_READY) != 0);
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 'a');
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 'b');
    CHECK((bench.master.read8(LEVEE_UART_LSR) & LEVEE_UART_LSR_DATA_READY) == 0);
}

TEST_CASE("The interrupt line follows received data and its enable bit")
{
    Bench bench;
    bench.uart.push('a');
    CHECK(bench.irq_changes.empty());
    bench.master.write8(LEVEE_UART_IER, 0xFF);
    CHECK(bench.master.read8(LEVEE_UART_IER) == 0x0F);
    CHECK(bench.irq_changes == "1");
    bench.master.write8(LEVEE_UART_IER, LEVEE_UART_IER_RX);
    bench.uart.push('b');
    bench.master.read8(LEVEE_UART_RBR);
    CHECK(bench.irq_changes == "1");
    bench.master.read8(LEVEE_UART_RBR);
    CHECK(bench.irq_changes == "10");
    bench.uart.push('c');
    bench.master.write8(LEVEE_UART_IER, 0);
    CHECK(bench.irq_changes == "1010");
}

TEST_CASE("Addresses without a register, and accesses wider than a byte, are refused")
{
    Bench bench;
    using namespace tlm;
    CHECK(bench.master.response(TLM_READ_COMMAND, 8, 1) == TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.master.response(TLM_WRITE_COMMAND, 8, 1) == TLM_ADDRESS_ERROR_RESPONSE);
    for (const unsigned offset : {LEVEE_UART_LSR, LEVEE_UART_MSR})
        CHECK(bench.master.response(TLM_WRITE_COMMAND, offset, 1) == TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.master.response(TLM_WRITE_COMMAND, LEVEE_UART_THR, 4) == TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.sent.empty());
    bench.master.write8(LEVEE_UART_LCR, 3);
    CHECK(bench.master.read8(LEVEE_UART_LCR) == 3);
}

TEST_CASE("A debugger sees the registers without taking a byte")
{
    Bench bench;
    bench.uart.push('a');
    for (int i = 0; i < 2; ++i) {
        const auto& registers = bench.uart.register_file().registers();
        CHECK(registers.front().name == "RBR/THR");
        CHECK(registers.front().value() == 'a');
    }
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 'a');
}

TEST_CASE("The usual initialisation works and loses no received byte")
{
    Bench bench;
    bench.uart.push('a');
    bench.master.write8(LEVEE_UART_IER, 0);
    bench.master.write8(LEVEE_UART_LCR, LEVEE_UART_LCR_DLAB);
    bench.master.write8(LEVEE_UART_DLL, 0x34);
    bench.master.write8(LEVEE_UART_DLM, 0x12);
    CHECK(bench.master.read8(LEVEE_UART_DLL) == 0x34);
    CHECK(bench.master.read8(LEVEE_UART_DLM) == 0x12);
    bench.master.write8(LEVEE_UART_LCR, 3);
    bench.master.write8(LEVEE_UART_FCR, 0x07);
    bench.master.write8(LEVEE_UART_MCR, 0x03);
    bench.master.write8(LEVEE_UART_SCR, 0x5A);
    CHECK(bench.sent.empty());
    CHECK(bench.master.read8(LEVEE_UART_IER) == 0);
    CHECK(bench.master.read8(LEVEE_UART_IIR) == (LEVEE_UART_IIR_FIFO | LEVEE_UART_IIR_NONE));
    CHECK(bench.master.read8(LEVEE_UART_MCR) == 0x03);
    CHECK(bench.master.read8(LEVEE_UART_MSR) == 0xB0);
    CHECK(bench.master.read8(LEVEE_UART_SCR) == 0x5A);
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 'a');
}

TEST_CASE("An empty transmitter interrupts when this is enabled and after each byte")
{
    Bench bench;
    bench.master.write8(LEVEE_UART_THR, 'a');
    CHECK(bench.master.read8(LEVEE_UART_IIR) == LEVEE_UART_IIR_NONE);
    bench.master.write8(LEVEE_UART_IER, LEVEE_UART_IER_TX);
    CHECK(bench.irq_changes == "1");
    CHECK(bench.uart.register_file().registers()[2].value() == LEVEE_UART_IIR_TX);
    CHECK(bench.master.read8(LEVEE_UART_IIR) == LEVEE_UART_IIR_TX);
    CHECK(bench.irq_changes == "10");
    CHECK(bench.master.read8(LEVEE_UART_IIR) == LEVEE_UART_IIR_NONE);
    bench.master.write8(LEVEE_UART_THR, 'b');
    CHECK(bench.irq_changes == "101");
    bench.master.write8(LEVEE_UART_IER, 0);
    CHECK(bench.irq_changes == "1010");
}

TEST_CASE("IIR shows the interrupt of the highest priority, and reading one keeps the others")
{
    Bench bench;
    const auto pending = [&bench] { return bench.master.read8(LEVEE_UART_IIR) & 0x0F; };
    bench.master.write8(LEVEE_UART_FCR, LEVEE_UART_FCR_ENABLE | 1u << LEVEE_UART_FCR_TRIGGER_SHIFT);
    bench.master.write8(LEVEE_UART_IER, 0x0F);
    bench.uart.push('a');
    CHECK(pending() == LEVEE_UART_IIR_RX_TIMEOUT);
    for (const char c : std::string("bcd"))
        bench.uart.push(static_cast<std::uint8_t>(c));
    CHECK(pending() == LEVEE_UART_IIR_RX);
    for (int i = 0; i < 4; ++i)
        CHECK(bench.master.read8(LEVEE_UART_RBR) == 'a' + i);
    CHECK(pending() == LEVEE_UART_IIR_TX);
    CHECK(pending() == LEVEE_UART_IIR_NONE);
    bench.master.write8(LEVEE_UART_MCR, LEVEE_UART_MCR_LOOP);
    CHECK(pending() == LEVEE_UART_IIR_MODEM);
    CHECK(bench.master.read8(LEVEE_UART_MSR) == 0x0B); // CTS, DSR and DCD are low now.
    CHECK(pending() == LEVEE_UART_IIR_NONE);
}

TEST_CASE("In loopback the sent bytes are received, MSR shows MCR, and the line stays idle")
{
    Bench bench;
    bench.uart.push('z');
    bench.master.write8(LEVEE_UART_MCR, LEVEE_UART_MCR_LOOP | LEVEE_UART_MCR_OUT2);
    CHECK((bench.master.read8(LEVEE_UART_MSR) & 0xF0) == LEVEE_UART_MSR_DCD);
    CHECK((bench.master.read8(LEVEE_UART_LSR) & LEVEE_UART_LSR_DATA_READY) == 0);
    bench.master.write8(LEVEE_UART_THR, 'a');
    bench.master.write8(LEVEE_UART_THR, 'b'); // Without FIFOs there is space for one byte.
    CHECK((bench.master.read8(LEVEE_UART_LSR) & LEVEE_UART_LSR_OVERRUN) != 0);
    CHECK((bench.master.read8(LEVEE_UART_LSR) & LEVEE_UART_LSR_OVERRUN) == 0);
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 'b');
    bench.master.write8(LEVEE_UART_FCR, LEVEE_UART_FCR_ENABLE);
    for (int i = 0; i < 17; ++i)
        bench.master.write8(LEVEE_UART_THR, static_cast<std::uint8_t>(i));
    CHECK((bench.master.read8(LEVEE_UART_LSR) & LEVEE_UART_LSR_OVERRUN) != 0);
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 0);
    bench.master.write8(LEVEE_UART_FCR, LEVEE_UART_FCR_ENABLE | LEVEE_UART_FCR_CLEAR_RX);
    CHECK((bench.master.read8(LEVEE_UART_LSR) & LEVEE_UART_LSR_DATA_READY) == 0);
    CHECK(bench.sent.empty());
    bench.master.write8(LEVEE_UART_MCR, 0);
    CHECK(bench.master.read8(LEVEE_UART_RBR) == 'z');
}

TEST_CASE("A received byte can be read without the receiver")
{
    Bench bench;
    bench.master.write8(LEVEE_UART_IER, LEVEE_UART_IER_RX);
    bench.uart.push('a');
    CHECK(bench.uart.take() == std::uint8_t{'a'});
    CHECK(!bench.uart.take());
    CHECK(bench.irq_changes == "10");
}
