// SPDX-License-Identifier: Apache-2.0
#include "core/config/pattern.hpp"

#include <catch2/catch.hpp>

using levee::config::matches;

TEST_CASE("a pattern is found in every line, with its place and its groups")
{
    const auto found = matches("a1\nb\nc23 c4", "([a-z])([0-9]+)");
    REQUIRE(found.size() == 3);
    CHECK(found[0].position == 0);
    CHECK(found[1].position == 5);
    CHECK(found[2].position == 9);
    CHECK(found[1].groups == std::vector<std::string>{"c23", "c", "23"});
    CHECK(matches("x\n#include \"a\"\n#include \"b\"", "^#include \"([^\"]+)\"").size() == 2);
    CHECK(matches("", "a*").empty());
}

TEST_CASE("a line of any length overflows no stack")
{
    const std::string text = "from " + std::string(10'000'000, 'x') + "\nfrom y";
    const auto found = matches(text, "from ([^\n]*)");
    REQUIRE(found.size() == 2);
    CHECK(found[0].groups[1].size() == 4096 - 5);
    CHECK(found[1].groups[1] == "y");
    CHECK(found[1].position == text.size() - 6);
}
