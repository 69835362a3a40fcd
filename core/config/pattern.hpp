// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace levee::config {

/// One place of a text that a pattern fits.
struct Match {
    std::size_t position = 0;
    std::vector<std::string> groups; ///< [0] is the whole match; the others are its parenthesised
                                     ///< groups.
};

/// All matches of a regular expression (std::regex) within the lines of a text, from left to right.
/// Only the first 4096 bytes of a line are searched. std::regex is used only here, since each
/// source that includes it compiles seconds longer.
[[nodiscard]] std::vector<Match> matches(const std::string& text, const std::string& pattern);

} // namespace levee::config
