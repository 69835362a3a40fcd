// SPDX-License-Identifier: Apache-2.0
// Tests CLINT and PLIC through their sockets.
#include "ip/riscv/clint.hpp"
#include "ip/riscv/plic.hpp"
#include "test/support/bus_master.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace {

using namespace levee;
using riscv::Interrupt;
using sc_core::sc_time;
using test::BusMaster;

struct Lines : riscv::InterruptSink {
    void set_interrupt(Interrupt line, bool level) override
    {
        if (level && !levels[line])
            raised[line] = sc_core::sc_time_stamp();
        levels[line] = level;
    }
    std::map<Interrupt, bool> levels;
    std::map<Interrupt, sc_time> raised;
};

void run_ns(double ns)
{
    sc_core::sc_start(sc_time(ns, sc_core::SC_NS));
}

struct ClintBench {
    riscv::Clint clint{"clint", 3'000'000}; // A tick takes 333.33 ns.
    BusMaster master{"master"};
    Lines lines;
    ClintBench()
    {
        master.socket.bind(clint.socket);
        clint.connect(lines);
        run_ns(0);
    }
};

struct PlicBench {
    riscv::Plic plic{"plic"};
    BusMaster master{"master"};
    Lines lines;
    PlicBench()
    {
        master.socket.bind(plic.socket);
        plic.connect(lines);
        run_ns(0);
    }
    bool external() { return lines.levels[Interrupt::external]; }
    void allow(std::uint32_t irq, std::uint32_t priority)
    {
        master.write32(4 * irq, priority);
        const std::uint32_t word = 0x2000 + 4 * (irq / 32);
        master.write32(word, master.read32(word) | 1u << irq % 32);
    }
    std::uint32_t claim() { return master.read32(0x200004); }
    void complete(std::uint32_t irq) { master.write32(0x200004, irq); }
};

} // namespace

TEST_CASE("CLINT: software interrupt")
{
    ClintBench bench;
    bench.master.write32(0, 0xFFFFFFFF);
    CHECK(bench.master.read32(0) == 1);
    CHECK(bench.lines.levels[Interrupt::software]);
    bench.master.write32(0, 0);
    CHECK_FALSE(bench.lines.levels[Interrupt::software]);
}

TEST_CASE("CLINT: mtime counts the timebase, and the timer line follows at the exact edge")
{
    ClintBench bench;
    run_ns(1000.5);
    CHECK(bench.master.read32(0xBFF8) == 3);
    bench.master.write32(0x4000, 7);
    bench.master.write32(0x4004, 0);
    CHECK_FALSE(bench.lines.levels[Interrupt::timer]);
    run_ns(5000);
    CHECK(bench.lines.levels[Interrupt::timer]);
    // Edge 7 of 3 MHz is at floor(7 * 10^12 / 3 * 10^6) ps.
    CHECK(bench.lines.raised[Interrupt::timer].value() == 2'333'333);
    bench.master.write32(0x4004, 1);
    CHECK_FALSE(bench.lines.levels[Interrupt::timer]);
    CHECK(bench.master.read32(0x4000) == 7);
    CHECK(bench.master.read32(0x4004) == 1);
}

TEST_CASE("CLINT: writing mtime moves the timer")
{
    ClintBench bench;
    bench.master.write32(0x4000, 1000);
    bench.master.write32(0x4004, 0);
    bench.master.write32(0xBFF8, 998);
    CHECK(bench.master.read32(0xBFF8) == 998);
    run_ns(666.5);
    CHECK_FALSE(bench.lines.levels[Interrupt::timer]);
    run_ns(1);
    CHECK(bench.lines.levels[Interrupt::timer]);
    bench.master.write32(0xBFFC, 5);
    CHECK(bench.master.read32(0xBFFC) == 5);
    CHECK(bench.clint.mtime_at(sc_core::sc_time_stamp().value()) == (5ull << 32) + 1000);
}

TEST_CASE("CLINT: addresses without a register are refused")
{
    ClintBench bench;
    CHECK(bench.master.response(tlm::TLM_READ_COMMAND, 0x8, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.master.response(tlm::TLM_READ_COMMAND, 0x1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.master.response(tlm::TLM_READ_COMMAND, 0x0, 1) == tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("PLIC: claim, complete, and a level that stays")
{
    PlicBench bench;
    bench.allow(5, 1);
    bench.plic.set_source(5, true);
    CHECK(bench.external());
    CHECK(bench.master.read32(0x1000) == 1u << 5);
    CHECK(bench.claim() == 5);
    CHECK_FALSE(bench.external());
    CHECK(bench.master.read32(0x1000) == 0);
    CHECK(bench.claim() == 0);
    bench.complete(5); // The device still requests an interrupt.
    CHECK(bench.external());
    CHECK(bench.claim() == 5);
    bench.plic.set_source(5, false);
    bench.complete(5);
    CHECK_FALSE(bench.external());
}

TEST_CASE("PLIC: a request that was passed on stays pending when its line drops")
{
    PlicBench bench;
    bench.plic.set_source(40, true);
    bench.plic.set_source(40, false);
    CHECK_FALSE(bench.external());
    CHECK(bench.master.read32(0x1004) == 1u << 8);
    bench.allow(40, 3);
    CHECK(bench.external());
    CHECK(bench.claim() == 40);
}

TEST_CASE("PLIC: highest priority first, then lowest number, threshold, enable")
{
    PlicBench bench;
    bench.allow(64, 2);
    bench.allow(3, 2);
    bench.allow(9, 7);
    bench.allow(10, 0); // A source with priority 0 never interrupts.
    for (const std::uint32_t irq : {64u, 3u, 9u, 10u, 11u})
        bench.plic.set_source(irq, true);
    bench.master.write32(0x200000, 7);
    CHECK_FALSE(bench.external());
    bench.master.write32(0x200000, 6);
    CHECK(bench.external());
    CHECK(bench.claim() == 9);
    CHECK_FALSE(bench.external()); // The other sources are below the threshold ...
    CHECK(bench.claim() == 3);     // ... which claims ignore
    bench.master.write32(0x200000, 0);
    CHECK(bench.claim() == 64);
    CHECK(bench.claim() == 0);
    bench.master.write32(4 * 11, 1);
    CHECK_FALSE(bench.external()); // The source is not enabled.
}

TEST_CASE("PLIC: completing a source that is disabled or does not exist has no effect")
{
    PlicBench bench;
    bench.allow(2, 1);
    bench.plic.set_source(2, true);
    CHECK(bench.claim() == 2);
    bench.complete(3);
    bench.complete(0);
    bench.complete(1000);
    CHECK_FALSE(bench.external());
    bench.complete(2);
    CHECK(bench.external());
    CHECK_THROWS_AS(bench.plic.set_source(0, true), std::out_of_range);
    CHECK_THROWS_AS(bench.plic.set_source(65, true), std::out_of_range);
}

TEST_CASE("PLIC: priorities keep their writable bits, source 0 does not exist")
{
    PlicBench bench;
    bench.master.write32(4, 0xFF);
    CHECK(bench.master.read32(4) == 7);
    bench.master.write32(0, 7);
    CHECK(bench.master.read32(0) == 0);
    bench.master.write32(0x2000, 0xFFFFFFFF);
    CHECK(bench.master.read32(0x2000) == 0xFFFFFFFE);
    bench.master.write32(0x2008, 0xFFFFFFFF);
    CHECK(bench.master.read32(0x2008) == 1); // This bit is for source 64.
    CHECK(bench.master.response(tlm::TLM_READ_COMMAND, 0x200C, 4) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
}
