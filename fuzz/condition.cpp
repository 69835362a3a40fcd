// SPDX-License-Identifier: Apache-2.0
// Conditions of `where`, and sums of figures in checks.
#include "platform/studies/sweep/condition.hpp"

#include "fuzz/door.hpp"

#include <memory>
namespace {

using namespace levee;

config::Node scalar(const std::string& text)
{
    config::Node node;
    node.kind = config::Node::Kind::Scalar;
    node.scalar = text;
    node.place = {std::make_shared<const std::string>("input.yaml"), 1, 1};
    return node;
}

std::optional<std::string> text_of_name(const std::string& name)
{
    if (name == "edram")
        return "4 MiB";
    return name == "policy" ? std::optional<std::string>("aerp") : std::nullopt;
}

void check_figures(const config::Node& node)
{
    const sweep::Expression read = sweep::parse(
        node,
        {.what = "check", .example = "time(a) < 2 * time(b)", .figures = true, .relates = true});
    try {
        (void)sweep::holds(read, [](const sweep::Expression&) { return sweep::Value{true}; });
    } catch (const std::invalid_argument&) {
        return; // an impossible operation is not a finding
    }
}

} // namespace

std::string levee::fuzz::feed(Bytes input)
{
    const config::Node node = scalar(text_of(input));
    return refusal<config::Error>(
               "input.yaml:1",
               [&] {
                   (void)sweep::Condition(node, {"edram", "policy"}).holds(text_of_name);
               }) +
           refusal<config::Error>("input.yaml:1", [&] { check_figures(node); });
}
