// SPDX-License-Identifier: Apache-2.0
// Tests stops of the hart by breakpoints and observers. Instructions and times must be the same as
// without stops.
#include "test/unit/riscv/assembler.hpp"
#include "test/unit/riscv/hart_bench.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;
using namespace levee::test::as;
using test::Bench;
using test::ram;
using test::Recorder;

/// An observer that stops once, before the second instruction.
struct StopOnce : riscv::Observer {
    bool stops = true;
    bool before_instruction(std::uint32_t pc, std::uint64_t) override
    {
        return pc != ram + 4 || !std::exchange(stops, false);
    }
    void after_access(std::uint32_t, std::uint32_t, bool) override {}
};

enum class Stopped { Never, ByBreakpoint, ByObserver };

/// Returns the cycles of three instructions that are fetched over the bus.
std::uint64_t bus_cycles(const std::vector<std::uint32_t>& code, Stopped how)
{
    Bench bench({}, false);
    bench.put(0, code);
    StopOnce observer;
    if (how == Stopped::ByBreakpoint)
        bench.hart.set_breakpoint(ram + 4);
    if (how == Stopped::ByObserver)
        bench.hart.attach(&observer);
    int stops = 0;
    while (bench.hart.instructions() < 3)
        if (bench.hart.run(bench.hart.cycle() + 1) == riscv::Stop::observer) {
            ++stops;
            bench.hart.clear_breakpoint(ram + 4);
        }
    CHECK(stops == (how == Stopped::Never ? 0 : 1));
    CHECK(bench.hart.reg(a0) == 2);
    return bench.hart.cycle();
}

} // namespace

TEST_CASE("A breakpoint stops both execution loops, and does not change memory or cycles")
{
    const std::vector<std::uint32_t> code{addi(a0, a0, 1), addi(a1, a1, 1), jal(zero, -8)};
    Recorder recorder;
    for (riscv::Observer* observer :
         {static_cast<riscv::Observer*>(nullptr), static_cast<riscv::Observer*>(&recorder)}) {
        Bench bench;
        bench.put(0, code);
        bench.hart.attach(observer);
        bench.hart.run(30); // The code is decoded now.
        bench.hart.set_breakpoint(ram + 4);
        CHECK(bench.hart.has_breakpoint(ram + 4));
        CHECK(bench.hart.run(1000) == riscv::Stop::observer);
        CHECK(bench.hart.pc() == ram + 4);
        CHECK(bench.hart.reg(a0) == 11);
        CHECK(bench.hart.reg(a1) == 10);
        CHECK(bench.hart.cycle() == 31);
        CHECK(bench.hart.run(1000) == riscv::Stop::observer); // The hart has not continued.
        CHECK(bench.hart.cycle() == 31);
        CHECK(std::memcmp(&bench.port.bytes[4], &code[1], 4) == 0);
        bench.hart.clear_breakpoint(ram + 4);
        CHECK(bench.hart.run(300) == riscv::Stop::deadline);
        CHECK(bench.hart.cycle() == 300);
        CHECK(bench.hart.instructions() == 300);
    }
    CHECK(recorder.pcs.size() == 300); // The recorder sees each instruction once.
}

TEST_CASE("A breakpoint keeps overwritten code as it was decoded")
{
    const bool early =
        GENERATE(false, true); // Whether the breakpoint is set before the code is overwritten.
    Bench bench;
    const auto overwrite = [&bench] {
        bench.put(4, {addi(a0, a0, 100)});
        bench.hart.code_overwritten(ram + 4, 4);
    };
    bench.put(0, {addi(a0, a0, 1), addi(a0, a0, 1), jal(zero, -8), fence_i, jal(zero, -16)});
    bench.hart.run(30);
    if (!early)
        overwrite();
    bench.hart.set_breakpoint(ram + 4);
    REQUIRE(bench.hart.run(1000) == riscv::Stop::observer);
    if (early)
        overwrite();
    CHECK(bench.port.stale_at.empty()); // The code is not executed yet.
    bench.hart.clear_breakpoint(ram + 4);
    bench.hart.set_reg(a0, 0);
    bench.step();
    CHECK(bench.hart.reg(a0) == 1);
    CHECK(bench.port.stale_at == std::vector<std::uint32_t>{ram + 4});
    bench.hart.set_breakpoint(ram + 4);
    bench.hart.set_pc(ram + 12); // The hart executes fence.i.
    bench.hart.set_reg(a0, 0);
    REQUIRE(bench.hart.run(1000) == riscv::Stop::observer);
    bench.hart.clear_breakpoint(ram + 4);
    bench.step();
    CHECK(bench.hart.reg(a0) == 101);
}

TEST_CASE("A breakpoint stays on its instruction after fence.i")
{
    Bench bench;
    const bool stops = GENERATE(false, true);
    bench.put(0, {addi(a0, a0, 1), fence_i, jal(zero, -8)});
    if (stops) {
        bench.hart.set_breakpoint(ram);
        REQUIRE(bench.hart.run(1000) == riscv::Stop::observer);
        bench.hart.clear_breakpoint(ram);
    }
    bench.step();
    if (stops)
        bench.hart.set_breakpoint(ram);
    for (int i = 0; i < 2; ++i) // The fence.i, which changes nothing, and the jump.
        bench.step();
    bench.put(0, {addi(a0, a0, 100)});
    bench.hart.code_overwritten(ram, 4);
    if (stops) {
        REQUIRE(bench.hart.run(1000) == riscv::Stop::observer);
        bench.hart.clear_breakpoint(ram);
    }
    bench.step();
    CHECK(bench.hart.reg(a0) == 2);
    CHECK(bench.port.stale_at == std::vector<std::uint32_t>{ram});
}

TEST_CASE("An interrupt during a stop on the bus is taken after the fetched instruction")
{
    Bench bench({}, false);
    bench.put(0, {addi(a0, a0, 1), addi(a0, a0, 1), addi(a0, a0, 1)});
    REQUIRE(bench.hart.write_csr(riscv::csr_number::mtvec, ram + 0x100));
    REQUIRE(bench.hart.write_csr(riscv::csr_number::mie, 1u << 7));
    REQUIRE(bench.hart.write_csr(riscv::csr_number::mstatus, 1u << 3));
    bench.hart.set_breakpoint(ram + 4);
    while (bench.hart.run(bench.hart.cycle() + 1) != riscv::Stop::observer)
        ;
    bench.hart.clear_breakpoint(ram + 4);
    bench.hart.set_line(riscv::Interrupt::timer, true);
    bench.step();
    CHECK(bench.hart.reg(a0) == 2);
    bench.step();
    CHECK(bench.hart.read_csr(riscv::csr_number::mepc) == ram + 8);
}

TEST_CASE("A stop before an instruction on the bus does not fetch it again")
{
    const std::vector<std::uint32_t> code{addi(a0, a0, 1), addi(a0, a0, 1), jal(zero, -8)};
    const std::uint64_t cycles = bus_cycles(code, Stopped::Never);
    CHECK(bus_cycles(code, Stopped::ByBreakpoint) == cycles);
    CHECK(bus_cycles(code, Stopped::ByObserver) == cycles);
    Bench bench({}, false); // The hart executes code that a debugger wrote there.
    bench.put(0, code);
    bench.hart.set_breakpoint(ram);
    REQUIRE(bench.hart.run(1000) == riscv::Stop::observer);
    bench.put(0, {addi(a0, a0, 100)});
    bench.hart.code_written(ram, 4);
    bench.hart.clear_breakpoint(ram);
    bench.step();
    CHECK(bench.hart.reg(a0) == 100);
}
