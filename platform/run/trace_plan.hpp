// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/trace_window.hpp"
#include "platform/run/run.hpp"
#include "platform/run/run_files.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// The traces that a run writes.
struct TracePlan {
    struct Trace {
        const char* name = "";                     ///< in the results folder
        std::optional<std::filesystem::path> file; ///< file named in its place
        trace::WindowPlan window{};                ///< the part of the run

        [[nodiscard]] std::filesystem::path in(const std::filesystem::path& results) const
        {
            return file.value_or(results / name);
        }
    };
    std::optional<Trace> instructions, bus, timeline, signals;
    std::vector<std::string> sockets; ///< names on the bus that the bus trace covers; empty: all
    std::vector<std::string> inside;  ///< components in the timeline
};

/// The traces' files, each with its option.
[[nodiscard]] std::vector<NamedFile> trace_files(const TracePlan& plan,
                                                 const std::filesystem::path& results);

/// Kinds of traces as --trace names them, with a text between the words.
[[nodiscard]] std::string trace_words(const std::string& between);

/// Reads --trace (KIND[@PART...][:FILE]), --trace-bus and --trace-inside. Throws std::runtime_error
/// for an unknown kind of trace, with the nearest name, and for an invalid part of a run.
[[nodiscard]] TracePlan plan_traces(const RunRequest& request);

} // namespace levee
