// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/faults/injector.hpp"
#include "platform/observe/faults/survey.hpp"
#include "platform/run/observer.hpp"

namespace levee {

/// Injects the requested fault of a run; the results mention it.
class FaultInjection final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs) { return inputs.request.fault != nullptr; }
    /// Throws config::Error for a place that the machine does not have, or if a script or a
    /// debugger is to stop the core, too.
    explicit FaultInjection(const RunContext& run);

    void report(Results& results) override;

private:
    debug::MachineView machine_;
    debug::CoreStops stops_;
    faults::Injector injector_;
};

/// Surveys a run without a fault: which places it has for faults, and the times of its parts.
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
