// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <functional>
#include <string>
#include <vector>

namespace levee::sweep {

struct Term;
using Sum = std::vector<Term>;

/// One product in a sum: factor * column(point) / column(point) * (a sum) ...
struct Term {
    struct Figure {
        std::string column; ///< empty: `inner` in parentheses
        std::string point;
        bool divides = false;
        Sum inner;
    };
    double factor = 1.0;
    std::vector<Figure> figures;
};

using FigureOf = std::function<double(const std::string& column, const std::string& point)>;

/// Reads a sum of products and quotients of numbers, figures and such sums in parentheses, as in
/// `100 * answered(aep/128) / answered(full) - 100`. config::Error at `node`.
[[nodiscard]] Sum parse_sum(const config::Node& node);

/// Calls `use` for each figure that the sum names, in the order of its text.
void each_figure(const Sum& sum, const std::function<void(const Term::Figure&)>& use);

[[nodiscard]] double value_of(const Sum& sum, const FigureOf& figure);

/// A relation that a study's figures must have: `answered(aep/128) >= answered(random/128) + 0.1`.
/// Each side is a sum as above; the relation is one of < <= > >= ==.
struct Check {
    enum class Relation { Less, LessOrEqual, Greater, GreaterOrEqual, Equal };
    std::string text; ///< as written
    config::Place place;
    Sum left, right;
    Relation relation = Relation::Equal;
};

/// Reads a check. config::Error at `node` with what was expected where.
[[nodiscard]] Check parse_check(const config::Node& node);

struct Verdict {
    bool holds = false;
    double left = 0.0, right = 0.0;
};

[[nodiscard]] Verdict judge(const Check& check, const FigureOf& figure);

} // namespace levee::sweep
