// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"

#include <array>
#include <filesystem>

namespace levee {

/// The files that a run writes into its folder by itself, beside those that the scenario and the
/// command line name and the price lists' `energy*.csv`.
inline constexpr std::array result_files{"results.json", "report.html"};
inline constexpr std::array table_files{"bounds.csv", "roofline.csv", "sampling.csv", "profile.txt",
                                        "profile.folded"};

/// Error at a file of `observe:` that has the name of one of these, or of another in `observe:`.
void check_names(const config::ObserveConfig& observe, const std::filesystem::path& output_folder);

} // namespace levee
