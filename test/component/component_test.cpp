// SPDX-License-Identifier: Apache-2.0
// Tests the tally, a component type that is made for this test (module.hpp). Outside the tally's
// folder, only one line of CMake names it. Every observer covers the tally, and it can hold the
// model's data.
#include "test/component/regs.h"
#include "test/support/timeline_check.hpp"
#include "test/system/program.hpp"

#include <sstream>

using namespace levee::test;

namespace {

const std::string scenario = std::string(LEVEE_TALLY_FOLDER) + "/tally.yaml";

Outcome run(const Workplace& place, unsigned wrong, std::vector<std::string> more = {})
{
    std::vector<std::string> arguments{"run", scenario, "--elf",
                                       std::string(LEVEE_TALLY_PROGRAMS) + "/program" +
                                           std::to_string(wrong) + ".elf"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return place.levee(arguments);
}

bool says(const std::string& text, const std::string& words)
{
    INFO(words);
    const bool found = text.find(words) != std::string::npos;
    CHECK(found);
    return found;
}

/// Returns the fields of the CSV line that begins with `head`, after the first ones.
std::vector<std::string> csv_line(const std::string& text, const std::string& head)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(head + ",")) {
            std::vector<std::string> fields;
            std::istringstream rest(line.substr(head.size() + 1));
            for (std::string field; std::getline(rest, field, ',');)
                fields.push_back(field);
            return fields;
        }
    FAIL("no line begins with " << head);
    return {};
}

} // namespace

TEST_CASE(
    "a component that stores and computes is in results, bounds, energy, profile and timeline")
{
    const Workplace place;
    const Outcome outcome =
        run(place, 0, {"--bounds", "--profile", "--trace", "timeline", "--check", "all"});
    REQUIRE(outcome.code == 0);
    const nlohmann::json metrics = place.results("out/tally")["metrics"];
    CHECK(metrics["tally.result"] == 2 * 40 * 41 / 2);
    CHECK(metrics["tally.weights"] == LEVEE_TALLY_MOST_WEIGHTS);
    CHECK(metrics["tally.operations"] == 1);

    const std::string folder = "out/tally/";
    CHECK(csv_line(place.read(folder + "bounds.csv"), "other,tally,pace").at(0) == "40000");
    // The tally reads 40 values from its own rows and writes the result there.
    CHECK(csv_line(place.read(folder + "roofline.csv"), "other,tally").at(1) == "164");
    CHECK(csv_line(place.read(folder + "roofline.csv"), "other,pace_tally").at(0) == "40000");

    const std::string energy = place.read(folder + "energy.csv");
    CHECK(csv_line(energy, "tally,mac,tally.weigh,other") ==
          std::vector<std::string>{"40", "40000000000"});
    CHECK(csv_line(energy, "tally,read,tally.weigh,other").at(0) == "160");
    CHECK(csv_line(energy, "tally,write,tally.weigh,other").at(0) == "4");
    CHECK(csv_line(energy, "tally,write,core.program,other").at(0) == "160");
    const std::uint64_t rows = metrics["tally.scrubbed_rows"];
    CHECK(rows > 10);
    CHECK(csv_line(energy, "tally,scrub,scrub,other").at(0) == std::to_string(64 * rows));

    says(place.read(folder + "profile.txt"), "\ntally ");
    const TimelineCheck timeline(place.path(folder + "timeline.json.gz"));
    const auto spans = timeline.content.on("blocks", "tally");
    REQUIRE(spans.size() == 3);
    CHECK(spans[0].name == "WEIGH");
    CHECK(spans[0].args["count"] == "40");
    says(spans[0].args["weights"].get<std::string>(), "2, 2, 0, 0, 0, 0, 0, 0, 0, 0]");
    CHECK(timeline.content.counters.contains("tally bandwidth"));
}

TEST_CASE("the steps inside a component are in the timeline if requested")
{
    const Workplace place;
    REQUIRE(run(place, 0, {"--trace", "timeline", "--trace-inside", "tally"}).code == 0);
    const TimelineCheck timeline(place.path("out/tally/timeline.json.gz"));
    const auto values = timeline.content.on("inside tally", "scale");
    REQUIRE(values.size() == 40);
    CHECK(values[39].end_ps - values[0].begin_ps == 40'000);
    CHECK(timeline.content.on("blocks", "tally").back().begin_ps == values[0].begin_ps);
}

TEST_CASE("a component's own warnings, and prices for another machine, are in the results")
{
    const Workplace place;
    const auto warnings = [&](const std::vector<std::string>& set) {
        std::vector<std::string> more;
        for (const std::string& one : set)
            more.insert(more.end(), {"--set", one});
        const Outcome outcome = run(place, 0, more);
        REQUIRE(outcome.code == 0);
        return place.results("out/tally")["warnings"].get<std::vector<std::string>>();
    };
    using Texts = std::vector<std::string>;
    CHECK(warnings({"tech.energy.for.tally.scrub=100 ns"}).empty());
    CHECK(warnings({"system.memories.tally.scrub=2 us"}) ==
          Texts{"tally is scrubbed every 2 us, its rows hold for 1 us"});
    CHECK(warnings({"tech.energy.for.tally.scrub=50 ns"}) ==
          Texts{"energies may be wrong, since the prices of 'tally_prices' are for another "
                "machine: tally.scrub is 100 ns, not 50 ns"});
}

TEST_CASE("an error names the wrong field of the descriptor or its continuation")
{
    const Workplace place;
    const std::string end = " of descriptor 0 (WEIGH, tag 7), submitted by command_queue_submit+";
    says(run(place, 1).text, "[tally] stopped: bad address in continuation (byte 248)" + end);
    says(run(place, 2).text,
         "[tally] stopped: field out of range in continuation_bytes (byte 44)" + end);
    says(run(place, 3).text, "[tally] stopped: field out of range in weights[47] (byte 296)" + end);
}

TEST_CASE("describe lists its parameters, addresses, interrupt and registers")
{
    const Workplace place;
    const std::string text = place.levee({"describe", scenario}).text;
    says(text,
         "tally        tally  clock 1 GHz, size 4 MiB, bandwidth 64 GB/s, latency 2 ns, scrub "
         "100 ns, roles kv");
    says(text, "0x000020400000  0x0000207fffff  tally\n");
    says(text, "tally (registers)");
    says(text, "   6  tally\n");
    says(text, "RO  WEIGHTS");
    says(text, "RO  SCRUBBED");
    says(text, "energy by 'tally_prices'");
}

TEST_CASE("a wrong key, a key of another section and an unknown event are refused with their place")
{
    const Workplace place;
    const auto refusal = [&](const std::vector<std::string>& set) {
        std::vector<std::string> arguments{"describe", scenario};
        for (const std::string& one : set)
            arguments.insert(arguments.end(), {"--set", one});
        return place.levee(arguments).text;
    };
    says(refusal({"system.memories.tally.skrub=1 ns"}), "did you mean 'scrub'");
    says(refusal({"system.memories.tally.scrub=0 ns"}), "system.memories.tally.scrub");
    says(refusal({"system.blocks.dma.type=tally"}), "system.blocks.dma.type");
    says(refusal({"tech.energy.prices.tally.skrub.energy=1 pJ"}), "did you mean 'scrub'");
}

TEST_CASE("a model stored in the component is read from there, and tells the same story")
{
    const Workplace place;
    const std::vector<std::string> quiet{"--quiet"};
    REQUIRE(place.levee({"run", "demo", "--set", "workload.max_new_tokens=5", "--quiet"}).code ==
            0);
    REQUIRE(place.levee({"run", std::string(LEVEE_TALLY_FOLDER) + "/model.yaml", "--quiet"}).code ==
            0);
    const nlohmann::json before = place.results("out/demo"), after = place.results("out/model");
    CHECK(after["text"] == before["text"]);
    CHECK(after["tokens"] == before["tokens"]);
    const std::uint64_t bytes = after["metrics"]["roofline.decode.tally.bytes"];
    CHECK(bytes > 1'000'000); // The weights are read.
    CHECK(before["metrics"]["dram.read_bytes"].get<std::uint64_t>() >
          after["metrics"]["dram.read_bytes"].get<std::uint64_t>() + bytes / 2);
}
