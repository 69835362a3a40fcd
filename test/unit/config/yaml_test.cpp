// SPDX-License-Identifier: Apache-2.0
#include "core/config/node.hpp"
#include "test/unit/config/files.hpp"

#include <nlohmann/json.hpp>

using namespace levee::config;

namespace {

std::string fault(const std::string& text)
{
    return message_of([&] { (void)parse_yaml(text, "f.yaml"); });
}

} // namespace

TEST_CASE("every value has its line and column")
{
    const Node root = parse_yaml("a: 1\nlist:\n  - x\n  - {k: v}\n", "f.yaml");
    REQUIRE(root.is_map());
    CHECK(root.find("a")->place.text() == "f.yaml:1:4");
    CHECK(root.entries[1].place.text() == "f.yaml:2:1");
    CHECK(root.find("list")->items[0].place.text() == "f.yaml:3:5");
    CHECK(root.find("list")->items[1].find("k")->place.text() == "f.yaml:4:9");
}

TEST_CASE("YAML that hides a mistake is refused at its place")
{
    CHECK(fault("a: 1\nb: 2\na: 3\n") ==
          "f.yaml:3:1: duplicate key 'a'; it was first given at f.yaml:1:1");
    CHECK(fault("a: &x 1\n") ==
          "f.yaml:1:4: an anchor ('&name') is not supported here; share a file with "
          "`extends:` instead");
    CHECK(fault("a: !!str 1\n").starts_with("f.yaml:1:4: a YAML tag"));
    CHECK(fault("a: !foo [1]\n") == "f.yaml:1:4: a YAML tag ('!foo') is not supported here");
    CHECK(fault("a: !foo {b: 1}\n") == "f.yaml:1:4: a YAML tag ('!foo') is not supported here");
    CHECK(fault("a: ! [1]\n").starts_with("f.yaml:1:4: a YAML tag"));
    CHECK(fault("? [1, 2]\n: 3\n") == "f.yaml:1:3: a key must be a name; this is a list");
    CHECK(fault("a: [1, 2\nb: 3\n").starts_with("f.yaml:2:"));
    CHECK(fault("a: 1\n---\nb: 2\n") ==
          "f.yaml:3:1: a second YAML document; expected one in a file");
    CHECK(fault("a: *x\n").find("f.yaml:1:4: ") == 0);
}

TEST_CASE("a file that cannot be read is named")
{
    const Files files;
    CHECK(message_of([&] { (void)load_yaml(files.path("none.yaml")); }) ==
          files.path("none.yaml") + ": cannot be read: No such file or directory");
    CHECK(message_of([&] { (void)load_yaml(files.folder()); }) ==
          files.folder().string() + ": is a folder; expected a file");
}

TEST_CASE("the tree becomes JSON in the order of the file")
{
    const Node root = parse_yaml(
        "z: 1\na: {t: true, r: 1.5, n: -2, text: 1 GHz, quoted: \"5\", inf: inf, none: }\nl: [x]\n",
        "f.yaml");
    CHECK(
        to_json(root).dump() ==
        R"({"z":1,"a":{"t":true,"r":1.5,"n":-2,"text":"1 GHz","quoted":"5","inf":"inf","none":null},"l":["x"]})");
}

TEST_CASE("plain booleans and numbers follow YAML's core schema, and words of YAML 1.1 are text")
{
    const Node root = parse_yaml(
        "[True, FALSE, +4, 4., 0x10, 0o17, yes, off, 1_000, \"True\", 1:30, +]", "f.yaml");
    CHECK(to_json(root).dump() ==
          R"([true,false,4,4,16,15,"yes","off","1_000","True","1:30","+"])");
}
