// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/check.hpp"

namespace levee::sweep {

namespace {

ValueOf values_of(const FigureOf& figure)
{
    return [&figure](const Expression& leaf) {
        return Value(Measured{figure(leaf.name, leaf.point), ""});
    };
}

} // namespace

double value_of(const Expression& sum, const FigureOf& figure)
{
    return std::get<Measured>(evaluate(sum, values_of(figure))).value;
}

void each_figure(const Expression& expression,
                 const std::function<void(const std::string&, const std::string&)>& use)
{
    each_leaf(expression, [&use](const Expression& leaf) {
        if (!leaf.name.empty())
            use(leaf.name, leaf.point);
    });
}

Expression parse_sum(const config::Node& node)
{
    return parse(
        node,
        {.what = "expression", .example = "energy(original) / energy(kelle)", .figures = true});
}

Check parse_check(const config::Node& node)
{
    return {node.scalar, node.place,
            parse(node, {.what = "check",
                         .example = "answered(aep/128) >= 0.9 * answered(full)",
                         .figures = true,
                         .relates = true})};
}

Verdict judge(const Check& check, const FigureOf& figure)
{
    return {holds(check.relation, values_of(figure)), value_of(*check.relation.left, figure),
            value_of(*check.relation.right, figure)};
}

} // namespace levee::sweep
