// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/plan.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::reproduce {

/// A simulated number, or the reason why it is missing.
struct Figure {
    std::optional<double> value;
    std::string missing;
};

/// Results of runs, by name; failed runs are missing.
using Metrics = std::map<std::string, nlohmann::json>;

/// One line of the comparison: a number of a row.
struct Comparison {
    const Row* row = nullptr;
    std::size_t part = 0; ///< number of the row's
    std::string id;       ///< the row's; with several numbers "K134/1", "K134/2", ...
    std::string section, quantity, configuration, unit;
    std::string published_text;
    std::optional<double> published;
    Figure simulated;
    std::vector<Figure> variants;    ///< Figures in the plan's order; empty: variants were not run.
    std::vector<std::string> nearer; ///< variants that are nearer to the published number
    std::optional<double> ratio;     ///< simulated over published
    /// Against the first row of the series: both quotients.
    std::optional<double> published_relative, simulated_relative;
    std::string expected;      ///< the expected relation as text; empty: none
    std::optional<bool> holds; ///< absent without `expected`; a missing number does not
};

/// The names of runs that these rows and plots need.
[[nodiscard]] std::set<std::string> runs_of(const std::vector<const Row*>& rows,
                                            const std::vector<const Plot*>& plots);

/// Values of expressions over runs. A figure that the results lack is missing, with the reason.
class Evaluator {
public:
    /// `variant`: null, or one whose figures replace the plan's.
    Evaluator(const Plan& plan, const Metrics& metrics, const Variant* variant);

    [[nodiscard]] Figure value(const sweep::Expression& sum) const;
    /// Over the combinations; missing if one is.
    [[nodiscard]] Figure average(const std::vector<sweep::Expression>& sums, Average average) const;

private:
    [[nodiscard]] double figure(const std::string& column, const std::string& run) const;

    std::map<std::string, const sweep::Column*> columns_;
    const Metrics& metrics_;
};

/// All numbers of `rows`, by default and in each variant (`variants[i]`: runs of the plan's i-th
/// variant, including unchanged ones).
[[nodiscard]] std::vector<Comparison> compare(const Plan& plan, const std::vector<const Row*>& rows,
                                              const Metrics& metrics,
                                              const std::vector<Metrics>& variants);

} // namespace levee::reproduce
