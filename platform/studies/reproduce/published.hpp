// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace levee::reproduce {

/// A line of a paper's published.csv.
struct Published {
    std::string id, section, quantity, configuration;
    std::string text; ///< Text as printed: "1.27", ">2", "71/37/25", "6*T_SRAM+4*T_eDRAM".
    std::string unit;
    std::vector<double> numbers; ///< Numbers in `text` without <, > and ~; empty if it contains
                                 ///< other text.
};

/// Reads a file with the columns id, paper, section, quantity, configuration, published, unit.
/// Throws config::Error at a line with another number of fields or a duplicate id.
[[nodiscard]] std::vector<Published> read_published(const std::filesystem::path& file);

} // namespace levee::reproduce
