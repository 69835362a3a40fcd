// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "ip/bus/module.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/faults/place.hpp"

#include <memory>
#include <string>
#include <vector>

namespace levee::faults {

/// Finds the places of a machine in which faults can be injected, while it runs without one.
class PlaceFinder : private bus::BusObserver {
public:
    /// All arguments must outlive the simulation; construct before it starts.
    PlaceFinder(System& system, const SystemPlan& plan, const riscv::ElfImage& program);
    PlaceFinder(const PlaceFinder&) = delete;
    PlaceFinder& operator=(const PlaceFinder&) = delete;
    ~PlaceFinder() override;

    /// The places at the end of the run, sorted by kind and then in the machine's order.
    [[nodiscard]] std::vector<Place> places() const;

private:
    /// Follows a queue: the time of its last descriptor, and the operand that it accesses.
    class QueueWatch;

    void passed(const bus::Transaction& transaction) override;

    void add_registers(std::vector<Place>& places) const;
    void add_descriptors(std::vector<Place>& places) const;
    void add_memories(std::vector<Place>& places) const;
    void add_operands(std::vector<Place>& places) const;
    void add_tensors(std::vector<Place>& places) const;
    void add_variables(std::vector<Place>& places) const;
    void add_variable(const riscv::ElfSymbol& symbol, const std::string& name,
                      std::vector<Place>& places) const;
    void add_states(std::vector<Place>& places) const;

    System& system_;
    const SystemPlan& plan_;
    const riscv::ElfImage& program_;
    std::vector<std::unique_ptr<QueueWatch>> queues_;
};

} // namespace levee::faults
