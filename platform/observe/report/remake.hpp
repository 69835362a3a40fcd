// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace levee {

/// Writes report.html of a result folder again, with this program's page, from the existing
/// contents. It uses the first that exists: sweep.json, compare.json, the data in an older
/// report.html, or results.json. Returns the file. Throws std::runtime_error, with its name, for a
/// folder without any of them or a file that cannot be used.
std::filesystem::path remake_page(const std::filesystem::path& folder);

} // namespace levee
