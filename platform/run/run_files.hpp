// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace levee {

/// The files that a run may write into its folder. The list omits files that the scenario or the
/// command line names, and the price lists' `energy*.csv`. A run writes `result_files` by default.
inline constexpr std::array result_files{"results.json", "report.html"};
inline constexpr std::array table_files{"bounds.csv",    "roofline.csv", "sampling.csv",
                                        "turns.csv",     "requests.csv", "profile.txt",
                                        "profile.folded"};

struct NamedFile {
    std::string option; ///< such as "--trace timeline"
    std::filesystem::path path;
};

/// Files of a run, apart from those that the scenario's `observe:` or the command line names.
struct RunFiles {
    std::vector<std::filesystem::path> read;
    std::vector<std::string> written; ///< names in the output folder
};

/// Returns the names of the tables and profiles in the folder that an earlier run has written. The
/// next run into the folder removes them.
[[nodiscard]] std::vector<std::string> earlier_tables(const std::filesystem::path& folder);

/// Throws std::runtime_error if a file of `read` is one of the files that `who`, such as "the run",
/// writes into the folder.
void check_read(const std::string& who, const std::vector<std::filesystem::path>& read,
                const std::vector<std::string>& written, const std::filesystem::path& folder);

/// Returns whether the file is one of these files, also by another path or a link.
[[nodiscard]] bool is_one_of(const std::vector<std::filesystem::path>& files,
                             const std::filesystem::path& file);

/// Checks that no two outputs of a run are the same file, and that no output is a file that the run
/// reads. Throws config::Error if a file of `observe:` has a name that a run may write, is named
/// twice in `observe:`, or is read. Throws std::runtime_error:
/// - for a file that the run reads and writes, or reads and removes;
/// - for a user's table that the run would replace;
/// - if a file of `named` has a name that a run may write, is in `observe:`, is named twice, is
///   read, or is a link out of the folder.
void check_names(const config::ObserveConfig& observe, const std::vector<NamedFile>& named,
                 const RunFiles& files, const std::filesystem::path& output_folder);

} // namespace levee
