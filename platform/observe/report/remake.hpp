// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace levee {

/// Writes report.html of a result folder anew, with this program's page, from the existing
/// contents: sweep.json, compare.json, the data in an older report.html, or results.json, the first
/// that is. Returns the file. Throws std::runtime_error, naming it, for a folder without any of
/// them or a file that cannot be used.
std::filesystem::path remake_page(const std::filesystem::path& folder);

} // namespace levee
