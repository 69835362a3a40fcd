// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace levee::config {

/// A match of a pattern in a text.
struct Match {
    std::size_t position = 0;
    std::vector<std::string> groups; ///< Element 0 is the whole match; the others are its
                                     ///< parenthesised groups.
};

/// All matches of a regular expression (std::regex) within the lines of a text, from left to right.
/// Only the first 4096 bytes of a line are searched. std::regex is used only in this file's
/// implementation, because including <regex> adds seconds to the compilation of each source.
[[nodiscard]] std::vector<Match> matches(const std::string& text, const std::string& pattern);

} // namespace levee::config
