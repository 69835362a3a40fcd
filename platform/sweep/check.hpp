#pragma once

#include "platform/config/node.hpp"

#include <functional>
#include <string>
#include <vector>

namespace levee::sweep {

/// One product in a sum: factor * column(point) * ...
struct Term {
    struct Figure {
        std::string column;
        std::string point;
    };
    double factor = 1.0;
    std::vector<Figure> figures;
};

/// A relation that a study's figures must have: `answered(aep/128) >= answered(random/128) + 0.1`.
/// Each side is a sum of products of numbers and figures; the relation is one of < <= > >= ==.
struct Check {
    enum class Relation { Less, LessOrEqual, Greater, GreaterOrEqual, Equal };
    std::string text; ///< as written
    config::Place place;
    std::vector<Term> left, right;
    Relation relation = Relation::Equal;
};

/// Reads a check. config::Error at `node` with what was expected where.
[[nodiscard]] Check parse_check(const config::Node& node);

struct Verdict {
    bool holds = false;
    double left = 0.0, right = 0.0;
};

using FigureOf = std::function<double(const std::string& column, const std::string& point)>;

[[nodiscard]] Verdict judge(const Check& check, const FigureOf& figure);

} // namespace levee::sweep
