// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/condition.hpp"

#include <stdexcept>

namespace levee::sweep {

Condition::Condition(const config::Node& node, const std::vector<std::string>& axes)
    : text_(node.scalar), place_(node.place),
      expression_(parse(
          node,
          {.what = "condition", .example = "buffer <= 8 MiB and policy == aerp", .axes = axes}))
{
    std::string word;
    each_leaf(expression_, [&](const Expression& leaf) {
        if (!leaf.name.empty())
            names_.push_back(leaf.name);
        else if (const auto* text = std::get_if<std::string>(&leaf.value); text && word.empty())
            word = *text;
    });
    if (names_.empty())
        throw config::Error(place_,
                            "the condition " + config::in_quotes(text_) +
                                " does not name an axis of this study or a key of the scenario" +
                                config::suggestion(word, axes));
}

bool Condition::holds(const TextOf& text_of) const
{
    try {
        return sweep::holds(expression_, [&text_of](const Expression& leaf) {
            const std::optional<std::string> text = text_of(leaf.name);
            return text ? value_of_text(*text) : Value();
        });
    } catch (const std::invalid_argument& error) {
        throw config::Error(place_,
                            "the condition " + config::in_quotes(text_) + ": " + error.what());
    }
}

} // namespace levee::sweep
