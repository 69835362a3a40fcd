// SPDX-License-Identifier: Apache-2.0
// The UART through its socket.
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

TEST_CASE("Bytes pushed are received in order")
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
    CHECK(bench.master.read8(LEVEE_UART_IER) == LEVEE_UART_IER_RX);
    CHECK(bench.irq_changes == "1");
    bench.uart.push('b');
    bench.master.read8(LEVEE_UART_RBR);
    CHECK(bench.irq_changes == "1");
    bench.master.read8(LEVEE_UART_RBR);
    CHECK(bench.irq_changes == "10");
    bench.uart.push('c');
    bench.master.write8(LEVEE_UART_IER, 0);
    CHECK(bench.irq_changes == "1010");
}

TEST_CASE("What is no UART register, or no byte, is refused")
{
    Bench bench;
    using namespace tlm;
    CHECK(bench.master.response(TLM_READ_COMMAND, 2, 1) == TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.master.response(TLM_WRITE_COMMAND, 7, 1) == TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.master.response(TLM_WRITE_COMMAND, LEVEE_UART_LSR, 1) ==
          TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.master.response(TLM_WRITE_COMMAND, LEVEE_UART_THR, 4) == TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.sent.empty());
    bench.master.write8(LEVEE_UART_LCR, 3);
    CHECK(bench.master.read8(LEVEE_UART_LCR) == 3);
}

TEST_CASE("A debugger sees the registers and takes no byte")
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
