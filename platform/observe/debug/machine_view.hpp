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

/// Gives scripts and monitor commands access by name to a halted system: its components with their
/// registers and queues, and its memory.
class MachineView {
public:
    /// All arguments must outlive the simulation. Must be constructed before the simulation starts.
    MachineView(System& system, const SystemPlan& plan, const ElfImage& program);

    [[nodiscard]] System& system() const { return system_; }
    [[nodiscard]] const SystemPlan& plan() const { return plan_; }
    [[nodiscard]] const trace::Symbols& symbols() const { return symbols_; }
    [[nodiscard]] const ElfImage& program() const { return *program_; }
    /// Returns all named functions and data of the program.
    [[nodiscard]] const std::vector<ElfSymbol>& named() const { return program_->symbols; }
    /// Called when another program runs from now on. `program` must outlive the simulation.
    void follow(const ElfImage& program)
    {
        program_ = &program;
        symbols_.replace(program.symbols);
    }

    [[nodiscard]] std::optional<std::size_t> find(const std::string& component) const;
    /// Returns the queue of a component; null if it has none.
    [[nodiscard]] QueueView* queue(std::size_t component) const { return queues_[component].get(); }
    /// Returns the unit with the sync counters; null if the system has none.
    [[nodiscard]] const Component* sync() const;
    [[nodiscard]] std::optional<std::uint32_t> counter(std::uint32_t index) const;

    /// The registers of a component or peripheral, and their base address for the core.
    struct Registers {
        std::string owner;
        std::uint32_t base = 0;
        const RegisterFile* file = nullptr;
    };
    [[nodiscard]] std::vector<Registers> register_files() const;

    /// Read or write memory at the addresses that accelerators use, without simulated time. A write
    /// also updates the core's caches. Both return the number of bytes accessed, from the first on.
    std::size_t read(std::uint64_t address, std::span<std::uint8_t> data) const;
    std::size_t write(std::uint64_t address, std::span<const std::uint8_t> data) const;
    /// Returns a text such as "dram+0x40" or "stream port 2"; empty if nothing has this address.
    [[nodiscard]] std::string place_of(std::uint64_t address) const;

private:
    /// Returns the core's address of this byte; nothing if the core cannot access it.
    [[nodiscard]] std::optional<std::uint32_t> core_address(std::uint64_t address) const;

    System& system_;
    const SystemPlan& plan_;
    const ElfImage* program_;
    trace::Symbols symbols_;
    std::vector<std::unique_ptr<QueueView>> queues_;
};

/// Returns a text formatted as by printf.
[[nodiscard]] [[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

/// Returns a text such as "12.345678 us".
[[nodiscard]] std::string microseconds(Picoseconds ps);

} // namespace levee::debug
