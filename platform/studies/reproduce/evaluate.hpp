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
    std::size_t part = 0; ///< index of the number among the row's numbers
    std::string id; ///< id of the row; if the row has several numbers, "K134/1", "K134/2", ...
    std::string section, quantity, configuration, unit;
    std::string published_text;
    std::optional<double> published;
    Figure simulated;
    std::vector<Figure> variants;    ///< Figures in the plan's order; empty: variants were not run.
    std::vector<std::string> nearer; ///< variants that are nearer to the published number
    std::optional<double> ratio;     ///< simulated over published
    /// The number divided by that of the first row of the series, published and simulated.
    std::optional<double> published_relative, simulated_relative;
    std::string expected;      ///< the expected relation as text; empty: none
    std::optional<bool> holds; ///< whether the expectation is met; absent without an expectation.
                               ///< It is not met if the number is missing.
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
    /// Average over the combinations; missing if a value is missing.
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
