// SPDX-License-Identifier: Apache-2.0
// Tests signals of the modules in components (--trace signals).
#include "test/support/timeline_check.hpp"
#include "test/system/program.hpp"

#include <sstream>

using namespace levee::test;

namespace {

/// Counts how often the signal changes to `value` in the last scope of this name.
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

TEST_CASE("tracing signals does not change a run")
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

TEST_CASE("a core's signal rises for each page that the timeline shows in the core")
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

TEST_CASE("a component without signals, and a file of another kind, are refused")
{
    const Workplace place;
    const Outcome none = place.levee({"run", "demo", "--trace", "signals"});
    CHECK(none.code != 0);
    CHECK(none.text.find("no component of this system has signals") != std::string::npos);
    const Outcome other = place.levee({"run", "kelle/demo", "--trace", "signals:waves.txt"});
    CHECK(other.code != 0);
    CHECK(other.text.find("expected one that ends in .vcd") != std::string::npos);
    const Outcome bus = place.levee({"run", "demo", "--trace", "bus:bus.pftrace"});
    CHECK(bus.code != 0);
    CHECK(bus.text.find("'bus.pftrace' is the name of a timeline in Perfetto's format") !=
          std::string::npos);
}

TEST_CASE("a part that the run does not have causes a warning")
{
    const Workplace place;
    const auto traced = [&](const std::string& part) {
        return place.levee({"run", "demo", "--set", "workload.max_new_tokens=3", "--quiet",
                            "--no-report", "--trace", part});
    };
    const std::string none = "no part of the run satisfies all of the @ limits";
    CHECK_THAT(traced("bus@token:1@0us..1us").text, Catch::Contains(none));
    for (const std::string part : {"timeline@token:999", "bus@5s..6s", "instr@token:1@5s.."})
        CHECK_THAT(traced(part).text,
                   Catch::Contains("goes beyond the run") && !Catch::Contains(none));
    for (const std::string part : {"timeline@token:1", "timeline@token:2@layer:4", "bus@1us..2us"})
        CHECK(traced(part).text.find("--trace") == std::string::npos);

    // Tokens have the numbers 0 to 2. After the last one the program still runs.
    for (const std::string part : {"@token:3", "@token:1..3", "@token:999"}) {
        const Outcome beyond = traced("timeline" + part);
        CHECK(beyond.code == 0);
        CHECK_THAT(beyond.text,
                   Catch::Contains("--trace timeline: " + part +
                                   " goes beyond the run, whose last simulated token is number 2"));
    }
    CHECK_THAT(traced("bus@1us..5s").text,
               Catch::Contains("--trace bus: @1 us..5 s goes beyond the run, which ends at "));
    const Outcome layer = traced("instr@layer:5");
    CHECK(layer.code == 2);
    CHECK_THAT(layer.text,
               Catch::Contains("--trace @layer:5: the model has 5 layers; expected a number "
                               "from 0 to 4"));
}
