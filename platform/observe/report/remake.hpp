// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace levee {

/// Writes report.html of a result folder again, with this program's version of the page. The data
/// come from the first of these files that exists: sweep.json, faults.json, compare.json, an older
/// report.html, results.json. Returns the written file. Throws std::runtime_error with a file's
/// name if none exists, or if a file cannot be used.
std::filesystem::path remake_page(const std::filesystem::path& folder);

} // namespace levee
