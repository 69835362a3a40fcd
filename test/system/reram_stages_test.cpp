// SPDX-License-Identifier: Apache-2.0
// Compares figure 3 of ReTransformer with the timeline of a run, which shows when each crossbar is
// active.
#include "test/support/timeline_check.hpp"
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

constexpr std::int64_t us = 1'000'000, t_c = us, t_w = us / 2, n = 6;
const std::string one = "units 0-0", other = "units 1-1";

} // namespace

TEST_CASE("figure 3: compute-write-compute, layers one after another, and vector by vector")
{
    const Workplace place;
    REQUIRE(place
                .levee({"run", "pim/figure3", "--quiet", "--trace", "timeline", "--trace-inside",
                        "reram"})
                .code == 0);
    const TimelineCheck check(place.path("out/figure3/timeline.json.gz"));
    std::map<std::string, std::vector<TimelineSpan>> tracks;
    for (const TimelineSpan& span : check.content.spans)
        if (span.process == "inside reram")
            tracks[span.track].push_back(span);
    for (auto& [track, spans] : tracks)
        std::ranges::sort(spans, {}, &TimelineSpan::begin_ps);
    const auto &a = tracks.at(one), &b = tracks.at(other);
    // In each schedule, the first crossbar executes n products. n columns of the second crossbar
    // are written before its first product.
    REQUIRE(a.size() == 3 * n);
    REQUIRE(b.size() == 4 * n);
    const auto span_of = [](const std::vector<TimelineSpan>& spans, std::size_t first) {
        return spans.at(first + n - 1).end_ps - spans.at(first).begin_ps;
    };
    CHECK(span_of(a, 0) == n * t_c);
    CHECK(b.at(0).name == "write");
    CHECK(span_of(b, 0) == n * t_w);
    CHECK(b.at(n).name == "product");
    CHECK(span_of(b, n) == n * t_c);
    // In (a), the second crossbar begins when the first has ended, so one of them is always idle.
    CHECK(b.at(2 * n).begin_ps == a.at(2 * n - 1).end_ps);
    CHECK(b.at(3 * n - 1).end_ps - a.at(n).begin_ps == 2 * n * t_c);
    // In (b), the second crossbar begins one beat after the first. Both are busy except for one
    // beat at each end.
    CHECK(b.at(3 * n).begin_ps == a.at(2 * n).begin_ps + t_c);
    CHECK(b.at(4 * n - 1).end_ps - a.at(2 * n).begin_ps == (n + 1) * t_c);
    const auto metrics = place.results("out/figure3").at("metrics");
    CHECK(metrics.at("reram.group0.busy_s").get<double>() == Approx(3 * n * 1e-6));
    CHECK(metrics.at("reram.group1.busy_s").get<double>() == Approx(n * (3 + 0.5) * 1e-6));
}
