// SPDX-License-Identifier: Apache-2.0
// Tests profiles for cluster simulators, which the test reads in the same way as LLMServingSim.
#include "test/system/program.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

using Point = std::array<double, 4>; ///< prefill_chunk, kv_prefill, n_decode, kv_decode.
using Table = std::map<Point, double>;

constexpr const char* scenario =
    "extends: " LEVEE_SOURCE "/scenarios/requests.yaml\n"
    "model: {shape: {extends: models/llama2-7b.yaml, layers: 1, vocab: 64}}\n"
    "workload: {batch: 4, context: 513, prefill_chunk: 64}\n";

Table table_of(const Workplace& place, const std::vector<std::string>& more)
{
    place.write("s.yaml", scenario);
    std::vector<std::string> line{"export", "profile",    "s.yaml", "--out",
                                  "p",      "--hardware", "edge"};
    line.insert(line.end(), more.begin(), more.end());
    const Outcome outcome = place.levee(line);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    std::istringstream lines(place.read("p/edge/s/levee/tp1/attention.csv"));
    std::string text;
    std::getline(lines, text);
    CHECK(text == "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us");
    Table table;
    while (std::getline(lines, text)) {
        std::replace(text.begin(), text.end(), ',', ' ');
        std::istringstream cells(text);
        Point point;
        double us = 0;
        cells >> point[0] >> point[1] >> point[2] >> point[3] >> us;
        table[point] = us;
    }
    return table;
}

/// Interpolates linearly on each axis (_axis_bracket of serving/core/trace_generator.py).
double predicted(const Table& table, Point at, std::size_t axis = 0)
{
    if (axis == at.size())
        return table.at(at);
    std::set<double> values;
    for (const auto& [point, us] : table)
        if (std::equal(point.begin(), point.begin() + std::ptrdiff_t(axis), at.begin()))
            values.insert(point[axis]);
    const auto above = values.lower_bound(at[axis]);
    REQUIRE(above != values.end());
    Point upper = at, lower = at;
    upper[axis] = *above;
    if (*above == at[axis] || above == values.begin())
        return predicted(table, upper, axis + 1);
    lower[axis] = *std::prev(above);
    const double share = (at[axis] - lower[axis]) / (upper[axis] - lower[axis]);
    return (1 - share) * predicted(table, lower, axis + 1) +
           share * predicted(table, upper, axis + 1);
}

void check_refused(const std::vector<std::string>& settings, const std::string& message)
{
    const Workplace place;
    place.write("s.yaml", scenario);
    std::vector<std::string> line{"export", "profile", "s.yaml", "--out", "p"};
    line.insert(line.end(), settings.begin(), settings.end());
    const Outcome outcome = place.levee(line);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains(message));
}

} // namespace

TEST_CASE("a profile predicts passes that it does not have")
{
    const Workplace place;
    const Table profile = table_of(place, {});
    const Table others = table_of(place, {"--batch", "3", "--context", "23,50,90,200,333,444,500",
                                          "--chunk", "19,29,41,50,61"});
    std::size_t compared = 0;
    for (const auto& [point, us] : others) {
        const bool is_pure = point[0] == 0 || point[2] == 0;
        if (!is_pure || point[3] == 1 || profile.contains(point))
            continue;
        INFO(point[0] << " " << point[1] << " " << point[2] << " " << point[3]);
        CHECK(predicted(profile, point) == Approx(us).epsilon(0.02));
        ++compared;
    }
    CHECK(compared >= 20);
    // A chunk and a step run one after the other.
    CHECK(profile.at({64, 128, 4, 256}) ==
          Approx(profile.at({64, 128, 0, 0}) + profile.at({0, 0, 4, 256})));
    CHECK_THAT(place.read("p/edge/s/levee/meta.yaml"), Catch::Contains("hardware: 'edge'"));
    CHECK_THAT(place.read("p/edge/s/levee/tp1/dense.csv"),
               Catch::Contains("layer,tokens,time_us\nembedding,1,0"));
}

TEST_CASE("chunks longer than the context are profiled up to the context")
{
    const Workplace place;
    place.write("s.yaml", scenario);
    const Outcome outcome =
        place.levee({"export", "profile", "s.yaml", "--out", "p", "--hardware", "edge", "--set",
                     "workload.context=100", "--set", "workload.prefill_chunk=2048"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(place.read("p/edge/s/levee/tp1/attention.csv"), Catch::Contains("\n99,0,0,0,"));
}

TEST_CASE("times of a profile are those of the passes of requests")
{
    const Workplace place;
    const Table profile = table_of(place, {});
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens\n0,64,2\n");
    place.write("r.yaml", std::string(scenario) + "  # one request\ntech: null\n");
    const Outcome outcome = place.levee({"run", "r.yaml", "--quiet", "--out", "out", "--set",
                                         "workload.requests={file: requests.csv}"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    const nlohmann::json metrics =
        nlohmann::json::parse(place.read("out/results.json")).at("metrics");
    CHECK(metrics.at("prefill.seconds").get<double>() * 1e6 ==
          Approx(profile.at({64, 0, 0, 0})).epsilon(0.01));
    CHECK(metrics.at("decode.seconds").get<double>() * 1e6 ==
          Approx(predicted(profile, {0, 0, 1, 64})).epsilon(0.01));
}

TEST_CASE("scenarios whose passes have no time of their own are refused by name")
{
    check_refused({"--set", "kv_cache.policy=streaming"}, "expected full or retrieval");
    check_refused({"--set", "kv_cache.policy=streaming", "--set", "workload.requests=null", "--set",
                   "workload.prompt_tokens=4", "--set", "workload.app=generate"},
                  "kv_cache.policy 'streaming' evicts");
    check_refused({"--set", "model.shape={extends: models/deepseek-moe-16b.yaml}"},
                  "the model's experts are drawn at random");
    check_refused({"--set", "workload.prefill_chunk=null"}, "'workload.prefill_chunk' is missing");
    check_refused({"--chunk", "65"},
                  "--chunk: 65 is not possible in this scenario; expected 1 to 64");
}
