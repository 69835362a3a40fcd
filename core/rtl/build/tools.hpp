// SPDX-License-Identifier: Apache-2.0
// Programs that build RTL while Levee runs, and the location of Levee's sources.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::own_rtl {

struct Tools {
    std::string verilator;
    std::vector<std::string> compiler;            ///< The compiler's path, after a launcher if
                                                  ///< there is one.
    std::vector<std::string> verilator_arguments; ///< Verilator arguments for every design.
    std::vector<std::string> verilated_includes;  ///< Folders of Verilator's headers.
    std::vector<std::string> verilated_definitions;
    std::vector<std::string> twin_arguments;                ///< Additional arguments for designs
                                                            ///< that are built for speed.
    std::vector<std::filesystem::path> verilated_libraries; ///< Libraries in linking order.
    std::filesystem::path sources;                          ///< Root of the source tree, with ip/
                                                            ///< and rtl/.
    std::filesystem::path cache;                            ///< Folder of build results.
};

/// The tools with which this program was built.
[[nodiscard]] Tools default_tools();

/// Runs a command and returns its exit code; 127 if it cannot be started, 128 + S if signal S ends
/// it. Its output is appended to `log`.
[[nodiscard]] int run_command(const std::vector<std::string>& words,
                              const std::filesystem::path& log);

/// Contents of a regular file. Empty optional if it cannot be read.
[[nodiscard]] std::optional<std::string> bytes_of(const std::filesystem::path& path);
/// Contents of a file as text; empty if it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);
/// Writes a text file. Throws config::Error if it cannot be written.
void write_text(const std::filesystem::path& path, const std::string& text);

} // namespace levee::own_rtl
