// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace levee::own_rtl {

/// Hash of the bytes, as 16 hexadecimal digits.
[[nodiscard]] std::string hash_of(const std::string& bytes);

/// Returns the prerequisites of a make rule as compilers write it. Throws config::Error if there
/// are none.
[[nodiscard]] std::vector<std::filesystem::path> prerequisites(const std::filesystem::path& rule);

/// Returns the sources in the list `V<name>__verFiles.dat`, in which Verilator quotes the names of
/// all files that it read. Throws config::Error if the list has no sources.
[[nodiscard]] std::vector<std::filesystem::path>
verilated_sources(const std::filesystem::path& list);

/// Writes a list of `files` with fingerprints of their contents. Files that are unreadable, or were
/// written after the time `begun`, are listed as changed.
void write_fingerprints(const std::filesystem::path& list,
                        const std::vector<std::filesystem::path>& files,
                        std::filesystem::file_time_type begun);
/// Whether all files in the list are readable and unchanged.
[[nodiscard]] bool fingerprints_hold(const std::filesystem::path& list);

} // namespace levee::own_rtl
