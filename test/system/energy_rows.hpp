// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/wide.hpp"
#include "test/system/program.hpp"

#include <algorithm>
#include <sstream>
#include <string>

namespace levee::test {

/// Converts joules with 18 decimal places to whole attojoules.
inline Wide attojoules(std::string joules)
{
    const std::size_t point = joules.find('.');
    REQUIRE(point != std::string::npos);
    REQUIRE(joules.size() - point - 1 == 18);
    joules.erase(point, 1);
    Wide value = 0;
    for (const char digit : joules)
        value = 10 * value + static_cast<unsigned>(digit - '0');
    return value;
}

/// Checks a table whose last column has an energy for each of `rows` and one for everything else.
/// The column's sum must equal both the sum of energy.csv and energy.total_j.
inline void check_energies(const Workplace& place, const std::string& file, std::size_t rows)
{
    const auto sum = [&](const std::string& name, auto read) {
        std::istringstream lines(place.read("out/" + name));
        std::string line;
        std::getline(lines, line);
        Wide total = 0;
        std::size_t count = 0;
        for (; std::getline(lines, line); ++count)
            total += read(line.substr(line.rfind(',') + 1));
        return std::pair(total, count);
    };
    const auto [shares, count] = sum(file, attojoules);
    const auto [all, cells] = sum("energy.csv", [](const std::string& text) {
        return attojoules(std::string(18 - std::min<std::size_t>(text.size(), 18), '0')
                              .append(text)
                              .insert(std::max<std::size_t>(text.size(), 18) - 18, 1, '.'));
    });
    CHECK(count == rows + 1);
    CHECK(cells > 5);
    CHECK(shares == all);
    const nlohmann::json results = nlohmann::json::parse(place.read("out/results.json"));
    CHECK(static_cast<double>(shares) / 1e18 ==
          results.at("metrics").at("energy.total_j").get<double>());
}

} // namespace levee::test
