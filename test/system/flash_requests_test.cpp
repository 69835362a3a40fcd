// SPDX-License-Identifier: Apache-2.0
// Compares a flash's requests in the timeline with Cambricon-LLM's figure 6, as worked out by hand.
#include "test/support/timeline_check.hpp"
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

constexpr std::int64_t ns = 1'000;
const std::string flash = "inside flash", bus = "channel 0 bus";

void run(const Workplace& place, const std::string& figure, std::vector<std::string> more = {})
{
    more.insert(more.begin(), {"run", "cambricon/figure6_" + figure, "--quiet", "--trace",
                               "timeline", "--trace-inside", "flash"});
    CHECK(place.levee(more).code == 0);
}

struct Requests {
    std::vector<TimelineSpan> all; ///< Spans in the order of time.
    std::int64_t took;

    Requests(const Workplace& place, const std::string& figure)
    {
        const TimelineCheck check(place.path("out/figure6_" + figure + "/timeline.json.gz"));
        for (const TimelineSpan& span : check.content.spans)
            if (span.process == flash)
                all.push_back(span);
        REQUIRE(!all.empty());
        const auto begins = [](const TimelineSpan& a, const TimelineSpan& b) {
            return a.begin_ps < b.begin_ps;
        };
        const std::int64_t start = std::ranges::min_element(all, begins)->begin_ps;
        took = 0;
        for (TimelineSpan& span : all) {
            span.begin_ps -= start;
            span.end_ps -= start;
            took = std::max(took, span.end_ps);
        }
        std::ranges::stable_sort(all, begins);
        // The remaining arrow belongs to the command.
        CHECK(check.content.arrows == 1 + requests().size());
    }
    [[nodiscard]] std::set<std::string> requests() const
    {
        std::set<std::string> numbers;
        for (const TimelineSpan& span : all)
            numbers.insert(span.args.at("number").get<std::string>());
        return numbers;
    }
    [[nodiscard]] std::vector<TimelineSpan> of(const std::string& track,
                                               const std::string& name) const
    {
        std::vector<TimelineSpan> found;
        for (const TimelineSpan& span : all)
            if (span.track == track && span.name == name)
                found.push_back(span);
        return found;
    }
};

} // namespace

// By hand, with a page of 128 x 128 weights, an input and a result take 128 ns each. tR and the
// core's product take 30 us each. So a read-compute has a period of 30.128 us.
TEST_CASE("figure 6: read-computes alone, delayed by a whole page, and delayed by a slice")
{
    const Workplace place;
    for (const char* figure : {"a", "b", "c"})
        run(place, figure);
    const Requests a(place, "a"), b(place, "b"), c(place, "c");
    CHECK(a.requests().size() == 4);
    CHECK(b.requests().size() == 5);
    CHECK(a.took == (3 * 30'128 + 128 + 30'000 + 30'000 + 128) * ns);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(a.of(bus, "input").at(i).begin_ps == static_cast<std::int64_t>(i) * 30'128 * ns);
        CHECK(a.of("channel 0 die 0 plane 0", "sense").at(i).begin_ps ==
              a.of(bus, "input").at(i).end_ps);
        CHECK(a.of("channel 0 die 0 core", "compute").at(i).begin_ps ==
              a.of("channel 0 die 0 plane 0", "sense").at(i).end_ps);
        CHECK(a.of(bus, "result").at(i).begin_ps ==
              a.of("channel 0 die 0 core", "compute").at(i).end_ps);
    }
    // The page is completely sensed at 30 us. The second input could be sent at 30.128 us, but
    // waits for the page.
    CHECK(b.of("channel 0 die 0 plane 1", "sense").at(0).end_ps == 30'000 * ns);
    CHECK(b.of(bus, "data_out").size() == 1);
    CHECK(b.of(bus, "input").at(1).begin_ps == (30'000 + 16'384) * ns);
    CHECK(b.took == a.took + (30'000 + 16'384 - 30'128) * ns);
    CHECK(c.of(bus, "data_out").size() == 8);
    CHECK(c.of(bus, "input").at(1).begin_ps == (30'000 + 2'048) * ns);
    CHECK(c.took == a.took + (30'000 + 2'048 - 30'128) * ns);
    CHECK(c.of(bus, "data_out").at(7).end_ps == (30'000 + 16'384 + 128) * ns);

    const Outcome drawn = place.shell(
        quote(LEVEE_SOURCE "/tools/figure6.sh") + " out > figure6.svg && diff figure6.svg " +
        quote(LEVEE_SOURCE "/docs/images/figure6.svg") + " && echo same");
    CHECK(drawn.text == "same\n");
}

TEST_CASE("requests are the same without data, and shown only on request")
{
    const Workplace place;
    run(place, "c");
    const std::string functional = place.read("out/figure6_c/timeline.json.gz");
    const nlohmann::json results = reproducible(place.results("out/figure6_c"));
    run(place, "c", {"--set", "data=timing_only"});
    const std::string timing_only = place.read("out/figure6_c/timeline.json.gz");
    CHECK(functional == timing_only);
    REQUIRE(place.levee({"run", "cambricon/figure6_c", "--quiet", "--trace", "timeline"}).code ==
            0);
    const TimelineCheck plain(place.path("out/figure6_c/timeline.json.gz"));
    CHECK(plain.content.on(flash, bus).empty());
    CHECK(reproducible(place.results("out/figure6_c")) == results);
}

TEST_CASE("the end of the run also ends the requests in progress")
{
    const Workplace place;
    CHECK(place
              .levee({"run", "cambricon/figure6_c", "--quiet", "--trace", "timeline",
                      "--trace-inside", "flash", "--max-sim-time", "60 us"})
              .code == 6);
    const Requests cut(place, "c");
    // The second read-compute is being sensed; its product has not begun.
    CHECK(cut.of("channel 0 die 0 core", "compute").size() == 1);
    CHECK(cut.of("channel 0 die 0 plane 0", "sense").size() == 2);
    CHECK(cut.took < 60'000 * ns);
    CHECK(cut.of("channel 0 die 0 plane 0", "sense").at(1).end_ps == cut.took);
}

TEST_CASE("energy of figure 6 (c) event by event, and a warning for prices of another flash")
{
    const Workplace place;
    const std::vector<std::string> prices{"--set", "tech.energy=tech/energy/cambricon_events.yaml"};
    run(place, "c", prices);
    nlohmann::json results = place.results("out/figure6_c");
    const nlohmann::json& metrics = results["metrics"];
    const auto joules = [&](const char* event, double expected) {
        INFO(event);
        const double value = metrics[std::string("energy.flash.") + event + "_j"];
        CHECK(value == Approx(expected).epsilon(1e-9));
    };
    joules("page_read", 5 * 1.29e-6);
    joules("channel", (4 * 256 + 16384) * 8 * 7.2e-12);
    joules("link", (4 * 256 + 16384) * 8 * 0.5e-12);
    joules("core_busy", 4 * 30e-6 * 1591.7e-6);
    joules("mac", 4 * 16384 * 0.62915e-12);
    joules("decode", 4 * 12e-12);
    // By table IV, a core uses 4.5 % of its die's power.
    CHECK((30e-6 * 1591.7e-6 + 16384 * 0.62915e-12 + 12e-12) / 1.29e-6 ==
          Approx(0.045).epsilon(1e-3));
    CHECK(metrics["area.flash_mm2"] == Approx(2.0 * 512 * 128 * 16384 / 2.5e9));
    CHECK(results["warnings"].size() == 1); // The warning is about assumptions in a datasheet.
    std::vector<std::string> other = prices;
    other.insert(other.end(), {"--set", "system.memories.flash.read=50 us"});
    run(place, "c", other);
    results = place.results("out/figure6_c");
    REQUIRE(results["warnings"].size() == 2);
    CHECK(results["warnings"].dump().find("flash.read is 50 us") != std::string::npos);
}

TEST_CASE("a component that shows no internal steps is refused by name")
{
    const Workplace place;
    const auto refusal = [&](const std::string& scenario, const std::string& name) {
        const Outcome outcome =
            place.levee({"run", scenario, "--trace", "timeline", "--trace-inside", name});
        CHECK(outcome.code == 2);
        return outcome.text;
    };
    CHECK(refusal("cambricon/figure6_a", "flahs").find("did you mean 'flash'") !=
          std::string::npos);
    CHECK(refusal("hello", "ram").find("no component of this system does") != std::string::npos);
    const Outcome alone = place.levee({"run", "hello", "--trace-inside", "ram"});
    CHECK(alone.code == 2);
    CHECK(alone.text.find("expected both") != std::string::npos);
}
