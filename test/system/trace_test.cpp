// SPDX-License-Identifier: Apache-2.0
// Tests traces and profiles of whole runs.
#include "test/support/timeline_check.hpp"
#include "test/system/program.hpp"

#include <regex>
#include <sstream>

using levee::test::Outcome;
using levee::test::reproducible;
using levee::test::TimelineCheck;
using levee::test::TimelineSpan;
using levee::test::Workplace;

namespace {

Outcome short_demo(const Workplace& place, std::vector<std::string> more)
{
    more.insert(more.begin(), {"run", "demo", "--set", "workload.max_new_tokens=3"});
    const Outcome outcome = place.levee(more);
    CHECK(outcome.code == 0);
    return outcome;
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

const std::vector<std::string> everything{"--trace", "instr",    "--trace",   "bus",
                                          "--trace", "timeline", "--profile", "--quiet"};
const std::vector<std::string> files{"instr.txt", "bus.txt", "timeline.json.gz", "profile.txt",
                                     "profile.folded"};

} // namespace

TEST_CASE("tracing does not change a run")
{
    const Workplace place;
    short_demo(place, {"--quiet", "--out", "alone"});
    CHECK(short_demo(place, everything).text.empty());
    CHECK(reproducible(place.results("out/demo")) == reproducible(place.results("alone")));
    CHECK(!std::filesystem::exists(place.path("alone/profile.txt")));
    for (const std::string& file : files)
        CHECK(std::filesystem::file_size(place.path("out/demo/" + file)) > 1000);
}

TEST_CASE("traces of the same run are equal at any quantum")
{
    const Workplace place;
    const auto run = [&](const std::string& quantum) {
        auto options = everything;
        options.insert(options.end(), {"--set", "system.core.quantum=" + quantum});
        short_demo(place, options);
        std::vector<std::string> contents;
        for (const std::string& file : files)
            contents.push_back(place.read("out/demo/" + file));
        return contents;
    };
    const auto first = run("10000");
    const auto again = run("10000"), finer = run("7");
    for (std::size_t i = 0; i < files.size(); ++i) {
        INFO(files[i]);
        CHECK((first[i] == again[i]));
        CHECK((first[i] == finer[i]));
    }
}

TEST_CASE("the instruction trace has a line for every retired instruction")
{
    const Workplace place;
    short_demo(place, {"--quiet", "--trace", "instr:here.txt"});
    const auto lines = lines_of(place.read("here.txt"));
    CHECK(lines.size() - 1 == place.results("out/demo")["metrics"]["core.instructions"]);
    CHECK(lines[1].starts_with("         0.000  80000000  _start  "));
    const std::regex store(" +[0-9]+\\.000  8[0-9a-f]{7}  [a-z_]+\\+0x[0-9a-f]+ +sw      "
                           "[a-z0-9]+,-?[0-9]+\\([a-z0-9]+\\) +w4\\[[0-9a-f]{8}\\]=[0-9a-f]{8}");
    CHECK(std::any_of(lines.begin(), lines.end(),
                      [&](const std::string& line) { return std::regex_match(line, store); }));
}

TEST_CASE("the bus trace may cover only some sockets, and refuses sockets that do not exist")
{
    const Workplace place;
    short_demo(place,
               {"--quiet", "--trace", "bus:b.txt.gz", "--trace-bus", "sfu", "--trace-bus", "uart"});
    const auto lines = lines_of(levee::test::read_compressed(place.path("b.txt.gz")));
    std::size_t bulk = 0, text = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i].find("sfu") == std::string::npos && lines[i].find("uart") == std::string::npos)
            FAIL_CHECK(lines[i]);
        bulk += lines[i].find(" bulk ") != std::string::npos;
        text += lines[i].find("core       uart               plain write") != std::string::npos;
    }
    CHECK(bulk > 100);
    CHECK(text >= place.results("out/demo")["text"].get<std::string>().size());

    const auto refused = [&](const std::vector<std::string>& options, const std::string& reason) {
        auto arguments = options;
        arguments.insert(arguments.begin(), {"run", "demo", "--out", "never"});
        const Outcome outcome = place.levee(arguments);
        CHECK(outcome.code == 2);
        CHECK(outcome.text.find(reason) != std::string::npos);
    };
    refused({"--trace", "bus", "--trace-bus", "sfi"}, "nothing on the bus is called 'sfi'");
    refused({"--trace-bus", "sfu"}, "expected both");
    refused({"--trace", "timelime"}, "timeline");
    refused({"--trace", "instr:/nowhere/at/all"}, "/nowhere/at/all: cannot be written");
}

TEST_CASE("the timeline follows the format's rules and shows every operation")
{
    const Workplace place;
    short_demo(place, {"--quiet", "--trace", "timeline"});
    const TimelineCheck check(place.path("out/demo/timeline.json.gz"));
    const auto metrics = place.results("out/demo")["metrics"];
    CHECK(check.content.arrows == metrics["rsa.operations"].get<std::size_t>() +
                                      metrics["sfu.operations"].get<std::size_t>() +
                                      metrics["dma.operations"].get<std::size_t>());
    std::map<std::string, std::size_t> operations;
    std::int64_t waiting_ps = 0, busy_ps = 0;
    std::size_t named_waits = 0;
    for (const TimelineSpan& span : check.content.on("blocks", "rsa")) {
        ++operations[span.name];
        if (span.name == "executing")
            busy_ps += span.end_ps - span.begin_ps;
        else if (span.name != "GEMM")
            waiting_ps += span.end_ps - span.begin_ps;
        if (span.name == "GEMM" && (!span.args.contains("m0") || span.args["a_type"] != "INT16" ||
                                    !span.args.contains("operation")))
            FAIL_CHECK(span.args);
        named_waits += span.name == "waiting for sfu, layer 1 NORM" ? 1 : 0;
    }
    CHECK(operations["GEMM"] == metrics["rsa.operations"]);
    CHECK(named_waits > 0);
    CHECK(static_cast<double>(busy_ps) * 1e-12 == Approx(metrics["rsa.busy_seconds"]));
    CHECK(static_cast<double>(waiting_ps) * 1e-12 == Approx(metrics["rsa.waiting_seconds"]));

    const auto calls = check.content.on("core", "call stack");
    CHECK(std::count_if(calls.begin(), calls.end(),
                        [](const TimelineSpan& span) { return span.name == "main"; }) == 1);
    CHECK(std::count_if(calls.begin(), calls.end(), [](const TimelineSpan& span) {
              return span.name == "command_queue_submit";
          }) > 3);
}

TEST_CASE("the timeline has the program's phases, parts and tokens, interrupts and counters")
{
    const Workplace place;
    short_demo(place, {"--quiet", "--trace", "timeline"});
    const levee::test::TimelineContent content =
        TimelineCheck(place.path("out/demo/timeline.json.gz")).content;
    const auto metrics = place.results("out/demo")["metrics"];
    const auto on_program = [&](const std::string& track) { return content.on("program", track); };
    REQUIRE(on_program("phase").size() == 2);
    CHECK(on_program("phase")[0].name == "prefill");
    CHECK(on_program("phase")[1].name == "decode");
    CHECK(static_cast<double>(on_program("phase")[1].end_ps - on_program("phase")[1].begin_ps) *
              1e-12 ==
          Approx(metrics["decode.seconds"]));
    const auto tokens = place.results("out/demo")["tokens"][0];
    REQUIRE(on_program("sequence 0").size() == tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i)
        CHECK(on_program("sequence 0")[i].name ==
              "token " + std::to_string(i) + ": " + std::to_string(tokens[i].get<int>()));
    CHECK(on_program("part").back().name.starts_with("decode step "));
    CHECK(!content.on("interrupts", "sync").empty());
    CHECK(!content.counters.at("counter 0").empty());

    double most = 0;
    for (const auto& [at, value] : content.counters.at("dram bandwidth"))
        most = std::max(most, value);
    CHECK(most > 10);
    CHECK(most <= 64); // The scenario's LPDDR4 cannot be faster.
    CHECK(content.counters.at("dram bandwidth").back().second == 0);
    CHECK(content.counters.at("rsa queue").back().second == 0);
}

TEST_CASE("every command in docs/tracing.md works")
{
    const Workplace place;
    std::ifstream document(std::string(LEVEE_SOURCE) + "/docs/tracing.md");
    std::size_t commands = 0;
    for (std::string line; std::getline(document, line);) {
        if (!line.starts_with("./levee "))
            continue;
        std::istringstream words(line);
        std::vector<std::string> arguments;
        for (std::string word; words >> word;)
            arguments.push_back(word);
        arguments.erase(arguments.begin());
        CHECK(place.levee(arguments).code == 0);
        ++commands;
    }
    CHECK(commands == 5);
}

TEST_CASE("an instruction's line is complete, however long its function's name is")
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"run", "app", "--elf", std::string(LEVEE_BARE_DIR) + "/phase_8.elf",
                     "--no-report", "--trace", "instr:trace.txt"});
    REQUIRE(outcome.code == 0);
    std::size_t nops = 0;
    for (const std::string& line : lines_of(place.read("trace.txt")))
        if (line.find("_templates_have_it_+0x") != std::string::npos && line.ends_with("  nop"))
            ++nops;
    CHECK(nops == 8);
}

TEST_CASE("the profile accounts for every cycle of the core and all the time of every block")
{
    const Workplace place;
    const Outcome outcome = short_demo(place, {"--profile"});
    const std::string text = place.read("out/demo/profile.txt");
    CHECK(outcome.text.find(text) != std::string::npos);
    CHECK(text.find("[waiting for an interrupt]") != std::string::npos);

    std::uint64_t cycles = 0;
    for (const std::string& line : lines_of(place.read("out/demo/profile.folded"))) {
        // _start ends with a tail call of exit.
        const bool from_start = line.starts_with("_start") || line.starts_with("exit");
        CHECK(from_start);
        cycles += std::stoull(line.substr(line.rfind(' ')));
    }
    const auto metrics = place.results("out/demo")["metrics"];
    CHECK(cycles == metrics["core.cycles"]);
    CHECK(text.starts_with("Core: " + std::to_string(cycles) + " cycles"));

    const std::regex row(
        // The columns are busy, memory, dependency, fetch and idle.
        "(dma|rsa|sfu) +([0-9]+)\\.([0-9]) %"
        " +([0-9]+)\\.([0-9]) % +([0-9]+)\\.([0-9]) % +([0-9]+)\\.([0-9]) %"
        " +([0-9]+)\\.([0-9]) % +([0-9]+)");
    std::size_t rows = 0;
    for (const std::string& line : lines_of(text)) {
        std::smatch match;
        if (!std::regex_match(line, match, row))
            continue;
        ++rows;
        int tenths = 0;
        for (std::size_t i = 2; i < 12; ++i)
            tenths += std::stoi(match[i]) * (i % 2 == 0 ? 10 : 1);
        CHECK(tenths == 1000);
        CHECK(std::stoull(match[12]) == metrics[match[1].str() + ".operations"]);
    }
    CHECK(rows == 3);
}
