// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace levee::own_rtl {

/// 16 hexadecimal digits.
[[nodiscard]] std::string hash_of(const std::string& bytes);

/// Prerequisites of a make rule as compilers write it. Throws config::Error if there are none.
[[nodiscard]] std::vector<std::filesystem::path> prerequisites(const std::filesystem::path& rule);

/// Sources in the list `V<name>__verFiles.dat`, in which Verilator quotes the names of all files
/// that it read. Throws config::Error if it has none.
[[nodiscard]] std::vector<std::filesystem::path>
verilated_sources(const std::filesystem::path& list);

/// Writes a file that lists `files` with fingerprints of their contents. Unreadable files and those
/// written after `begun` are listed as changed.
void write_fingerprints(const std::filesystem::path& list,
                        const std::vector<std::filesystem::path>& files,
                        std::filesystem::file_time_type begun);
/// Whether all files of the list can be read and are unchanged.
[[nodiscard]] bool fingerprints_hold(const std::filesystem::path& list);

} // namespace levee::own_rtl
