// SPDX-License-Identifier: Apache-2.0
// Tests caches of the core in a system, with the DMA engine, with code behind the bus, and in
// scenarios.
#include "test/system/program.hpp"

#include <sstream>

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

const std::string icache = "system.core.icache={size: 1 KiB, line: 32 B, ways: 2}";
const std::string large_icache = "system.core.icache={size: 16 KiB, line: 32 B, ways: 2}";
const std::string snooped = "system.core.dcache={size: 1 KiB, line: 32 B, ways: 2}";
const std::string software =
    "system.core.dcache={size: 1 KiB, line: 32 B, ways: 2, coherence: software}";

Outcome run(const Workplace& place, const std::string& program,
            const std::vector<std::string>& overrides)
{
    std::vector<std::string> arguments{
        "run",   "app", "--elf", std::string(LEVEE_WRONG_PROGRAMS_DIR) + "/" + program + ".elf",
        "--out", "out"};
    for (const std::string& override : overrides) {
        arguments.push_back("--set");
        arguments.push_back(override);
    }
    return place.levee(arguments);
}

/// Returns the program's output without the platform's findings, which appear between its lines.
std::string printed(const std::string& text)
{
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with('['))
            all += line + "\n";
    return all;
}

/// The programs run code that the DMA engine has written, once without fence.i. The run must report
/// this.
void check_prints(const Outcome& outcome, const std::string& text)
{
    INFO(outcome.text);
    CHECK(outcome.code == 7);
    CHECK(outcome.text.find("since the last fence.i") != std::string::npos);
    CHECK(printed(outcome.text).find(text) != std::string::npos);
}

const std::string right = "the core reads 64\nthe DMA engine reads 128\n";
const std::string fresh = "code returns 1, 2 without fence.i, 2\n";
const std::string stale = "code returns 1, 1 without fence.i, 2\n";

} // namespace

TEST_CASE("Without caches or with a snooped data cache, the core and the DMA engine see each "
          "other's writes")
{
    const Workplace place;
    for (const char* program : {"caches", "caches_maintained"}) {
        check_prints(run(place, program, {}), right + fresh);
        if (program == std::string("caches"))
            check_prints(run(place, program, {snooped}), right + fresh);
    }
    check_prints(run(place, "caches", {snooped, icache}), right + stale);
}

TEST_CASE("A program that does not maintain a software-coherent data cache reads stale bytes")
{
    const Workplace place;
    check_prints(run(place, "caches_maintained", {software}), right + fresh);
    check_prints(run(place, "caches", {software}),
                 "the core reads 0\nthe DMA engine reads 64\n" + fresh);
}

TEST_CASE("Code in DRAM and SRAM works as elsewhere, and waits less with a cache")
{
    const Workplace place;
    for (const char* program : {"caches_in_dram", "caches_in_sram"}) {
        check_prints(run(place, program, {}), right + fresh);
        const auto without = place.results("out")["metrics"];
        check_prints(run(place, program, {large_icache, software}), right + stale);
        const auto with = place.results("out")["metrics"];
        INFO(program);
        CHECK_FALSE(without.contains("core.icache.hits"));
        CHECK(with["core.icache.hits"] > 20 * with["core.icache.misses"].get<double>());
        CHECK(with["core.icache.filled_bytes"] >=
              32 * with["core.icache.misses"].get<std::uint64_t>());
        CHECK(4 * with["sim.seconds"].get<double>() < without["sim.seconds"]);
    }
}

TEST_CASE("A data cache changes the times of a scenario but not its results")
{
    const Workplace place;
    std::string text;
    double seconds = 0;
    for (const bool cached : {false, true}) {
        std::vector<std::string> arguments{
            "run", "demo", "--quiet", "--out", "out", "--set", "workload.max_new_tokens=6"};
        if (cached)
            arguments.insert(arguments.end(), {"--set", snooped, "--set", icache});
        CHECK(place.levee(arguments).code == 0);
        const auto results = place.results("out");
        const auto& metrics = results["metrics"];
        CHECK(metrics.contains("core.dcache.misses") == cached);
        if (cached) {
            CHECK(metrics["core.dcache.misses"] > 0);
            CHECK(metrics["core.dcache.hits"] > metrics["core.dcache.misses"]);
            CHECK(metrics["sim.seconds"].get<double>() != seconds);
            CHECK(results["text"] == text);
        }
        seconds = metrics["sim.seconds"];
        text = results["text"];
    }
}

TEST_CASE("A cache of impossible geometry is refused at its key")
{
    const Workplace place;
    const auto refused = [&](const std::string& override, const std::string& words) {
        const Outcome outcome = place.levee({"run", "hello", "--set", override});
        INFO(outcome.text);
        CHECK(outcome.code != 0);
        CHECK(outcome.text.find(words) != std::string::npos);
    };
    refused("system.core.icache={size: 8 KiB, line: 48 B, ways: 2}",
            "'system.core.icache.line' is 48; expected a power of two from 8 to 1024 bytes");
    refused("system.core.dcache={size: 8 KiB, line: 32 B, ways: 3}",
            "'system.core.dcache.size' is 8192; expected line x ways x a power of two");
    refused("system.core.dcache={size: 8 KiB, line: 32 B}", "ways");
    refused("system.core.icache={size: 8 KiB, line: 32 B, ways: 2, coherence: snooped}",
            "coherence");
    refused("system.core.dcache={size: 8 KiB, line: 32 B, ways: 2, coherence: snoop}", "snooped");
}

TEST_CASE("A script that only reads code behind the bus changes no byte of the results")
{
    const Workplace place;
    place.write("it.script", "at pc command_queue_submit nth 2\n show time\n");
    const std::vector<std::string> common{
        "run",   "app", "--elf",      std::string(LEVEE_WRONG_PROGRAMS_DIR) + "/caches_in_sram.elf",
        "--out", "out", "--no-report"};
    const auto metrics = [&](std::vector<std::string> more) {
        more.insert(more.begin(), common.begin(), common.end());
        CHECK(place.levee(more).code == 7);
        return levee::test::reproducible(place.results("out"))["metrics"];
    };
    CHECK(metrics({"--script", "it.script"}) == metrics({}));
    CHECK(metrics({"--set", icache, "--script", "it.script"}) == metrics({"--set", icache}));
}

TEST_CASE("A script counts an instruction once if a checkpoint falls into its line's fill")
{
    const Workplace place;
    const auto shown = [&](const std::string& nth, std::vector<std::string> more) {
        place.write("it.script", "at pc command_queue_submit nth " + nth + "\n show time\n");
        std::vector<std::string> all{
            "run",        "app",
            "--elf",      std::string(LEVEE_WRONG_PROGRAMS_DIR) + "/caches_in_sram.elf",
            "--set",      icache,
            "--script",   "it.script",
            "--no-report"};
        all.insert(all.end(), more.begin(), more.end());
        const std::string text = place.levee(all).text;
        const std::string before = "it.script:2 at ";
        const std::size_t at = text.find(before);
        REQUIRE(at != std::string::npos);
        return text.substr(at + before.size(),
                           text.find(':', at + before.size()) - at - before.size());
    };
    // The first execution comes right after the line has been filled. So a checkpoint 10 ns earlier
    // falls into the fill.
    const auto first_ns = static_cast<unsigned long>(std::stod(shown("1", {})) * 1000);
    CHECK(shown("2", {"--checkpoint-every", std::to_string(first_ns - 10) + "ns"}) ==
          shown("2", {}));
}

TEST_CASE("The core sees a word that a script sets, even if its data cache holds the line")
{
    const Workplace place;
    // The core has cached zeros from there, and does not read memory again after the copy.
    place.write("it.script", "at dma COPY nth 1 ends\n set word 0x40000000 = 1000\n");
    const Outcome outcome =
        place.levee({"run", "app", "--elf", std::string(LEVEE_WRONG_PROGRAMS_DIR) + "/caches.elf",
                     "--out", "out", "--set", software, "--script", "it.script"});
    check_prints(outcome, "the core reads 1000\n");
}
