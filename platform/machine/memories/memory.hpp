// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_observer.hpp"
#include "ip/edram/array.hpp"
#include "platform/machine/blocks/block.hpp"

#include <algorithm>
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
    // Where it has a controller with registers:
    tlm::tlm_target_socket<>* registers = nullptr;
    const RegisterFile* register_file = nullptr;
    FlowObserver* flow_observer = nullptr; ///< must see how resources are shared
    // Empty where there is nothing to see:
    std::function<edram::GroupCounts()> refreshed_rows; ///< until now, by refresh group
    std::function<void(edram::FailureSink)> observe_failures;
    std::function<void(edram::LifetimeSink)> observe_lifetimes;
};

/// A memory's configuration, read.
struct MemoryPlan {
    MemoryPlace place = MemoryPlace::OnChip;
    std::uint64_t size_bytes = 0;       ///< of the data
    std::uint64_t installed_bytes = 0;  ///< of them, where there are fewer than addresses; else 0
    std::uint64_t mapped_bytes = 0;     ///< with what lies behind them; 0: nothing does
    std::uint64_t bytes_per_second = 0; ///< peak
    std::vector<Parameter> parameters;
    /// Its controller's registers; LEVEE_BLOCK_NONE: it has none.
    levee_block_type controller = LEVEE_BLOCK_NONE;
    /// `seed`: of what is drawn at random.
    std::function<Memory(const std::string& name, std::uint32_t seed)> make;

    [[nodiscard]] std::uint64_t mapped() const { return std::max(size_bytes, mapped_bytes); }
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
[[nodiscard]] MemoryType edram_type();

} // namespace levee
