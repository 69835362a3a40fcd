// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace levee::reproduce {

/// A line of a paper's published.csv.
struct Published {
    std::string id, section, quantity, configuration;
    std::string text; ///< as printed: "1.27", ">2", "71/37/25", "6*T_SRAM+4*T_eDRAM"
    std::string unit;
    std::vector<double> numbers; ///< the numbers in `text` without <, > and ~; empty if there is
                                 ///< other text
};

/// Reads a file with the columns id, paper, section, quantity, configuration, published, unit.
/// Throws config::Error at a line with a wrong number of fields or with a duplicate id.
[[nodiscard]] std::vector<Published> read_published(const std::filesystem::path& file);

} // namespace levee::reproduce
