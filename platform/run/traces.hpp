// SPDX-License-Identifier: Apache-2.0
// The tracers and the profiler of a run. Each throws std::runtime_error for a file that cannot be
// created.
#pragma once

#include "platform/observe/profile/profile.hpp"
#include "platform/observe/trace/bus_trace.hpp"
#include "platform/observe/trace/call_tracker.hpp"
#include "platform/observe/trace/instruction_trace.hpp"
#include "platform/observe/trace/symbols.hpp"
#include "platform/observe/trace/timeline.hpp"
#include "platform/observe/trace/trace_window.hpp"
#include "platform/run/observer.hpp"

#include <systemc>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Finds, while the run proceeds, the part of the run that a trace covers.
class TracedPart : private CommandObserver {
public:
    /// If the plan names a layer, throws std::runtime_error if the model does not have it, or if
    /// the program does not state the layers of operations.
    TracedPart(const RunContext& run, const trace::WindowPlan& plan);

    /// Returns null if the trace covers the whole run.
    [[nodiscard]] const trace::Window* window() const { return window_ ? &*window_ : nullptr; }
    void token(std::uint32_t sequence, std::uint64_t ps);
    /// Adds a warning for each requested part that the run does not have. Also adds a warning if
    /// the trace covers no time of the run. `trace` is the trace's name in --trace.
    void report(Results& results, const char* trace) const;

private:
    void started(const CommandQueue& queue, const levee_descriptor& descriptor,
                 const Activity& activity, bool streams) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;

    std::optional<trace::Window> window_;
    std::vector<std::uint32_t> tokens_;
    std::map<const CommandQueue*, std::uint32_t> executing_; // tags of running operations
};

class InstructionTracer final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs)
    {
        return inputs.traces.instructions.has_value();
    }
    explicit InstructionTracer(const RunContext& run);
    void program_changed(const ElfImage& program) override;
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void finish() override { trace_.finish(); }
    void report(Results& results) override { part_.report(results, "instr"); }

private:
    TracedPart part_;
    trace::Symbols symbols_;
    trace::InstructionTrace trace_;
};

class BusTracer final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs) { return inputs.traces.bus.has_value(); }
    /// Throws std::runtime_error if the file cannot be created, or if the bus has no socket of a
    /// requested name.
    explicit BusTracer(const RunContext& run);
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void finish() override { trace_.finish(); }
    void report(Results& results) override { part_.report(results, "bus"); }

private:
    TracedPart part_;
    trace::BusTrace trace_;
};

class TimelineTracer final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs) { return inputs.traces.timeline.has_value(); }
    explicit TimelineTracer(const RunContext& run);
    void program_changed(const ElfImage& program) override;
    void phase(levee_phase phase, std::uint64_t ps) override;
    void mark(const Mark& mark) override;
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void finish() override;
    void report(Results& results) override { part_.report(results, "timeline"); }

private:
    System& system_;
    TracedPart part_;
    trace::Symbols symbols_;
    trace::Timeline timeline_;
    std::vector<std::uint64_t> tokens_;
    trace::CallTracker calls_;
};

/// Writes the signals of the components' modules to a VCD file, by SystemC's own tracing.
class SignalTracer final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs) { return inputs.traces.signals.has_value(); }
    /// Throws std::runtime_error if the file cannot be created, or if no component has signals.
    explicit SignalTracer(const RunContext& run);
    void finish() override { file_.reset(); }

private:
    struct Close {
        void operator()(sc_core::sc_trace_file* file) const;
    };
    std::shared_ptr<void> lock_; ///< lock on the file, which the kernel opens by its name
    std::unique_ptr<sc_core::sc_trace_file, Close> file_;
};

/// Writes the time of the core and of the blocks, divided by cause, to profile.txt and
/// profile.folded.
class Profiler final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs) { return inputs.request.profile; }
    explicit Profiler(const RunContext& run);
    void program_changed(const ElfImage& program) override;
    void finish() override;
    [[nodiscard]] std::string text() const override { return text_; }

private:
    System& system_;
    const OutputFolder& folder_;
    trace::Symbols symbols_;
    profile::Profile profile_;
    std::string text_;
};

} // namespace levee
