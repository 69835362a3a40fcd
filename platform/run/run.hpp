#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee {

struct RunRequest {
    std::string scenario = "demo";
    std::vector<std::string> overrides; ///< "a.b=c"
    std::optional<std::uint64_t> seed;
    std::optional<std::filesystem::path> elf; ///< a program in place of the workload's app
    std::optional<std::filesystem::path> out; ///< results folder; default out/<scenario>
    bool quiet = false;                       ///< no text on the terminal
    std::optional<std::uint16_t> gdb_port;    ///< serve a debugger there; 0: a free port
    bool gdb_wait = true;                     ///< the program starts when the debugger says so
};

/// Assembles, runs and reports; returns the exit code for the shell. Throws config::Error,
/// ModelError or std::runtime_error for input that cannot be used, before anything has run.
int run_scenario(const RunRequest& request);

} // namespace levee
