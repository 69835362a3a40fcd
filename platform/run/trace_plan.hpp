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

struct TracePlan {
    struct Trace {
        const char* name = "";
        std::optional<std::filesystem::path> file; ///< another file, if the user has named one
        trace::WindowPlan window{};                ///< the part of the run that the trace covers

        [[nodiscard]] std::filesystem::path in(const std::filesystem::path& results) const
        {
            return file.value_or(results / name);
        }
    };
    std::optional<Trace> instructions, bus, timeline, signals;
    std::vector<std::string> sockets; ///< names of initiators and windows whose transactions the
                                      ///< bus trace has; empty: all
    std::vector<std::string> inside;  ///< components whose inner activity the timeline shows
};

/// Returns the traces' files, each with its option.
[[nodiscard]] std::vector<NamedFile> trace_files(const TracePlan& plan,
                                                 const std::filesystem::path& results);

/// Returns the names of all kinds of traces, with `between` between them.
[[nodiscard]] std::string trace_words(const std::string& between);

/// Reads --trace (KIND[@PART...][:FILE]), --trace-bus and --trace-inside. For an unknown kind,
/// throws std::runtime_error with the nearest name. Also throws it for an invalid part of a run.
[[nodiscard]] TracePlan plan_traces(const RunRequest& request);

} // namespace levee
