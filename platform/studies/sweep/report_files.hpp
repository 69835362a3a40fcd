// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/output_folder.hpp"
#include "platform/studies/sweep/rows.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace levee::sweep {

/// "N of M runs: text" for each text that runs warn with.
[[nodiscard]] std::vector<std::string> warnings_of(const Plan& plan, const FindOutcome& find);

/// Files that report() writes.
namespace report_file {
inline constexpr const char *table = "table.csv", *points = "points.csv", *text = "table.txt",
                            *data = "sweep.json", *page = "report.html";
inline constexpr std::array<std::string_view, 5> all{table, points, text, data, page};
} // namespace report_file

/// Writes the files above, and prints the table unless `quiet`; only the best points of a long
/// table. Returns whether all points succeeded and all checks hold; failures are printed on stderr.
bool report(const Study& study, const Plan& plan, const FindOutcome& find,
            const OutputFolder& folder, bool quiet);

} // namespace levee::sweep
