// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/output_folder.hpp"
#include "platform/studies/sweep/rows.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace levee::sweep {

/// Returns a line "N of M runs: text" for each different warning.
[[nodiscard]] std::vector<std::string> warnings_of(const Plan& plan, const FindOutcome& find);

namespace report_file {
inline constexpr const char *table = "table.csv", *points = "points.csv", *text = "table.txt",
                            *data = "sweep.json", *page = "report.html";
inline constexpr std::array<std::string_view, 5> all{table, points, text, data, page};
} // namespace report_file

/// Throws std::runtime_error if the files above would replace the study, or a file that its runs
/// read.
void check_inputs(const Study& study, const Plan& plan, const std::filesystem::path& folder);

/// Writes the files above, and prints the table unless `quiet`. A long table is printed only with
/// its best points. Returns whether all points succeeded and all checks hold. Failures are printed
/// on stderr.
bool report(const Study& study, const Plan& plan, const FindOutcome& find,
            const OutputFolder& folder, bool quiet);

} // namespace levee::sweep
