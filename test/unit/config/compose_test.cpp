// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/compose.hpp"
#include "platform/input/config/scenario.hpp"
#include "test/unit/config/files.hpp"

#include <nlohmann/json.hpp>

using namespace levee::config;

namespace {

std::string composed(const Files& files, const std::string& name,
                     const std::vector<std::string>& overrides = {})
{
    const FileFinder finder(files.path("scenarios"));
    return to_json(compose(files.path(name), finder, overrides)).dump();
}

} // namespace

TEST_CASE("a file replaces its name, from the same folder or from the scenarios")
{
    const Files files;
    files.write("scenarios/systems/s.yaml", "name: shipped\nstandard: tech/d.yaml\n");
    files.write("scenarios/tech/d.yaml", "standard: LPDDR4\nrate: 5\n");
    files.write("run.yaml", "system: systems/s.yaml\n");
    CHECK(composed(files, "run.yaml") ==
          R"({"system":{"name":"shipped","standard":{"standard":"LPDDR4","rate":5}}})");
    files.write("systems/s.yaml", "name: beside\n");
    CHECK(composed(files, "run.yaml") == R"({"system":{"name":"beside"}})");
}

TEST_CASE("files that name each other twice in a chain are refused when they expand too much")
{
    const Files files;
    constexpr unsigned length = 40;
    for (unsigned i = 0; i < length; ++i) {
        const std::string next = "b" + std::to_string(i + 1) + ".yaml";
        files.write("b" + std::to_string(i) + ".yaml",
                    "system: " + next + "\ntech: " + next + "\n");
    }
    files.write("b" + std::to_string(length) + ".yaml", "x: 1\n");
    const std::string message = message_of([&] { (void)composed(files, "b0.yaml"); });
    CHECK(message.find(".yaml:1:9: the files named here have more than") != std::string::npos);
    CHECK(
        composed(files, "b38.yaml") ==
        R"({"system":{"system":{"x":1},"tech":{"x":1}},"tech":{"system":{"x":1},"tech":{"x":1}}})");
}

TEST_CASE("too long a chain of files is refused")
{
    const Files files;
    constexpr unsigned length = 100;
    for (const char* const key : {"extends", "system"}) {
        for (unsigned i = 0; i < length; ++i)
            files.write("c" + std::to_string(i) + ".yaml",
                        std::string(key) + ": c" + std::to_string(i + 1) + ".yaml\n");
        files.write("c" + std::to_string(length) + ".yaml", "x: 1\n");
        CHECK(message_of([&] {
                  (void)composed(files, "c0.yaml");
              }).find("files name each other more than 64 levels deep") != std::string::npos);
        CHECK(composed(files, "c40.yaml").find(R"("x":1)") != std::string::npos);
    }
}

TEST_CASE("nested files are refused when their maps become too deep")
{
    const Files files;
    for (unsigned i = 0; i < 10; ++i) {
        std::string text;
        for (unsigned level = 0; level < 30; ++level)
            text += "{a: ";
        text += "{system: d" + std::to_string(i + 1) + ".yaml}" + std::string(30, '}');
        files.write("d" + std::to_string(i) + ".yaml", text);
    }
    files.write("d10.yaml", "x: 1\n");
    CHECK(message_of([&] {
              (void)composed(files, "d0.yaml");
          }).find("nested more than 128 deep; expected fewer levels") != std::string::npos);
    CHECK(composed(files, "d8.yaml").find(R"("x":1)") != std::string::npos);
}

TEST_CASE("an override with too many names between dots is refused before it is followed")
{
    const Files files;
    files.write("run.yaml", "x: 1\n");
    const auto names = [](unsigned count) {
        std::string text;
        for (unsigned i = 0; i < count; ++i)
            text += i == 0 ? "a" : ".a";
        return text + "=1";
    };
    CHECK(message_of([&] {
              (void)composed(files, "run.yaml", {names(60'000)});
          }).find("' has more than 64 names between dots; expected fewer") != std::string::npos);
    CHECK(composed(files, "run.yaml", {names(64)}).size() > 64 * 4);
}

TEST_CASE("extends merges maps, replaces all other values, and keeps places")
{
    const Files files;
    files.write("base.yaml", "a: {x: 1, y: 2}\nl: [1, 2]\nk: 3\n");
    files.write("run.yaml", "system:\n  extends: base.yaml\n  a: {y: 5, z: 6}\n  l: [9]\n");
    CHECK(composed(files, "run.yaml") == R"({"system":{"a":{"x":1,"y":5,"z":6},"l":[9],"k":3}})");
    const FileFinder finder(files.folder());
    const Node root = compose(files.path("run.yaml"), finder, {});
    const Node& a = *root.find("system")->find("a");
    CHECK(a.find("x")->place.text() == files.path("base.yaml") + ":1:8");
    CHECK(a.find("y")->place.text() == files.path("run.yaml") + ":3:10");
}

TEST_CASE("an override sets one key, whatever file it came from")
{
    const Files files;
    files.write("s.yaml", "a: {x: 1, y: 2}\nl: [1, 2]\n");
    files.write("other.yaml", "b: 1\n");
    files.write("run.yaml", "system: s.yaml\n");
    CHECK(composed(files, "run.yaml", {"system.a.x=7", "system.l.1=8"}) ==
          R"({"system":{"a":{"x":7,"y":2},"l":[1,8]}})");
    CHECK(composed(files, "run.yaml", {"system.a={q: 1}", "new.key=two words"}) ==
          R"({"system":{"a":{"q":1},"l":[1,2]},"new":{"key":"two words"}})");
}

TEST_CASE("an invalid override is refused, quoted as it was typed")
{
    const Files files;
    files.write("run.yaml", "a: {x: 1}\nl: [1, 2]\n");
    const auto fault = [&](const std::string& text) {
        return message_of([&] { (void)composed(files, "run.yaml", {text}); });
    };
    CHECK(fault("a.x") == "--set a.x: expected KEY=VALUE, as in --set system.core.clock=2GHz");
    CHECK(fault("a..x=1") == "--set a..x=1: an empty name between dots; expected KEY.KEY=VALUE");
    CHECK(fault("l.2=1") == "--set l.2=1: 'l' is a list of 2; expected an index from 0");
    CHECK(fault("a.x.y=1") == "--set a.x.y=1: 'a.x' is a single value; it has no key 'y'");
    CHECK(fault("a.x=[1").starts_with("--set a.x=[1:1:"));
}

TEST_CASE("the later of two price lists from files replaces the earlier, an inline list is merged")
{
    const Files files;
    files.write("a.yaml", "name: a\nprices: {x: 1}\n");
    files.write("b.yaml", "name: b\n");
    files.write("base.yaml", "tech: {energy: a.yaml, also: [b.yaml]}\n");
    files.write("other.yaml", "extends: base.yaml\ntech: {energy: b.yaml}\n");
    files.write("dearer.yaml", "extends: base.yaml\ntech: {energy: {prices: {x: 2}}}\n");
    CHECK(composed(files, "other.yaml") ==
          R"({"tech":{"energy":{"name":"b"},"also":[{"name":"b"}]}})");
    CHECK(composed(files, "dearer.yaml") ==
          R"({"tech":{"energy":{"name":"a","prices":{"x":2}},"also":[{"name":"b"}]}})");
}

TEST_CASE("a standard, shape or retention map from a file replaces the inherited one completely")
{
    const Files files;
    files.write("one.yaml", "a: 1\nmap: {x: 1}\n");
    files.write("two.yaml", "map: {y: 2}\n");
    for (const std::string key : {"standard", "shape", "retention"}) {
        INFO(key);
        files.write("base.yaml", "dram: {" + key + ": one.yaml}\n");
        files.write("other.yaml", "extends: base.yaml\ndram: {" + key + ": two.yaml}\n");
        files.write("changed.yaml", "extends: base.yaml\ndram: {" + key + ": {map: {x: 3}}}\n");
        CHECK(composed(files, "other.yaml") == R"({"dram":{")" + key + R"(":{"map":{"y":2}}}})");
        CHECK(composed(files, "changed.yaml") ==
              R"({"dram":{")" + key + R"(":{"a":1,"map":{"x":3}}}})");
    }
}

TEST_CASE("a scenario that a file names is in the same folder or shipped")
{
    const Files files;
    const std::string beside = files.write("studies/mine.yaml", "");
    const std::string both = files.write("studies/both.yaml", "");
    files.write("project/scenarios/both.yaml", "");
    const std::string shipped = files.write("project/scenarios/kelle/demo.yaml", "");
    const FileFinder finder =
        FileFinder(files.path("project/scenarios")).within(files.path("studies"));
    const Place place{std::make_shared<std::string>(files.path("studies/study.yaml")), 3, 11};
    CHECK(finder.scenario("mine", place) == beside);
    CHECK(finder.scenario("mine.yaml", place) == beside);
    CHECK(finder.scenario("both", place) == both);
    CHECK(finder.scenario("kelle/demo", place) == shipped);
    CHECK(finder.scenario(shipped, place) == shipped);
    for (const std::string none : {"", "bot", "kelle", "../none.yaml"})
        CHECK(message_of([&] { (void)finder.scenario(none, place); })
                  .starts_with(files.path("studies/study.yaml") + ":3:11: no scenario '" + none +
                               "': there is no such file"));
    files.write("elsewhere/mine.yaml", "");
    CHECK(message_of([&] {
              (void)finder.scenario("../elsewhere/mine", place);
          }).find("is outside the scenario's folder") != std::string::npos);
}

TEST_CASE("a file that is missing or refers to itself is an error where it is named")
{
    const Files files;
    const std::string run = files.write("run.yaml", "system: none.yaml\n");
    CHECK(message_of([&] { (void)composed(files, "run.yaml"); }) ==
          run + ":1:9: no file 'none.yaml': neither " + files.path("none.yaml") + " nor " +
              files.path("scenarios/none.yaml") + " exists");
    const std::string whole = files.write("whole.yaml", "system: /no/such.yaml\n");
    CHECK(message_of([&] { (void)composed(files, "whole.yaml"); }) ==
          whole + ":1:9: no file '/no/such.yaml'");
    files.write("machines/m.yaml", "name: m\n");
    const std::string folder = files.write("folder.yaml", "extends: machines\n");
    CHECK(message_of([&] { (void)composed(files, "folder.yaml"); }) ==
          folder + ":1:10: no file 'machines': " + files.path("machines") +
              " is a folder; expected a file in it");
    const std::string a = files.write("a.yaml", "extends: b.yaml\n");
    const std::string b = files.write("b.yaml", "extends: a.yaml\n");
    CHECK(message_of([&] { (void)composed(files, "a.yaml"); }) ==
          b + ":1:10: '" + a + "' refers to itself, directly or through the files it names");
}

TEST_CASE("a scenario is found by path or name, and an error lists the existing ones")
{
    const Files files;
    const std::string demo = files.write("scenarios/demo.yaml", "a: 1\n");
    files.write("scenarios/recall.yaml", "a: 1\n");
    const FileFinder finder(files.path("scenarios"));
    CHECK(finder.scenario(demo) == demo);
    CHECK(finder.scenario("demo") == demo);
    CHECK(finder.scenario("demo.yaml") == demo);
    CHECK(message_of([&] { (void)finder.scenario("recal"); }) ==
          "no scenario 'recal': there is no such file, and none in " + files.path("scenarios") +
              "; did you mean 'recall'?\nscenarios there: demo, recall");
    files.write("scenarios/kelle/studies/budget.yaml", "scenario: ../../demo.yaml\naxes: {}\n");
    CHECK(message_of([&] { (void)finder.study("budgt"); }) ==
          "no study 'budgt': there is no such file, and none in " + files.path("scenarios") +
              "\nstudies there: kelle/studies/budget");
}

TEST_CASE("null removes a key of the extended file, or any key in an override")
{
    const Files files;
    files.write("base.yaml", "a: {x: 1, y: 2}\nk: 3\n");
    files.write("run.yaml", "extends: base.yaml\na: {y: null}\nk: ~\n");
    CHECK(composed(files, "run.yaml") == R"({"a":{"x":1}})");
    files.write("part.yaml", "y: 4\nz: 5\n");
    files.write("both.yaml", "extends: base.yaml\na: {extends: part.yaml, y: null}\nk: null\n");
    CHECK(composed(files, "both.yaml") == R"({"a":{"x":1,"z":5}})");
    files.write("first.yaml", "extends: base.yaml\na: {extends: part.yaml, x: null}\n");
    CHECK(composed(files, "first.yaml") == R"({"a":{"y":4,"z":5},"k":3})");
    CHECK(composed(files, "base.yaml", {"a.x=null", "k=null"}) == R"({"a":{"y":2}})");
    CHECK(composed(files, "base.yaml", {"a=null", "a.x=7"}) == R"({"k":3,"a":{"x":7}})");
}

TEST_CASE("null that removes nothing, or stands for a missing value, is refused")
{
    const Files files;
    files.write("base.yaml", "a: {x: 1, y: 2}\n");
    const std::string run = files.write("run.yaml", "extends: base.yaml\na: {z: null}\n");
    CHECK(message_of([&] { (void)composed(files, "run.yaml"); }) ==
          run + ":2:8: there is no 'z' that null could unset; expected one of: x, y");
    CHECK(message_of([&] { (void)composed(files, "base.yaml", {"a.xx=null"}); }) ==
          "--set a.xx=null: there is no 'a.xx' that null could unset; did you mean 'x'?");
    CHECK(message_of([&] { (void)composed(files, "base.yaml", {"b.x=null"}); }) ==
          "--set b.x=null: there is no 'b.x' that null could unset; expected one of: a");
    files.write("empty.yaml", "extends: base.yaml\na:\n  x:\n");
    CHECK(composed(files, "empty.yaml") == R"({"a":{"x":null,"y":2}})");
}

TEST_CASE("an error says if a name only lacks .yaml")
{
    const Files files;
    files.write("scenarios/systems/s.yaml", "name: shipped\n");
    const std::string run = files.write("run.yaml", "system: systems/s\n");
    CHECK(message_of([&] { (void)composed(files, "run.yaml"); }) ==
          run + ":1:9: 'system' is 'systems/s'; did you mean 'systems/s.yaml'?");
    const std::string more = files.write("more.yaml", "extends: systems/s\n");
    CHECK(message_of([&] { (void)composed(files, "more.yaml"); }) ==
          more + ":1:10: no file 'systems/s'; did you mean 'systems/s.yaml'?");
    const FileFinder finder(files.path("scenarios"));
    files.write("mine.yaml", "a: 1\n");
    CHECK(finder.scenario(files.path("mine")) == files.path("mine.yaml"));
}

TEST_CASE("a file's name is not accepted as an override")
{
    const Files files;
    files.write("secret/x.yaml", "name: secret\n");
    const std::string name = "--set system=y.yaml";
    files.write("mine/" + name, "system: ../secret/x.yaml\n");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(files.path("mine"));
    const std::string message =
        message_of([&] { (void)compose(name, FileFinder(files.path("project/scenarios")), {}); });
    std::filesystem::current_path(before);
    CHECK(message.starts_with("./" + name + ":1:9: the file '../secret/x.yaml' is outside"));
}

TEST_CASE("RTL of a scenario is in its folder or the project's, RTL of an override anywhere")
{
    const Files files;
    files.write("secret/x.sv", "module x; endmodule\n");
    files.write("mine/x.sv", "module x; endmodule\n");
    std::filesystem::create_directories(files.path("project/scenarios"));
    const auto load = [&](const std::string& rtl, bool outside = false,
                          const std::vector<std::string>& overrides = {}) {
        const std::string run =
            files.write("mine/run.yaml", "system: {blocks: {x: {rtl: " + rtl + "}}}\n");
        const FileFinder finder(files.path("project/scenarios"), reach(outside));
        (void)ScenarioSource(run, finder).composed(overrides);
    };
    load("{files: [x.sv], include: [.]}");
    for (const std::string rtl :
         {"{files: [../secret/x.sv]}", "{files: [x.sv], include: [../secret]}"}) {
        CHECK(message_of([&] { load(rtl); }).ends_with("or use --allow-outside"));
        load(rtl, true);
    }
    files.write("mine/rtl.yaml", "files: [x.sv, ../secret/x.sv]\n");
    CHECK(message_of([&] {
              load("rtl.yaml");
          }).starts_with(files.path("mine/rtl.yaml") + ":1:15: the file '"));
    load("tree", false, {"system.blocks.x.rtl=" + files.path("mine/rtl.yaml")});
}

TEST_CASE("files that a scenario names are in its folder or the project's")
{
    const Files files;
    files.write("project/scenarios/systems/s.yaml", "name: shipped\n");
    files.write("project/models/m.yaml", "name: model\n");
    files.write("mine/parts/p.yaml", "name: part\n");
    files.write("secret/x.yaml", "name: secret\n");
    std::filesystem::create_symlink(files.path("secret/x.yaml"), files.path("mine/link.yaml"));
    const auto read = [&](const std::string& name, Reach reach = Reach::Inside,
                          const std::vector<std::string>& overrides = {}) {
        const std::string run = files.write("mine/run.yaml", "system: " + name + "\n");
        return to_json(compose(run, FileFinder(files.path("project/scenarios"), reach), overrides))
            .dump();
    };
    CHECK(read("parts/p.yaml") == R"({"system":{"name":"part"}})");
    CHECK(read("systems/s.yaml") == R"({"system":{"name":"shipped"}})");
    CHECK(read("../models/m.yaml") == R"({"system":{"name":"model"}})");
    for (const std::string& outside :
         {std::string("../secret/x.yaml"), std::string("link.yaml"), files.path("secret/x.yaml"),
          std::string("parts/../../secret/x.yaml")}) {
        const std::string message = message_of([&] { (void)read(outside); });
        CHECK(message.starts_with(files.path("mine/run.yaml") + ":1:9: the file '"));
        CHECK(message.ends_with("or use --allow-outside"));
        CHECK(read(outside, Reach::Anywhere) == R"({"system":{"name":"secret"}})");
    }
    // Paths on the command line are unrestricted.
    CHECK(read("systems/s.yaml", Reach::Inside, {"tech=" + files.path("secret/x.yaml")}) ==
          R"({"system":{"name":"shipped"},"tech":{"name":"secret"}})");
}
