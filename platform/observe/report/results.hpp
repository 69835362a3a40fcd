// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/stats.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace levee {

/// Value of a figure; text only for `host.` figures that are names.
using Metric = std::variant<std::uint64_t, std::int64_t, double, std::string>;

/// Results of a run.
struct Results {
    std::string name; ///< name of the scenario
    std::uint64_t seed = 0;
    std::uint32_t exit_code = 0;
    std::map<std::string, Metric> metrics; ///< Metrics by name; docs/results.md lists them.
    std::string error;                     ///< why the run failed; empty: it did not
    std::string cut; ///< Signal that ended the run before the program's end; empty: none.
    std::vector<std::string> warnings;              ///< caveats on these figures
    std::string text;                               ///< output of the program
    std::vector<std::vector<std::uint32_t>> tokens; ///< generated tokens, by sequence
    nlohmann::ordered_json scenario;                ///< resolved

    /// Adds a component's figures, each named `component.figure`. They replace figures of the same
    /// name that a program reported.
    void add(const std::string& component, const Stats& stats);

    /// The figure as a number, or `otherwise` if it is absent.
    [[nodiscard]] double number(const std::string& metric, double otherwise = 0.0) const;

    /// The text of results.json.
    [[nodiscard]] std::string json() const;
};

} // namespace levee
