// SPDX-License-Identifier: Apache-2.0
// Tests descriptions of a user's RTL: the errors of invalid ones, and the result of a valid one.
#include "core/rtl/build/build.hpp"
#include "core/rtl/build/probe.hpp"
#include "core/rtl/build/wrapper.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <unistd.h>

using Catch::Contains;
using namespace levee;

namespace {

const own_rtl::Interface boundary{{{"clk_i", true, 1},
                                   {"rst_ni", true, 1},
                                   {"data_i", true, 8},
                                   {"sum_o", false, 8},
                                   {"busy_o", false, 1}}};
const own_rtl::Interface adder{{{"clk", true, 1},
                                {"reset", true, 1},
                                {"data_i", true, 8},
                                {"total", false, 8},
                                {"idle", false, 1}}};

/// A folder with a unique name, so that tests of two builds can run at the same time.
struct Folder {
    Folder()
        : path(std::filesystem::canonical(std::filesystem::temp_directory_path()) /
               ("levee_own_rtl." + std::to_string(::getpid()) + "." + std::to_string(++made)))
    {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    void write(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name) << text;
    }
    [[nodiscard]] own_rtl::Description read(const std::string& text) const
    {
        return own_rtl::read_description(config::parse_yaml(text, path / "mine.yaml"));
    }
    static inline int made = 0;
    std::filesystem::path path;
};

std::vector<std::string> names_of(const own_rtl::NamedFiles& files)
{
    std::vector<std::string> names;
    for (const auto& [name, file] : files) {
        names.push_back(name);
        CHECK(std::filesystem::is_regular_file(file));
    }
    return names;
}

/// Returns the description of adder.sv, as if read from a YAML file in the folder.
own_rtl::Description description(const std::string& pins, const std::string& more = "")
{
    const Folder folder;
    folder.write("adder.sv", "module adder; endmodule\n");
    const std::string text = "files: [adder.sv]\ntop: adder\n" + more + "pins:\n" + pins;
    return own_rtl::read_description(config::parse_yaml(text, folder.path / "adder.yaml"));
}

std::string refusal(const std::string& pins, const std::string& more = "")
{
    try {
        (void)own_rtl::wrap(description(pins, more), adder, boundary);
    } catch (const config::Error& error) {
        return error.what();
    }
    return "";
}

const std::string right = "  clk: clk_i\n  reset: ~rst_ni\n  total: sum_o\n  idle: ~busy_o\n";

} // namespace

TEST_CASE("a pin map becomes a module with the boundary's pins")
{
    const std::string text =
        own_rtl::wrap(description(right, "parameters: {Depth: 4}\n"), adder, boundary).text;
    CHECK_THAT(text, Contains("output logic [7:0] sum_o"));
    CHECK_THAT(text, Contains("adder #(.Depth(4)) u_dut ("));
    CHECK_THAT(text, Contains(".reset(~rst_ni)"));
    CHECK_THAT(text, Contains(".data_i(data_i)"));
    CHECK_THAT(text, Contains("assign busy_o = ~levee_idle;"));
    CHECK_THAT(text, Contains(".idle(levee_idle)"));
}

TEST_CASE("a pin map that does not fit is refused at its place")
{
    CHECK(refusal(right).empty());
    CHECK_THAT(refusal(right + "  totl: sum_o\n"),
               Contains("adder.yaml:8:9: adder has no port 'totl'; did you mean 'total'?"));
    CHECK_THAT(refusal("  clk: clk_i\n  reset: rst_n\n"),
               Contains("has no pin 'rst_n'; did you mean 'rst_ni'?"));
    CHECK_THAT(refusal("  clk: clk_i\n  reset: 0\n  total: sum_o\n"),
               Contains("port 'idle' of adder, an output, has no line under 'pins'"));
    CHECK_THAT(refusal("  clk: sum_o\n"),
               Contains("port 'clk' of adder is an input, the boundary's sum_o is an output"));
    CHECK_THAT(refusal("  clk: open\n"), Contains("is an input and left open"));
    CHECK_THAT(refusal("  total: 3\n"), Contains("is an output and tied to 3"));
    CHECK_THAT(refusal("  clk: clk_i\n  reset: 0\n  total: sum_o\n  idle: open\n"),
               Contains("not connected") && Contains("rst_ni (input, 1 bit)") &&
                   Contains("busy_o (output, 1 bit)"));
    CHECK(refusal("  clk: clk_i\n  reset: 0\n  total: sum_o\n  idle: open\n",
                  "absent: {rst_ni: 0, busy_o: 0}\n")
              .empty());
    CHECK_THAT(refusal(right, "absent: {sum_o: 0}\n"), Contains("absent here and connected"));
    CHECK_THAT(refusal("  clk: clk_i + 1\n"), Contains("expected a pin of the boundary"));
}

TEST_CASE("a description of RTL names what is missing")
{
    const auto read = [](const std::string& text) {
        try {
            (void)own_rtl::read_description(config::parse_yaml(text, "mine.yaml"));
        } catch (const config::Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(read("files: [nowhere.sv]\ntop: adder\n"),
               Contains("mine.yaml:1:9: there is no file ") && Contains("/nowhere.sv"));
    CHECK_THAT(read("top: adder\n"), Contains("files"));
    CHECK_THAT(read("files: adder.sv\ntop: adder\n"), Contains("expected a list"));
    CHECK_THAT(read("files: []\ntop: adder\n"), Contains("expected SystemVerilog files"));
}

TEST_CASE("Verilator gets words about warnings, parameters and the language, but none about places")
{
    const auto words = [](const std::string& list) {
        return description(right, "verilator: [" + list + "]\n").arguments;
    };
    CHECK(words("--no-timing, -Wno-WIDTH, -GDepth=4, -DFAST=1, --x-assign, unique, -timing, -O0") ==
          std::vector<std::string>{"--no-timing", "-Wno-WIDTH", "-GDepth=4", "-DFAST=1",
                                   "--x-assign", "unique", "-timing", "-O0"});
    for (const std::string list :
         {"--sv", "-sv", "--Wno-WIDTH", "--Wall", "--DFAST", "--assert", "--no-assert",
          "+1800-2017ext+sv", "--error-limit, 5", "-error-limit, 5", "--relative-includes",
          "--no-relative-includes", "-x-initial, 0", "+define+FAST"})
        CHECK_NOTHROW(words(list));
    for (const std::string list : {"--x-assign", "-error-limit", "--x-assign, -Wall"})
        CHECK_THROWS_WITH(words("-sv, " + list),
                          Contains("adder.yaml:3:18: 'verilator' has '" +
                                   list.substr(0, list.find(',')) + "' without a value"));
    for (const std::string word : {"--Mdir",       "-Mdir",        "-o",
                                   "--prefix",     "--exe",        "--pipe-filter",
                                   "-f",           "-fanything",   "-y",
                                   "-I..",         "+incdir+..",   "-CFLAGS",
                                   "-LDFLAGS",     "--xml-output", "../elsewhere/x.sv",
                                   "--top-module", "--build",      "--waiver-output",
                                   "---sv",        "--+define+A",  "--error-limit 5"})
        CHECK_THROWS_WITH(words("--no-timing, " + word),
                          Contains("adder.yaml:3:26: 'verilator' has '" + word + "'; expected"));
    CHECK_THROWS_WITH(words("--x-assign, unique, x.sv"), Contains("has 'x.sv'"));
}

TEST_CASE("files of RTL in an override are relative to the current folder")
{
    const Folder folder;
    folder.write("adder.sv", "module adder; endmodule\n");
    const std::string name = std::filesystem::relative(folder.path / "adder.sv").string();
    const std::string map = "{files: [" + name + "], top: adder}";
    CHECK(own_rtl::read_description(config::parse_yaml(map, "--set a.rtl=" + map)).files ==
          std::vector{folder.path / "adder.sv"});
}

TEST_CASE("included files are all files of include folders, and files below them that sources name")
{
    const Folder folder;
    folder.write("top.sv",
                 "`include  \"deep/a.svh\"\n`include `MACRO\n`include \"nowhere.svh\"\n`include");
    folder.write("inc/z.svh", "");
    folder.write("inc/b.svh", "");
    folder.write("inc/deep/a.svh", "`include \"deep/er/c.svh\"\n`include \"z.svh\"\n");
    folder.write("inc/deep/er/c.svh", "`include \"deep/a.svh\"\n");
    folder.write("inc/out/results.json", "");
    folder.write("more/z.svh", "");
    const own_rtl::Description read =
        folder.read("files: [top.sv]\ninclude: [inc, more]\ntop: top\n");
    CHECK(names_of(own_rtl::included_files(read)) ==
          std::vector<std::string>{"0/b.svh", "0/deep/a.svh", "0/deep/er/c.svh", "0/z.svh",
                                   "1/z.svh"});
}

TEST_CASE("files of include folders that are sources or included are read once")
{
    const Folder folder;
    folder.write("top.sv", "`include \"list.inc\"\n`include \"defines\"\n");
    folder.write("inc/list.inc", "`include \"deep/a.svh\"\n");
    folder.write("inc/trace.vcd", "`include \"deep/no.svh\"\n");
    folder.write("inc/cell.v", "`include \"deep/b.svh\"\n");
    folder.write("more/defines.sv", "");
    for (const std::string name : {"a", "b", "no"})
        folder.write("inc/deep/" + name + ".svh", "");
    const std::string text = "files: [top.sv]\ninclude: [inc]\ntop: top\n";
    const std::vector<std::string> names{"0/cell.v", "0/deep/a.svh", "0/deep/b.svh", "0/list.inc",
                                         "0/trace.vcd"};
    own_rtl::IncludedFiles included;
    CHECK(names_of(included.of(folder.read(text))) == names);
    folder.write("inc/new.svh", "");
    CHECK(names_of(included.of(folder.read(text))) == names);
    CHECK(names_of(included.of(folder.read("files: [top.sv]\ninclude: [more]\ntop: top\n"))) ==
          std::vector<std::string>{"0/defines.sv"});
}

TEST_CASE("included files are beside sources with --relative-includes, absolute ones anywhere")
{
    const Folder folder;
    folder.write("rtl/top.sv", "`include \"parts/a.svh\"\n`include \"" +
                                   (folder.path / "far/away.svh").string() + "\"\n");
    folder.write("rtl/parts/a.svh", "`include \"b.svh\"\n`include \"../parts/a.svh\"\n");
    folder.write("rtl/parts/b.svh", "`include \"../../shared/c.svh\"\n");
    folder.write("shared/c.svh", "");
    folder.write("far/away.svh", "");
    const auto names = [&](const std::string& words) {
        return names_of(own_rtl::included_files(
            folder.read("files: [rtl/top.sv]\nverilator: [" + words + "]\ntop: top\n")));
    };
    const std::vector<std::string> absolute{(folder.path / "far/away.svh").string()};
    std::vector<std::string> all{absolute.front(), "beside/../shared/c.svh", "beside/parts/a.svh",
                                 "beside/parts/b.svh"};
    CHECK(names("-sv") == absolute);
    CHECK(names("--relative-includes") == all);
    CHECK(names("--no-relative-includes, -relative-includes") == all);
    CHECK(names("-relative-includes, --no-relative-includes") == absolute);
}

TEST_CASE("included files may be named by a macro, or be in the process's folder")
{
    const Folder folder;
    folder.write("top.sv", "`define PARTS(x) \\\n \"deep/a.svh\"\n`include `PARTS(1)\n"
                           "`include `GIVEN\n`include \"here.svh\"\n`include \"both.svh\"\n");
    folder.write("inc/deep/a.svh", "`define B \"deep/b.svh\" // ends the file: `include `B");
    folder.write("inc/deep/b.svh", "");
    folder.write("inc/deep/given.svh", "");
    folder.write("inc/deep/word.svh", "");
    folder.write("inc/both.svh", "");
    folder.write("work/here.svh", "");
    folder.write("work/both.svh", ""); // The file in the include folder takes precedence.
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path / "work");
    const auto names =
        names_of(own_rtl::included_files(folder.read("files: [top.sv]\ninclude: [inc]\ntop: top\n"
                                                     "defines: {GIVEN: 'deep/given.svh'}\n"
                                                     "verilator: ['-DWORD=\"deep/word.svh\"']\n")));
    std::filesystem::current_path(before);
    CHECK(names == std::vector<std::string>{"0/both.svh", "0/deep/a.svh", "0/deep/b.svh",
                                            "0/deep/given.svh", "0/deep/word.svh",
                                            "here/here.svh"});
}

TEST_CASE("RTL without Verilator gives an error that names the package")
{
    own_rtl::Tools tools = own_rtl::default_tools();
    tools.verilator = "/nowhere/verilator";
    const Folder folder;
    try {
        (void)own_rtl::probe(description(right), tools, folder.path);
        FAIL("it was read");
    } catch (const config::Error& error) {
        CHECK_THAT(error.what(),
                   Contains("/nowhere/verilator cannot be started; expected Verilator 5.006") &&
                       Contains("package 'verilator'"));
    }
}
