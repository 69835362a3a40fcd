// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/stats.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace levee {

/// A figure's value; a text only for `host.` figures that are names.
using Metric = std::variant<std::uint64_t, std::int64_t, double, std::string>;

/// What a run leaves behind.
struct Results {
    std::string name; ///< of the scenario
    std::uint64_t seed = 0;
    std::uint32_t exit_code = 0;
    std::map<std::string, Metric> metrics;          ///< by name; docs/results.md lists them
    std::vector<std::string> warnings;              ///< what these figures must not hide
    std::string text;                               ///< what the program printed
    std::vector<std::vector<std::uint32_t>> tokens; ///< generated, by sequence
    nlohmann::ordered_json scenario;                ///< resolved

    /// Adds a component's figures, each named `component.figure`. Takes the place of what a program
    /// may have called the same.
    void add(const std::string& component, const Stats& stats);

    /// The figure as a number, or `otherwise` if there is none.
    [[nodiscard]] double number(const std::string& metric, double otherwise = 0.0) const;

    /// results.json.
    [[nodiscard]] std::string json() const;
};

} // namespace levee
