// SPDX-License-Identifier: Apache-2.0
#include "core/config/reader.hpp"
#include "test/unit/config/files.hpp"

using namespace levee::config;

namespace {

/// Parses and reads the text; returns the error message, or "" if there was none.
std::string read(const std::string& text, const std::function<void(MapReader&)>& keys)
{
    const Node node = parse_yaml(text, "f.yaml");
    try {
        MapReader reader(node, "block");
        keys(reader);
        reader.finish();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

void rows_and_clock(MapReader& reader)
{
    (void)reader.count("rows", {1, 64});
    (void)reader.quantity("clock", Dimension::Frequency, {1}, 5);
}

} // namespace

TEST_CASE("an error about an unknown key names the nearest key, or all keys")
{
    CHECK(read("rows: 1\nclokc: 1 GHz\n", rows_and_clock) ==
          "f.yaml:2:1: unknown key 'block.clokc'; did you mean 'clock'?");
    CHECK(read("rows: 1\nclo: 1 GHz\n", rows_and_clock) ==
          "f.yaml:2:1: unknown key 'block.clo'; did you mean 'clock'?");
    CHECK(read("rows: 1\nzebra: 1 GHz\n", rows_and_clock) ==
          "f.yaml:2:1: unknown key 'block.zebra'; expected one of: rows, clock");
}

TEST_CASE("a misspelt key is reported before the key that is therefore missing")
{
    CHECK(read("rosw: 1\n", rows_and_clock) ==
          "f.yaml:1:1: unknown key 'block.rosw'; did you mean 'rows'?");
    CHECK(read("clock: 1 GHz\n", rows_and_clock) == "f.yaml:1:1: 'block' lacks the key 'rows'");
}

TEST_CASE("a value of the wrong kind, range or unit is refused at its place")
{
    CHECK(read("rows: [1]\n", rows_and_clock) ==
          "f.yaml:1:7: 'block.rows' is a list; expected a whole number");
    CHECK(read("rows:\n", rows_and_clock) == "f.yaml:1:1: 'block.rows' has no value");
    CHECK(read("rows: 0\n", rows_and_clock) ==
          "f.yaml:1:7: 'block.rows' is 0; expected at least 1");
    CHECK(read("rows: '4'\n", rows_and_clock) ==
          "f.yaml:1:7: 'block.rows' is '4' in quotes, which is text; expected a whole number");
    CHECK(read("rows: 1\nclock: '0'\n", rows_and_clock) ==
          "f.yaml:2:8: 'block.clock' is '0' in quotes, which is text; expected a frequency such as "
          "'1 GHz'");
    CHECK(read("rows: 1\nclock: '1 GHz'\n", rows_and_clock).empty());
    CHECK(read("rows: 65\n", rows_and_clock) ==
          "f.yaml:1:7: 'block.rows' is 65; expected at most 64");
    CHECK(
        read("rows: 1\nclock: 1 GB\n", rows_and_clock) ==
        "f.yaml:2:8: 'block.clock' is '1 GB', which has the unit 'GB'; expected one of: GHz, MHz, "
        "kHz, Hz; expected a frequency such as '1 GHz'");
    CHECK(read("[1, 2]\n", rows_and_clock) ==
          "f.yaml:1:1: 'block' is a list; expected a map of keys and values");
    CHECK(read("on: yes\n", [](MapReader& r) { (void)r.boolean("on"); }) ==
          "f.yaml:1:5: 'block.on' is 'yes'; expected true or false");
    CHECK(read("t: 2.5\n", [](MapReader& r) { (void)r.real("t", 0, 1); }) ==
          "f.yaml:1:4: 'block.t' is 2.5; expected a number from 0 to 1");
    CHECK(read("t: nan\n", [](MapReader& r) { (void)r.real("t", 0, 1); }) ==
          "f.yaml:1:4: 'block.t' is nan; expected a number from 0 to 1");
    CHECK(read("l: [a, [b]]\n", [](MapReader& r) { (void)r.strings("l"); }) ==
          "f.yaml:1:8: an item of 'block.l' is a list; expected text");
    CHECK(read("s: greedi\n", [](MapReader& r) {
              (void)r.choice<int>("s", {{"greedy", 1}, {"random", 2}});
          }) == "f.yaml:1:4: 'block.s' is 'greedi'; did you mean 'greedy'?");
}

TEST_CASE("given values are read, and missing ones take their defaults")
{
    CHECK(read("rows: 3\nclock: 2 GHz\nword: b\n", [](MapReader& r) {
              CHECK(r.count("rows") == 3);
              CHECK(r.quantity("clock", Dimension::Frequency) == 2'000'000'000);
              CHECK(r.choice<int>("word", {{"a", 1}, {"b", 2}}) == 2);
              CHECK(r.string("name", "none") == "none");
              CHECK(r.boolean("flag", true));
              CHECK(r.real("share", 0, 1, 0.25) == 0.25);
              CHECK(r.strings("list", std::vector<std::string>{"x"}).size() == 1);
          }) == "");
}

TEST_CASE("a key that is read twice is listed once")
{
    CHECK(read("zebra: 1\n", [](MapReader& reader) {
              (void)reader.raw("rows", true);
              (void)reader.count("rows");
              (void)reader.has("rows");
          }) == "f.yaml:1:1: unknown key 'block.zebra'; expected one of: rows");
}

TEST_CASE("among equally near words, all are named")
{
    const auto weights = [](MapReader& reader) {
        (void)reader.choice<int>("w", {{"int8", 1}, {"int4", 2}, {"fp16", 3}});
    };
    CHECK(read("w: int3\n", weights) ==
          "f.yaml:1:4: 'block.w' is 'int3'; did you mean 'int8' or 'int4'?");
    CHECK(read("w: INT4\n", weights) == "f.yaml:1:4: 'block.w' is 'INT4'; did you mean 'int4'?");
}

TEST_CASE("a long value is shortened in every message")
{
    const std::string value(1'000'000, 'x');
    const std::vector<std::pair<std::string, std::function<void(MapReader&)>>> cases{
        {"w: " + value,
         [](MapReader& r) {
             (void)r.choice<int>("w", {{"int8", 1}});
         }},
        {"w: " + value, [](MapReader& r) { (void)r.boolean("w"); }},
        {"w: " + value, [](MapReader& r) { (void)r.real("w", 0, 1); }},
        {"w: 1" + value, [](MapReader& r) { (void)r.quantity("w", Dimension::Size); }},
        {"w: " + value, [&](MapReader& r) { throw r.error("w", "is odd: " + value); }}};
    for (const auto& [text, keys] : cases) {
        const std::string message = read(text, keys);
        CHECK(message.size() > 20);
        CHECK(message.size() < 5000);
        CHECK(message.find("bytes in all") != std::string::npos);
    }
}

TEST_CASE("a number without its own bounds has the bounds of its dimension")
{
    const auto latency = [](MapReader& r) { (void)r.quantity("l", Dimension::Time); };
    CHECK(read("l: 1 s\n", latency).empty());
    CHECK(read("l: 100000 s\n", latency) ==
          "f.yaml:1:4: 'block.l' is 100000 s; expected at most 1 s");
    const auto own = [](MapReader& r) {
        (void)r.quantity("l", Dimension::Time, {0, 3'600'000'000'000'000});
    };
    CHECK(read("l: 3600 s\n", own).empty());
    CHECK(read("b: 1 B/s\n", [](MapReader& r) {
              (void)r.quantity("b", Dimension::Bandwidth, {1});
          }) == "f.yaml:1:4: 'block.b' is 1 B/s; expected at least 1 MB/s");
    CHECK(read("c: 1 Hz\n", [](MapReader& r) {
              (void)r.quantity("c", Dimension::Frequency, {1});
          }) == "f.yaml:1:4: 'block.c' is 1 Hz; expected at least 1 kHz");
}

namespace {

constexpr Word colours[] = {{"red", 1}, {"green", 2}};
constexpr Key colour_form = word("colours", colours, "One.").or_else("green");
constexpr Key forms[] = {colour_form, word_list("colours", colours, "Several.")};
constexpr Key declared[] = {
    one_of("colours", forms, "a colour, or a list", "Colours.").optional(),
    count32(any_name.data(), "A number for each name.", {1, 8}).or_else("3"),
};

std::string read_declared(const std::string& text, const std::function<void(MapReader&)>& keys)
{
    const Node node = parse_yaml(text, "f.yaml");
    try {
        MapReader reader(node, "block", declared);
        keys(reader);
        reader.finish();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("a declared key may have several forms")
{
    CHECK(read_declared("colours: red\n", [](MapReader& reader) {
              CHECK(reader.as(colour_form).word<int>("colours") == 1);
              (void)reader.has("colours");
          }) == "");
    CHECK(read_declared("colours: [green, red]\n", [](MapReader& reader) {
              CHECK(reader.as(forms[1]).words("colours") == std::vector<std::int64_t>{2, 1});
              (void)reader.has("colours");
          }) == "");
    CHECK(read_declared("colours: [green, rde]\n", [](MapReader& reader) {
              (void)reader.as(forms[1]).words("colours");
          }) == "f.yaml:1:18: 'block.colours' is 'rde'; did you mean 'red'?");
    CHECK(read_declared("{}\n", [](MapReader& reader) {
              CHECK(reader.as(colour_form).word<int>("colours") == 2);
              CHECK(reader.as(forms[1]).words("colours").empty());
          }) == "");
}

TEST_CASE("a declaration may have any name")
{
    CHECK(read_declared("one: 5\n", [](MapReader& reader) {
              CHECK(reader.quantity32("one") == 5);
              CHECK(reader.quantity32("two") == 3);
          }) == "");
    CHECK(read_declared("one: 9\n", [](MapReader& reader) { (void)reader.quantity32("one"); }) ==
          "f.yaml:1:6: 'block.one' is 9; expected at most 8");
}
