// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/run.hpp"

#include "ip/common/clock.hpp"
#include "platform/input/config/quantity.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/debug/debugger.hpp"
#include "platform/observe/decisions/run_decisions.hpp"
#include "platform/observe/mistakes/mistakes.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/summary.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/studies/run/derived.hpp"
#include "platform/studies/run/lockstep_watch.hpp"
#include "platform/studies/run/measures.hpp"
#include "platform/studies/run/memory_logs.hpp"
#include "platform/studies/run/observation.hpp"
#include "platform/studies/run/program.hpp"
#include "platform/studies/run/progress.hpp"
#include "platform/studies/run/recorder.hpp"
#include "platform/studies/run/sampled.hpp"
#include "platform/studies/run/semihosting.hpp"
#include "platform/studies/run/work.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <unistd.h>

namespace levee {

namespace {

/// Raw FP32 of every logits vector, to a file.
class LogitsFile {
public:
    explicit LogitsFile(const std::filesystem::path& path)
        : path_(path), stream_(path, std::ios::binary)
    {
        if (!stream_)
            throw std::runtime_error(path.string() + ": cannot be written, to observe logits");
    }
    void write(std::span<const float> logits)
    {
        stream_.write(reinterpret_cast<const char*>(logits.data()),
                      static_cast<std::streamsize>(logits.size_bytes()));
    }
    void close()
    {
        stream_.close();
        if (!stream_)
            throw std::runtime_error(path_.string() + ": not all logits could be written");
    }

private:
    std::filesystem::path path_;
    std::ofstream stream_;
};

void connect_text(System& system, Recorder& recorder, bool quiet)
{
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    system.uart().sink = [&recorder, quiet, terminal](char byte) {
        recorder.on_text(byte);
        if (quiet)
            return;
        std::fputc(byte, stdout);
        if (terminal || byte == '\n')
            std::fflush(stdout);
    };
}

void connect_end(System& system, Recorder& recorder)
{
    recorder.on_end = [&system] {
        system.core().stop();
        sc_core::sc_stop();
    };
    system.core().on_exit = [&recorder](int code) {
        recorder.on_exit(code, sc_core::sc_time_stamp());
    };
    system.core().on_error = [&recorder](const std::string& message) {
        recorder.on_failure(message, sc_core::sc_time_stamp());
    };
}

/// Ends a run that has come to no end by itself: it cannot, or may not go on.
/// `limit`: of simulated time, if that is what it has reached.
void end_waiting(Recorder& recorder, const mistakes::Mistakes& mistakes, System& system,
                 const std::string& limit)
{
    const bool stuck =
        limit.empty() || (system.core().hart().sleeping() && !sc_core::sc_pending_activity());
    const std::string reason =
        stuck ? "deadlock: the program waits for an interrupt that nothing will raise"
              : "the program has not ended within " + limit + " of simulated time";
    recorder.on_failure(reason + mistakes.who_waits(), sc_core::sc_time_stamp(),
                        stuck ? run_deadlock : run_out_of_time);
}

void attach_debugger(std::optional<debug::Debugger>& debugger, std::uint16_t port, bool wait,
                     System& system, const SystemPlan& plan, Recorder& recorder)
{
    debugger.emplace(system, plan, debug::Options{port, wait}, [&recorder] {
        recorder.on_failure("killed by the debugger", sc_core::sc_time_stamp());
    });
    std::printf("gdb: listening on 127.0.0.1:%u\n", unsigned{debugger->port()});
    std::fflush(stdout);
}

/// A process of its own: the end of sc_start(duration) is no event that the core would stop at.
void limit_time(std::uint64_t ps, Recorder& recorder, const mistakes::Mistakes& mistakes,
                System& system)
{
    sc_core::sc_spawn(
        [ps, &recorder, &mistakes, &system] {
            sc_core::wait(sc_core::sc_time::from_value(ps));
            if (!recorder.exit_code())
                end_waiting(recorder, mistakes, system,
                            config::format_quantity(ps, config::Dimension::Time));
        },
        "max_sim_time");
}

/// Runs to the end; returns the host's seconds. `folder`: for what a failing design leaves behind.
double simulate(Recorder& recorder, debug::Debugger* debugger, System& system,
                const mistakes::Mistakes& mistakes, const LockstepWatch& lockstep,
                const std::filesystem::path& folder)
{
    const auto begun = std::chrono::steady_clock::now();
    const auto fail = [&](const char* why) { // from a module: the run ends here, with what it has
        const std::optional<std::string> difference = lockstep.difference(folder);
        recorder.on_failure(difference ? *difference : why, sc_core::sc_time_stamp(),
                            difference ? run_lockstep_failed : 1);
    };
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report& report) { // the kernel's wrapping is no help to anybody
        fail(report.get_msg());
    } catch (const std::exception& error) {
        fail(error.what());
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
    if (!recorder.exit_code()) {
        const std::string message = "the program waits for an interrupt that nothing will raise";
        if (debugger != nullptr)
            debugger->stalled(message);
        end_waiting(recorder, mistakes, system, "");
    }
    if (debugger != nullptr)
        debugger->ended(*recorder.exit_code(), recorder.failure());
    std::fflush(stdout);
    return wall.count();
}

int code_for_shell(int code, const RunRequest& request, const Recorder& recorder, unsigned mistakes,
                   bool rtl_unfinished)
{
    if (code == 0)
        return mistakes != 0 ? run_check_failed : rtl_unfinished ? run_lockstep_failed : 0;
    if (!recorder.failure().empty())
        return code; // the platform's own
    // A code whose low byte is 0 must not pass for success.
    return request.elf || (code & 0xFF) == 0 ? 1 : code & 0xFF;
}

} // namespace

int run_scenario(const RunRequest& request)
{
    spdlog::set_pattern("[%n] %v");
    if (!spdlog::get("platform"))
        spdlog::stderr_color_mt("platform");
    const ObservationPlan to_observe = plan_observation(request);
    const mistakes::Checks checks = mistakes::read_checks(request.checks);
    const config::FileFinder finder(scenarios_folder());
    const config::Scenario scenario =
        config::load_scenario({request.scenario, request.overrides, request.seed}, finder);
    const SystemPlan plan = plan_system(scenario.system);
    const std::vector<energy::PriceList> prices = energy::read_price_lists(scenario, plan);
    const Program program = load_program(request, scenario);
    const Work work = prepare_work(scenario);
    const OutputFolder folder(request.out.value_or(std::filesystem::path("out") / scenario.name));

    RunDecisions decisions(request.record_decisions, scenario,
                           fingerprint_of(plan, scenario, work.model ? &*work.model : nullptr,
                                          work.prepared ? &*work.prepared : nullptr));
    Recorder recorder;
    System system(plan, core_for(scenario.system, program), recorder, decisions.for_blocks());
    system.load(program.image, program.name);
    place_work(system, plan, scenario, work);
    connect_text(system, recorder, request.quiet);
    connect_end(system, recorder);
    const Semihosting semihosting(system, recorder, folder.path(),
                                  std::filesystem::path(program.name).filename().string());
    Observation observation(to_observe, program.image, plan, system, folder.path());
    const mistakes::Mistakes mistakes(
        checks, program.image, plan, system, [&recorder](const std::string& message) {
            recorder.on_failure(message, sc_core::sc_time_stamp(), run_check_failed);
        });
    LockstepWatch lockstep(plan, system);
    Measures measures(recorder, plan, system, lockstep, prices);
    std::optional<LogitsFile> logits;
    if (scenario.observe.logits)
        logits.emplace(folder.path() / *scenario.observe.logits);
    MemoryLogs memory_logs(scenario, plan, system, folder.path());
    if (logits || memory_logs.counts_passes())
        for (Component& block : system.components())
            if (block.observe_logits)
                block.observe_logits([&](std::span<const float> values) {
                    if (logits)
                        logits->write(values);
                    memory_logs.saw_logits();
                });

    std::optional<debug::Debugger> debugger;
    if (request.gdb_port)
        attach_debugger(debugger, *request.gdb_port, request.gdb_wait, system, plan, recorder);
    if (request.max_sim_ps)
        limit_time(*request.max_sim_ps, recorder, mistakes, system);
    std::optional<Progress> progress(std::in_place, marks_ahead(scenario, work), request.quiet);
    std::optional<sampling::Sampler> sampler;
    if (work.samples)
        sampler.emplace(*work.samples, [&measures](std::uint64_t ps) { return measures.at(ps); });
    recorder.on_mark_change = [&](levee_mark kind, std::uint32_t index, bool begins,
                                  std::uint64_t ps) {
        if (sampler)
            sampler->mark(kind, index, begins, ps);
        if (!begins)
            progress->step();
    };
    const double wall_s = simulate(recorder, debugger ? &*debugger : nullptr, system, mistakes,
                                   lockstep, folder.path());
    progress.reset();
    debugger.reset();
    decisions.finish(*recorder.exit_code() == 0);
    const std::string profile = observation.finish();
    if (logits)
        logits->close();
    memory_logs.finish();
    if (!recorder.failure().empty())
        spdlog::get("platform")->error(recorder.failure());
    std::optional<std::string> unfinished;
    if (*recorder.exit_code() == 0)
        unfinished = lockstep.unfinished();
    if (unfinished)
        spdlog::get("platform")->error(*unfinished);

    Results results;
    results.name = scenario.name;
    results.seed = scenario.seed;
    results.exit_code = static_cast<std::uint32_t>(*recorder.exit_code());
    results.scenario = config::to_json(scenario.resolved);
    results.text = recorder.text();
    results.tokens = recorder.tokens();
    const sampling::Figures end = measures.finish();
    const sampling::Figures figures = sampler ? sampler->whole(end) : end;
    const Measures::Texts texts = measures.report(figures, results);
    measures.write(figures, folder.path());
    memory_logs.add_lifetimes(results);
    add_derived(results, work.prepared ? work.prepared->recall_chance : std::nullopt);
    if (sampler) {
        Results half;
        (void)measures.report(sampler->from_half(end), half);
        folder.write("sampling.csv", sampling_table(half, results));
        add_sampling(*work.samples, half, results);
    }
    warn_of_overcommit(plan, results);
    add_host_figures(results, wall_s);
    folder.write("results.json", results.json());

    if (request.quiet) {
        for (const std::string& warning : results.warnings)
            spdlog::get("platform")->warn(warning);
    } else {
        std::vector<std::string> memories;
        for (const PlannedComponent& component : plan.components)
            if (component.stores())
                memories.push_back(component.name);
        const std::string text =
            summary(results, memories, (folder.path() / "results.json").string());
        std::printf("\n%s", text.c_str());
        for (const std::string& more :
             {texts.bill, request.bounds ? texts.bounds : std::string(), profile})
            if (!more.empty())
                std::printf("\n%s", more.c_str());
    }
    return code_for_shell(*recorder.exit_code(), request, recorder, mistakes.found(),
                          unfinished.has_value());
}

} // namespace levee
