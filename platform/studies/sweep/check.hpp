// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/expression.hpp"

#include <functional>
#include <string>

namespace levee::sweep {

using FigureOf = std::function<double(const std::string& column, const std::string& point)>;

/// Reads sums of products and quotients of numbers, figures and sums in parentheses, such as `100 *
/// answered(aep/128) / answered(full) - 100`. Throws config::Error at `node`.
[[nodiscard]] Expression parse_sum(const config::Node& node);

/// Calls `use` for each figure in the expression, in the order of the text.
void each_figure(
    const Expression& expression,
    const std::function<void(const std::string& column, const std::string& point)>& use);

[[nodiscard]] double value_of(const Expression& sum, const FigureOf& figure);

/// A relation that a study's figures must satisfy, such as `answered(aep/128) >=
/// answered(random/128) + 0.1`.
struct Check {
    std::string text; ///< as written in the study
    config::Place place;
    Expression relation; ///< two sums with a relation between them
};

/// Reads a check. Throws config::Error at `node` with the position and what was expected.
[[nodiscard]] Check parse_check(const config::Node& node);

struct Verdict {
    bool holds = false;
    double left = 0.0, right = 0.0;
};

[[nodiscard]] Verdict judge(const Check& check, const FigureOf& figure);

} // namespace levee::sweep
