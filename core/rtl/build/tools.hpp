// SPDX-License-Identifier: Apache-2.0
// Programs that build RTL while Levee runs, and where Levee's own sources are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::own_rtl {

struct Tools {
    std::string verilator;
    std::vector<std::string> compiler;            ///< its path, after a launcher if there is one
    std::vector<std::string> verilator_arguments; ///< of every design of the tree
    std::vector<std::string> verilated_includes;  ///< folders of Verilator's headers
    std::vector<std::string> verilated_definitions;
    std::vector<std::string> twin_arguments;                ///< of those for speed, besides
    std::vector<std::filesystem::path> verilated_libraries; ///< in the order of linking
    std::filesystem::path sources;                          ///< of the tree, with ip/ and rtl/
    std::filesystem::path cache;                            ///< folder of what was built
};

/// Those that this program was built with.
[[nodiscard]] Tools default_tools();

/// Runs a command; its exit code, 127 if there is no such program. What it prints goes to `log`.
[[nodiscard]] int run_command(const std::vector<std::string>& words,
                              const std::filesystem::path& log);

/// A whole file; none if it is no regular file or cannot be read.
[[nodiscard]] std::optional<std::string> bytes_of(const std::filesystem::path& path);
/// Likewise; empty if it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);
/// Throws config::Error if it cannot be written.
void write_text(const std::filesystem::path& path, const std::string& text);

} // namespace levee::own_rtl
