// The programs of test/firmware/isa on a core with memory, CLINT and PLIC.
#include "test/unit/riscv/machine.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;

int run_program(const std::string& name, riscv::CoreConfig config = {})
{
    const auto image = riscv::load_elf(std::filesystem::path(LEVEE_ISA_DIR) / (name + ".elf"));
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
