// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/stats.hpp"
#include "ip/hostlink/regs.h"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/energy/amount.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/results.hpp"
#include "platform/run/inputs.hpp"
#include "platform/run/recorder.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// A part of the work begins or ends, as the program reports it.
struct Mark {
    hostlink::MarkedPart part;
    bool begins;
    std::uint64_t ps;
};

/// The times, in picoseconds, at which a request arrived, was taken from the queue, got its first
/// token and was finished. Except for the arrival, a time is 0 until its event happens.
struct RequestSpan {
    std::uint64_t arrival_ps = 0, taken_ps = 0, first_token_ps = 0, left_ps = 0;
};

/// A fault of a run that the program did not report itself.
struct RunFault {
    int code;            ///< exit code of the run
    std::string message; ///< empty if it was already printed
};

/// Receives the figures of one component.
using FigureVisitor = std::function<void(const std::string& component, const Stats& figures)>;

/// Observes a run. The groups of functions are called in the order of their declarations. By
/// default, each function does nothing.
class RunObserver {
public:
    virtual ~RunObserver() = default;

    // Called while the program runs:
    virtual void phase(levee_phase, std::uint64_t /*ps*/) {}
    virtual void mark(const Mark&) {}
    /// Called when this process continues as another run, so that the run's inputs have changed
    /// (RunRequest::at_decode).
    virtual void inputs_changed() {}
    /// Called when a debugger has loaded another program. An empty image means that the program is
    /// unknown. The image lives as long as the run.
    virtual void program_changed(const ElfImage&) {}
    /// Called when the program reports an event of a request, a draft model or a save. `number`
    /// depends on the event (levee_request_event).
    virtual void request(levee_request_event, std::uint32_t /*number*/, std::uint64_t /*ps*/) {}
    /// Called when a sequence has a new token.
    virtual void token(std::uint32_t /*sequence*/, std::uint32_t /*id*/, std::uint64_t /*ps*/) {}
    [[nodiscard]] virtual bool wants_logits() const { return false; }
    /// Called when a block has processed a vector of logits.
    virtual void logits(std::span<const float>) {}
    /// Visits the observer's own figures at the current time.
    virtual void count(const FigureVisitor&) const {}
    /// Returns the energy used until the current time, `ps`; nothing if the observer does not count
    /// energy.
    [[nodiscard]] virtual std::optional<energy::Attojoules> energy_until(std::uint64_t /*ps*/)
    {
        return std::nullopt;
    }

    /// Returns the times of the queue's requests, indexed by request number; empty if the observer
    /// does not know them.
    [[nodiscard]] virtual std::vector<RequestSpan> request_spans() const { return {}; }

    // Called when the simulation ends before the program does:
    /// Returns a line for each component that waits, for a message.
    [[nodiscard]] virtual std::string who_waits() const { return {}; }
    /// Called when no event is pending, so that the run cannot continue. `message` gives the
    /// reason.
    virtual void stalled(const std::string& /*message*/) {}
    /// Returns a fault that explains the exception that a module has thrown; nothing if the
    /// observer cannot explain it.
    [[nodiscard]] virtual std::optional<RunFault> explain_exception() { return std::nullopt; }

    // Called after the run:
    /// Stops observing and completes files. Throws std::runtime_error for a file that cannot be
    /// completed.
    virtual void finish() {}
    /// Returns a fault that the observer has found although the program returned 0.
    [[nodiscard]] virtual std::optional<RunFault> fault() { return std::nullopt; }
    /// Adds figures to the results, and writes tables.
    virtual void report(Results&) {}
    /// Called when the results are complete and have been written.
    virtual void complete(const Results&) {}
    /// Returns text for the terminal, which is printed below the summary.
    [[nodiscard]] virtual std::string text() const { return {}; }
};

class Observers;
class RunDecisions;

/// The inputs of observers. All of them outlive the observers.
struct RunContext {
    const RunInputs& inputs;
    const OutputFolder& folder;
    Recorder& recorder;
    System& system;
    const Observers&
        observers; ///< all observers of this run; some of them report the counts of others
    const RunDecisions& decisions;
};

class Observers {
public:
    /// Creates the observers that the run's inputs request. Throws config::Error or
    /// std::runtime_error.
    void attach(const RunContext& context);

    void phase(levee_phase phase, std::uint64_t ps);
    void mark(const Mark& mark);
    void inputs_changed();
    void program_changed(const ElfImage& program) const;
    void request(levee_request_event event, std::uint32_t number, std::uint64_t ps);
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps);
    [[nodiscard]] bool wants_logits() const;
    void logits(std::span<const float> values);
    void count(const FigureVisitor& visit) const;
    [[nodiscard]] std::optional<energy::Attojoules> energy_until(std::uint64_t ps) const;
    [[nodiscard]] std::vector<RequestSpan> request_spans() const;
    [[nodiscard]] std::string who_waits() const;
    void stalled(const std::string& message);
    [[nodiscard]] std::optional<RunFault> explain_exception();
    /// Finishes all observers, in reverse order. Returns a fault for each that could not complete
    /// its files.
    [[nodiscard]] std::vector<RunFault> finish();
    [[nodiscard]] std::vector<RunFault> faults();
    void report(Results& results);
    void complete(const Results& results);
    [[nodiscard]] std::vector<std::string> texts() const;

private:
    std::vector<std::unique_ptr<RunObserver>> all_;
};

} // namespace levee
