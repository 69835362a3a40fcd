// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/observe/debug/queue_view.hpp"
#include "platform/observe/trace/symbols.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::debug {

/// A halted system by names: its components, their registers and queues, its memory. Used by the
/// monitor's commands and by scripts.
class MachineView {
public:
    /// All arguments must outlive the simulation; construct before it starts.
    MachineView(System& system, const SystemPlan& plan, const riscv::ElfImage& program);

    [[nodiscard]] System& system() const { return system_; }
    [[nodiscard]] const SystemPlan& plan() const { return plan_; }
    [[nodiscard]] const trace::Symbols& symbols() const { return symbols_; }
    [[nodiscard]] const riscv::ElfImage& program() const { return *program_; }
    /// All named functions and data of the program.
    [[nodiscard]] const std::vector<riscv::ElfSymbol>& named() const { return program_->symbols; }
    /// Another program, which must outlive the simulation, runs from now on.
    void follow(const riscv::ElfImage& program)
    {
        program_ = &program;
        symbols_.replace(program.symbols);
    }

    /// Index of a component in the plan.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& component) const;
    /// View of a component's queue; null without one.
    [[nodiscard]] QueueView* queue(std::size_t component) const { return queues_[component].get(); }
    /// The unit with the counters; null: this system has none.
    [[nodiscard]] const Component* sync() const;
    [[nodiscard]] std::optional<std::uint32_t> counter(std::uint32_t index) const;

    /// Registers of a component or peripheral, and their base in the core's map.
    struct Registers {
        std::string owner;
        std::uint32_t base = 0;
        const RegisterFile* file = nullptr;
    };
    [[nodiscard]] std::vector<Registers> register_files() const;

    /// Accesses memory at addresses as accelerators see it, without simulated time; the core's
    /// caches follow the written data. Returns the number of bytes accessed, from the start on.
    std::size_t read(std::uint64_t address, std::span<std::uint8_t> data) const;
    std::size_t write(std::uint64_t address, std::span<const std::uint8_t> data) const;
    /// "dram+0x40" or "stream port 2"; empty if nothing is there.
    [[nodiscard]] std::string place_of(std::uint64_t address) const;

private:
    /// The core's address of the byte, if it has one.
    [[nodiscard]] std::optional<std::uint32_t> core_address(std::uint64_t address) const;

    System& system_;
    const SystemPlan& plan_;
    const riscv::ElfImage* program_;
    trace::Symbols symbols_;
    std::vector<std::unique_ptr<QueueView>> queues_; // Queue views by component.
};

/// Text as printf formats it, up to 255 characters.
[[nodiscard]] [[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

/// "12.345678 us"
[[nodiscard]] std::string microseconds(Picoseconds ps);

} // namespace levee::debug
