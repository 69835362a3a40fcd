// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace levee::config {

/// One place of a text that a pattern fits.
struct Match {
    std::size_t position = 0;
    std::vector<std::string> groups; ///< [0] all that fits, then what stands in its parentheses
};

/// All places within a text's lines that a regular expression (std::regex's) fits, from left to
/// right; of a line the first 4096 bytes are looked at. Compiled here alone: each source with a
/// std::regex takes seconds longer.
[[nodiscard]] std::vector<Match> matches(const std::string& text, const std::string& pattern);

} // namespace levee::config
