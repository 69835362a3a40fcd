// SPDX-License-Identifier: Apache-2.0
// `impl:` of the array in Kelle's demo, with the evictor behind it, and what it refuses.
#include "test/system/program.hpp"

#include <regex>
#include <set>
#include <sstream>

using namespace levee::test;

namespace {

std::vector<std::string> demo(const std::string& array, const std::string& evictor,
                              const std::string& folder)
{
    return {"run",
            "kelle/demo",
            "--set",
            "system.blocks.rsa.impl=" + array,
            "--set",
            "system.blocks.evictor.impl=" + evictor,
            "--set",
            "kv_cache.score=logit", // the array's own stream
            "--set",
            "kv_cache.budget=24",
            "--set",
            "kv_cache.recent_window=6",
            "--set",
            "kv_cache.sinks=2",
            "--set",
            "workload.max_new_tokens=4",
            "--out",
            folder,
            "--quiet"};
}

nlohmann::json without_rtl(nlohmann::json results)
{
    for (const char* block : {"rsa", "evictor"})
        for (const char* key : {".rtl.cycles", ".lockstep.comparisons"})
            results["metrics"].erase(std::string(block) + key);
    return results["metrics"];
}

/// The numbers of operations (firmware/llm/operation.h) whose tags the waves show.
std::set<unsigned> operations_in(const std::string& vcd)
{
    std::smatch found;
    REQUIRE(std::regex_search(vcd, found, std::regex("\\$var \\w+ 32 (\\S+) tag ")));
    const std::string end = " " + found[1].str();
    std::set<unsigned> operations;
    std::istringstream lines(vcd);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with('b') && line.ends_with(end))
            operations.insert(std::stoull(line.substr(1), nullptr, 2) & 0xFFu);
    return operations;
}

} // namespace

TEST_CASE("the demo's text and every figure are the same with the array's and the evictor's RTL")
{
    Workplace place;
    for (const char* how : {"tlm", "rtl", "lockstep"}) {
        const Outcome outcome = place.levee(demo(how, how, how));
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
    }
    const nlohmann::json tlm = reproducible(place.results("tlm"));
    const nlohmann::json rtl = reproducible(place.results("rtl"));
    const nlohmann::json lockstep = reproducible(place.results("lockstep"));
    CHECK(rtl["metrics"]["rsa.rtl.cycles"] > 0);
    CHECK(rtl["metrics"]["evictor.rtl.cycles"] > 0);
    CHECK(lockstep["metrics"]["rsa.lockstep.comparisons"] > 0);
    CHECK(lockstep["metrics"]["rsa.rtl.cycles"] == rtl["metrics"]["rsa.rtl.cycles"]);
    CHECK(tlm["text"] == rtl["text"]);
    CHECK(tlm["text"] == lockstep["text"]);
    CHECK(tlm["metrics"] == without_rtl(rtl));
    CHECK(tlm["metrics"] == without_rtl(lockstep));
}

TEST_CASE("keys and values of 8 and 4 bits pass the array's RTL, in two passes and with its bits")
{
    Workplace place;
    double last = 1e9;
    for (const char* bits : {"16", "8", "4"}) {
        nlohmann::json seen[2];
        for (const std::string how : {"tlm", "lockstep"}) {
            std::vector<std::string> arguments = demo(how, how, how);
            arguments.insert(arguments.end(), {"--set", std::string("kv_cache.bits=") + bits});
            const Outcome outcome = place.levee(arguments);
            INFO(bits << " bits, " << how << "\n" << outcome.text);
            REQUIRE(outcome.code == 0);
            seen[how == "tlm" ? 0 : 1] = reproducible(place.results(how));
        }
        INFO(bits << " bits");
        CHECK(seen[0]["text"] == seen[1]["text"]);
        CHECK(seen[0]["metrics"] == without_rtl(seen[1]));
        const double cycles = seen[1]["metrics"]["rsa.rtl.cycles"];
        CHECK(cycles <= last);
        CHECK(
            (cycles < last || bits == std::string("4"))); // fewer passes, then only narrower loads
        last = cycles;
    }
}

TEST_CASE("waves of an array name the operations of the queue that shares it, too")
{
    constexpr unsigned linear = 3, scores = 7, mix = 9;
    Workplace place;
    std::vector<std::string> arguments = demo("rtl", "tlm", "waves");
    arguments.insert(arguments.end(), {"--set", "workload.max_new_tokens=2", "--waves",
                                       "600us..900us", "--waves-format", "vcd"});
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    const std::set<unsigned> shown = operations_in(place.read("waves/rsa.waves.vcd"));
    for (const unsigned operation : {linear, scores, mix})
        CHECK(shown.contains(operation));
}

TEST_CASE("an array of another size, and a queue that shares one, name what is expected")
{
    Workplace place;
    std::vector<std::string> arguments = demo("rtl", "tlm", "other");
    arguments.insert(arguments.end(), {"--set", "system.blocks.rsa.rows=24"});
    Outcome outcome = place.levee(arguments);
    CHECK(outcome.code != 0);
    CHECK(outcome.text.find("do not fit the RTL, which has 32 and 32") != std::string::npos);
    arguments = demo("tlm", "tlm", "shared");
    arguments.insert(arguments.end(), {"--set", "system.blocks.rsa_kv.impl=rtl"});
    outcome = place.levee(arguments);
    CHECK(outcome.code != 0);
    CHECK(outcome.text.find("does not go with 'shares'") != std::string::npos);
}
