// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "platform/observe/debug/core_stops.hpp"
#include "platform/observe/debug/machine_view.hpp"
#include "platform/observe/faults/fault.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace levee::faults {

/// Injects a fault into a run. The flips take no simulated time and happen between two events. Bits
/// of the core's registers flip at the next instruction boundary.
class Injector {
public:
    /// All arguments must outlive the simulation. The injector must be constructed before the
    /// simulation starts. Throws config::Error if the machine lacks a place that the fault names.
    Injector(const debug::MachineView& machine, debug::CoreStops& stops,
             const Injection& injection);
    Injector(const Injector&) = delete;
    Injector& operator=(const Injector&) = delete;
    ~Injector();

    /// Called when the core has stopped, for any reason.
    void core_stopped();
    [[nodiscard]] bool has_flipped() const { return has_flipped_; }

private:
    /// Waits for the next descriptor that is submitted to an empty queue.
    class NextDescriptor;

    void arm(const Flip& flip);
    void flip(const RegisterBit& at);
    void flip(const BitAt& at);
    void flip(const DescriptorBit& at);
    void flip(const StateBit& at);
    void flip_descriptor(const DescriptorBit& at, std::uint64_t address);
    void poke(const std::vector<std::string>& words, const std::string& more = {});
    void say(const std::string& text);

    const debug::MachineView& machine_;
    debug::CoreStops& stops_;
    const Injection& injection_;
    std::vector<RegisterBit> of_core_;
    std::vector<std::unique_ptr<NextDescriptor>> next_;
    std::size_t waiting_ = 0;
    bool has_flipped_ = false;
};

} // namespace levee::faults
