// SPDX-License-Identifier: Apache-2.0
// Tests how checks of a study are read, and their results.
#include "platform/studies/sweep/check.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <map>

using namespace levee;
using sweep::judge;
using sweep::parse_check;

namespace {

sweep::Check check(const std::string& text)
{
    const config::Node root = config::parse_yaml("c: \"" + text + "\"", "study.yaml");
    return parse_check(*root.find("c"));
}

bool holds(const std::string& text)
{
    const std::map<std::string, double> figures{
        {"x(a/1)", 3.0}, {"x(b)", 4.0}, {"y_2(b)", 0.5}, {"info(b)", 5.0}, {"nan_rate(b)", 6.0}};
    return judge(check(text),
                 [&](const std::string& column, const std::string& point) {
                     return figures.at(column + "(" + point + ")");
                 })
        .holds;
}

} // namespace

TEST_CASE("a check compares sums of products of figures")
{
    CHECK(holds("x(a/1) < x(b)"));
    CHECK_FALSE(holds("x(b) < x(a/1)"));
    CHECK(holds("x(a/1) + 1 == x(b)"));
    CHECK(holds("x(a/1) >= x(b) - 2 * y_2(b)"));
    CHECK_FALSE(holds("x(a/1) > x(b) - 2 * y_2(b)"));
    CHECK(holds("-x(b) <= 1e-3"));
    CHECK(holds("0.5 * x(b) * y_2(b) == 1"));
    CHECK_FALSE(holds("x(b) <= 3.9"));
    CHECK(holds("x(b) / y_2(b) == 8"));
    CHECK(holds("100 * x(a/1) / x(b) - 100 == -25"));
    CHECK(holds("x(b) / 2 / y_2(b) + 1 == 5"));
    CHECK(holds("info(b) + .5 < nan_rate(b)")); // The names begin like infinity and NaN.
    CHECK(holds("x(a/1) != x(b)"));
    CHECK(holds("2 * -x(b) == -(x(b) + 4)"));
}

TEST_CASE("an error in a check gives the place and what is expected")
{
    for (const std::string text : {"x(a)", "x(a) >= ", "x(a) = 3", "x a > 3", "x(a > 3",
                                   "x(a) > 3 4", "> 3", "x(a) * > 1", "x(a) > inf"}) {
        INFO(text);
        CHECK_THROWS_WITH(check(text), Catch::StartsWith("study.yaml:1:4: the check '" + text) &&
                                           Catch::Contains("is expected, as in answered("));
    }
}

TEST_CASE("with a missing figure, only the relation != holds")
{
    const auto of_missing = [](const std::string& text) {
        return judge(check(text),
                     [](const std::string&, const std::string&) {
                         return std::numeric_limits<double>::quiet_NaN();
                     })
            .holds;
    };
    for (const char* const relation : {"<", "<=", ">", ">=", "=="})
        CHECK_FALSE(of_missing("x(a) " + std::string(relation) + " 1"));
    CHECK(of_missing("x(a) != 1"));
}

TEST_CASE("a check refuses operators that only conditions have")
{
    for (const std::string text : {"x(a) <= 3 ms", "x(a) < 1 and x(a) > 0", "budget < 3",
                                   "x(a) < 'text'", "not x(a) < 3", "(x(a) < 3)"}) {
        INFO(text);
        CHECK_THROWS_WITH(check(text), Catch::Contains("is expected, as in answered("));
    }
}

TEST_CASE("an expression that is too deep or too long is refused")
{
    const std::string deep = std::string(1000, '(') + "1" + std::string(1000, ')') + " < x(a)";
    CHECK_THROWS_WITH(check(deep), Catch::Contains("more than 32 signs and parentheses"));
    CHECK_THROWS_WITH(check(std::string(100000, '-') + "1 < x(a)"),
                      Catch::Contains("more than 32 signs and parentheses"));
    std::string chain = "1";
    for (int i = 0; i < 100000; ++i)
        chain += "+1";
    CHECK_THROWS_WITH(check(chain + " < x(a)"), Catch::Contains("more than 1000 operations"));
}

TEST_CASE("an expression is a sum, and nothing may follow it")
{
    const auto value = [](const std::string& text) {
        const config::Node root = config::parse_yaml("c: \"" + text + "\"", "rows.yaml");
        return sweep::value_of(sweep::parse_sum(*root.find("c")),
                               [](const std::string& column, const std::string& point) {
                                   return column == "x" && point == "a" ? 6.0 : 3.0;
                               });
    };
    CHECK(value("x(a) / y(a) - 1") == 1.0);
    CHECK(value("7") == 7.0);
    CHECK_THROWS_WITH(value("x(a) > 3"),
                      Catch::Contains("rows.yaml:1:4: the expression 'x(a) > 3' has '> 3' where"));
    CHECK_THROWS_WITH(value("x(a) /"), Catch::Contains("has its end where"));
}
