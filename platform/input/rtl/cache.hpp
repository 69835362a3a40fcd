// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace levee::own_rtl {

/// 16 hexadecimal digits.
[[nodiscard]] std::string hash_of(const std::string& bytes);

/// Names in a make rule, as compilers write it: all but its target.
[[nodiscard]] std::vector<std::filesystem::path> prerequisites(const std::filesystem::path& rule);

/// A file that lists `files` with what they hold now.
void write_fingerprints(const std::filesystem::path& list,
                        const std::vector<std::filesystem::path>& files);
/// Whether all files of the list still hold that.
[[nodiscard]] bool fingerprints_hold(const std::filesystem::path& list);

} // namespace levee::own_rtl
