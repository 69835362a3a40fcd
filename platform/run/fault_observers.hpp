// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/faults/injector.hpp"
#include "platform/observe/faults/survey.hpp"
#include "platform/run/observer.hpp"

namespace levee {

/// Injects the requested fault (flipped bits) into a run and mentions it in the results.
class FaultInjection final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs) { return inputs.request.fault != nullptr; }
    /// Throws config::Error if the machine lacks the state or command queue that the fault changes,
    /// or if the run also has a script or a debugger.
    explicit FaultInjection(const RunContext& run);

    void report(Results& results) override;

private:
    debug::MachineView machine_;
    debug::CoreStops stops_;
    faults::Injector injector_;
};

/// Observes a run without a fault. It finds the places where faults can be injected, and the times
/// of the run's parts.
class FaultSurvey final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs)
    {
        return inputs.request.take_fault_places != nullptr;
    }
    explicit FaultSurvey(const RunContext& run);

    void mark(const Mark& mark) override;
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void report(Results& results) override;

private:
    const RunContext run_;
    faults::PlaceFinder finder_;
    faults::Survey survey_;
};

} // namespace levee
