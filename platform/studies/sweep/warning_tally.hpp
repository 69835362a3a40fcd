// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace levee::sweep {

/// Collects the warnings of many runs. Warnings that differ only in numbers are counted as one,
/// with the range of each number.
class WarningTally {
public:
    void add(const std::string& warning);

    /// "N of RUNS runs: WARNING", in alphabetical order; a number that varies as "LEAST to MOST".
    [[nodiscard]] std::vector<std::string> lines(std::size_t runs) const;

private:
    struct Number {
        std::string least, most; ///< Smallest and largest number as written.
    };
    struct Group {
        std::size_t count = 0;
        std::vector<Number> numbers;
    };

    std::map<std::vector<std::string>, Group> groups_; ///< Groups by the texts between the numbers.
};

} // namespace levee::sweep
