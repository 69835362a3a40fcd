// SPDX-License-Identifier: Apache-2.0
// Signals of the modules in components: --trace signals.
#include "test/support/timeline_check.hpp"
#include "test/system/program.hpp"

#include <sstream>

using namespace levee::test;

namespace {

/// Number of changes to `value` of the signal in the last scope with this name.
unsigned changes(const std::string& vcd, const std::string& signal, const std::string& value)
{
    unsigned count = 0;
    for (std::size_t at = vcd.find(' ' + signal + ' '); at != std::string::npos;
         at = vcd.find(' ' + signal + ' ', at + 1)) {
        const std::size_t last = vcd.find_last_not_of(' ', at), blank = vcd.rfind(' ', last);
        const std::string line = value + vcd.substr(blank + 1, last - blank);
        std::istringstream lines(vcd.substr(vcd.find("$end", vcd.find("$dumpvars"))));
        for (std::string one; std::getline(lines, one);)
            count += one == line ? 1 : 0;
    }
    return count;
}

} // namespace

TEST_CASE("a run whose signals are traced is the same run")
{
    const Workplace place;
    const std::vector<std::string> short_run{
        "run", "kelle/demo", "--quiet", "--set", "workload.max_new_tokens=3", "--out"};
    auto alone = short_run, traced = short_run;
    alone.push_back("alone");
    traced.insert(traced.end(), {"traced", "--trace", "signals"});
    REQUIRE(place.levee(alone).code == 0);
    REQUIRE(place.levee(traced).code == 0);
    CHECK(reproducible(place.results("traced")) == reproducible(place.results("alone")));
    const std::string vcd = place.read("traced/signals.vcd");
    for (const char* scope : {" refresh ", " keys ", " values ", " load ", " valid_rows "})
        CHECK(vcd.find(scope) != std::string::npos);
    CHECK(vcd.find("1 ps") != std::string::npos);
}

TEST_CASE("a core's signal rises for each page that the timeline shows in it")
{
    const Workplace place;
    REQUIRE(place
                .levee({"run", "cambricon/figure6_c", "--quiet", "--trace", "signals", "--trace",
                        "timeline", "--trace-inside", "flash"})
                .code == 0);
    const TimelineCheck check(place.path("out/figure6_c/timeline.json.gz"));
    unsigned computed = 0;
    for (const TimelineSpan& span : check.content.spans)
        computed += span.process == "inside flash" && span.name == "compute" ? 1 : 0;
    CHECK(computed > 0);
    // Consecutive pages without a gap form one high level.
    const unsigned rises = changes(place.read("out/figure6_c/signals.vcd"), "busy", "1");
    CHECK(rises > 0);
    CHECK(rises <= computed);
}

TEST_CASE("what has no signals, and a file of another kind, are refused")
{
    const Workplace place;
    const Outcome none = place.levee({"run", "demo", "--trace", "signals"});
    CHECK(none.code != 0);
    CHECK(none.text.find("nothing in this system has any") != std::string::npos);
    const Outcome other = place.levee({"run", "kelle/demo", "--trace", "signals:waves.txt"});
    CHECK(other.code != 0);
    CHECK(other.text.find("expected one that ends in .vcd") != std::string::npos);
    const Outcome bus = place.levee({"run", "demo", "--trace", "bus:bus.pftrace"});
    CHECK(bus.code != 0);
    CHECK(bus.text.find("'bus.pftrace' is the name of a timeline in Perfetto's format") !=
          std::string::npos);
}

TEST_CASE("a part that the run does not have is warned of")
{
    const Workplace place;
    const std::string warning = "the run has no part that all of its @ cover";
    for (const std::string part : {"timeline@token:999", "bus@5s..6s", "instr@token:1@5s.."})
        CHECK(place
                  .levee({"run", "demo", "--set", "workload.max_new_tokens=3", "--quiet",
                          "--no-report", "--trace", part})
                  .text.find(warning) != std::string::npos);
    CHECK(place
              .levee({"run", "demo", "--set", "workload.max_new_tokens=3", "--quiet", "--no-report",
                      "--trace", "timeline@token:1"})
              .text.find(warning) == std::string::npos);
}
