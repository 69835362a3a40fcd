// SPDX-License-Identifier: Apache-2.0
// Builds projects against an installed tree that was moved, following only the instructions on
// their pages.
#include "test/support/page.hpp"
#include "test/support/timeline_check.hpp"
#include "test/system/debugging.hpp"

#include <cstdlib>

using namespace levee::test;

namespace {

const std::string prefix = LEVEE_PREFIX;
const std::string examples = std::string(LEVEE_SOURCE) + "/test/install/";

/// Sets the environment of a user who has the installed program on the path. Builds are as short as
/// possible.
void enter()
{
    const std::string path = prefix + "/bin:" + std::getenv("PATH");
    setenv("PATH", path.c_str(), 1);
    setenv("CMAKE_GENERATOR", "Ninja", 1);
    setenv("CMAKE_BUILD_TYPE", "None", 1);
    setenv("CXX", LEVEE_COMPILER, 1);
    if (std::system("command -v ccache >/dev/null") == 0)
        setenv("CMAKE_CXX_COMPILER_LAUNCHER", "ccache", 1);
}

std::string read_file(const std::string& name)
{
    std::ifstream stream(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The unit must be in the timeline, and GDB's monitor must know it.
void check_observers(const Workplace& place)
{
    const TimelineCheck timeline(place.path("out/argmax/timeline.json.gz"));
    const auto spans = timeline.content.on("blocks", "argmax");
    REQUIRE(!spans.empty());
    CHECK(spans.front().name == "FIND");
    CHECK(spans.front().args["count"] == "1000");
    if (gdb_is_missing())
        return;
    Debuggee debuggee(place, {"argmax.yaml", "--elf", "build/program.elf", "--out", "out/gdb"});
    const std::string said =
        run_gdb(place, debuggee, place.path("build/program.elf").string(),
                "monitor blocks\nbreak irq_wait_until\ncontinue\nmonitor argmax\n"
                "monitor descriptors argmax\nmonitor argmax.LANES\n");
    check_in_order(said, {"argmax", "LANES", "FIND", "count", "1000"});
}

/// Errors of a plug-in must be reported with its name, and the runs must end with exit code 2.
void check_refusals(const Workplace& place)
{
    const auto refusal = [&](const std::string& libraries) {
        const Outcome outcome =
            place.levee({"describe", "argmax.yaml", "--set", "system.components=" + libraries});
        CHECK(outcome.code == 2);
        return outcome.text;
    };
    CHECK(contains(refusal("[build/missing.so]"), "no file 'build/missing.so'"));
    CHECK(contains(refusal("[]"), "system.blocks.argmax.type"));
    CHECK(contains(refusal("[build/argmax.so, ./build/argmax.so]"), "is listed twice"));
    CHECK(contains(refusal("[build/program.elf]"), "is an ELF file of another machine"));
    const std::string key = "system.blocks.argmax.lanes=0";
    CHECK(contains(place.levee({"describe", "argmax.yaml", "--set", key}).text,
                   "is 0; expected at least 1"));
}

/// Points of a study use different libraries with the same type, and firmware outside the tree.
void check_sweep(const Workplace& place)
{
    for (const std::string name : {"one", "two"}) {
        std::filesystem::copy(place.path("build/argmax.so"), place.path(name + ".so"));
        place.write(name + ".yaml", "extends: systems/original.yaml\ncomponents: [" + name +
                                        ".so]\nblocks: {argmax: {type: argmax, lanes: 2}}\n");
    }
    place.write("base.yaml", "system: one.yaml\nworkload: {app: build/program.elf}\n");
    place.write("study.yaml", "scenario: base.yaml\n"
                              "axes: {system: {key: system, values: [one.yaml, two.yaml]}}\n"
                              "columns: [argmax.compared]\n");
    CHECK(place.levee({"sweep", "study.yaml", "--out", "swept"}).code == 0);
    CHECK(contains(place.read("swept/table.csv"), "\ntwo.yaml,two.yaml,,1000,"));
}

} // namespace

TEST_CASE("a plug-in made only by its page is in results, energy, timeline, describe and GDB")
{
    const Workplace place;
    enter();
    follow(place, "plugins.md", 0, 7);
    const nlohmann::json metrics = place.results("out/argmax")["metrics"];
    CHECK(metrics["argmax.index"] == 123);
    CHECK(metrics["argmax.compared"] == 1000);
    check_observers(place);
    check_refusals(place);
    check_sweep(place);
    // The page starts from the project that is installed as an example.
    for (const auto& file : std::filesystem::directory_iterator(examples + "plugin")) {
        const std::string name = file.path().filename().string();
        INFO(name);
        CHECK(place.read(name) == read_file(file.path().string()));
        CHECK(place.read(name) == read_file(prefix + "/share/levee/examples/plugin/" + name));
    }
}

TEST_CASE("a user's platform without scenarios and firmware works with the array and the eDRAM")
{
    const Workplace place;
    enter();
    const Outcome built =
        place.shell("cmake -S " + quote(prefix + "/share/levee/examples/platform") +
                    " -B build && cmake --build build");
    REQUIRE(built.code == 0);
    const Outcome outcome = place.shell("build/own_platform");
    CHECK(outcome.code == 0);
    // 15 lines of 256 bytes hold valid data: 2 of a, 4 of b, 8 of the product and 1 of its
    // descriptor. After 100 us each has been refreshed at 45 and 90 us. The product has 2 x 2 folds
    // of 16 rows, and 16 + 16 - 2 cycles to fill and drain, 1 ns each. Before it come the
    // descriptor's fetch (10 ns), the way to the memory (1 ns) and its latency (2 ns).
    CHECK(outcome.text.ends_with("rows refreshed in 100 us: 30\nproduct: right, 107000 ps\n"));
}

TEST_CASE("the installed package names what is missing")
{
    const Workplace place;
    enter();
    const auto configure = [&](const std::string& request, const std::string& with = "") {
        place.write("CMakeLists.txt",
                    "cmake_minimum_required(VERSION 3.25)\nproject(x CXX)\nfind_package(levee " +
                        request +
                        ")\nif(TARGET levee::levee)\nmessage(\"found ${levee_FOUND}, platform "
                        "${levee_platform_FOUND}, firmware ${levee_firmware_FOUND}, flux "
                        "${levee_flux_FOUND}\")\nendif()\n");
        return place.shell("rm -rf build && " + with + " cmake -S . -B build").text;
    };
    CHECK(contains(configure(LEVEE_MINOR_VERSION " REQUIRED COMPONENTS plugin flux"),
                   "no component 'flux'"));
    CHECK(contains(configure("9.0 REQUIRED"), "version: " LEVEE_VERSION));
    CHECK(contains(configure("REQUIRED COMPONENTS platform OPTIONAL_COMPONENTS flux firmware"),
                   "found 1, platform TRUE, firmware TRUE, flux FALSE"));
    const std::string no_systemc = "PKG_CONFIG_LIBDIR=/nowhere";
    CHECK(contains(configure("REQUIRED", no_systemc), "SystemC 2.3.4 is missing"));
    CHECK(contains(configure("REQUIRED COMPONENTS platform", no_systemc), "SystemC 2.3.4 is miss"));
    CHECK(contains(configure("REQUIRED COMPONENTS firmware", no_systemc),
                   "found 1, platform , firmware TRUE"));
    CHECK(contains(configure("REQUIRED OPTIONAL_COMPONENTS platform firmware", no_systemc),
                   "found 1, platform FALSE, firmware TRUE"));
}

TEST_CASE("bash completes commands, options and values as the program defines them")
{
    const Workplace place;
    const std::string script = prefix + "/share/bash-completion/completions/levee";
    const auto completed = [&](const std::string& words, const std::string& word,
                               const std::string& before) {
        place.write("try.sh", ". " + quote(script) + "\nCOMP_WORDS=(" + words +
                                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_levee levee '" +
                                  word + "' '" + before + "'\necho \"${COMPREPLY[@]}\"\n");
        return place.shell("bash try.sh").text;
    };
    CHECK(completed("levee des", "des", "levee") == "describe\n");
    CHECK(completed("levee in", "in", "levee") == "init\n");
    CHECK(completed("levee import ll", "ll", "import") == "llama2c\n");
    CHECK(completed("levee run --waves-f", "--waves-f", "run") == "--waves-format\n");
    CHECK(completed("levee run x --waves-format v", "v", "--waves-format") == "vcd\n");
    CHECK(completed("levee run ''", "", "run") == "\n"); // Bash then completes file names.
    CHECK(place
              .shell("LEVEE=" + quote(LEVEE_PROGRAM) + "; $LEVEE completion bash | diff - " +
                     quote(script))
              .code == 0);
}
