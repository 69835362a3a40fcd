// SPDX-License-Identifier: Apache-2.0
#include "platform/run/run.hpp"

#include "core/abi/exit_code.h"
#include "core/config/quantity.hpp"
#include "core/units/clock.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/decisions/run_decisions.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/si.hpp"
#include "platform/observe/report/summary.hpp"
#include "platform/run/derived.hpp"
#include "platform/run/inputs.hpp"
#include "platform/run/interruption.hpp"
#include "platform/run/observer.hpp"
#include "platform/run/recorder.hpp"
#include "platform/run/run_files.hpp"
#include "platform/run/run_report.hpp"
#include "platform/run/said_place.hpp"
#include "platform/run/semihosting.hpp"
#include "platform/run/stop_signals.hpp"
#include "platform/run/warnings.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <new>
#include <unistd.h>
#include <utility>

namespace levee {

namespace {

/// Returns whether the program is a user's, instead of one that Levee ships.
bool runs_own_program(const RunInputs& inputs)
{
    const std::optional<config::WorkloadConfig>& workload = inputs.scenario.workload;
    return inputs.request.elf || (workload && is_own_program(*workload));
}

Fingerprint fingerprint_of(const RunInputs& inputs)
{
    const Work& work = inputs.work;
    return fingerprint_of(inputs.plan, inputs.scenario, work.model ? &*work.model : nullptr,
                          work.prepared ? &*work.prepared : nullptr,
                          runs_own_program(inputs) ? &inputs.program.image : nullptr);
}

/// Returns the source of the decisions of the system's blocks. If a report is requested, the
/// decisions are also collected for the report.
Decisions decisions_for(const RunInputs& inputs, RunDecisions& decisions)
{
    if (const auto kept = kept_tokens(inputs))
        decisions.follow(*kept);
    return decisions.for_blocks();
}

/// Returns the processor time of this process, summed over its threads.
double cpu_seconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Returns ": " and the last line of the program's text; empty if there is no text.
std::string last_line(std::string text)
{
    text.erase(text.find_last_not_of("\r\n") + 1);
    const std::size_t begin = text.rfind('\n');
    return text.empty() ? "" : ": " + text.substr(begin == std::string::npos ? 0 : begin + 1);
}

/// Removes an earlier run's results from the folder, since this run may write fewer files, or none
/// if it is cut off. Traces remain, since they may have taken long.
void remove_earlier(const OutputFolder& folder)
{
    for (const std::string& table : earlier_tables(folder.path()))
        folder.remove(table);
    for (const char* file : result_files)
        folder.remove(file);
}

/// A run, from its inputs to its results. The member functions are in the order in which they are
/// called.
class Run {
public:
    explicit Run(const RunRequest& request);

    void simulate();
    void finish();
    void report();
    /// Returns the exit code for the shell.
    [[nodiscard]] int exit_code() const;

private:
    void load();
    void warn_ahead();
    void go_on_as(RunInputs other);
    void connect_text();
    void connect_end();
    void connect_marks();
    void connect_logits();
    void limit_time(std::uint64_t ps);
    void end_on_signals();
    void cut(const std::string& signal);
    void fail(const char* why);
    void end_waiting(const std::string& limit);
    [[nodiscard]] Results results();
    [[nodiscard]] std::string error() const;
    void warn(const Results& results) const;
    void print(const Results& results) const;

    /// Exists from before the inputs are read until all files are written.
    std::optional<StopSignals> signals_;
    RunInputs inputs_;
    OutputFolder folder_; ///< the results folder, which this process has locked
    RunDecisions decisions_;
    Recorder recorder_;
    System system_;
    Semihosting semihosting_;
    levee_boot_info boot_info_{};
    Observers observers_;
    std::vector<std::string> warnings_;
    HostTime host_time_;
    std::optional<Interruption> interruption_;
    std::string cut_;              ///< signal that ended the run; empty if none did
    std::vector<RunFault> faults_; ///< files that could not be completed, and faults of a program
                                   ///< that returned 0
};

/// Locks the folder before any file in it is opened or written. A refused run thus does not change
/// the results of another run.
OutputFolder folder_of(const RunInputs& inputs)
{
    OutputFolder folder(inputs.folder);
    if (!inputs.request.take_results) // a caller that takes the results has its own locks
        folder.lock();
    return folder;
}

/// Lets signals end a run in an orderly way. Returns nothing for runs of a study, which handles
/// signals itself, and for processes that make copies of themselves.
std::optional<StopSignals> signals_of(const RunRequest& request)
{
    if (request.take_results || request.at_decode || request.gdb_port)
        return std::nullopt;
    return std::optional<StopSignals>(std::in_place);
}

Run::Run(const RunRequest& request)
    : signals_(signals_of(request)), inputs_(request), folder_(folder_of(inputs_)),
      decisions_(request.record_decisions, inputs_.scenario, fingerprint_of(inputs_)),
      system_(inputs_.plan, core_for(inputs_.plan, inputs_.program), recorder_,
              decisions_for(inputs_, decisions_)),
      semihosting_(system_, recorder_, folder_.path(), inputs_.program.name, inputs_.program.image,
                   inputs_.input)
{
    remove_earlier(folder_);
    warn_ahead();
    load();
    connect_text();
    connect_end();
    observers_.attach({inputs_, folder_, recorder_, system_, observers_, decisions_});
    connect_marks();
    connect_logits();
    if (request.max_sim_ps)
        limit_time(*request.max_sim_ps);
    end_on_signals();
}

void Run::load()
{
    system_.load(inputs_.program.image, inputs_.program.name);
    boot_info_ =
        place_work(system_, inputs_.plan, inputs_.scenario, inputs_.work, inputs_.program.image);
}

void Run::warn_ahead()
{
    warnings_ = warnings_ahead(inputs_);
    for (const std::string& warning : warnings_)
        spdlog::get("platform")->warn("warning: " + warning);
}

/// Continues as the run `other` when decoding begins (RunRequest::at_decode).
void Run::go_on_as(RunInputs other)
{
    replace_decoding(system_, inputs_.plan, other.scenario, other.work, inputs_.program.image,
                     boot_info_);
    inputs_.request = std::move(other.request);
    inputs_.scenario.resolved = std::move(other.scenario.resolved);
    inputs_.scenario.workload = std::move(other.scenario.workload);
    inputs_.scenario.sampling = std::move(other.scenario.sampling);
    inputs_.work.samples = std::move(other.work.samples);
    inputs_.folder = std::move(other.folder);
    folder_ = OutputFolder(inputs_.folder);
    folder_.lock();
    remove_earlier(folder_);
    warn_ahead();
    observers_.inputs_changed();
}

void Run::connect_text()
{
    const bool quiet = inputs_.request.quiet, terminal = isatty(STDOUT_FILENO) != 0;
    system_.uart().sink = [this, quiet, terminal](char byte) {
        recorder_.on_text(byte);
        if (!recorder_.take_unprinted() || quiet)
            return;
        std::fputc(byte, stdout);
        if (terminal || byte == '\n')
            std::fflush(stdout);
    };
}

void Run::connect_end()
{
    recorder_.on_end = [this] {
        system_.core().stop();
        sc_core::sc_stop();
    };
    system_.core().on_exit = [this](int code) {
        recorder_.on_exit(code, sc_core::sc_time_stamp());
    };
    system_.core().on_error = [this](const std::string& message) {
        recorder_.on_failure(message, sc_core::sc_time_stamp());
    };
}

void Run::connect_marks()
{
    recorder_.on_phase_change = [this](levee_phase phase, std::uint64_t ps) {
        if (phase == LEVEE_PHASE_DECODE && inputs_.request.at_decode)
            if (const RunRequest* other = std::exchange(inputs_.request.at_decode, nullptr)())
                go_on_as(RunInputs(*other));
        observers_.phase(phase, ps);
    };
    recorder_.on_mark_change = [this](const hostlink::MarkedPart& part, bool begins,
                                      std::uint64_t ps) {
        observers_.mark({part, begins, ps});
    };
    recorder_.on_request_event = [this](levee_request_event event, std::uint32_t number,
                                        std::uint64_t ps) {
        observers_.request(event, number, ps);
    };
    recorder_.on_new_token = [this](std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) {
        observers_.token(sequence, id, ps);
    };
}

void Run::connect_logits()
{
    if (!observers_.wants_logits())
        return;
    for (Component& block : system_.components())
        if (block.observe_logits)
            block.observe_logits(
                [this](std::span<const float> values) { observers_.logits(values); });
}

/// Ends the run at `ps` by a SystemC process. The end of sc_start(duration) would not suffice: it
/// is not an event, so it would not stop the core.
void Run::limit_time(std::uint64_t ps)
{
    sc_core::sc_spawn(
        [this, ps] {
            sc_core::wait(sc_core::sc_time::from_value(ps));
            if (!recorder_.exit_code())
                end_waiting(config::format_quantity(ps, config::Dimension::Time));
        },
        "max_sim_time");
}

void Run::end_on_signals()
{
    if (signals_)
        interruption_.emplace(*signals_, [this](const std::string& signal) { cut(signal); });
}

void Run::cut(const std::string& signal)
{
    if (recorder_.exit_code())
        return;
    cut_ = signal;
    recorder_.on_failure("cut: " + signal +
                             " has ended the run before the program's end; its figures cover " +
                             si(sc_core::sc_time_stamp().to_seconds(), "s") + " of simulated time",
                         sc_core::sc_time_stamp(), ended_by_signal);
}

void Run::simulate()
{
    const auto begun = std::chrono::steady_clock::now();
    const double cpu_begun_s = cpu_seconds();
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report& report) { // uses the message alone, without the text that
                                                 // SystemC adds in what()
        fail(report.get_msg());
    } catch (const std::bad_alloc&) {
        fail(
            "this computer has too little memory for the run"); // studies/faults compares this text
    } catch (const std::exception& error) {
        fail(error.what());
    }
    host_time_.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    // If a debugger has gone back in time, this process is a copy made by fork(2). The copy's
    // processor time began at zero.
    const double cpu_now_s = cpu_seconds();
    host_time_.cpu_s = cpu_now_s >= cpu_begun_s ? cpu_now_s - cpu_begun_s : cpu_now_s;
    if (!recorder_.exit_code()) {
        observers_.stalled("the program waits for an interrupt that nothing will raise");
        end_waiting("");
    }
    if (interruption_)
        interruption_->end();
    std::fflush(stdout);
}

/// Ends a run after a module has thrown an exception.
void Run::fail(const char* why)
{
    const RunFault fault = observers_.explain_exception().value_or(RunFault{1, why});
    recorder_.on_failure(fault.message, sc_core::sc_time_stamp(), fault.code);
}

/// Ends a run in which no event is pending, or one that has reached `limit` of simulated time
/// (empty: no limit).
void Run::end_waiting(const std::string& limit)
{
    const bool stuck =
        limit.empty() || (system_.core().hart().sleeping() && !sc_core::sc_pending_activity());
    const std::string reason =
        stuck ? "deadlock: the program waits for an interrupt that nothing will raise"
              : "the program has not ended within " + limit + " of simulated time";
    recorder_.on_failure(reason + observers_.who_waits(), sc_core::sc_time_stamp(),
                         stuck ? run_deadlock : run_out_of_time);
}

void Run::finish()
{
    faults_ = observers_.finish(); // a failure must not prevent the results, which matter more than
                                   // a trace or a recording
    try {
        decisions_.finish(*recorder_.exit_code() == 0);
    } catch (const std::runtime_error& error) {
        faults_.push_back({1, error.what()});
    }
    if (!recorder_.failure().empty())
        spdlog::get("platform")->error(recorder_.failure());
    if (*recorder_.exit_code() == 0)
        std::ranges::move(observers_.faults(), std::back_inserter(faults_));
    for (const RunFault& fault : faults_)
        if (!fault.message.empty())
            spdlog::get("platform")->error(fault.message);
}

void Run::report()
{
    const Results results = this->results();
    if (inputs_.request.take_results)
        inputs_.request.take_results(results);
    else
        folder_.write("results.json", results.json());
    observers_.complete(results);
    print(results);
    std::fflush(stdout);
    warn(results);
}

Results Run::results()
{
    Results results;
    results.name = inputs_.scenario.name;
    results.seed = inputs_.scenario.seed;
    results.exit_code = static_cast<std::uint32_t>(*recorder_.exit_code());
    results.scenario = config::to_json(inputs_.scenario.resolved);
    results.text = recorder_.text();
    results.tokens = recorder_.tokens();
    if (const auto& prepared = inputs_.work.prepared;
        prepared && !(prepared->requests.empty() && prepared->turns.empty()))
        results.tokens.resize(prompts_of(*prepared).size()); // requests or turns may have no tokens
    observers_.report(results);
    add_derived(results, inputs_.work);
    results.warnings.insert(results.warnings.begin(), warnings_.begin(), warnings_.end());
    for (std::string& warning : warnings_of(inputs_, results))
        results.warnings.push_back(std::move(warning));
    for (std::string& caveat : system_.caveats())
        results.warnings.push_back(std::move(caveat));
    results.error = error();
    results.cut = cut_;
    add_host_figures(results, host_time_);
    return results;
}

/// Returns why the run has failed: the platform's message, or the last line of the program's text.
/// Empty if the run has not failed.
std::string Run::error() const
{
    if (!recorder_.failure().empty())
        return recorder_.failure();
    if (*recorder_.exit_code() == 0) {
        for (const RunFault& fault : faults_)
            if (!fault.message.empty())
                return fault.message;
        return faults_.empty() ? "" : "a check found an error (see the log)";
    }
    std::string said = last_line(recorder_.text());
    if (*recorder_.exit_code() == EXIT_REFUSED)
        if (const auto place = place_of_said_key(inputs_.scenario.resolved, said))
            said.insert(0, ": " + place->text());
    return "the program ended with " + std::to_string(*recorder_.exit_code()) + said;
}

/// Prints warnings even with --quiet. With --quiet it also prints the last line of a program that
/// failed.
void Run::warn(const Results& results) const
{
    for (const std::string& warning : results.warnings)
        if (std::ranges::find(warnings_, warning) == warnings_.end()) // not printed before the run
            spdlog::get("platform")->warn("warning: " + warning);
    const bool of_program = recorder_.failure().empty() && *recorder_.exit_code() != 0;
    if (inputs_.request.quiet && of_program)
        spdlog::get("platform")->error(results.error);
}

void Run::print(const Results& results) const
{
    if (inputs_.request.quiet)
        return;
    std::vector<std::string> memories;
    for (const PlannedComponent& component : inputs_.plan.components)
        if (component.stores())
            memories.push_back(component.name);
    const std::string text = summary(results, memories, (folder_.path() / "results.json").string());
    std::printf("\n%s", text.c_str());
    for (const std::string& more : observers_.texts())
        if (!more.empty())
            std::printf("\n%s", more.c_str());
}

int Run::exit_code() const
{
    const int code = *recorder_.exit_code();
    if (code == 0)
        return faults_.empty() ? 0 : std::ranges::max(faults_, {}, &RunFault::code).code;
    if (!recorder_.failure().empty())
        return code; // one of the platform's codes
    // A shell only sees the low byte, so a code with a low byte of 0 must not look like success.
    return runs_own_program(inputs_) || (code & 0xFF) == 0 ? 1 : code & 0xFF;
}

} // namespace

int run_scenario(const RunRequest& request)
{
    spdlog::set_pattern("[%n] %v");
    if (!spdlog::get("platform"))
        spdlog::stderr_color_mt("platform");
    Run run(request);
    run.simulate();
    run.finish();
    run.report();
    return run.exit_code();
}

} // namespace levee
