// SPDX-License-Identifier: Apache-2.0
// Tests that a reader of declared keys takes defaults from the declaration, and refuses requests
// that contradict the declaration.
#include "core/config/keys.hpp"
#include "core/config/reader.hpp"
#include "test/unit/config/files.hpp"

#include <stdexcept>

using namespace levee::config;

namespace {

enum class Colour { Red, Green };
constexpr Word colours[] = {{"red", static_cast<std::int64_t>(Colour::Red)},
                            {"green", static_cast<std::int64_t>(Colour::Green)}};
constexpr Key entry_keys[] = {count32("number", "Number of it.", {0, 9}),
                              text("note", "Note on it.").optional()};
constexpr const char* green_alone[] = {"green"};
constexpr Key needed_keys[] = {
    word("colour", colours, "Colour of it.").or_else("green"),
    text("frame", "Frame of it.").optional(),
    text("shade", "Shade of it.").needed_if({.with = "colour", .values = green_alone}),
    text("heat", "Heat of it.")
        .needed_if({.with = "colour", .values = green_alone, .other_values = true}),
    text("nail", "Nail of it.")
        .needed_if({.with = "frame", .other_values = true, .in_place = "glue"}),
    text("glue", "Glue of it.").optional(),
};
constexpr Key keys[] = {
    count32("rows", "Rows of it.", {1, 64}).or_else("8"),
    count("total", "Total of it.").or_else_is("by the rows"),
    quantity("clock", Dimension::Frequency, "Clock of it.").or_else_is("the core's"),
    quantity("delay", Dimension::Time, "Delay of it.").optional(),
    real("share", 0, 1, "Share of it.").or_else("0.5"),
    word("colour", colours, "Colour of it.").or_else("green"),
    flag("on", "It is on.").or_else("false"),
    map("inner", entry_keys, "Map in it.").optional(),
    maps("list", entry_keys, "List in it.").optional(),
    any("form", "one or two", "Form of its own.").optional(),
};

/// Reads these keys; returns "logic: ..." if the reader refuses.
std::string ask(const std::string& text, const std::function<void(MapReader&)>& what)
{
    const Node node = parse_yaml(text, "f.yaml");
    try {
        MapReader reader(node, "block", keys);
        what(reader);
        reader.finish();
    } catch (const Error& error) {
        return error.what();
    } catch (const std::logic_error& error) {
        return std::string("logic: ") + error.what();
    }
    return {};
}

} // namespace

TEST_CASE("a reader refuses to read an undeclared key, in every way")
{
    const std::string refusal = "logic: 'block.columns' is read and not declared";
    CHECK(ask("{}", [](MapReader& r) { (void)r.quantity("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.quantity("columns", 7); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.quantity32("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.count("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.boolean("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.string("columns", "none"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.strings("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.has("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.raw("columns", false); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.real("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.word<Colour>("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.map("columns"); }) == refusal);
    CHECK(ask("{}", [](MapReader& r) { (void)r.maps("columns"); }) == refusal);
}

TEST_CASE("a key that is declared twice is refused before it is read")
{
    constexpr Key twice[] = {count32("rows", "Rows of it."), text("note", "Note on it."),
                             text("rows", "Rows of it, again.")};
    const Node node = parse_yaml("rows: 1\nnote: a\n", "f.yaml");
    CHECK_THROWS_WITH(MapReader(node, "block", twice), "'block.rows' is declared twice");
}

TEST_CASE("bounds, units and kinds come only from the declaration")
{
    const std::string otherwise = "logic: 'block.rows' is read in another way than declared";
    CHECK(ask("{}", [](MapReader& r) { (void)r.count("rows", {1, 32}); }) == otherwise);
    CHECK(ask("{}", [](MapReader& r) { (void)r.quantity("rows", Dimension::Size); }) == otherwise);
    const std::string kind = "' is not declared with this type";
    CHECK(ask("{}", [](MapReader& r) { (void)r.real("rows"); }) == "logic: 'block.rows" + kind);
    CHECK(ask("{}", [](MapReader& r) { (void)r.word<Colour>("on"); }) == "logic: 'block.on" + kind);
    CHECK(ask("{}", [](MapReader& r) { (void)r.map("list"); }) == "logic: 'block.list" + kind);
    CHECK(ask("{}", [](MapReader& r) { (void)r.maps("inner"); }) == "logic: 'block.inner" + kind);
    CHECK(ask("{}", [](MapReader& r) { (void)r.pages("rows"); }) ==
          "logic: 'block.rows' is not declared as pages");
    CHECK(ask("{}", [](MapReader& r) { (void)r.quantity32("total"); }) ==
          "logic: 'block.total' has no bound within 32 bits");
}

TEST_CASE("defaults come from the declaration, and are shown with the given values")
{
    CHECK(ask("clock: 2 GHz\nshare: 1e-3\n", [](MapReader& r) {
              CHECK(r.quantity32("rows") == 8);
              CHECK(r.quantity("total", 64) == 64);
              CHECK(r.quantity("clock", 1) == 2'000'000'000);
              CHECK(r.quantity("delay") == 0); // The text does not give this key.
              CHECK(r.real("share") == 1e-3);
              CHECK(r.word<Colour>("colour") == Colour::Green);
              CHECK(!r.boolean("on"));
              CHECK(!r.map("inner"));
              CHECK(r.maps("list").empty());
              CHECK(r.raw("form", false) == nullptr);
              (void)r.quantity("clock", 1); // The key is read a second time.
              using Shown = std::vector<std::pair<std::string, std::string>>;
              CHECK(r.shown() == Shown{{"rows", "8"},
                                       {"total", "64"},
                                       {"clock", "2 GHz"},
                                       {"share", "1e-3"},
                                       {"colour", "green"},
                                       {"on", "false"}});
          }) == "");
}

TEST_CASE("given values must match the declaration, with errors at their place")
{
    CHECK(ask("rows: 65\n", [](MapReader& r) { (void)r.quantity32("rows"); }) ==
          "f.yaml:1:7: 'block.rows' is 65; expected at most 64");
    CHECK(ask("share: 1.5\n", [](MapReader& r) { (void)r.real("share"); }) ==
          "f.yaml:1:8: 'block.share' is 1.5; expected a number from 0 to 1");
    CHECK(ask("colour: gren\n", [](MapReader& r) { (void)r.word<Colour>("colour"); }) ==
          "f.yaml:1:9: 'block.colour' is 'gren'; did you mean 'green'?");
    const auto entries = [](MapReader& r) {
        for (MapReader& one : r.maps("list")) {
            (void)one.quantity32("number");
            one.finish();
        }
    };
    CHECK(ask("list: {number: 1}\n", entries) ==
          "f.yaml:1:7: 'block.list' is a map; expected a list of {number}");
    CHECK(ask("list: [{number: 1}, {number: 10}]\n", entries) ==
          "f.yaml:1:30: 'block.list.number' is 10; expected at most 9");
    CHECK(ask("list: [{}]\n", entries) == "f.yaml:1:8: 'block.list' lacks the key 'number'");
    CHECK(ask("inner: 3\n", [](MapReader& r) { (void)r.map("inner"); }) ==
          "f.yaml:1:8: 'block.inner' is a single value; expected a map of keys and values");
}

TEST_CASE("rows of a table are read by its columns, each with its place")
{
    static constexpr Key columns[] = {quantity("age", Dimension::Time, "An age."),
                                      real("share", 0, 1, "A share.")};
    static constexpr Key rows[] = {row("", columns, "[age, share]", "A point.")};
    static constexpr Key tables[] = {list("table", rows, "a list of [age, share]", "Points.")};
    const auto read = [](const std::string& yaml) {
        const Node root = parse_yaml(yaml, "f.yaml");
        MapReader reader(root, "block", tables);
        std::string text;
        try {
            reader.rows("table", [&](MapReader& one) {
                text += std::to_string(one.quantity("age")) + ":";
                text += std::to_string(one.real("share")).substr(0, 3) + " ";
            });
            reader.finish();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return text;
    };
    CHECK(read("table: [[1 ns, 0.5], [2 ns, 1]]\n") == "1000:0.5 2000:1.0 ");
    CHECK(read("table: []\n") ==
          "f.yaml:1:8: 'block.table' is empty; expected a list of [age, share]");
    CHECK(read("table: [[1 ns]]\n") ==
          "f.yaml:1:9: 'block.table' has a list of 1 here; expected a list of [age, share]");
    CHECK(read("table: [[1 ns, 0.5], {age: 2}]\n") ==
          "f.yaml:1:22: 'block.table' has a map here; expected a list of [age, share]");
    CHECK(read("table: [[1, 0.5]]\n").starts_with("f.yaml:1:10: 'block.table.age' is '1', which"));
    CHECK(read("table: [[1 ns, 2]]\n") ==
          "f.yaml:1:16: 'block.table.share' is 2; expected a number from 0 to 1");
    CHECK(read("{}\n").find("lacks the key 'table'") != std::string::npos);
}

TEST_CASE("a key may be required if another key is present or has a certain value")
{
    const auto lacking = [](const std::string& text) -> std::string {
        const Node node = parse_yaml(text, "f.yaml");
        MapReader reader(node, "block", needed_keys);
        for (const Key& key : needed_keys)
            (void)reader.raw(key.name, false);
        try {
            reader.finish();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(lacking("{}\n") ==
          "f.yaml:1:1: 'block' lacks the key 'shade', which 'colour: green' needs");
    CHECK(lacking("colour: green\nheat: low\n").find("lacks the key 'shade'") != std::string::npos);
    CHECK(lacking("colour: red\nshade: low\n") ==
          "f.yaml:1:1: 'block' lacks the key 'heat', which 'colour: red' needs");
    CHECK(lacking("colour: red\nheat: low\n").empty());
    CHECK(lacking("shade: low\nframe: wood\n") ==
          "f.yaml:1:1: 'block' lacks the key 'nail' (or 'glue'), which 'frame' needs");
    CHECK(lacking("{shade: low, frame: wood, nail: iron}\n").empty());
    CHECK(lacking("{shade: low, frame: wood, glue: hot}\n").empty());
}
