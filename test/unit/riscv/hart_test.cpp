// SPDX-License-Identifier: Apache-2.0
// Tests the hart without SystemC: costs and counts of instructions, changes of decoded code and
// DMI, observers, and invalid configurations.
#include "test/unit/riscv/assembler.hpp"
#include "test/unit/riscv/hart_bench.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;
using namespace levee::test::as;
using test::Bench;
using test::ram;
using test::Recorder;

riscv::CycleCosts distinct_costs()
{
    riscv::CycleCosts costs;
    costs.alu = 2;
    costs.mul = 3;
    costs.div = 37;
    costs.load = 5;
    costs.store = 7;
    costs.branch = 11;
    costs.branch_taken = 13;
    costs.jump = 17;
    costs.csr = 19;
    costs.amo = 23;
    costs.fence_i = 29;
    costs.system = 31;
    costs.trap = 41;
    costs.misaligned = 43;
    return costs;
}

} // namespace

TEST_CASE("Every instruction class takes the configured cycles")
{
    Bench bench(distinct_costs());
    CHECK(bench.cost_of(addi(a0, a0, 1)) == 2);
    CHECK(bench.cost_of(lui(a0, 0x1000)) == 2);
    CHECK(bench.cost_of(fence) == 2);
    CHECK(bench.cost_of(mul(a0, a0, a0)) == 3);
    CHECK(bench.cost_of(div(a0, a0, a0)) == 37);
    CHECK(bench.cost_of(lw(a0, s0, 0)) == 5);
    CHECK(bench.cost_of(lw(a0, s0, 1)) == 5 + 43);
    CHECK(bench.cost_of(sw(a0, s0, 0)) == 7);
    CHECK(bench.cost_of(sw(a0, s0, 2)) == 7 + 43);
    CHECK(bench.cost_of(bne(zero, zero, 8)) == 11);
    CHECK(bench.cost_of(beq(zero, zero, 8)) == 13);
    CHECK(bench.cost_of(beq(zero, zero, -0x1000 + 0x800)) == 13);
    CHECK(bench.cost_of(jal(zero, 8)) == 17);
    CHECK(bench.cost_of(csrr(a0, riscv::csr_number::mscratch)) == 19);
    CHECK(bench.cost_of(amoadd(a0, a0, s0)) == 23);
    CHECK(bench.cost_of(fence_i) == 29);
    CHECK(bench.cost_of(mret) == 31);
    CHECK(bench.cost_of(wfi) == 31);
    CHECK(bench.cost_of(ecall) == 41);
    CHECK(bench.cost_of(0) == 41);
}

TEST_CASE("A run counts exactly the retired instructions, wherever it is interrupted")
{
    // There are 2 + 3 * 100 instructions, then an ecall to a handler that loops.
    const std::vector<std::uint32_t> code{addi(a0, zero, 100), csrwi(riscv::csr_number::mtvec, 0),
                                          addi(a0, a0, -1),    addi(a1, a1, 2),
                                          bne(a0, zero, -8),   ecall};
    for (const std::uint64_t slice : {1, 2, 3, 7, 1000}) {
        Bench bench(distinct_costs());
        bench.put(0, code);
        bench.hart.write_csr(riscv::csr_number::mtvec, ram + 0x100);
        while (bench.hart.pc() != ram + 0x14)
            bench.hart.run(bench.hart.cycle() +
                           std::min<std::uint64_t>(slice, bench.hart.reg(a0) + 1));
        CHECK(bench.hart.instructions() == 302);
        CHECK(bench.hart.cycle() == 2 + 19 + 100 * 4 + 99 * 13 + 11);
        CHECK(bench.hart.reg(a1) == 200);
    }
}

TEST_CASE("An interrupt is taken before the next instruction and costs a trap")
{
    Bench bench(distinct_costs());
    bench.put(0, {addi(a0, a0, 1), addi(a0, a0, 1)});
    bench.put(0x100, {addi(a1, a1, 1)});
    bench.hart.write_csr(riscv::csr_number::mtvec, ram + 0x100);
    bench.hart.write_csr(riscv::csr_number::mie, 0x80);
    bench.hart.write_csr(riscv::csr_number::mstatus, 8);
    bench.step();
    bench.hart.set_line(riscv::Interrupt::timer, true);
    CHECK(bench.step() == 41);
    CHECK(bench.hart.pc() == ram + 0x100);
    CHECK(bench.hart.read_csr(riscv::csr_number::mepc) == ram + 4);
    CHECK(bench.hart.read_csr(riscv::csr_number::mcause) == 0x80000007);
    CHECK(bench.hart.instructions() == 1);
}

TEST_CASE("Code changed from outside takes effect after the announcement")
{
    Bench bench;
    bench.put(0, {addi(a0, zero, 1), jal(zero, -4)});
    bench.hart.run(bench.hart.cycle() + 10);
    CHECK(bench.hart.reg(a0) == 1);
    bench.put(0, {addi(a0, zero, 2)});
    bench.hart.code_written(ram, 1); // The range may be any byte of the instruction.
    bench.hart.run(bench.hart.cycle() + 10);
    CHECK(bench.hart.reg(a0) == 2);
}

TEST_CASE("Changing the second half of an instruction is noticed, also in the next page")
{
    for (const std::uint32_t at : {0x100u, 0xFFEu}) {
        Bench bench;
        bench.put(at, {addi(a0, zero, 1), jal(zero, -4)});
        bench.hart.set_pc(ram + at);
        bench.hart.run(bench.hart.cycle() + 4);
        CHECK(bench.hart.reg(a0) == 1);
        bench.put(at, {addi(a0, zero, 2)});
        bench.hart.code_written(ram + at + 2, 2);
        bench.hart.run(bench.hart.cycle() + 4);
        CHECK(bench.hart.reg(a0) == 2);
    }
}

TEST_CASE("DMI memory is not accessed after it was withdrawn")
{
    Bench bench;
    std::vector<std::uint8_t> other(0x10000);
    bench.put(0, {lw(a0, s0, 0), jal(zero, -4)});
    bench.put(0x8000, {111});
    bench.hart.run(bench.hart.cycle() + 10);
    CHECK(bench.hart.reg(a0) == 111);
    // DMI now points to another memory, which has the same code but different data.
    const std::uint32_t data = 222;
    other = bench.port.bytes;
    std::memcpy(&other[0x8000], &data, 4);
    bench.port.bytes.swap(other);
    std::fill(other.begin(), other.end(), std::uint8_t{0});
    bench.hart.invalidate_dmi(ram + 0x8000, ram + 0x8000);
    bench.hart.invalidate_dmi(0, UINT64_MAX);
    bench.hart.run(bench.hart.cycle() + 10);
    CHECK(bench.hart.reg(a0) == 222);
}

TEST_CASE("An observer sees every instruction and access, and changes nothing")
{
    const std::vector<std::uint32_t> code{lw(a0, s0, 0), addi(a0, a0, 1), sw(a0, s0, 0),
                                          jal(zero, -12)};
    Bench plain(distinct_costs());
    Bench watched(distinct_costs());
    Recorder recorder;
    watched.hart.attach(&recorder);
    for (Bench* bench : {&plain, &watched}) {
        bench->put(0, code);
        bench->hart.run(3 * (5 + 2 + 7 + 17));
    }
    CHECK(watched.hart.cycle() == plain.hart.cycle());
    CHECK(watched.hart.instructions() == plain.hart.instructions());
    CHECK(watched.hart.reg(a0) == 3);
    CHECK(recorder.pcs.size() == 12);
    CHECK(recorder.pcs[3] == ram + 12);
    CHECK(recorder.cycles[4] == 31);
    CHECK(recorder.accesses.size() == 6);
    CHECK(recorder.accesses[1] == Recorder::Access{ram + 0x8000, 4, true});
}

TEST_CASE("An observer stops the hart before an instruction")
{
    Bench bench;
    Recorder recorder;
    recorder.breakpoint = ram + 4;
    bench.put(0, {addi(a0, a0, 1), addi(a0, a0, 1), jal(zero, -8)});
    bench.hart.attach(&recorder);
    CHECK(bench.hart.run(100) == riscv::Stop::observer);
    CHECK(bench.hart.pc() == ram + 4);
    CHECK(bench.hart.reg(a0) == 1);
    CHECK(bench.hart.instructions() == 1);
    recorder.breakpoint = 1;
    CHECK(bench.hart.run(100) == riscv::Stop::deadline);
    CHECK(bench.hart.cycle() == 100);
}

TEST_CASE("Stores to a guarded page are reported, and stores to other pages are not")
{
    Bench bench;
    bench.put(0, {sw(a0, s0, 0), sw(a0, s0, 0x7FC), addi(s0, s0, 0x7FC), sw(a0, s0, 0x7FC),
                  sw(a0, s0, 0x7FF), sw(a0, s0, 0)});
    bench.hart.guard((ram + 0x8000) >> 12, true);
    for (int i = 0; i < 5; ++i)
        bench.step();
    CHECK(bench.port.guarded_at ==
          std::vector<std::uint32_t>{ram + 0x8000, ram + 0x87FC, ram + 0x8FF8, ram + 0x8FFB});
    bench.hart.guard((ram + 0x8000) >> 12, false);
    bench.step();
    CHECK(bench.port.guarded_at.size() == 4);
}

TEST_CASE("Executing code written by a store is reported if fence.i is missing")
{
    Bench bench;
    bench.hart.set_reg(s0, ram);
    bench.hart.set_reg(a0, addi(a1, a1, 1));
    bench.put(0, {sw(a0, s0, 12), sw(a0, s0, 16), fence, ecall, ecall});
    for (int i = 0; i < 4; ++i)
        bench.step();
    CHECK(bench.port.stale_at == std::vector<std::uint32_t>{ram + 12});
    bench.hart.set_pc(ram);
    bench.put(8, {fence_i});
    bench.hart.code_written(ram + 8, 4);
    for (int i = 0; i < 5; ++i)
        bench.step();
    CHECK(bench.port.stale_at.size() == 1);
    CHECK(bench.hart.reg(a1) == 3);
}

TEST_CASE(
    "Executing another master's code without fence.i is reported, and old decoded code is used")
{
    Bench bench;
    const auto write = [&bench](std::uint32_t offset, std::uint32_t instruction) {
        bench.put(offset, {instruction});
        bench.hart.code_overwritten(ram + offset, 4);
    };
    bench.put(0, {addi(a0, a0, 1), addi(a0, a0, 1), jal(zero, -8), fence_i, jal(zero, -16)});
    bench.hart.run(30);
    const std::uint32_t before = bench.hart.reg(a0);
    write(4, addi(a0, a0, 100));
    write(4, addi(a0, a0, 100));
    bench.hart.run(bench.hart.cycle() + 30);
    CHECK(bench.hart.reg(a0) == before + 20);
    CHECK(bench.port.stale_at == std::vector<std::uint32_t>{ram + 4});
    bench.hart.set_pc(ram + 12); // Executes the fence.i.
    bench.hart.set_reg(a0, 0);
    for (int i = 0; i < 4; ++i)
        bench.step();
    CHECK(bench.hart.reg(a0) == 101);
    write(0x2000, addi(a0, zero, 7)); // This page has no code.
    bench.hart.set_pc(ram + 0x2000);
    bench.step();
    CHECK(bench.hart.reg(a0) == 7);
    CHECK(bench.port.stale_at == std::vector<std::uint32_t>{ram + 4, ram + 0x2000});
}

TEST_CASE("Half of an instruction that another master overwrites in the next page is reported")
{
    Bench bench;
    bench.put(0xffc, {0x0001'0001, 0, 0});
    const std::uint32_t straddling = addi(a0, a0, 1);
    std::memcpy(&bench.port.bytes[0xffe], &straddling, 4);
    bench.hart.set_pc(ram + 0xffe);
    bench.step();
    bench.hart.code_overwritten(ram + 0x1000, 2);
    bench.hart.set_pc(ram + 0xffe);
    bench.step();
    CHECK(bench.port.stale_at == std::vector<std::uint32_t>{ram + 0xffe});
    CHECK(bench.hart.reg(a0) == 2);
}

TEST_CASE("An observer sees an atomic operation as a read, then a write")
{
    Bench bench;
    Recorder seen;
    bench.hart.attach(&seen);
    bench.put(0, {amoadd(a1, a0, s0)});
    bench.step();
    const Recorder::Access read{ram + 0x8000, 4, false}, written{ram + 0x8000, 4, true};
    CHECK(seen.accesses == std::vector<Recorder::Access>{read, written});
}

TEST_CASE("A debugger reads from a counter the value that it has written")
{
    Bench bench;
    namespace csr = riscv::csr_number;
    REQUIRE(bench.hart.write_csr(csr::minstret, 100));
    REQUIRE(bench.hart.write_csr(csr::mcycle, 200));
    CHECK(bench.hart.read_csr(csr::minstret) == 100u);
    CHECK(bench.hart.read_csr(csr::mcycle) == 200u);
    REQUIRE(bench.hart.write_csr(csr::mcountinhibit, 4));
    CHECK(bench.hart.read_csr(csr::minstret) == 100u);
}

TEST_CASE("A bad configuration is refused by name")
{
    test::FlatPort port(ram, 0x1000);
    const auto message = [&](auto change) -> std::string {
        riscv::CoreConfig config;
        change(config);
        try {
            riscv::Hart hart(config, port);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(message([](auto&) {}) == "accepted");
    CHECK_THAT(message([](auto& c) { c.clock_hz = 0; }), Catch::Contains("clock_hz"));
    CHECK_THAT(message([](auto& c) { c.reset_pc = 1; }), Catch::Contains("reset_pc"));
    CHECK_THAT(message([](auto& c) { c.reset_pc = 1ull << 32; }), Catch::Contains("reset_pc"));
    CHECK_THAT(message([](auto& c) { c.quantum_cycles = 0; }), Catch::Contains("quantum_cycles"));
    CHECK_THAT(message([](auto& c) { c.costs.mul = 0; }), Catch::Contains("costs.mul"));
    CHECK_THAT(message([](auto& c) { c.costs.load = 65536; }), Catch::Contains("costs.load"));
    CHECK_THAT(message([](auto& c) { c.tohost = 0x80000004; }), Catch::Contains("tohost"));
}
