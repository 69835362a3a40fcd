// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/run/run.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// The traces that a run writes.
struct TracePlan {
    struct Trace {
        std::optional<std::filesystem::path> file; ///< none: in the results folder
    };
    std::optional<Trace> instructions, bus, timeline;
    std::vector<std::string> sockets; ///< of the bus trace; empty: all
    std::vector<std::string> inside;  ///< of the timeline: components
};

/// Kinds of traces as --trace names them, with a text between the words.
[[nodiscard]] std::string trace_words(const std::string& between);

/// Reads --trace, --trace-bus and --trace-inside. Throws std::runtime_error for an unknown kind of
/// trace, naming the nearest.
[[nodiscard]] TracePlan plan_traces(const RunRequest& request);

} // namespace levee
