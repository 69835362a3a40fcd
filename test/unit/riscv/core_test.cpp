// SPDX-License-Identifier: Apache-2.0
// Tests the core in simulated time.
#include "test/support/child.hpp"
#include "test/unit/riscv/assembler.hpp"
#include "test/unit/riscv/machine.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;
using namespace levee::test::as;
using sc_core::sc_time;
using test::ram_base;

riscv::CoreConfig config_1ghz()
{
    riscv::CoreConfig config;
    config.reset_pc = ram_base;
    return config;
}

/// Writes a word of the core's memory and raises an interrupt, at times that are independent of the
/// core's.
class Peer : public sc_core::sc_module {
public:
    Peer(const sc_core::sc_module_name& name, test::Machine& machine, std::uint32_t word)
        : sc_module(name), machine_(machine), word_(word)
    {
        SC_HAS_PROCESS(Peer);
        SC_THREAD(run);
    }
    bool stopped = false;

private:
    void run()
    {
        for (std::uint32_t i = 1; !stopped; ++i) {
            wait(sc_time::from_value(137'003 + 1009 * (i % 97)));
            std::memcpy(&machine_.ram.bytes[word_], &i, 4);
            if (i % 5 == 0) {
                wait(sc_core::SC_ZERO_TIME); // The line follows the word one delta cycle later.
                machine_.plic.set_source(1, true);
            }
        }
    }
    test::Machine& machine_;
    std::uint32_t word_;
};

void append(std::vector<std::uint8_t>& bytes, std::uint64_t value)
{
    for (unsigned i = 0; i < 8; ++i)
        bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

/// Returns everything that the program `quantum` has done, as bytes.
std::vector<std::uint8_t> run_quantum_program(std::uint64_t quantum)
{
    const auto image = load_elf(std::filesystem::path(LEVEE_ISA_DIR) / "quantum.elf");
    riscv::CoreConfig config;
    config.clock_hz = 600'000'000;
    config.costs.mul = 3;
    config.costs.load = 2;
    config.costs.branch_taken = 2;
    config.quantum_cycles = quantum;
    config.reset_pc = image.entry;
    config.tohost = image.tohost;
    test::Machine machine(config);
    machine.load(image);
    std::uint32_t word = 0;
    for (const auto& symbol : image.symbols)
        if (symbol.name == "peer_word")
            word = symbol.address - ram_base;
    Peer peer("peer", machine, word);
    std::vector<std::uint8_t> seen;
    machine.device.on_write = [&](std::uint32_t offset, std::uint32_t value) {
        append(seen, sc_core::sc_time_stamp().value());
        append(seen, value);
        if (offset == 8)
            peer.stopped = true;
        if (offset == 12)
            machine.plic.set_source(value, false);
    };
    machine.device.on_read = [](std::uint32_t) {
        return static_cast<std::uint32_t>(sc_core::sc_time_stamp().value());
    };
    sc_core::sc_start(sc_time(10, sc_core::SC_MS));
    append(seen, static_cast<std::uint64_t>(machine.exit_code.value_or(-1)));
    append(seen, machine.core.cycles());
    append(seen, machine.core.instructions());
    append(seen, sc_core::sc_time_stamp().value());
    seen.insert(seen.end(), machine.ram.bytes.begin(), machine.ram.bytes.begin() + 0x10000);
    return seen;
}

} // namespace

TEST_CASE("Results do not depend on the quantum")
{
    const auto reference = test::in_child([] { return run_quantum_program(1); });
    for (const std::uint64_t quantum : {2, 17, 1000, 10'000, 1'000'000}) {
        INFO("quantum " << quantum);
        const auto other = test::in_child([=] { return run_quantum_program(quantum); });
        CHECK(other == reference);
    }
    // The last part of the results shows that the program has done its work.
    constexpr size_t tail = 0x10000 + 4 * 8;
    REQUIRE(reference.size() > tail);
    CHECK(reference[reference.size() - tail] == 0); // This is the exit code.
    const size_t device_writes = (reference.size() - tail) / 16;
    CHECK(device_writes > 45); // There are 40 rounds, the end, and external interrupts.
}

TEST_CASE("wfi ends at the first clock edge at or after the interrupt")
{
    auto config = config_1ghz();
    config.clock_hz = 300'000'000; // Clock edges are at 0, 3333, 6666, 10000 ps ...
    test::Machine machine(config);
    machine.load(
        {csrwi(riscv::csr_number::mie, 8), wfi, csrr(a0, riscv::csr_number::mcycle), jal(zero, 0)});
    sc_core::sc_start(sc_time(9'999'999, sc_core::SC_PS));
    CHECK(machine.core.instructions() == 2);
    machine.core.set_interrupt(riscv::Interrupt::software, true);
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    // 9,999,999 ps is after edge 2999 (9,996,666 ps), so the next edge is 3000.
    CHECK(machine.core.hart().reg(a0) == 3000);
}

TEST_CASE("A sleeping core causes no events")
{
    test::Machine machine(config_1ghz());
    machine.load({wfi, jal(zero, 0)});
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    const std::uint64_t deltas = sc_core::sc_delta_count();
    sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
    CHECK(sc_core::sc_delta_count() - deltas <= 1);
    CHECK(machine.core.instructions() == 1);
}

TEST_CASE("A bus access happens at the start of its instruction and adds its latency")
{
    auto config = config_1ghz();
    config.costs.store = 4;
    test::Machine machine(config);
    std::vector<std::uint64_t> times;
    machine.device.on_write = [&](std::uint32_t, std::uint32_t) {
        times.push_back(sc_core::sc_time_stamp().value());
    };
    // Each line shows when its store begins; the two lui take 0 to 2 ns.
    machine.load({lui(a0, test::Machine::device_base), lui(a1, test::slow_base),
                  sw(a0, a0, 0), // This store is at 2 ns.
                  sw(a0, a1, 0), // The store begins at 6 ns and takes 50 ns more.
                  sw(a0, a0, 0), // This store is at 60 ns.
                  sw(a0, s0, 0), // This store uses DMI and takes 4 ns.
                  sw(a0, a0, 0), // This store is at 68 ns.
                  csrr(a2, riscv::csr_number::mcycle), jal(zero, 0)});
    machine.core.hart().set_reg(s0, ram_base + 0x1000);
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK(times == std::vector<std::uint64_t>{2000, 60'000, 68'000});
    CHECK(machine.core.hart().reg(a2) == 72);
}

TEST_CASE("The timer interrupt is taken at the first boundary at or after its time")
{
    auto config = config_1ghz();
    config.costs.div = 30;
    test::Machine machine(config);
    machine.core.hart().write_csr(riscv::csr_number::mtvec, ram_base + 0x100);
    machine.core.hart().write_csr(riscv::csr_number::mie, 0x80);
    machine.core.hart().write_csr(riscv::csr_number::mstatus, 8);
    machine.core.hart().set_reg(a0, test::clint_base + 0x4000);
    // mtime counts at 10 MHz, so it reaches 5 at 500 ns.
    machine.load(
        {addi(a1, zero, 5), sw(a1, a0, 0), sw(zero, a0, 4), div(a2, a2, a1), jal(zero, -4)});
    machine.load({csrr(a2, riscv::csr_number::mcycle), jal(zero, 0)}, 0x100);
    sc_core::sc_start(sc_time(2, sc_core::SC_US));
    // Divisions start at 3, 34, 65, ... = 3 + 31 k, and each jump starts 30 later. The first
    // instruction boundary at or after 500 is 3 + 31 * 16 + 30.
    CHECK(machine.core.hart().reg(a2) == 499 + 30 + 1);
}

TEST_CASE("DMI is withdrawn and granted again while the core runs")
{
    auto config = config_1ghz();
    // sc_start returned without an event, so the core may be ahead by up to a quantum.
    config.quantum_cycles = 10;
    test::Machine machine(config);
    machine.load({lw(a0, s0, 0), addi(a1, a1, 1), jal(zero, -8)});
    machine.core.hart().set_reg(s0, ram_base + 0x2000);
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK(machine.ram.transactions == 0);
    machine.ram.granted = {0, 0x1FFF}; // The grant covers only the code, not the data.
    machine.ram.socket->invalidate_direct_mem_ptr(0x2000, machine.ram.bytes.size() - 1);
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    const unsigned by_bus = machine.ram.transactions;
    CHECK(by_bus > 100);
    machine.ram.granted.reset();
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK(machine.ram.transactions <= by_bus + 1); // the memory's response says that DMI is
                                                   // possible.
    CHECK(machine.core.hart().reg(a1) > 600);
}

TEST_CASE("tohost ends the run at the exact time of the store")
{
    auto config = config_1ghz();
    config.tohost = ram_base + 0x1000;
    test::Machine machine(config);
    machine.load({addi(a0, zero, 2 * 200 + 1), addi(a1, a1, 1), sw(zero, s0, 0), sw(a0, s0, 0),
                  sw(a1, s0, 8)});
    machine.core.hart().set_reg(s0, ram_base + 0x1000);
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK(machine.exit_code == 200);
    CHECK(sc_core::sc_time_stamp() == sc_time(3, sc_core::SC_NS));
    CHECK(machine.word(0x1008) == 0); // Nothing after the store has executed.
    CHECK(machine.core.instructions() == 4);
}

TEST_CASE(
    "An exit code that may be half of a character request ends the run some instructions later")
{
    auto config = config_1ghz();
    config.tohost = ram_base + 0x1000;
    test::Machine machine(config);
    machine.load({addi(a0, zero, 2 * 21 + 1), sw(a0, s0, 0)}); // Only traps follow from here on.
    machine.core.hart().set_reg(s0, ram_base + 0x1000);
    sc_core::sc_start(sc_time(10, sc_core::SC_US));
    CHECK(machine.exit_code == 21);
}

TEST_CASE("An HTIF request other than an exit is an error")
{
    auto config = config_1ghz();
    config.tohost = ram_base + 0x1000;
    test::Machine machine(config);
    machine.load({addi(a0, zero, 64), sw(a0, s0, 0)});
    machine.core.hart().set_reg(s0, ram_base + 0x1000);
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK_FALSE(machine.exit_code.has_value());
    CHECK_THAT(machine.error, Catch::Contains("HTIF"));
}

TEST_CASE("A stopped core executes nothing more")
{
    test::Machine machine(config_1ghz());
    machine.load({addi(a1, a1, 1), sw(a1, s0, 0), addi(a1, a1, 1), jal(zero, 0)});
    machine.core.hart().set_reg(s0, test::Machine::device_base);
    machine.device.on_write = [&](std::uint32_t, std::uint32_t) { machine.core.stop(); };
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK(machine.core.instructions() == 2);
    CHECK(machine.core.hart().reg(a1) == 1);
}

TEST_CASE("While a debugger stops the core and accesses memory, no time passes")
{
    class Breakpoint : public riscv::Observer {
    public:
        bool before_instruction(std::uint32_t pc, std::uint64_t) override { return pc != address; }
        void after_access(std::uint32_t, std::uint32_t, bool) override {}
        std::uint32_t address = ram_base + 4;
    } breakpoint;
    test::Machine machine(config_1ghz());
    machine.load({addi(a0, a0, 1), addi(a0, a0, 2), jal(zero, 0)});
    sc_time stopped_at;
    unsigned stops = 0;
    machine.core.attach(&breakpoint, [&] {
        ++stops;
        stopped_at = sc_core::sc_time_stamp();
        CHECK(machine.core.hart().reg(a0) == 1);
        std::uint8_t bytes[4];
        CHECK(machine.core.debug_read(ram_base + 4, bytes) == 4);
        const std::uint32_t patched = addi(a0, a0, 40);
        std::memcpy(bytes, &patched, 4);
        CHECK(machine.core.debug_write(ram_base + 4, bytes) == 4);
        CHECK(machine.core.debug_read(0x3000'0000, bytes) == 0);
        machine.core.attach(nullptr, {});
    });
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK(stops == 1);
    CHECK(stopped_at == sc_time(1, sc_core::SC_NS));
    CHECK(machine.core.hart().reg(a0) == 41);
}

TEST_CASE("A requested stop finds a sleeping core at once, and setting the pc ends its sleep")
{
    test::Machine machine(config_1ghz());
    machine.load({wfi, jal(zero, 0), addi(a1, a1, 1), jal(zero, 0)});
    std::vector<sc_time> stops;
    machine.core.attach(nullptr, [&] {
        stops.push_back(sc_core::sc_time_stamp());
        CHECK(machine.core.hart().sleeping());
        if (stops.size() == 2)
            machine.core.hart().set_pc(ram_base + 8);
    });
    for (int i = 0; i < 2; ++i) {
        sc_core::sc_start(sc_time(100, sc_core::SC_NS));
        machine.core.request_stop();
    }
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    CHECK(stops == std::vector{sc_time(100, sc_core::SC_NS), sc_time(200, sc_core::SC_NS)});
    CHECK(machine.core.hart().reg(a1) == 1);
}
