// SPDX-License-Identifier: Apache-2.0
// A bench for each part of a command queue alone, in a system whose only queue is idle.
#pragma once

#include "test/unit/blocks/bench.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace levee::test {

/// An executor that does nothing. The stream of field 0x50 reads its operand 0.
class Idle : public Executor {
public:
    static constexpr std::uint32_t operand_field = 0x50;

private:
    void prepare(const levee_descriptor&, Operation&) override
    {
        throw CommandFault{LEVEE_ERROR_OPCODE, 0};
    }
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override
    {
        return field == operand_field ? std::optional(0u) : std::nullopt;
    }
};

inline constexpr Declaration idle_declaration{.type = "idle", .operation_bytes = 24};

/// A module whose socket the accesses use.
struct Block : sc_core::sc_module {
    Block(const sc_core::sc_module_name& name, DataMode data)
        : sc_module(name), access("block", data)
    {
    }
    MemoryAccess access;
};

struct Parts : Bench {
    explicit Parts(DataMode data = DataMode::Functional)
        : Bench("bench", {{"port", 1'000'000'000, 7'000}}), block("block", data)
    {
        connect(queue);
        access.memory.bind(bus.initiators);
    }

    Idle idle;
    CommandQueue queue{"queue", queue_config, idle_declaration, idle, fabric};
    CommandObservers observers{queue};
    Block block;
    MemoryAccess& access = block.access;
};

inline AccessPattern bytes_at(std::uint64_t address, std::uint64_t bytes)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = bytes;
    return pattern;
}

/// Returns "code@field" of the CommandFault that `what` throws, or "" if it throws none.
inline std::string fault_of(const std::function<void()>& what)
{
    try {
        what();
    } catch (const CommandFault& fault) {
        return std::to_string(fault.code) + "@" + std::to_string(fault.field);
    }
    return "";
}

inline std::string fault(levee_command_error code, std::size_t field)
{
    return std::to_string(code) + "@" + std::to_string(field);
}

} // namespace levee::test
