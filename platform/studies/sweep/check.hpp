// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/expression.hpp"

#include <functional>
#include <string>

namespace levee::sweep {

using FigureOf = std::function<double(const std::string& column, const std::string& point)>;

/// Reads a sum of products and quotients of numbers, figures and sums in parentheses, as in `100 *
/// answered(aep/128) / answered(full) - 100`. Throws config::Error at `node`.
[[nodiscard]] Expression parse_sum(const config::Node& node);

/// Calls `use` for each figure that the expression names, in the order of its text.
void each_figure(
    const Expression& expression,
    const std::function<void(const std::string& column, const std::string& point)>& use);

[[nodiscard]] double value_of(const Expression& sum, const FigureOf& figure);

/// A relation that a study's figures must have: `answered(aep/128) >= answered(random/128) + 0.1`.
struct Check {
    std::string text; ///< Check as written.
    config::Place place;
    Expression relation; ///< a relation of two sums
};

/// Reads a check. Throws config::Error at `node` with the position and the expectation.
[[nodiscard]] Check parse_check(const config::Node& node);

struct Verdict {
    bool holds = false;
    double left = 0.0, right = 0.0;
};

[[nodiscard]] Verdict judge(const Check& check, const FigureOf& figure);

} // namespace levee::sweep
