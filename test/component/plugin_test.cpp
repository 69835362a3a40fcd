// SPDX-License-Identifier: Apache-2.0
// Tests components of a shared library. They behave like linked ones, and invalid libraries are
// refused.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

const std::string plugin = LEVEE_TALLY_PLUGIN;
const std::string scenario = std::string(LEVEE_TALLY_FOLDER) + "/tally.yaml";
const std::string program = std::string(LEVEE_TALLY_PROGRAMS) + "/program0.elf";

/// Builds a library from C or assembler text.
void make(const Workplace& place, const std::string& name, const std::string& kind,
          const std::string& text)
{
    place.write(name + "." + kind, text);
    REQUIRE(place.shell("cc -shared -fPIC -o " + name + " " + name + "." + kind).code == 0);
}

std::string refusal(const Workplace& place, const std::string& libraries)
{
    const Outcome outcome =
        place.levee({"describe", scenario, "--set", "system.components=" + libraries});
    CHECK(outcome.code == 2);
    return outcome.text;
}

bool says(const std::string& text, const std::string& words)
{
    INFO(text);
    INFO(words);
    const bool found = text.find(words) != std::string::npos;
    CHECK(found);
    return found;
}

/// Writes the identity that this program expects to the file "identity".
void extract_identity(const Workplace& place)
{
    REQUIRE(
        place.shell("objcopy -O binary --only-section=.levee.plugin " + quote(plugin) + " identity")
            .code == 0);
}

const std::string identity_section = ".section .levee.plugin,\"a\"\n.incbin \"identity\"\n";

} // namespace

TEST_CASE("a plug-in's results are those of the same component linked in")
{
    const Workplace place;
    place.write("tally.yaml",
                "extends: " + scenario + "\nsystem: {components: [" + plugin + "]}\n");
    const std::vector<std::string> options{"--elf",     program,   "--bounds",
                                           "--profile", "--check", "all"};
    std::vector<std::string> arguments{"run", "tally.yaml", "--allow-outside", "--out", "plugged"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    REQUIRE(place.levee(arguments).code == 0);
    std::string command = quote(LEVEE_WITH_TALLY) + " run " + quote(scenario) + " --out linked";
    for (const std::string& option : options)
        command += " " + quote(option);
    REQUIRE(place.shell(command).code == 0);
    nlohmann::json plugged = reproducible(place.results("plugged")),
                   linked = reproducible(place.results("linked"));
    CHECK(plugged["scenario"]["system"]["components"][0] == plugin);
    plugged.erase("scenario");
    linked.erase("scenario");
    CHECK(plugged == linked);
    for (const char* file : {"energy.csv", "bounds.csv", "roofline.csv"})
        CHECK(place.read(std::string("plugged/") + file) ==
              place.read(std::string("linked/") + file));
}

TEST_CASE("a plug-in is found in the folders in which a scenario's files are found")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("inner"));
    std::filesystem::copy(plugin, place.path("own.so"));
    const auto describe = [&](const std::string& library, const std::string& option) {
        place.write("inner/tally.yaml",
                    "extends: " + scenario + "\nsystem: {components: [" + library + "]}\n");
        return place.shell(quote(LEVEE_PROGRAM) + " describe inner/tally.yaml " + option).text;
    };
    says(describe("../own.so", ""), "is outside the scenario's folder");
    says(describe("../own.so", "--allow-outside"), "tally (registers)");
    std::filesystem::copy(plugin, place.path("inner/own.so"));
    says(describe("./own.so", ""), "tally (registers)");
}

TEST_CASE("an app is a shipped program, or an ELF file in a folder of the scenario's files")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("inner"));
    std::filesystem::copy(plugin, place.path("inner/own.so"));
    std::filesystem::copy(program, place.path("inner/own.elf"));
    std::filesystem::copy(program, place.path("outer.elf"));
    const auto run = [&](const std::string& app, const std::vector<std::string>& options,
                         int code) {
        place.write("inner/tally.yaml",
                    "extends: " + scenario +
                        "\nsystem: {components: [own.so]}\nworkload: {app: " + app + "}\n");
        std::vector<std::string> arguments{"run", "inner/tally.yaml", "--out", "out"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = place.levee(arguments);
        INFO(outcome.text);
        CHECK(outcome.code == code);
        return outcome.text;
    };
    run("own.elf", {}, 0);
    says(run("../outer.elf", {}, 2), "is outside the scenario's folder");
    run("../outer.elf", {"--allow-outside"}, 0);
    run("hello", {"--set", "workload.app=outer.elf"}, 0);
    says(run("none.elf", {}, 2), "no file 'none.elf'");
    says(run("../outer", {}, 2), "no file '../outer'");
    place.write("study.yaml", "scenario: inner/tally.yaml\naxes: {app: {key: workload.app, "
                              "values: [hello, outer.elf]}}\ncolumns: [tally.weighed]\n");
    CHECK(place.levee({"sweep", "study.yaml", "--out", "swept"}).code == 0);
    const std::string table = place.read("swept/table.csv");
    says(table, "\nhello,hello,,0,");
    says(table, "\nouter.elf,outer.elf,,");
    CHECK(table.find("outer.elf,,0,") == std::string::npos);
}

TEST_CASE("without its plug-in a type is unknown")
{
    const Workplace place;
    says(refusal(place, "[]"), "system.memories.tally.type");
}

TEST_CASE("a file that is not a plug-in is refused, and the error says what it is")
{
    const Workplace place;
    place.write("text.so", "#!/bin/sh\n");
    says(refusal(place, "[text.so]"), "'text.so' is not a shared library: it does not begin with");
    place.write("empty.so", "");
    says(refusal(place, "[empty.so]"), "is not a shared library");
    std::filesystem::copy(program, place.path("firmware.so"));
    says(refusal(place, "[firmware.so]"), "is an ELF file of another machine");
    make(place, "plain.so", "c", "int nothing;\n");
    says(refusal(place, "[plain.so]"), "is a shared library but not a plug-in: expected "
                                       "'LEVEE_PLUGIN;' in one of its sources");
    std::filesystem::copy(plugin, place.path("cut.so"));
    std::filesystem::resize_file(place.path("cut.so"), 5000);
    says(refusal(place, "[cut.so]"),
         "'cut.so' is a truncated shared library: its section headers lie "
         "beyond the file's end");
    says(refusal(place, "[missing.so]"), "no file 'missing.so'");
    says(refusal(place, "missing.so"), "expected a list of texts");
}

TEST_CASE("a plug-in for another Levee is refused before its code runs, with found and expected")
{
    const Workplace place;
    extract_identity(place);
    const std::string code = "#include <unistd.h>\n"
                             "__attribute__((constructor)) static void run(void) { _exit(3); }\n"
                             "__attribute__((section(\".levee.plugin\"), used))\n"
                             "const char identity[] = \"";
    std::string identity = place.read("identity");
    identity = identity.substr(0, identity.find('\0'));
    const auto with = [&](const std::string& what, const std::string& value) {
        std::string text = identity;
        const std::size_t at = text.find(what + "=") + what.size() + 1;
        text.replace(at, text.find('\n', at) - at, value);
        for (std::size_t end = 0; (end = text.find('\n', end)) != std::string::npos; end += 2)
            text.replace(end, 1, "\\n");
        make(place, "other.so", "c", code + text + "\";\n");
        return refusal(place, "[other.so]");
    };
    says(with("version", "0.0.9"), "its version is '0.0.9'; expected '" LEVEE_VERSION "'");
    says(with("digest of headers", "0123"), "its digest of headers is '0123'; expected '");
    says(with("SystemC", "3.0.1"), "its SystemC is '3.0.1'; expected '2.");
    make(place, "other.so", "c", code + "other\";\n");
    says(refusal(place, "[other.so]"), "its version is 'unknown'");
}

TEST_CASE("a plug-in that cannot be loaded or registers nothing of its own is refused")
{
    const Workplace place;
    extract_identity(place);
    make(place, "idle.so", "s", identity_section);
    says(refusal(place, "[idle.so]"), "'idle.so' registers no type of component");
    make(place, "lost.so", "s", identity_section + ".data\n.quad _ZN5levee7missingEv\n");
    says(refusal(place, "[lost.so]"), "'lost.so' cannot be loaded: ");
    says(refusal(place, "[lost.so]"), "undefined symbol: levee::missing()");
    std::filesystem::copy(plugin, place.path("a.so"));
    std::filesystem::copy(plugin, place.path("b.so"));
    says(refusal(place, "[a.so, b.so]"),
         "'b.so' cannot be used: two component types are called 'tally'; a copy of a component "
         "needs its own type and number");
    says(refusal(place, "[a.so, ./a.so]"), "is listed twice");
}

TEST_CASE("a copy of a block that still uses the program's class names is refused")
{
    const Workplace place;
    says(refusal(place, "[" + std::string(LEVEE_COPIED_PLUGIN) + "]"),
         "has a class levee::dma::Dma, which this program also defines, so that the program's code "
         "would run; expected a separate namespace");
}

namespace {

/// Copies two libraries: the tally's, and one that needs the tally's library and registers the
/// component type 'throwing'.
struct TwoLibraries {
    explicit TwoLibraries(const Workplace& place)
    {
        std::filesystem::copy(LEVEE_NEEDING_PLUGIN, place.path(needing));
        std::filesystem::copy(plugin, place.path(tally));
    }
    const std::string needing = std::filesystem::path(LEVEE_NEEDING_PLUGIN).filename().string(),
                      tally = std::filesystem::path(plugin).filename().string();
};

/// Runs `levee sweep` with one point for each of these overrides.
Outcome swept(const Workplace& place, const std::vector<std::string>& overrides)
{
    std::string study = "scenario: hello.yaml\ncolumns: [core.cycles]\npoints:\n";
    for (std::size_t i = 0; i < overrides.size(); ++i)
        study += "  p" + std::to_string(i) + ": " + overrides[i] + "\n";
    place.write("study.yaml", study);
    const Outcome outcome = place.levee({"sweep", "study.yaml", "--out", "swept"});
    CHECK(outcome.code == 0);
    return outcome;
}

} // namespace

TEST_CASE("a type belongs to the library that registers it, under any name of the file")
{
    const Workplace place;
    const auto [needing, tally] = TwoLibraries(place);
    const auto describe = [&](const std::string& libraries) {
        return place.levee({"describe", scenario, "--set", "system.components=" + libraries}).text;
    };
    says(describe("[" + needing + "]"), "system.memories.tally.type");
    says(describe("[" + needing + ", " + tally + "]"), "tally (registers)");
    says(describe("[" + tally + ", " + needing + "]"), "tally (registers)");

    std::filesystem::create_hard_link(place.path(tally), place.path("same.so"));
    says(refusal(place, "[" + tally + ", same.so]"), "'same.so' is listed twice, first as '");
    swept(place, {"system.components=[" + tally + "]", "system.components=[same.so]"});
}

TEST_CASE("a study simulates its points again when a library that their plug-in needs has changed")
{
    const Workplace place;
    const auto [needing, tally] = TwoLibraries(place);
    const std::vector<std::string> points{"system.components=[" + needing + "]"};
    swept(place, points);
    const std::string done = "1 of 1 runs are done already";
    says(swept(place, points).text, done);
    // Appends bytes after the part of the file that the loader loads.
    REQUIRE(place.shell("echo >>" + tally).code == 0);
    CHECK(swept(place, points).text.find(done) == std::string::npos);
    says(swept(place, points).text, done);
}

TEST_CASE("an exception from a plug-in is reported with its component, type and place")
{
    const Workplace place;
    const auto run = [&](const std::string& where) {
        place.write("throws.yaml", "system:\n  extends: systems/original.yaml\n  components: [" +
                                       std::string(LEVEE_THROWING_PLUGIN) +
                                       "]\n  blocks:\n    unit: {type: throwing, in: " + where +
                                       "}\n");
        const Outcome outcome =
            place.levee({"run", "throws.yaml", "--elf", program, "--allow-outside"});
        CHECK(outcome.code == 2);
        return outcome.text;
    };
    says(run("read"), "throws.yaml:5:11: 'system.blocks.unit' of type 'throwing' cannot be read: "
                      "table::at");
    says(run("make"), "throws.yaml:5:11: 'unit' of type 'throwing' cannot be made: no lanes");
}

TEST_CASE("a component that creates less than its type declares is refused with its place")
{
    const Workplace place;
    const auto run = [&](const std::string& kind, const std::string& component) {
        place.write("blank.yaml", "system:\n  extends: systems/original.yaml\n  components: [" +
                                      std::string(LEVEE_INCOMPLETE_PLUGIN) + "]\n  " + kind +
                                      ":\n    unit: {" + component + "}\n");
        const Outcome outcome =
            place.levee({"run", "blank.yaml", "--elf", program, "--allow-outside"});
        CHECK(outcome.code == 2);
        return outcome.text;
    };
    const std::string unit = "blank.yaml:5:11: 'unit' of type ";
    says(run("blocks", "type: blank, makes: nothing"), unit + "'blank' has constructed no module");
    says(run("blocks", "type: blank, makes: module, shares: rsa"),
         unit + "'blank' shares 'rsa', but has set no function 'share'");
    says(run("blocks", "type: blank_block, makes: module"),
         unit + "'blank_block' declares registers, but has constructed none");
    says(run("blocks", "type: blank_block, makes: registers"),
         unit + "'blank_block' declares a command queue, but has constructed none");
    says(run("memories", "type: blank_memory, makes: module"),
         unit + "'blank_memory' declares storage, but has constructed none");
    says(run("memories", "type: blank_memory, makes: storage"),
         unit + "'blank_memory' declares storage, but has set no function 'load'");
}
