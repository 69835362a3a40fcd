// SPDX-License-Identifier: Apache-2.0
// Tests the shadow call stack with short programs on the hart.
#include "platform/observe/trace/call_tracker.hpp"
#include "test/unit/riscv/assembler.hpp"
#include "test/unit/riscv/flat_port.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;
using namespace levee::test::as;

constexpr std::uint32_t ram = 0x8000'0000, ra = 1, mtvec = 0x305, mie = 0x304, mstatus = 0x300;

std::uint32_t jalr(std::uint32_t rd, std::uint32_t rs1)
{
    return i(0x67, 0, rd, rs1, 0);
}
const std::uint32_t ret = jalr(zero, ra);

/// Logs entered (+) and left (-) functions with their cycle, such as "+main@0 +f@3 -@5".
struct Log : trace::CallListener {
    std::string text;
    void enter(const trace::Function& function, std::uint64_t cycle) override
    {
        text += "+" + function.name + "@" + std::to_string(cycle) + " ";
    }
    void leave(std::uint64_t cycle) override { text += "-@" + std::to_string(cycle) + " "; }
};

struct Machine {
    test::FlatPort port{ram, 0x1000};
    riscv::Hart hart;
    trace::Symbols symbols{{{ram, 0x40, "main"},
                            {ram + 0x40, 0x40, "f"},
                            {ram + 0x80, 0x40, "g"},
                            {ram + 0xC0, 0, "handler"},
                            {ram + 0x100, 0x40, "after"}}};
    Log log;
    trace::CallTracker tracker{hart, symbols, log};

    static riscv::CoreConfig config()
    {
        riscv::CoreConfig result;
        result.reset_pc = ram;
        return result;
    }
    Machine() : hart(config(), port) { hart.attach(&tracker); }
    void put(std::uint32_t offset, const std::vector<std::uint32_t>& code)
    {
        std::memcpy(&port.bytes[offset], code.data(), 4 * code.size());
    }
    std::string run(std::uint64_t cycles)
    {
        while (hart.cycle() < cycles)
            if (hart.run(cycles) == riscv::Stop::wfi)
                break;
        return log.text;
    }
};

} // namespace

TEST_CASE("calls and returns by either link register are tracked")
{
    Machine machine;
    constexpr std::uint32_t t0_link = 5;
    machine.put(0, {jal(ra, 0x40), jal(t0_link, 0x80 - 4), jal(zero, 0)});
    machine.put(0x40, {addi(a0, a0, 1), ret});
    machine.put(0x80, {jalr(zero, t0_link)});
    CHECK(machine.run(6) == "+main@0 +f@1 -@3 +g@4 -@5 ");
    machine.tracker.finish(9);
    CHECK(machine.log.text == "+main@0 +f@1 -@3 +g@4 -@5 -@9 ");
}

TEST_CASE("a tail call takes its caller's place and returns for it")
{
    Machine machine;
    machine.put(0, {jal(ra, 0x40), addi(a0, a0, 1), jal(zero, 0)});
    machine.put(0x40, {jal(zero, 0x40)});
    machine.put(0x80, {ret});
    CHECK(machine.run(4) == "+main@0 +f@1 -@2 +g@2 -@3 ");
}

TEST_CASE("recursion has a frame for each call")
{
    Machine machine;
    machine.put(0, {addi(a0, zero, 2), jal(ra, 0x3C), jal(zero, 0)});
    machine.put(0x40, {addi(a0, a0, -1), beq(a0, zero, 16), addi(s0, ra, 0), jal(ra, -12),
                       addi(ra, s0, 0), ret});
    CHECK(machine.run(12) == "+main@0 +f@2 +f@6 -@9 -@11 ");
}

TEST_CASE("a trap is tracked as a call, and mret as its return, at any place")
{
    Machine machine;
    machine.put(
        0, {lui(t0, ram), addi(t0, t0, 0xC0), csrw(mtvec, t0), jal(ra, 0x40 - 12), jal(zero, 0)});
    machine.put(0x40, {ecall, ret});
    // mepc += 4
    machine.put(0xC0, {csrr(t1, 0x341), addi(t1, t1, 4), csrw(0x341, t1), mret});
    CHECK(machine.run(11) == "+main@0 +f@4 +handler@5 -@9 -@10 ");
}

TEST_CASE("an interrupt between a call and its first instruction loses neither")
{
    Machine machine;
    machine.put(0, {lui(t0, ram), addi(t0, t0, 0xC0), csrw(mtvec, t0), addi(t0, zero, 8),
                    csrw(mie, t0), csrwi(mstatus, 8), jal(ra, 0x40 - 24), jal(zero, 0)});
    machine.put(0x40, {addi(a0, a0, 1), ret});
    machine.put(0xC0, {csrw(mie, zero), mret});
    machine.run(7); // Runs up to and including the call.
    machine.hart.set_line(riscv::Interrupt::software, true);
    CHECK(machine.run(14) == "+main@0 +f@7 +handler@8 -@10 -@12 ");
}

TEST_CASE("sleep is a separate function, called by the function that executed wfi")
{
    Machine machine;
    machine.put(0, {addi(t0, zero, 8), csrw(mie, t0), wfi, addi(a0, a0, 1), jal(zero, 0)});
    machine.run(100);
    CHECK(machine.hart.cycle() == 3);
    // mstatus.MIE is 0, so wfi ends without taking the interrupt.
    machine.hart.set_line(riscv::Interrupt::software, true);
    machine.hart.set_cycle(50);
    machine.run(52);
    CHECK(machine.log.text == "+main@0 +[waiting for an interrupt]@3 -@50 ");
}

TEST_CASE("a program that ends asleep has slept until the end")
{
    Machine machine;
    machine.put(0, {wfi});
    machine.run(100);
    machine.tracker.finish(70);
    CHECK(machine.log.text == "+main@0 +[waiting for an interrupt]@1 -@70 -@70 ");
}

TEST_CASE("every address belongs to a function, which has the better known of several names")
{
    const trace::Symbols symbols({{0x100, 0, "$x"},
                                  {0x100, 0, "__text_start"},
                                  {0x100, 0x20, "first"},
                                  {0x110, 0, "label_inside"},
                                  {0x130, 0, "loose"},
                                  {0x140, 0, "__edge"},
                                  {0x140, 0, "_start"}});
    CHECK(symbols.locate(0x0FE) == "??");
    CHECK(symbols.locate(0x100) == "first");
    CHECK(symbols.locate(0x10E) == "first+0xe");
    CHECK(symbols.locate(0x11E) == "first+0x1e");
    CHECK(symbols.locate(0x120) == "??");
    CHECK(symbols.locate(0x134) == "loose+0x4");
    CHECK(symbols.locate(0x144) == "_start+0x4");
    CHECK(symbols.at(0xFFFF'FFFE).name == "_start");
}
