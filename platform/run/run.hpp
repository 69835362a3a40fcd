// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee {

struct Results;
namespace faults {
struct Injection;
struct Survey;
} // namespace faults
namespace config {
class ScenarioSource;
}

/// Exit codes of runs that the platform ended or found at fault. Firmware's own codes are in
/// firmware/hal/fatal.h.
enum RunCode {
    run_deadlock = 5,          ///< No event was pending.
    run_out_of_time = 6,       ///< --max-sim-time
    run_check_failed = 7,      ///< a --check found a fault although the program returned 0
    run_lockstep_failed = 8,   ///< The RTL differs from its reference, or was not compared with it.
    run_not_covered = 9,       ///< cosim: all outputs are equal, but some cover point was not hit
    run_script_unreached = 10, ///< a script waited for a pause that was not reached
    run_state_differs = 11     ///< --restore: the state is not the recorded one, or was not reached
};

struct RunRequest {
    std::string scenario = "demo";
    const config::ScenarioSource* source = nullptr; ///< The scenario's source, if it has been read
                                                    ///< already.
    std::vector<std::string> overrides;             ///< "a.b=c"
    std::optional<std::uint64_t> seed;
    std::optional<std::filesystem::path> elf;   ///< Program instead of the workload's app.
    std::optional<std::filesystem::path> input; ///< the program's standard input
    std::optional<std::filesystem::path> out;   ///< results folder; default `out/<scenario>`
    std::vector<std::string> traces;            ///< Traces as in --trace, each with an optional
                                                ///< ":FILE".
    std::vector<std::string>
        trace_sockets; ///< names on the bus that the bus trace covers; empty: all
    std::vector<std::string> trace_inside; ///< names of components whose inside the timeline shows
    std::string waves;                     ///< "FROM..TO"; empty: the scenario's.
    std::string waves_format;              ///< "fst" or "vcd"; empty: the scenario's.
    std::optional<std::filesystem::path> record_decisions; ///< Recording for timing-only runs.
    bool bounds = false;             ///< Print the contents of bounds.csv and roofline.csv.
    bool report = true;              ///< write report.html
    bool profile = false;            ///< write profile.txt and profile.folded
    std::vector<std::string> checks; ///< "overlap", "uninitialised", "types", "stack" or "all"
    std::optional<std::uint64_t> max_sim_ps; ///< the run ends there at the latest
    bool allow_outside = false; ///< files that the scenario names may lie outside its folder
    bool quiet = false;         ///< Prints no text on the terminal.
    /// Receives the results. results.json and the tables next to it are then not written.
    std::function<void(const Results&)> take_results;
    /// Takes the time of each marked part of the work; its kind: enum levee_mark.
    std::function<void(int kind, std::uint64_t ps)> take_pass;
    /// Called when decoding begins. If it returns a request, this process continues as that run,
    /// which may differ only in `sampling.lengths`, `workload.max_new_tokens`, its folder and
    /// take_results. The process is then a fork of a run that continues itself. The run fails if
    /// its memory layout differs.
    std::function<const RunRequest*()> at_decode;
    std::optional<std::uint16_t> gdb_port; ///< Serve a debugger on this port; 0: a free port.
    bool gdb_wait = true;                  ///< the program starts when the debugger says so
    std::optional<std::uint64_t> checkpoint_every_ps; ///< records the state at these intervals
    std::optional<std::uint64_t> restore_ps; ///< the recorded state of this time to compare with
    std::optional<std::filesystem::path>
        script;                               ///< script of pauses and changes (docs/debugging.md)
    const faults::Injection* fault = nullptr; ///< bits to flip; null: none
    /// Takes the places for faults, at the end of a run without one.
    std::function<void(const faults::Survey&)> take_fault_places;
};

/// Assembles, runs and reports; returns the exit code for the shell. Throws config::Error,
/// ModelError or std::runtime_error for unusable input before anything runs.
int run_scenario(const RunRequest& request);

} // namespace levee
