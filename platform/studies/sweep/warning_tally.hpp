// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace levee::sweep {

/// Collects the warnings of many runs. Warnings that differ only in their numbers count as one,
/// with the range of each number.
class WarningTally {
public:
    void add(const std::string& warning);

    /// Returns lines "N of RUNS runs: WARNING" in alphabetical order. A number that varies is shown
    /// as "LEAST to MOST".
    [[nodiscard]] std::vector<std::string> lines(std::size_t runs) const;

private:
    struct Number {
        std::string least, most; ///< the smallest and the largest number, as written
    };
    struct Group {
        std::size_t count = 0;
        std::vector<Number> numbers;
    };

    std::map<std::vector<std::string>, Group>
        groups_; ///< key: a warning's text, cut at its numbers
};

} // namespace levee::sweep
