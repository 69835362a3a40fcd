// SPDX-License-Identifier: Apache-2.0
// Tests conditions on axes and keys.
#include "platform/studies/sweep/condition.hpp"

#include <catch2/catch.hpp>

#include <map>

using levee::sweep::Condition;

namespace {

const std::map<std::string, std::string> values{{"size", "4 MiB"},
                                                {"budget", "128"},
                                                {"policy", "aerp"},
                                                {"kv.window", "60"},
                                                {"clock", "1.5 GHz"}};

Condition condition(const std::string& text)
{
    levee::config::Node node;
    node.kind = levee::config::Node::Kind::Scalar;
    node.scalar = text;
    node.place = {std::make_shared<const std::string>("study.yaml"), 3, 5};
    return {node, {"size", "budget", "policy", "clock", "unset"}};
}

bool holds(const std::string& text)
{
    return condition(text).holds([](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    });
}

} // namespace

TEST_CASE("relations compare numbers with their units, and words")
{
    CHECK(holds("size == 4096 KiB"));
    CHECK(holds("size >= 4 MB"));
    CHECK_FALSE(holds("size < 4 MiB"));
    CHECK(holds("clock <= 1500 MHz"));
    CHECK(holds("policy == aerp"));
    CHECK(holds("policy != full"));
    CHECK(holds("policy == \"aerp\""));
    CHECK(holds("budget > 2 * kv.window + 7"));
    CHECK_FALSE(holds("budget > 2 * (kv.window + 4)"));
    CHECK(holds("size / 1 MiB == 4"));
    CHECK(holds("size / budget == 32 KiB"));
    CHECK(holds("-budget < 1e-3"));
    CHECK(holds("size - 8 MiB == -4 MiB"));
    CHECK(holds("clock == 1.5e9 Hz"));
}

TEST_CASE("'and' binds more strongly than 'or', 'not' more strongly than both")
{
    CHECK(holds("budget == 1 and budget == 2 or policy == aerp"));
    CHECK_FALSE(holds("budget == 1 and (budget == 2 or policy == aerp)"));
    CHECK(holds("not budget == 1 and policy == aerp"));
}

TEST_CASE("a relation with an axis that is not set is false, except for !=")
{
    CHECK_FALSE(holds("unset == 1"));
    CHECK_FALSE(holds("unset < 1"));
    CHECK(holds("unset != 1"));
    CHECK_FALSE(holds("other.key + 1 > 0"));
}

TEST_CASE("conditions that cannot be read or compared are refused at their place")
{
    using Catch::Contains;
    CHECK_THROWS_WITH(condition("budget >"), Contains("study.yaml:3:5") && Contains("has its end"));
    CHECK_THROWS_WITH(condition("budget > 1 )"), Contains("an operator or the end"));
    CHECK_THROWS_WITH(condition("budget > 8 Mib"), Contains("'Mib'"));
    CHECK_THROWS_WITH(condition("polcy == aerp"),
                      Contains("does not name an axis") && Contains("did you mean 'policy'?"));
    CHECK_THROWS_WITH(holds("size > budget"),
                      Contains("4194304") &&
                          Contains("cannot be evaluated; expected the same unit on both sides"));
    CHECK_THROWS_WITH(holds("policy < full"),
                      Contains("cannot be evaluated; expected numbers on both sides"));
    CHECK_THROWS_WITH(holds("size * size > 1"), Contains("expected a unit on one side only"));
    CHECK_THROWS_WITH(condition("budget(a) > 1"), Contains("an operator or the end"));
    CHECK_THROWS_WITH(holds("-policy == 1"), Contains("-'aerp' cannot be evaluated"));
    CHECK_THROWS_WITH(holds("budget + 1"), Contains("is not a condition"));
}
