// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/unit/riscv/assembler.hpp"
#include "test/unit/riscv/flat_port.hpp"

namespace levee::test {

constexpr std::uint32_t ram = 0x8000'0000;

/// A hart and its memory. s0 points to the middle of the memory.
struct Bench {
    FlatPort port;
    riscv::Hart hart;

    static riscv::CoreConfig config(riscv::CycleCosts costs)
    {
        riscv::CoreConfig result;
        result.costs = costs;
        result.reset_pc = ram;
        return result;
    }
    /// With `dmi` the memory is accessed by DMI, otherwise over a bus.
    explicit Bench(riscv::CycleCosts costs = {}, bool dmi = true)
        : port(ram, 0x10000, dmi), hart(config(costs), port)
    {
        hart.set_reg(as::s0, ram + 0x8000);
    }
    void put(std::uint32_t offset, const std::vector<std::uint32_t>& code)
    {
        std::memcpy(&port.bytes[offset], code.data(), 4 * code.size());
    }
    // Executes one instruction and returns its cost.
    std::uint64_t step()
    {
        const std::uint64_t before = hart.cycle();
        hart.run(before + 1);
        return hart.cycle() - before;
    }
    std::uint64_t cost_of(std::uint32_t instruction)
    {
        put(0, {instruction});
        hart.code_written(ram, 4);
        hart.set_pc(ram);
        return step();
    }
};

/// An observer that records events and stops before the instruction at `breakpoint`.
class Recorder : public riscv::Observer {
public:
    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override
    {
        pcs.push_back(pc);
        cycles.push_back(cycle);
        return pc != breakpoint;
    }
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override
    {
        accesses.push_back({address, size, write});
    }
    struct Access {
        std::uint32_t address;
        std::uint32_t size;
        bool write;
        bool operator==(const Access&) const = default;
    };
    std::vector<std::uint32_t> pcs;
    std::vector<std::uint64_t> cycles;
    std::vector<Access> accesses;
    std::uint32_t breakpoint = 1;
};

} // namespace levee::test
