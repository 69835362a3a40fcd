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

/// Exit codes of runs that cannot begin, that the platform has ended, or in which it found an
/// error. Firmware's own codes are in core/abi/exit_code.h.
enum RunCode {
    run_not_begun = 2,         ///< arguments or files are invalid
    run_deadlock = 5,          ///< no event was pending
    run_out_of_time = 6,       ///< --max-sim-time was reached
    run_check_failed = 7,      ///< a --check found an error although the program returned 0
    run_lockstep_failed = 8,   ///< RTL differs from its reference, or was not compared with it
    run_not_covered = 9,       ///< for cosim: all outputs are equal, but a cover point was not hit
    run_script_unreached = 10, ///< the run did not reach a pause of a script
    run_state_differs = 11     ///< --restore: the state differs from the recorded one, or was not
                               ///< reached
};

struct RunRequest {
    std::string scenario = "demo";
    const config::ScenarioSource* source = nullptr; ///< the scenario's source, if it has already
                                                    ///< been read
    std::vector<std::string> overrides;             ///< "a.b=c"
    std::optional<std::uint64_t> seed;
    std::optional<std::filesystem::path> elf;   ///< program instead of the workload's app
    std::optional<std::filesystem::path> input; ///< the program's standard input
    std::optional<std::filesystem::path> out;   ///< default: `out/<scenario>`
    std::vector<std::string> traces;            ///< as in --trace, with an optional ":FILE"
    std::vector<std::string> trace_sockets; ///< names of initiators and windows whose transactions
                                            ///< the bus trace has; empty: all
    std::vector<std::string> trace_inside;  ///< components whose inner activity the timeline shows
    std::string waves;                      ///< "FROM..TO"; empty: as in the scenario
    std::string waves_format;               ///< "fst" or "vcd"; empty: as in the scenario
    std::optional<std::filesystem::path> record_decisions; ///< file for a recording, which
                                                           ///< timing-only runs can replay
    bool bounds = false;             ///< print the contents of bounds.csv and roofline.csv
    bool report = true;              ///< write report.html
    bool profile = false;            ///< write profile.txt and profile.folded
    std::vector<std::string> checks; ///< "overlap", "uninitialised", "types", "stack" or "all"
    std::optional<std::uint64_t> max_sim_ps; ///< the run ends at this time at the latest
    bool allow_outside = false; ///< files that the scenario names may be outside its folder
    bool quiet = false;         ///< print only warnings and errors
    /// Receives the results. If it is set, results.json and the tables of energy, bottlenecks and
    /// sampling are not written.
    std::function<void(const Results&)> take_results;
    /// Receives the time of each marked part of the work, and the part's kind (enum levee_mark).
    std::function<void(int kind, std::uint64_t ps)> take_pass;
    /// Called when decoding begins. If it returns a request, this process continues as that run.
    /// The request may differ only in `sampling.lengths`, `workload.max_new_tokens`, its folder and
    /// take_results. This process must be a forked copy; the original process continues its run
    /// without the change. The run fails if the memory layouts differ.
    std::function<const RunRequest*()> at_decode;
    std::optional<std::uint16_t> gdb_port; ///< Serve a debugger on this port; 0: a free port.
    bool gdb_wait = true;                  ///< the program waits until the debugger starts it
    bool gdb_once = false;                 ///< the run ends when its first debugger disconnects
    std::optional<std::uint64_t> checkpoint_every_ps; ///< records the state at these intervals
    std::optional<std::uint64_t> restore_ps; ///< time of the recorded state to compare with
    std::optional<std::filesystem::path>
        script;                               ///< script of pauses and changes (docs/debugging.md)
    const faults::Injection* fault = nullptr; ///< bits to flip; null: none
    /// Receives the places where faults can be injected, at the end of a run without a fault.
    std::function<void(const faults::Survey&)> take_fault_places;
};

/// Builds the system, runs it and reports the results. Returns the exit code for the shell. For
/// input that cannot be used, throws config::Error, ModelError or std::runtime_error before
/// anything runs.
int run_scenario(const RunRequest& request);

} // namespace levee
