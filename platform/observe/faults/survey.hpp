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

/// Finds the places of a machine for faults, during a run without faults.
class PlaceFinder : private bus::BusObserver {
public:
    /// All arguments must outlive the simulation; construct before it starts.
    PlaceFinder(System& system, const SystemPlan& plan, const ElfImage& program);
    PlaceFinder(const PlaceFinder&) = delete;
    PlaceFinder& operator=(const PlaceFinder&) = delete;
    ~PlaceFinder() override;

    /// Returns the found places, sorted by kind.
    [[nodiscard]] std::vector<Place> places() const;

private:
    /// Records, for one queue, the last descriptor's time and the bytes that each operand
    /// covers.
    class QueueWatch;

    void passed(const bus::Transaction& transaction) override;

    void add_registers(std::vector<Place>& places) const;
    void add_descriptors(std::vector<Place>& places) const;
    void add_memories(std::vector<Place>& places) const;
    void add_operands(std::vector<Place>& places) const;
    void add_tensors(std::vector<Place>& places) const;
    void add_variables(std::vector<Place>& places) const;
    void add_variable(const ElfSymbol& symbol, const std::string& name,
                      std::vector<Place>& places) const;
    void add_states(std::vector<Place>& places) const;

    System& system_;
    const SystemPlan& plan_;
    const ElfImage& program_;
    std::vector<std::unique_ptr<QueueWatch>> queues_;
};

} // namespace levee::faults
