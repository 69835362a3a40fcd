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

/// A metric's value. Few values are texts, such as `model.format` and `host.compiler`.
using Metric = std::variant<std::uint64_t, std::int64_t, double, std::string>;

struct Results {
    std::string name;
    std::uint64_t seed = 0;
    std::uint32_t exit_code = 0;
    std::map<std::string, Metric> metrics; ///< by name; docs/results.md lists them
    std::string error;                     ///< why the run failed; empty if it did
                                           ///< not
    std::string cut;                       ///< signal that ended the run early; empty if none did
    std::vector<std::string> warnings;
    std::string text;
    std::vector<std::vector<std::uint32_t>> tokens; ///< generated tokens, by sequence
    nlohmann::ordered_json scenario;

    /// Adds a component's figures as `component.figure`. They replace metrics of the same name that
    /// the program has reported.
    void add(const std::string& component, const Stats& stats);

    /// Returns the metric as a number; `otherwise` if it does not exist or is a text.
    [[nodiscard]] double number(const std::string& metric, double otherwise = 0.0) const;

    [[nodiscard]] std::string json() const;
};

} // namespace levee
