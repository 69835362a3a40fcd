// SPDX-License-Identifier: Apache-2.0
// Rules of Jinja and Python that decide what a template writes. Expected texts are those of jinja2
// 3.1.6 with transformers' settings: trim_blocks, lstrip_blocks, loop controls.
#include "platform/input/import/jinja/render.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace levee::jinja;
using Texts = std::vector<std::string>;

namespace {

std::string rendered(const std::string& text)
{
    return render(text, {{"messages", of_list({of_map({{"role", {std::string("user")}}})})}});
}

void check_texts(const std::vector<std::pair<std::string, std::string>>& cases)
{
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK(rendered(text) == expected);
    }
}

/// Requires an error, as in Jinja.
void check_raised(const Texts& cases)
{
    for (const std::string& text : cases) {
        INFO(text);
        CHECK_THROWS_AS(rendered(text), Raised);
    }
}

/// Requires that our evaluator gives up. Jinja would make a text, or refuse the whole template.
void check_unable(const Texts& cases)
{
    for (const std::string& text : cases) {
        INFO(text);
        CHECK_THROWS_AS(rendered(text), Unable);
    }
}

} // namespace

TEST_CASE("break and continue belong to a loop of the same function")
{
    check_unable({"a{% break %}b", "{% filter trim %}a{% continue %}{% endfilter %}",
                  "{% for i in [1] %}{% macro f() %}{% break %}{% endmacro %}{% endfor %}",
                  "{% for m in [1] %}{% generation %}{% break %}{% endgeneration %}{% endfor %}",
                  "{% for i in [] %}{% else %}{% break %}{% endfor %}"});
}

TEST_CASE("break and continue leave blocks, whose text is not used")
{
    check_texts(
        {{"{% for i in [1,2] %}{% for x in [] %}{% else %}{% break %}{% endfor %}{{ i }}{% endfor "
          "%}",
          ""},
         {"{% for i in [1,2] %}{% set c %}a{% break %}b{% endset %}{{ c }}{% endfor %}", ""},
         {"{% for i in [1,2] %}{% set c %}a{% if i==2 %}{% continue %}{% endif %}b{% endset %}{{ c "
          "}}{% endfor %}",
          "ab"},
         {"{% for i in [1,2] %}{% filter trim %} a{% continue %}b{% endfilter %}{{ i }}{% endfor "
          "%}",
          ""},
         {"{% for i in [1,2] %}{% with a=i %}{% if a==1 %}{% continue %}{% endif %}{{ a }}{% "
          "endwith %}{% endfor %}",
          "2"}});
}

TEST_CASE("The else of a loop runs unless a turn reaches its end")
{
    check_texts(
        {{"{% for i in [1,2] %}{% continue %}{% else %}E{% endfor %}", "E"},
         {"{% for i in [1,2] %}{% break %}{% else %}E{% endfor %}", "E"},
         {"{% for i in [1,2] %}{% if i == 2 %}{% break %}{% endif %}{% else %}E{% endfor %}", ""}});
}

TEST_CASE("A loop whose body changes its condition is not evaluated")
{
    check_unable({"{% set ns = namespace(a=true) %}{% for x in [1,2] if ns.a %}{{ x }}{% set ns.a "
                  "= false %}{% endfor %}"});
}

TEST_CASE("Blocks have separate variables")
{
    check_texts({{"{% set c %}{% set q=1 %}{% endset %}[{{ q }}]", "[]"},
                 {"{% filter replace('a', q) %}{% set q='z' %}a{% endfilter %}[{{ q }}]", "z[]"},
                 {"{% for x in [] %}{% else %}{% set q=1 %}{% endfor %}[{{ q }}]", "[]"},
                 {"{% generation %}{% set x=1 %}{% endgeneration %}[{{ x }}]", "[]"},
                 {"{% set x = 1 %}{% set c %}{{ x }}{% set x = 2 %}{{ x }}{% endset %}{{ c }}{{ x "
                  "}}",
                  "121"}});
}

TEST_CASE("Arguments of a macro and its default values are bound as in Python")
{
    check_texts({{"{% macro f(x='d') %}{{ x }}{% endmacro %}{{ f(nosuch) }}|{{ f() }}", "|d"},
                 {"{% macro f(a, b=a) %}{{ b }}{% endmacro %}{{ f('z') }}", "z"},
                 {"{% set b = 3 %}{% macro f(a=b, b=1) %}{{ a }}{{ b }}{% endmacro %}{{ f() }}{{ "
                  "f(b=2) }}",
                  "122"}});
    check_raised({"{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, a=2) }}"});
    check_unable({"{% macro f(a) %}{% endmacro %}{{ f(a=1, a=2) }}",
                  "{% macro f(a, a) %}{% endmacro %}",
                  "{% macro f(a) %}{% endmacro %}{{ f(a=1, 2) "
                  "}}",
                  "{% macro f() %}{{ varargs }}{% endmacro %}{{ f(1) }}",
                  "{% macro f() %}{{ kwargs }}{% endmacro %}{{ f(a=1) }}",
                  "{% macro f() %}{{ caller is defined }}{% endmacro %}{{ f() }}"});
}

TEST_CASE("A macro that would see variables of a scope is not evaluated")
{
    check_unable({"{% for i in [1] %}{% macro f() %}{{ i }}{% endmacro %}{{ f() }}{% endfor %}",
                  "{% macro f(i) %}{% macro g() %}{{ i }}{% endmacro %}{{ g() }}{% endmacro %}{{ "
                  "f(1) }}"});
    check_texts({{"{% if true %}{% macro f() %}{{ x }}{% endmacro %}{% endif %}{% set x = 3 %}{{ "
                  "f() }}",
                  "3"}});
}

TEST_CASE("A set block stores like an assignment")
{
    check_texts({{"{% set ns = namespace(a=1) %}{% set ns.a %}x{% endset %}{{ ns.a }}|{{ ns is "
                  "string }}",
                  "x|False"},
                 {"{% set a, b %}xy{% endset %}{{ a }}|{{ b }}", "x|y"}});
    check_raised({"{% set a, b %}xyz{% endset %}", "{% set messages.a %}x{% endset %}"});
    check_unable({"{% set ns = namespace() %}{% set a, ns.b = 1, 2 %}"});
}

TEST_CASE("Arguments that a filter, a test or a method does not have are errors")
{
    Texts raised;
    for (const char* const expression :
         {"'abc' | upper(3)", "[1] | first(5)", "'x' | string(bogus=1)", "[1] | length(1)",
          "['a'] | map('upper', bogus=3) | list", "'a' is defined(3)", "'x' | replace('x')",
          "'x' is eq", "4 is divisibleby", "'x'.upper(1)", "{}.get()", "{}.items(1)", "[1].count()",
          "'x'.replace('x')", "'x'.isdigit(1)", "'x'.find()"})
        raised.push_back("{{ " + std::string(expression) + " }}");
    check_raised(raised);
    check_unable({"{{ 'x y'.split(nosuch) }}", "{{ ' x' | trim(nosuch) }}"});
    check_texts({{"{{ 4 is divisibleby(num=2) }}{{ 'x' is in(seq='xy') }}", "TrueTrue"},
                 {"{{ nosuch | default(other) | default('z') }}{{ nosuch | d }}", "z"}});
}

TEST_CASE("An iterator keeps the items that were not taken")
{
    const std::string it = "{% set it = ['a', 'b', 'c'] | map('upper') %}";
    check_texts({{it + "{{ it | first }}{{ it | list }}", "A['B', 'C']"},
                 {it + "{{ 'B' in it }}{{ it | list }}", "True['C']"},
                 {it + "{{ 'x' in it }}{{ it | list }}", "False[]"},
                 {it + "{% for x in it %}{{ x }}{% endfor %}{{ it | list }}", "ABC[]"},
                 {it + "{{ (it | reverse)[0] }}", "C"}});
    check_unable({it + "{% for x in it %}{% break %}{% endfor %}{{ it | list }}",
                  it + "{% for x in it %}{{ it | list }}{% endfor %}",
                  it + "{% set b = it | map('lower') %}{{ it | first }}"});
}

TEST_CASE("round accepts numbers and does not change integers")
{
    check_texts({{"{{ 3 | round }} {{ true | round }} {{ 2.5 | round }} {{ 3 | round(0, 'ceil') }} "
                  "{{ -0.5 | round(method='ceil') }}",
                  "3 1 2.0 3.0 0.0"}});
    check_raised({"{{ '3.7' | round }}", "{{ none | round }}", "{{ 3 | round(0, 'up') }}"});
}

TEST_CASE("A key with an undefined value is in its map")
{
    check_texts({{"{{ 'a' in {'a': nosuch} }}{{ {'a': nosuch}.get('a', 'x') }}", "True"},
                 {"{{ {'a': nosuch} == {'b': nosuch} }}{{ {'a': nosuch} == {'a': nosuch} }}",
                  "FalseTrue"}});
}

TEST_CASE("Views of a map, ranges and loop are no lists or maps")
{
    check_texts(
        {{"{{ range(5)[2] }}{{ range(5)[-1] }}{{ range(5)[1:3] | list }}{{ range(3) | length }}",
          "24[1, 2]3"},
         {"{{ {'a': 1}.items()[0] }}|{{ {'a': 1}.items() | list }}{{ {'a': 1}.values() | first }}",
          "|[('a', 1)]1"},
         {"{{ range(3) == [0, 1, 2] }}{{ range(3) == range(3) }}{{ {'a': 1}.keys() == ['a'] }}",
          "FalseTrueFalse"},
         {"{{ {}.keys() is sequence }}{{ range(1) is sequence }}{{ {}.keys() is iterable }}",
          "FalseTrueTrue"},
         {"{{ 'x' if {}.items() else 'y' }}{{ 'x' if range(1) else 'y' }}{{ 'a' in {'a': 1}.keys() "
          "}}",
          "yxTrue"},
         {"{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{{ loop.length }}{{ loop is mapping "
          "}}{% "
          "endfor %}",
          "a11False"}});
    check_raised({"{{ {'a': 1}.keys() | tojson }}", "{{ range(3) + [1] }}", "{{ range(3) * 2 }}"});
    check_unable({"{{ range(3) }}", "{{ [{'a': 1}.keys()] }}", "{{ range(3) ~ 'a' }}",
                  "{{ {'a': 1}.keys() == {'a': 1}.keys() }}", "{{ range(3).start }}",
                  "{{ {'a': 1}.keys() - {'a': 1}.keys() }}",
                  "{% for x in [1] %}{{ loop }}{% endfor %}",
                  "{% for x in [1] %}{{ loop | length }}{% endfor %}",
                  "{% macro f() %}{% endmacro %}{{ f == f }}"});
}

TEST_CASE("Syntax that Jinja refuses is refused")
{
    check_unable({"{% if true %}a{% endif foo bar %}", "{% macro f() %}{% endmacro f %}",
                  "{{ 1 +}}", "{{ 007 }}", "{% set true = 5 %}",
                  "{% macro f(none) %}{% endmacro %}", "{% for loop in [1] %}{% endfor %}",
                  "{% with False = 1 %}{% endwith %}", "{{ x is defined is true }}",
                  "{{ x is defined if 0 }}", "{{ self }}"});
    check_raised({"{{ +'abc' }}", "{{ -'abc' }}"});
    check_texts({{"{{ +1 }}{{ +-1.5 }}{{ +true }}{{ 00 }}{{ 07.5 }}", "1-1.5107.5"},
                 {"{% if true +%}\na{%+ endif %}", "\na"},
                 {"{{ 'a' if x is defined else 'b' }}{{ x is defined or 1 is odd }}", "bTrue"}});
}

TEST_CASE("Numbers compare exactly, and are keys by their value")
{
    check_texts({{"{{ 9007199254740993 == 9007199254740992 }}{{ 9007199254740993 > "
                  "9007199254740992 }}{{ 1 == 1.0 }}{{ true == 1 }}{{ 1 < 1.5 }}",
                  "FalseTrueTrueTrueTrue"},
                 {"{{ true in {1: 'a'} }}{{ {1: 'a'}[1.0] }}{{ {1: 'a'}.get(true) }}{{ none in {} "
                  "}}{{ 1.5 in {1: 'a'} }}",
                  "TrueaaFalseFalse"},
                 {"{{ {10: 1, 9: 2} | tojson(sort_keys=true) }}", "{\"9\": 2, \"10\": 1}"},
                 {"{{ 3.0 is odd }}{{ -3.0 is odd }}{{ 2.5 is even }}{{ 4.0 is even }}",
                  "TrueTrueFalseTrue"}});
    check_raised({"{{ [] in {} }}", "{{ {}.get({}) }}",
                  "{{ {1: 1, 'a': 2} | tojson(sort_keys=true) "
                  "}}"});
    check_unable({"{{ 9007199254740993 == 9007199254740992.0 }}", "{{ (5).real }}",
                  "{{ 4.0 is divisibleby(2) }}"});
}

TEST_CASE("Defaults of map, undefined callables and bounds that are no integers")
{
    check_texts({{"{{ [{}] | map(attribute='a.b', default='x') | list }}", "['x']"},
                 {"{{ [{}] | map(attribute='a.b', default={'b': 5}) | list }}", "[5]"},
                 {"{{ nosuch is callable }}{{ messages is callable }}", "TrueFalse"},
                 {"{{ 'abc'['a':] }}|{{ 'abc'[1:none] }}", "|bc"}});
    check_unable({"{{ [{'a': 1, 'b': 2}] | sort(attribute='a,b') }}"});
}

TEST_CASE("Every operation reports the limit of 32 bits in the same way")
{
    for (const char* const expression : {"4000000000 + 1", "[4000000000] | sum", "2 ** 40",
                                         "range(4000000000)", "[1, 4000000000] | sum"})
        CHECK_THROWS_WITH(rendered("{{ " + std::string(expression) + " }}"),
                          Catch::EndsWith("arithmetic supports only numbers of 32 bits"));
}
