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

/// A simulated number, or the reason why there is none.
struct Figure {
    std::optional<double> value;
    std::string missing;
};

/// Results of runs by name, without failed runs.
using Metrics = std::map<std::string, nlohmann::json>;

/// A line of the comparison, for one number of a row.
struct Comparison {
    const Row* row = nullptr;
    std::size_t part = 0; ///< index of this number among the row's numbers
    std::string id;       ///< the row's id; for a row with several numbers "K134/1", "K134/2", ...
    std::string section, quantity, configuration, unit;
    std::string published_text;
    std::optional<double> published;
    Figure simulated;
    std::vector<Figure> variants;    ///< in the plan's order; empty if variants were not run
    std::vector<std::string> nearer; ///< variants whose number is nearer to the published one
    std::optional<double> ratio;
    /// The published and the simulated number, relative to the series' first row.
    std::optional<double> published_relative, simulated_relative;
    std::string expected;      ///< the expected relation as text; empty if there is none
    std::optional<bool> holds; ///< whether the expectation is met; false if the number is missing;
                               ///< nothing if there is no expectation
};

/// Returns the names of the runs that these rows and plots need.
[[nodiscard]] std::set<std::string> runs_of(const std::vector<const Row*>& rows,
                                            const std::vector<const Plot*>& plots);

/// Computes the values of expressions over runs. If the results lack a figure, the value is
/// missing, and the reason is stated.
class Evaluator {
public:
    /// `variant` is null, or a variant whose figures replace the plan's.
    Evaluator(const Plan& plan, const Metrics& metrics, const Variant* variant);

    [[nodiscard]] Figure value(const sweep::Expression& sum) const;
    /// Returns the average over the combinations; it is missing if one of the values is missing.
    [[nodiscard]] Figure average(const std::vector<sweep::Expression>& sums, Average average) const;

private:
    [[nodiscard]] double figure(const std::string& column, const std::string& run) const;

    std::map<std::string, const sweep::Column*> columns_;
    const Metrics& metrics_;
};

/// Compares all numbers of `rows`, in the default and in each variant. `variants[i]` has the runs
/// of the plan's i-th variant, including those that it does not change.
[[nodiscard]] std::vector<Comparison> compare(const Plan& plan, const std::vector<const Row*>& rows,
                                              const Metrics& metrics,
                                              const std::vector<Metrics>& variants);

} // namespace levee::reproduce
