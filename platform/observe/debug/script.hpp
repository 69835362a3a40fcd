// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/pokes.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace levee::debug {

/// The pauses of a script (docs/debugging.md).
struct AtStart {};
struct AtTime {
    Picoseconds ps = 0;
};
struct AtPc {
    std::uint32_t pc = 0;
    std::uint64_t nth = 1;
};
struct AtCounter {
    std::uint32_t counter = 0;
    std::uint32_t value = 0;
};
struct AtOperation {
    std::size_t component = 0;
    std::optional<std::uint8_t> opcode;
    std::optional<std::uint32_t> tag;
    std::uint64_t nth = 1;
    bool ends = false; ///< Trigger at the end of the operation, with results in memory; false:
                       ///< before it reads operands.
};
using Pause = std::variant<AtStart, AtTime, AtPc, AtCounter, AtOperation>;

/// The commands of a pause.
struct Show {
    std::string command; ///< a command of the monitor
};
struct Halt {}; ///< hands over to the debugger
using ScriptCommand = std::variant<Poke, Show, Halt>;

struct ScriptAction {
    int line = 0;
    ScriptCommand command;
};

struct ScriptStep {
    int line = 0;
    std::string text; ///< Text as written.
    Pause pause;
    std::vector<ScriptAction> actions;
};

/// A script: its steps are executed one after the other.
struct Script {
    std::string file; ///< File name for messages.
    std::vector<ScriptStep> steps;
};

/// Throws config::Error, "FILE:LINE: ...", for the first line that cannot be executed.
[[nodiscard]] Script parse_script(const MachineView& machine, const std::string& text,
                                  const std::string& file);
/// The same for a file; also throws config::Error if it cannot be read.
[[nodiscard]] Script read_script(const MachineView& machine, const std::filesystem::path& file);

} // namespace levee::debug
