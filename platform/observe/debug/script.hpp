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

/// The conditions at which a script can pause (docs/debugging.md).
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
    bool ends = false; ///< true: at the operation's end, with results in memory; false: before it
                       ///< reads its operands
};
using Pause = std::variant<AtStart, AtTime, AtPc, AtCounter, AtOperation>;

/// The commands that a script can execute at a pause.
struct Show {
    std::string command;
};
struct Halt {}; ///< halts the core and lets the debugger take over
using ScriptCommand = std::variant<Poke, Show, Halt>;

struct ScriptAction {
    int line = 0;
    ScriptCommand command;
};

struct ScriptStep {
    int line = 0;
    std::string text;
    Pause pause;
    std::vector<ScriptAction> actions;
};

/// A script. Its steps are executed in order.
struct Script {
    std::string file;
    std::vector<ScriptStep> steps;
};

/// Throws config::Error with "FILE:LINE: ..." for the first invalid line.
[[nodiscard]] Script parse_script(const MachineView& machine, const std::string& text,
                                  const std::string& file);
/// Like parse_script(), but reads a file. Throws config::Error also if the file cannot be read.
[[nodiscard]] Script read_script(const MachineView& machine, const std::filesystem::path& file);

} // namespace levee::debug
