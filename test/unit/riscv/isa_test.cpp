// SPDX-License-Identifier: Apache-2.0
// Runs the programs of test/firmware/isa on a core with memory, CLINT and PLIC.
#include "test/support/child.hpp"
#include "test/unit/riscv/machine.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;

int run_program(const std::string& name, riscv::CoreConfig config = {})
{
    const auto image = load_elf(std::filesystem::path(LEVEE_ISA_DIR) / (name + ".elf"));
    config.reset_pc = image.entry;
    config.tohost = image.tohost;
    test::Machine machine(config);
    machine.load(image);
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
    CHECK(machine.error.empty());
    REQUIRE(machine.exit_code.has_value());
    return *machine.exit_code;
}

} // namespace

TEST_CASE("ISA program alu")
{
    CHECK(run_program("alu") == 0);
}
TEST_CASE("ISA program boot")
{
    CHECK(run_program("boot") == 0);
}
TEST_CASE("ISA program muldiv")
{
    CHECK(run_program("muldiv") == 0);
}
TEST_CASE("ISA program memory")
{
    CHECK(run_program("memory") == 0);
}
TEST_CASE("ISA program control")
{
    CHECK(run_program("control") == 0);
}
TEST_CASE("ISA program atomic")
{
    CHECK(run_program("atomic") == 0);
}
TEST_CASE("ISA program compressed")
{
    CHECK(run_program("compressed") == 0);
}
TEST_CASE("ISA program csr")
{
    CHECK(run_program("csr") == 0);
}
TEST_CASE("ISA program counters")
{
    CHECK(run_program("counters") == 0);
}
TEST_CASE("ISA program traps")
{
    CHECK(run_program("traps") == 0);
}
TEST_CASE("ISA program fetch_edge")
{
    CHECK(run_program("fetch_edge") == 0);
}
TEST_CASE("ISA program misaligned")
{
    CHECK(run_program("misaligned") == 0);
}
TEST_CASE("ISA program interrupts")
{
    CHECK(run_program("interrupts") == 0);
}
TEST_CASE("ISA program selfmodify")
{
    CHECK(run_program("selfmodify") == 0);
}
TEST_CASE("ISA program slow_memory")
{
    CHECK(run_program("slow_memory") == 0);
}

TEST_CASE("ISA program misaligned_trap, with misaligned accesses configured to trap")
{
    riscv::CoreConfig config;
    config.misaligned_traps = true;
    CHECK(run_program("misaligned_trap", config) == 0);
}

TEST_CASE("A failing ISA program ends with the number of its check")
{
    CHECK(run_program("fails") == 42);
}

namespace {

class Silent : public riscv::Observer {
public:
    bool before_instruction(std::uint32_t, std::uint64_t) override { return true; }
    void after_access(std::uint32_t, std::uint32_t, bool) override {}
};

/// The kind of memory that holds the program and its data.
enum class Memory { Dmi, Cached };

/// Returns a program's exit code, instructions, cycles, end time and cache counts.
std::vector<std::uint8_t> summary(const std::string& name, std::uint64_t quantum, bool observed,
                                  Memory memory = Memory::Dmi)
{
    const auto image = load_elf(std::filesystem::path(LEVEE_ISA_DIR) / (name + ".elf"));
    riscv::CoreConfig config;
    config.reset_pc = image.entry;
    config.tohost = image.tohost;
    config.quantum_cycles = quantum;
    config.costs.load = 2;
    config.costs.branch_taken = 3;
    if (memory == Memory::Cached) {
        config.icache = riscv::CacheConfig{256, 16, 2};
        config.dcache = riscv::CacheConfig{96, 16, 3};
        config.cacheable = {{test::ram_base, 1 << 20, 31.25}};
    }
    test::Machine machine(config);
    machine.load(image);
    if (memory == Memory::Cached) {
        machine.ram.grants_dmi = false;
        machine.ram.latency = sc_core::sc_time(70, sc_core::SC_NS);
    }
    Silent observer;
    if (observed)
        machine.core.attach(&observer, {});
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
    const std::uint64_t figures[] = {static_cast<std::uint64_t>(machine.exit_code.value_or(-1)),
                                     machine.core.instructions(),
                                     machine.core.cycles(),
                                     sc_core::sc_time_stamp().value(),
                                     machine.core.hart().icache_counts().accesses,
                                     machine.core.hart().icache_counts().misses,
                                     machine.core.hart().icache_counts().filled_bytes,
                                     machine.core.hart().dcache_counts().accesses,
                                     machine.core.hart().dcache_counts().misses,
                                     machine.core.hart().dcache_counts().written_bytes,
                                     machine.ram.transactions};
    std::vector<std::uint8_t> bytes(sizeof figures);
    std::memcpy(bytes.data(), figures, sizeof figures);
    return bytes;
}

} // namespace

TEST_CASE("ISA programs take the same time at any quantum and under observation")
{
    for (const std::string name : {"alu", "atomic", "compressed", "control", "interrupts", "memory",
                                   "selfmodify", "slow_memory", "traps"}) {
        INFO(name);
        const auto reference = test::in_child([&] { return summary(name, 10'000, false); });
        CHECK(test::in_child([&] { return summary(name, 1, false); }) == reference);
        CHECK(test::in_child([&] { return summary(name, 10'000, true); }) == reference);
        CHECK(reference[0] == 0);
    }
}

TEST_CASE("ISA programs in cached memory end with code 0, with any quantum or observer")
{
    // The list excludes csr, which expects a misa without caches, and fetch_edge, which executes
    // stored code without a fence.i.
    for (const char* name : {"alu", "boot", "muldiv", "memory", "atomic", "compressed", "control",
                             "misaligned", "selfmodify", "traps"}) {
        const auto reference =
            test::in_child([=] { return summary(name, 1, false, Memory::Cached); });
        INFO("program " << name);
        std::uint64_t figures[11];
        REQUIRE(reference.size() == sizeof figures);
        std::memcpy(figures, reference.data(), sizeof figures);
        CHECK(figures[0] == 0);              // This is the exit code.
        CHECK(figures[4] >= figures[1]);     // Every instruction is fetched through the cache.
        CHECK(figures[5] > 0);               // This is the number of misses.
        CHECK(figures[10] < figures[1] / 2); // Without hits there would be more transactions.
        for (const std::uint64_t quantum : {17, 10'000})
            for (const bool observed : {false, true}) {
                INFO("quantum " << quantum << (observed ? ", observed" : ""));
                const auto other = test::in_child(
                    [=] { return summary(name, quantum, observed, Memory::Cached); });
                CHECK(other == reference);
            }
    }
}
