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

/// The beginning or the end of a part of the work, as the program reports it.
struct Mark {
    hostlink::MarkedPart part;
    bool begins;
    std::uint64_t ps;
};

/// Times, in picoseconds, at which a request arrived, was taken from the queue, got its first token
/// and was finished; all except the arrival are 0 until they occur.
struct RequestSpan {
    std::uint64_t arrival_ps = 0, taken_ps = 0, first_token_ps = 0, left_ps = 0;
};

/// A fault of a run that the program itself did not report.
struct RunFault {
    int code;            ///< exit code of the run
    std::string message; ///< empty: the message has been printed already
};

/// Called with the figures of one component.
using FigureVisitor = std::function<void(const std::string& component, const Stats& figures)>;

/// An observer of a run. Its functions are called in the order of their declaration as the run
/// proceeds; by default they do nothing.
class RunObserver {
public:
    virtual ~RunObserver() = default;

    // The following functions are called while the program runs.
    virtual void phase(levee_phase, std::uint64_t /*ps*/) {}
    virtual void mark(const Mark&) {}
    /// From now on the inputs are another run's (RunRequest::at_decode).
    virtual void inputs_changed() {}
    /// A debugger has loaded another program; an empty image stands for an unknown one. The image
    /// lives as long as the run.
    virtual void program_changed(const riscv::ElfImage&) {}
    /// The program takes a request from its queue, works for it or is finished with it.
    virtual void request(levee_request_event, std::uint32_t /*number*/, std::uint64_t /*ps*/) {}
    /// A sequence has a new token.
    virtual void token(std::uint32_t /*sequence*/, std::uint32_t /*id*/, std::uint64_t /*ps*/) {}
    [[nodiscard]] virtual bool wants_logits() const { return false; }
    /// A vector of logits that a block has seen.
    virtual void logits(std::span<const float>) {}
    /// Visits the observer's own figures at the present time.
    virtual void count(const FigureVisitor&) const {}
    /// Energy until `ps`, the present time; nothing from observers that do not count it.
    [[nodiscard]] virtual std::optional<energy::Attojoules> energy_until(std::uint64_t /*ps*/)
    {
        return std::nullopt;
    }

    /// Spans of the queue's requests, by number; empty if the observer does not follow requests.
    [[nodiscard]] virtual std::vector<RequestSpan> request_spans() const { return {}; }

    // When it cannot go on.
    /// A line for each waiting component, for the message about a run that cannot continue.
    [[nodiscard]] virtual std::string who_waits() const { return {}; }
    /// The run cannot continue, as no event is pending; `message` gives the reason.
    virtual void stalled(const std::string& /*message*/) {}
    /// Converts an exception of a module to a fault.
    [[nodiscard]] virtual std::optional<RunFault> explain_exception() { return std::nullopt; }

    // The following functions are called after the run.
    /// Stops observing and completes files. Throws std::runtime_error for a file that cannot be
    /// completed.
    virtual void finish() {}
    /// A fault found in a run whose program returned 0.
    [[nodiscard]] virtual std::optional<RunFault> fault() { return std::nullopt; }
    /// Adds to the results and writes the observer's tables.
    virtual void report(Results&) {}
    /// The results are complete and written.
    virtual void complete(const Results&) {}
    /// Text for the terminal, below the summary.
    [[nodiscard]] virtual std::string text() const { return {}; }
};

class Observers;
class RunDecisions;

/// The inputs of an observer; all of them outlive it.
struct RunContext {
    const RunInputs& inputs;
    const OutputFolder& folder;
    Recorder& recorder;
    System& system;
    const Observers&
        observers; ///< observers of this run, for one that reports the counts of others
    const RunDecisions& decisions;
};

/// The observers of a run, as one.
class Observers {
public:
    /// Makes the observers that the run's inputs ask for. Throws config::Error or
    /// std::runtime_error.
    void attach(const RunContext& context);

    void phase(levee_phase phase, std::uint64_t ps);
    void mark(const Mark& mark);
    void inputs_changed();
    void program_changed(const riscv::ElfImage& program) const;
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
    /// Finishes observers, the last attached first. Returns what could not be completed.
    [[nodiscard]] std::vector<RunFault> finish();
    [[nodiscard]] std::vector<RunFault> faults();
    void report(Results& results);
    void complete(const Results& results);
    [[nodiscard]] std::vector<std::string> texts() const;

private:
    std::vector<std::unique_ptr<RunObserver>> all_;
};

} // namespace levee
