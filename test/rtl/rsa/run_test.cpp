// SPDX-License-Identifier: Apache-2.0
// Tests `impl:` of the array in Kelle's demo, with the evictor behind it, and errors about wrong
// settings.
#include "test/rtl/figures.hpp"

#include <regex>
#include <set>
#include <sstream>

using namespace levee::test;

namespace {

std::vector<std::string> demo(const std::string& array, const std::string& evictor)
{
    std::vector<std::string> arguments{"run", "kelle/demo"};
    set(arguments, {"system.blocks.rsa.impl=" + array, "system.blocks.evictor.impl=" + evictor,
                    "kv_cache.score=logit", // The array streams the scores itself.
                    "kv_cache.budget=24", "kv_cache.recent_window=6", "kv_cache.sinks=2",
                    "workload.max_new_tokens=4"});
    return arguments;
}

/// Returns the numbers of operations (firmware/llm/operation.h) whose tags the waves show.
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
    check_same_figures([](const std::string& how) { return demo(how, how); }, {"rsa", "evictor"});
}

TEST_CASE(
    "keys and values of 8 and 4 bits pass through the array's RTL, in two passes and with its bits")
{
    double last = 1e9;
    for (const char* bits : {"16", "8", "4"}) {
        INFO(bits << " bits");
        const auto with_bits = [&](const std::string& how) {
            std::vector<std::string> arguments = demo(how, how);
            set(arguments, {std::string("kv_cache.bits=") + bits});
            return arguments;
        };
        const double cycles = check_same_figures(with_bits, {"rsa", "evictor"})["rsa.rtl.cycles"];
        CHECK(cycles <= last);
        CHECK((cycles < last || bits == std::string("4"))); // 8 bits need fewer passes than 16; 4
                                                            // bits only need narrower loads
        last = cycles;
    }
}

TEST_CASE("waves of an array also name the operations of the queue that shares it")
{
    constexpr unsigned linear = 3, scores = 7, mix = 9;
    Workplace place;
    std::vector<std::string> arguments = demo("rtl", "tlm");
    arguments.insert(arguments.end(),
                     {"--set", "workload.max_new_tokens=2", "--waves", "600us..900us",
                      "--waves-format", "vcd", "--out", "waves", "--quiet"});
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    const std::set<unsigned> shown = operations_in(place.read("waves/rsa.waves.vcd"));
    for (const unsigned operation : {linear, scores, mix})
        CHECK(shown.contains(operation));
}

TEST_CASE(
    "errors about an array of another size, or a queue that shares one, state what is expected")
{
    Workplace place;
    std::vector<std::string> arguments = demo("rtl", "tlm");
    set(arguments, {"system.blocks.rsa.rows=24"});
    Outcome outcome = place.levee(arguments);
    CHECK(outcome.code != 0);
    CHECK(outcome.text.find("do not fit the RTL, which has 32 and 32") != std::string::npos);
    arguments = demo("tlm", "tlm");
    set(arguments, {"system.blocks.rsa_kv.impl=rtl"});
    outcome = place.levee(arguments);
    CHECK(outcome.code != 0);
    CHECK(outcome.text.find("cannot be set with 'shares'") != std::string::npos);
}
