// SPDX-License-Identifier: Apache-2.0
// Tests chat templates in Jinja. Expected texts are those of jinja2 3.1.6 with the settings of
// transformers: trim_blocks, lstrip_blocks, loop controls.
#include "platform/input/import/jinja/render.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace levee::jinja;

namespace {

Value message(const std::string& role, const std::string& content)
{
    return of_map({{"role", {role}}, {"content", {content}}});
}

std::string rendered(const std::string& text)
{
    return render(text, {{"messages", of_list({message("user", " a "), message("assistant", "b"),
                                               message("user", "c")})},
                         {"x", {std::int64_t{1}}}});
}

} // namespace

TEST_CASE("White space around tags follows marks, trim_blocks and lstrip_blocks")
{
    CHECK(rendered("  {# c #}\na {% if true %}\n  b\n  {%- set y = 1 -%}   c\n{%+ if y %} d "
                   "{% endif +%}\n  {% endif %} e\n{{ x }}\nf {#- g -#}  h\n\n") ==
          "a   bc\n d \n e\n1\nfh\n");
    CHECK(rendered("a {%- if 1 -%} b {%- endif %}\n c {% if 1 %}d{% endif %}\n   {{ 'x' }}\n   {% "
                   "if 1 %}\n y\n   {% endif %}\nz") == "ab c d   x\n y\nz");
    CHECK(rendered("a\n\n") == "a\n");
}

TEST_CASE("CR LF and CR of a template become line ends, but escaped ones in texts are kept")
{
    CHECK(rendered("a\r\nb\rc\n\rd\r\n") == "a\nb\nc\n\nd");
    CHECK(rendered("  {% if x %}\r\n y\r\n  {% endif %}\rz\r") == " y\nz");
    CHECK(rendered("{{ 'a\r\nb\rc' }}{{ 'd\\r\\n' }}") == "a\nb\ncd\r\n");
    CHECK_THROWS_WITH(rendered("a\r\nb\rc\n{{ x | xmlattr }}"), Catch::Contains("line 4: "));
}

TEST_CASE("Namespaces outlive a loop, other variables do not")
{
    CHECK(rendered("{% set ns = namespace(a=1) %}{% for m in messages %}{% set ns.a = ns.a + "
                   "loop.index %}{% set q = m.role %}{% endfor %}{{ ns.a }}|{{ q }}|{% set c %} "
                   "cap {{ ns.a }} {% endset %}{{ c|trim }}") == "7||cap 7");
}

TEST_CASE("A variable that is set in a loop ends with its turn")
{
    CHECK(rendered("{% for i in range(3) %}{{ q }}{% set q = i %}{% endfor %}").empty());
}

TEST_CASE("Loops have their place, conditions and an else")
{
    CHECK(rendered("{% for m in messages if m.role == 'user' %}{{ loop.index }}/{{ loop.length }}"
                   "{{ loop.first }}{{ loop.nextitem.content if loop.nextitem }};{% endfor %}") ==
          "1/2Truec;2/2False;");
    CHECK(
        rendered("{% for i in range(1, 10, 3) %}{% if i == 7 %}{% break %}{% endif %}{% if i == 1 "
                 "%}{% continue %}{% endif %}{{ i }}{% endfor %}{% for i in none_such %}{% else "
                 "%}E{% endfor %}") == "4E");
}

TEST_CASE("Slices, operations and their order are Python's")
{
    CHECK(rendered("{% for m in messages[::-1] %}{{ m.content }}{% endfor %}{{ 'abcdef'[::2] }}{{ "
                   "'abcdef'[-2:] }}{{ 'abcdef'[4:1:-1] }}{{ messages[-1].role }}") ==
          "cb a aceefedcuser");
    CHECK(rendered("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 * 3 + 4 ~ 'x' if false else 1 + 2 "
                   "* 3 }} {{ 1 < 2 < 3 }} {{ 'a' not in 'abc' }} {{ none }} {{ '' or 'z' }} {{ "
                   "not y is defined and 1 }} {{ 'a' + 'b' | upper }}") ==
          "3 -4 2 7 True False None z 1 aB");
}

TEST_CASE("Methods, filters and macros of published templates")
{
    CHECK(rendered("{{ '--a-'.lstrip('-') }}|{{ 'a,b,c'.split(',')[-1] }}|{{ "
                   "'abc'.startswith('ab') }}|{{ messages[0].get('zz', 4) }}|{% for k, v in "
                   "messages[1].items() %}{{ k }}={{ v }};{% endfor %}") ==
          "a-|c|True|4|role=assistant;content=b;");
    CHECK(rendered("{{ messages | map(attribute='role') | join(', ') }}|{{ messages | "
                   "selectattr('role', 'equalto', 'user') | list | length }}|{{ zz | default('d') "
                   "}}|{{ '\u00a0\u2003x\x1c' | trim }}") == "user, assistant, user|2|d|x");
    CHECK(rendered("{% macro g(n, s='-') %}{% if n > 0 %}{{ n }}{{ s }}{{ g(n - 1) }}{% endif %}"
                   "{% endmacro %}{{ g(3, s='+') }}") == "3+2-1-");
}

TEST_CASE("Errors of templates that cannot be evaluated give the place, and none runs for long")
{
    using Catch::Contains;
    CHECK_THROWS_WITH(rendered("a\n{{ x | xmlattr }}"), Contains("line 2: the filter 'xmlattr'"));
    CHECK_THROWS_WITH(rendered("a\n\n{% include 'x' %}"), Contains("line 3: the statement"));
    CHECK_THROWS_WITH(rendered("{% if x %}"), Contains("line 1: expected 'endif'"));
    CHECK_THROWS_WITH(rendered("{{ x"), Contains("line 1: a tag has no end"));
    CHECK_THROWS_WITH(
        rendered("{{ " + std::string(1000, '(') + "1" + std::string(1000, ')') + " }}"),
        Contains("more than 100 levels"));
    CHECK_THROWS_WITH(
        rendered("{% for i in range(1000) %}{% for j in range(1000) %}{% endfor %}{% endfor %}"),
        Contains("more than 200000 steps"));
    CHECK_THROWS_WITH(
        rendered("{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(40) %}{% set "
                 "ns.s = ns.s + ns.s %}{% endfor %}"),
        Contains("more than"));
    CHECK_THROWS_WITH(rendered("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
                      Contains("more than 20 deep"));
    CHECK_THROWS_WITH(
        rendered("{% set ns = namespace(l=[]) %}{% for i in range(1000) %}{% set ns.l = "
                 "[ns.l] %}{% endfor %}"),
        Contains("more than 8 levels"));
    CHECK_THROWS_WITH(rendered("{% set ns = namespace() %}{% set ns.a = ns %}"),
                      Contains("or contain themselves"));
    CHECK_THROWS_AS(rendered("{{ raise_exception('no') }}"), Raised);
    CHECK_THROWS_AS(rendered("{{ zz.y }}"), Raised);
}

TEST_CASE("Chains of operations, members and filters count as deep as brackets")
{
    const auto chain = [](const std::string& first, const std::string& link, std::size_t count) {
        std::string text = "{{ " + first;
        for (std::size_t i = 0; i < count; ++i)
            text += link;
        return text + " }}";
    };
    CHECK(rendered(chain("1", " + 1", 50)) == "51");
    CHECK(rendered(chain("'a'", " | trim", 50)) == "a");
    for (const char* const link : {" + 1", " ~ 1", " * 1", ".b", "[0]", "()", " | trim", " or 1",
                                   " and 1", " if 1", " < 1", " is defined | trim"})
        CHECK_THROWS_WITH(rendered(chain("x", link, 3000)),
                          Catch::Contains("more than 100 levels"));
}

TEST_CASE("Operands between comparisons do not double at each level")
{
    CHECK(rendered("{{ 0 < messages | length <= 3 }}") == "True");
    std::string text = "1";
    for (int i = 0; i < 20; ++i)
        text = "0 < (" + text + ") < 2";
    CHECK_THROWS_WITH(rendered("{{ " + text + " }}"), Catch::Contains("between two comparisons"));
}

TEST_CASE("Slices and ranges take the largest numbers")
{
    CHECK(rendered("{{ 'abc'[1::9223372036854775807] }}{{ 'abc'[1::-9223372036854775807] }}{{ "
                   "'abc'[::4] }}{{ 'abc'[::-4] }}") == "bbac");
    CHECK_THROWS_WITH(rendered("{{ range(1, 9223372036854775807, 9223372036854775806) }}"),
                      Catch::Contains("numbers of 32 bits"));
}

TEST_CASE("No template can make texts without bound")
{
    const std::string large =
        "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(13) %}{% set "
        "ns.x = ns.x + ns.x %}{% endfor %}{% set x = ns.x %}"; // The text reaches 64 KiB.
    using Catch::Contains;
    CHECK_THROWS_WITH(rendered(large + "{% set y = x[:9000] %}{{ y.replace('a', y) | length }}"),
                      Contains("more than 1048576 bytes"));
    CHECK_THROWS_WITH(rendered(large + "{{ x[:100] | join(x) | length }}"),
                      Contains("more than 1048576 bytes"));
    CHECK_THROWS_WITH(rendered(large + "{{ range(100) | map('string') | map('replace', '1', x) | "
                                       "list | length }}"),
                      Contains("more than 1048576 bytes"));
    std::string kept = large;
    for (int i = 0; i < 100; ++i)
        kept += "{% set a" + std::to_string(i) + " = x %}";
    CHECK_THROWS_WITH(rendered(kept), Contains("steps"));
    std::string captured = large;
    for (int i = 0; i < 30; ++i)
        captured += "{% set a %}{{ x }}{% endset %}{% set a %}{{ x }}{% endset %}";
    CHECK_THROWS_WITH(rendered(captured), Contains("steps"));
    CHECK_THROWS_WITH(rendered(std::string((1 << 20) + 1, 'a')), Contains("the template has more"));
}

TEST_CASE("Unsupported arithmetic does not count as the template's own refusal")
{
    for (const char* const text : {"{{ 1.5 // 1 }}", "{{ 2 ** -1 }}", "{{ 'a %s' % 1 }}"})
        CHECK_THROWS_AS(rendered(text), Unable);
    CHECK(
        rendered("{{ true + 1 }} {{ '-' * 3 }} {{ 1.5 + 1 }} {{ [1] * 2 }} {{ -1.5 }} {{ 2 ** 3 ** "
                 "2 }} {{ 7 / 2 }} {{ 0.1 + 0.2 }} {{ 1e8 * 1e8 }}") ==
        "2 --- 2.5 [1, 1] -1.5 64 3.5 0.30000000000000004 1e+16");
    CHECK_THROWS_AS(rendered("{{ 'a' + 1 }}"), Raised);
    CHECK_THROWS_WITH(rendered("{{ 'aa' * 2000000000 }}"), Catch::Contains("1048576 bytes"));
    CHECK_THROWS_WITH(rendered("{{ [1] * 2000000000 }}"),
                      Catch::Contains("a list of more items than"));
}

TEST_CASE("map without a filter is an error of the template")
{
    CHECK_THROWS_AS(rendered("{{ 'ab' | map | list }}"), Raised);
    CHECK(rendered("{{ 'ab' | map(attribute='x') | list | length }}") == "2");
}

TEST_CASE("Methods and filters take counts, positions, tuples and paths as in Python")
{
    const std::vector<std::pair<std::string, std::string>> cases{
        {"'aXbXc'.replace('X', '-', 1)", "a-bXc"},
        {"'aXbXc' | replace('X', '-', 1)", "a-bXc"},
        {"'abc'.replace('', '-', 2)", "-a-bc"},
        {"'abc' | replace(old='b', new='x')", "axc"},
        {"'abc'.startswith(('x', 'ab'))", "True"},
        {"'abc'.startswith('b', 1)", "True"},
        {"'abc'.endswith('b', 0, 2)", "True"},
        {"'abc'.startswith('', 4)", "False"},
        {"[{'a': {'b': 1}}, {'a': {'b': 2}}] | map(attribute='a.b') | join('/')", "1/2"},
        {"[{'a': {}}] | map(attribute='a.b', default=9) | list", "[9]"},
        {"[{'a': [5]}] | selectattr('a.0', 'eq', 5) | list", "[{'a': [5]}]"},
        {"dict({'a': 1}, b=2)", "{'a': 1, 'b': 2}"},
        {"dict([('a', 1)], a=3).a", "3"},
        {"' a  b c '.split(none, 1)", "['a', 'b c ']"},
        {"'a,b,c'.rsplit(',', 1)", "['a,b', 'c']"},
        {"'a\\nb\\r\\nc'.splitlines()", "['a', 'b', 'c']"},
        {"'a=b=c'.partition('=')", "('a', '=', 'b=c')"},
        {"'\u00e9abc'.find('c')", "3"},
        {"'-'.join(['a', 'b'])", "a-b"},
        {"{0: 'a', 512: 'b'}[512] ~ {1: 2}.get(1) ~ (1 in {1: 2}) ~ {1: 2}", "b2True{1: 2}"},
        {"{512: 1, 2: 0} | dictsort | map('first') | max + 1", "513"},
        {"{1: 2} | tojson", "{\"1\": 2}"},
        {"none | selectattr('type') | list | length", "0"},
        {"'<' | safe", "<"},
        {"'abc'.removeprefix('a') ~ 'aa'.count('a')", "bc2"},
        {"\"it's ok-go\" | title ~ \"it's\".title()", "It's Ok-GoIt'S"},
        {"[{'k': 2}, {'k': 1}] | sort(attribute='k') | map(attribute='k') | list", "[1, 2]"},
        {"{'b': 1, 'a': none} | dictsort", "[('a', None), ('b', 1)]"},
        {"{'b': [1, 2.5, true, none], 'a': '\"\u00e9\\n'} | tojson",
         "{\"b\": [1, 2.5, true, null], \"a\": \"\\\"\u00e9\\n\"}"},
        {"{'a': [1, {}]} | tojson(indent=2)", "{\n  \"a\": [\n    1,\n    {}\n  ]\n}"},
        {"{'b': 1, 'a': 2} | tojson(separators=(',', ':'), sort_keys=true)", "{\"a\":2,\"b\":1}"},
        {"'a\\nb' | indent(2, true)", "  a\n  b"},
        {"'12' | int + ('x' | int(7))", "19"},
        {"[3, 1] | min ~ [1, 2] | sum ~ 2.5 | round", "132.0"},
        {"1 is in [1, 2] and 4 is divisibleby(2) and 'a' is lower", "True"},
        {"[1, 2] < [1, 3] and (1,) != [1]", "True"},
        {"['a', 1, none, {'b': \"it's\"}]", "['a', 1, None, {'b': \"it's\"}]"},
        {"'\\x41\\u00e9\\q'", "A\u00e9\\q"},
        {"messages | selectattr('zz') and 1", "1"}, // selectattr is true, like Jinja's generators
        {"{'items': 1}['items'] ~ ({'get': 5}.get('get'))", "15"}};
    for (const auto& [expression, expected] : cases) {
        INFO(expression);
        CHECK(rendered("{{ " + expression + " }}") == expected);
    }
    CHECK(rendered("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}") == "3");
    CHECK(rendered("{% filter trim | upper %} {{ x }}a {% endfilter %}") == "1A");
    CHECK(rendered("{% set g = messages | selectattr('role', 'eq', 'user') %}{{ g | list | length "
                   "}}{{ g | list | length }}") == "20");
    CHECK(rendered("{% for x in [1, 2] %}{{ loop.cycle('a', 'b') }}{% endfor %}") == "ab");
}

TEST_CASE(
    "A template's own exception is distinguished from Jinja's errors and from unsupported features")
{
    const auto raised = [](const std::string& text) -> std::pair<std::string, bool> {
        try {
            return {rendered(text), false};
        } catch (const Raised& error) {
            return {error.what(), error.own};
        }
    };
    using Pair = std::pair<std::string, bool>;
    CHECK(raised("\n{{ raise_exception('no') }}") == Pair{"no", true});
    CHECK(raised("{{ raise_exception('no: ' ~ messages[1]) }}") ==
          Pair{"no: {'role': 'assistant', 'content': 'b'}", true});
    CHECK(raised("{{ raise_exception(['a', none]) }}") == Pair{"['a', None]", true});
    CHECK(
        raised("{% macro f() %}{% for m in messages %}{{ raise_exception(m.role) }}{% endfor %}{% "
               "endmacro %}{{ f() }}") == Pair{"user", true});
    CHECK(raised("\n{{ zz.y }}") == Pair{"line 2: 'zz' is undefined", false});
    for (const char* const text :
         {"{{ 'a'.startswith(['a']) }}", "{{ messages | select | length }}",
          "{{ messages[0].f() }}", "{{ messages.append(1) }}", "{{ {'a': 1}.pop('a') }}",
          "{% set messages.x = 1 %}", "{{ zz | tojson }}", "{{ zz + 'a' }}", "{{ 1 | length }}",
          "{{ 'a'() }}", "{{ dict(1) }}", "{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}",
          "{{ 'a'.index('b') }}"})
        CHECK_FALSE(raised(text).second);
    for (const char* const text :
         {"{{ zz() }}", "{{ 'a'.zfill(3) }}", "{{ joiner(',') }}", "{{ 'a' | safe + 'b' }}",
          "{{ {none: 1} }}", "{{ 'a' | wordcount }}", "{{ '\u00e9'.upper() }}"})
        CHECK_THROWS_AS(rendered(text), Unable);
}

TEST_CASE("Methods are values, and do not hide how deep values are nested")
{
    CHECK(rendered(
              "{% set f = messages[0].get %}{% for g in [f, f] %}{{ g('role') }}{% endfor %}{% "
              "macro m(h) %}{{ h('a', 'b') }}{% endmacro %}{{ m('xa'.replace) }}") == "useruserxb");
    const std::string deep = "more than 8 levels";
    for (
        const char* const text :
        {// A namespace that contains itself would never be freed.
         "{% set ns = namespace() %}{% set ns.f = {'n': ns}.get %}",
         "{% set a = namespace() %}{% set b = namespace(a=a) %}{% set a.f = [b].index %}",
         // Freeing a long chain of methods would exhaust the stack.
         "{% set ns = namespace(f=1) %}{% for i in range(900) %}{% set ns.f = {'f': ns.f}.get %}{% "
         "endfor %}",
         "{% set ns = namespace(f=1) %}{% for i in range(900) %}{% set ns.f = [ns.f] | select %}{% "
         "endfor %}",
         "{% macro f(g, n) %}{{ f({'a': g}.get, n - 1) if n else g('a') }}{% endmacro %}{{ f({'a': "
         "1}.get, 18) }}"})
        CHECK_THROWS_WITH(rendered(text), Catch::Contains(deep));
    std::string nested = "{{ 'a' | map(";
    for (int i = 0; i < 30000; ++i)
        nested += "'map', ";
    CHECK_THROWS_WITH(rendered(nested + "'upper') | list }}"),
                      Catch::Contains("the filter 'map' cannot"));
}

TEST_CASE("Calls, chains of namespaces and searches end")
{
    using Catch::Contains;
    std::string nested = "{{ f()";
    for (int i = 0; i < 80; ++i)
        nested += " | trim";
    CHECK_THROWS_WITH(rendered("{% macro f() %}" + nested + " }}{% endmacro %}{{ f() }}"),
                      Contains("more than 500 levels"));
    CHECK_THROWS_WITH(
        rendered(
            "{% set root = namespace() %}{% set h = namespace(c=root) %}{% for i in range(900) "
            "%}{% set n = namespace() %}{% set c = h.c %}{% set c.n = n %}{% set h.c = n %}"
            "{% endfor %}"),
        Contains("more than 100 times"));
    CHECK_THROWS_WITH(
        rendered(
            "{% set ns = namespace(l=[1, 2, 3, 4]) %}{% for i in range(10) %}{% set ns.l = ns.l "
            "+ ns.l %}{% endfor %}{{ ns.l | select('in', ns.l) | list | length }}"),
        Contains("steps"));
}

TEST_CASE("The product of sizes counts in comparisons and for named arguments")
{
    using Catch::Contains;
    const std::string large =
        "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(13) %}{% set "
        "ns.x = ns.x + ns.x %}{% endfor %}{% set x = ns.x %}"; // The text reaches 64 KiB.
    std::string map = "{% set m = {";
    for (int i = 0; i < 5000; ++i)
        map += "'" + std::to_string(i) + "': 1, ";
    map += "} %}";
    CHECK_THROWS_WITH(rendered(large + "{{ x | trim(chars=x) }}"), Contains("200000 steps"));
    CHECK_THROWS_WITH(rendered(large + "{{ x.split(sep=x) | length }}"), Contains("200000 steps"));
    CHECK(rendered(large + "{{ x.split(sep='b') | length }}") == "1");
    CHECK(rendered(map + "{{ [m] | length }}{{ [m] | length }}") == "11");
    CHECK_THROWS_WITH(rendered(map + "{{ [m] == [m] }}"), Contains("200000 steps"));
    CHECK_THROWS_WITH(rendered(map + "{{ [m] != [m] }}"), Contains("200000 steps"));
    CHECK(rendered(map + "{{ m == 1 }}{{ messages == messages }}") == "FalseTrue");
}

TEST_CASE("Words of a long text are found in one pass")
{
    CHECK(rendered("{% set s = 'a ' * 30000 + ' ' * 500000 %}{{ s.split() | length }}") == "30000");
    CHECK(rendered("{{ '  a  b c  '.split(none, 1) }}{{ ' a b '.split() }}{{ ' '.split() }}") ==
          "['a', 'b c  ']['a', 'b'][]");
}

TEST_CASE("A repeated list owns no more text than a template may make")
{
    for (const char* const text :
         {"{% set l = ['a' * 1000000] * 3000 %}", "{% set l = ('a' * 2000, 'b') * 1000 %}"})
        CHECK_THROWS_WITH(rendered(text), Catch::Contains("more than 1048576 bytes"));
    CHECK_THROWS_WITH(rendered("{% set l = [" + std::string(100000, 'u') + "] * 3000 %}"),
                      Catch::Contains("more than 1048576 bytes"));
    CHECK(rendered("{{ (['a' * 100] * 1000) | join | length }}") == "100000");
}

TEST_CASE("Keys count like the texts that they are")
{
    CHECK_THROWS_WITH(
        rendered("{% set l = [{'a' * 100000: 1}] * 1000 %}{{ l | map('list') | list | length }}"),
        Catch::Contains("steps"));
}

TEST_CASE("Maps with many keys are built without a search for each")
{
    std::string literal = "{{ {", pairs = "{{ dict([";
    for (int i = 0; i < 30000; ++i) {
        const std::string key = "'" + std::to_string(i) + "'";
        literal += key + ":1,";
        if (i < 8000)
            pairs += "(" + key + ",1),";
    }
    CHECK(rendered(literal + "} | length }}") == "30000");
    CHECK(rendered(pairs + "]) | length }}") == "8000");
    CHECK(rendered("{{ {'a': 1, 'b': 2, 'a': 3} }}{{ dict({'a': 1, 'b': 2}, a=3) }}") ==
          "{'a': 3, 'b': 2}{'a': 3, 'b': 2}");
}
