#pragma once

#include "platform/blocks/block.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// Where the address map puts a memory.
enum class MemoryPlace { TightlyCoupled, OnChip, OffChip };

/// A memory in a system, whatever its type.
struct Memory {
    std::unique_ptr<sc_core::sc_module> module;
    tlm::tlm_target_socket<>* port = nullptr;
    /// Puts bytes there before the run. The range must lie inside.
    std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)> load;
    std::function<void(Stats&)> report;
};

/// A memory's configuration, read.
struct MemoryPlan {
    MemoryPlace place = MemoryPlace::OnChip;
    std::uint64_t size_bytes = 0;
    std::uint64_t bytes_per_second = 0; ///< peak
    std::vector<Parameter> parameters;
    std::function<Memory(const std::string& name)> make;
};

/// A kind of memory: one file in this folder, one line in registry.cpp.
struct MemoryType {
    std::string name; ///< in scenarios: `type: dram`
    /// Reads the memory's own keys; the caller finishes the reader.
    std::function<MemoryPlan(config::MapReader&)> read;
};

[[nodiscard]] const std::vector<MemoryType>& memory_types();

// The types, one file each (sram.cpp has both of the first).
[[nodiscard]] MemoryType tcm_type();
[[nodiscard]] MemoryType sram_type();
[[nodiscard]] MemoryType dram_type();

} // namespace levee
