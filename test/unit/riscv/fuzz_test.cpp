// SPDX-License-Identifier: Apache-2.0
// Compares the hart with Unicorn, an independent implementation, on random RV32IMAC programs. Also
// runs the hart alone on random bytes.
#include "test/unit/riscv/flat_port.hpp"
#include "test/unit/riscv/instruction_stream.hpp"

#include <catch2/catch.hpp>
#include <unicorn/unicorn.h>

#include <array>
#include <memory>

namespace {

using namespace levee;

constexpr std::uint32_t ram = 0x8000'0000;
constexpr std::uint32_t ram_bytes = 8 << 20;
constexpr std::uint32_t data_offset = ram_bytes - 0x4000;
constexpr std::uint32_t data_bytes = 0x4000;

using Registers = std::array<std::uint32_t, 32>;

class Oracle {
public:
    Oracle()
    {
        if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_) != UC_ERR_OK)
            throw std::runtime_error("Unicorn does not start");
        uc_mem_map(engine_, ram, ram_bytes, UC_PROT_ALL);
    }
    ~Oracle() { uc_close(engine_); }
    Oracle(const Oracle&) = delete;
    Oracle& operator=(const Oracle&) = delete;

    void write(std::uint32_t offset, const std::vector<std::uint8_t>& bytes)
    {
        uc_mem_write(engine_, ram + offset, bytes.data(), bytes.size());
    }
    uc_err run(std::uint32_t begin, std::uint32_t end, Registers& x)
    {
        for (unsigned i = 1; i < 32; ++i)
            uc_reg_write(engine_, UC_RISCV_REG_X0 + static_cast<int>(i), &x[i]);
        const uc_err error = uc_emu_start(engine_, begin, end, 0, 100'000);
        for (unsigned i = 1; i < 32; ++i)
            uc_reg_read(engine_, UC_RISCV_REG_X0 + static_cast<int>(i), &x[i]);
        return error;
    }
    std::vector<std::uint8_t> data()
    {
        std::vector<std::uint8_t> bytes(data_bytes);
        uc_mem_read(engine_, ram + data_offset, bytes.data(), bytes.size());
        return bytes;
    }

private:
    uc_engine* engine_ = nullptr;
};

Registers random_registers(test::InstructionStream& stream)
{
    Registers x{};
    for (unsigned i = 1; i < 32; ++i)
        x[i] = stream.word();
    x[2] = ram + data_offset + 0x800;
    x[8] = ram + data_offset + 0x1800;
    x[9] = ram + data_offset + 0x2800;
    return x;
}

/// Runs until the pc is `end`. Returns false if it does not get there.
bool run_hart(riscv::Hart& hart, std::uint32_t begin, std::uint32_t end, Registers& x)
{
    for (unsigned i = 1; i < 32; ++i)
        hart.set_reg(i, x[i]);
    hart.set_pc(begin);
    for (unsigned i = 0; i < 100'000 && hart.pc() != end; ++i)
        hart.run(hart.cycle() + 1); // Runs one instruction at a time, so that the hart stops at
                                    // `end`.
    for (unsigned i = 1; i < 32; ++i)
        x[i] = hart.reg(i);
    return hart.pc() == end;
}

/// A hart with small caches, whose memory is on a bus.
struct CachedHart {
    test::FlatPort port{ram, ram_bytes, false};
    riscv::Hart hart{config(), port};

    static riscv::CoreConfig config()
    {
        riscv::CoreConfig config;
        config.icache = riscv::CacheConfig{256, 16, 2};
        config.dcache = riscv::CacheConfig{192, 16, 3};
        config.cacheable = {{ram, ram_bytes}};
        return config;
    }
    void write(std::uint32_t at, std::span<const std::uint8_t> code)
    {
        std::copy(code.begin(), code.end(), port.bytes.begin() + at);
        hart.debug_wrote(ram + at, code);
    }
    /// Returns the memory contents including dirty cache lines.
    std::vector<std::uint8_t> bytes()
    {
        std::vector<std::uint8_t> seen = port.bytes;
        hart.debug_read(ram, seen);
        return seen;
    }
};

} // namespace

TEST_CASE("Random programs end in the same state as in Unicorn")
{
    constexpr unsigned programs = 4000;
    constexpr unsigned pieces = 60;
    test::InstructionStream stream(20240607);
    test::FlatPort port(ram, ram_bytes);
    riscv::Hart hart({}, port);
    CachedHart cached;
    Oracle oracle;
    std::uint32_t at = 0;
    for (unsigned program = 0; program < programs; ++program) {
        const auto code = stream.generate(pieces);
        REQUIRE(at + code.size() + 4 < data_offset);
        std::copy(code.begin(), code.end(), port.bytes.begin() + at);
        hart.code_written(ram + at, static_cast<std::uint32_t>(code.size()));
        cached.write(at, code);
        oracle.write(at, code);
        Registers expected = random_registers(stream);
        Registers actual = expected, through_caches = expected;
        const std::uint32_t begin = ram + at;
        const std::uint32_t end = begin + static_cast<std::uint32_t>(code.size());
        INFO("program " << program << " at 0x" << std::hex << begin);
        REQUIRE(oracle.run(begin, end, expected) == UC_ERR_OK);
        REQUIRE(run_hart(hart, begin, end, actual));
        REQUIRE(actual == expected);
        REQUIRE(run_hart(cached.hart, begin, end, through_caches));
        REQUIRE(through_caches == expected);
        at = (at + static_cast<std::uint32_t>(code.size()) + 7) & ~1u;
        if (program % 50 == 49) {
            REQUIRE(std::equal(port.bytes.begin() + data_offset, port.bytes.end(),
                               oracle.data().begin()));
            REQUIRE(std::equal(port.bytes.begin() + data_offset, port.bytes.end(),
                               cached.bytes().begin() + data_offset));
        }
    }
    CHECK(hart.instructions() > 100'000);
    WARN(hart.instructions() << " instructions compared");
}

TEST_CASE("Random bytes executed as code trap or run, and never end the simulation")
{
    constexpr std::uint32_t small = 0x10000;
    test::InstructionStream stream(7);
    test::FlatPort port(ram, small);
    for (std::uint8_t& byte : port.bytes)
        byte = static_cast<std::uint8_t>(stream.word());
    riscv::CoreConfig config;
    config.reset_pc = ram;
    riscv::Hart hart(config, port);
    for (unsigned i = 0; i < 20'000; ++i) {
        hart.set_pc(ram + stream.any(small));
        for (unsigned r = 1; r < 32; ++r)
            hart.set_reg(r, stream.any(4) == 0 ? stream.word() : ram + stream.any(small));
        hart.write_csr(riscv::csr_number::mtvec, (ram + stream.any(small)) & ~3u);
        const std::uint64_t until = hart.cycle() + 50;
        for (unsigned runs = 0; hart.cycle() < until && runs < 1000; ++runs)
            hart.run(until);
        REQUIRE(hart.cycle() >= until);
        REQUIRE(hart.reg(0) == 0);
    }
}
