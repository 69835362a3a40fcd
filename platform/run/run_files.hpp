// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace levee {

/// Files that a run writes into its folder, except those named by the scenario and the command
/// line, and the price lists' `energy*.csv`.
inline constexpr std::array result_files{"results.json", "report.html"};
inline constexpr std::array table_files{"bounds.csv",    "roofline.csv", "sampling.csv",
                                        "turns.csv",     "requests.csv", "profile.txt",
                                        "profile.folded"};

/// A file that the command line names, and the option that does.
struct NamedFile {
    std::string option; ///< "--trace timeline"
    std::filesystem::path path;
};

/// Throws an Error for a file of `observe:` with the same name as one of these, or as another file
/// of `observe:`. Throws std::runtime_error if one of `named` equals one of these, one of
/// `observe:`, another of `named`, or one of `read`, the files that the run reads.
void check_names(const config::ObserveConfig& observe, const std::vector<NamedFile>& named,
                 const std::vector<std::filesystem::path>& read,
                 const std::filesystem::path& output_folder);

} // namespace levee
