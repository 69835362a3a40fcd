// SPDX-License-Identifier: Apache-2.0
// Compares timing-only runs from statistics with functional runs, on stories outside the
// calibration. The bounds are those of docs/timing_only.md.
#include "test/system/timing_only_case.hpp"

#include <cmath>
#include <map>
#include <sstream>

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";
const fs::path statistics = fs::path(LEVEE_SOURCE) / "scenarios/tech/decisions/embedded.yaml";

/// Returns the first words of stories in recall_stories.txt.
std::string prompts(std::size_t first, const std::vector<std::size_t>& words)
{
    std::ifstream file(fs::path(LEVEE_SOURCE) / "models/embedded/recall_stories.txt");
    std::string line, text;
    for (std::size_t i = 0; i <= first; ++i) // The first line is a comment.
        std::getline(file, line);
    for (const std::size_t count : words) {
        std::getline(file, line);
        std::istringstream story(line);
        std::string word;
        for (std::size_t i = 0; i < count && story >> word; ++i)
            text += word + (i + 1 < count ? " " : "\n");
    }
    return text;
}

struct HeldOut {
    std::size_t first;
    std::vector<std::size_t> words;
    std::uint32_t budget;
    std::string score;
    std::string recompute = "all";
    std::string policy = "aerp";
    std::uint32_t new_tokens = 100;
};

/// Runs the story functionally, recording decisions in the file `decisions`, and from statistics.
struct Both {
    Both(const Workplace& place, const HeldOut& what)
    {
        place.write("prompts.txt", prompts(what.first, what.words));
        place.write(
            "scenario.yaml",
            // Each token has its own eDRAM rows, because statistics do not know which tokens share
            // a row.
            "system: {extends: kelle/systems/kelle_resident.yaml, memories: {kv_edram: {row: 16 B, "
            "refresh: 500 ps}}}\nmodel: {image: " +
                embedded.string() +
                "}\nworkload: {app: generate, scheduler: kelle, prompt_file: prompts.txt, "
                "batch: " +
                std::to_string(what.words.size()) +
                ", max_new_tokens: " + std::to_string(what.new_tokens) +
                ", sampling: temperature, temperature: 0.6}\n"
                "kv_cache: {policy: " +
                what.policy + ", budget: " + std::to_string(what.budget) +
                ", recent_window: " + std::to_string(what.budget / 2) +
                ", sinks: 10, score: " + what.score + ", recompute: " + what.recompute +
                ", refresh: {extends: kelle/refresh/2drp.yaml}}\nseed: 3\n");
        functional = run(place, {"--record-decisions", "decisions"});
        drawn = run(place, {"--set", "data=timing_only", "--set",
                            "decisions.statistics=" + statistics.string()});
    }
    static nlohmann::json run(const Workplace& place, const std::vector<std::string>& more)
    {
        std::vector<std::string> command{"run", "scenario.yaml", "--quiet", "--out", "out"};
        command.insert(command.end(), more.begin(), more.end());
        REQUIRE(place.levee(command).code == 0);
        return place.results("out").at("metrics");
    }
    /// Returns a figure's error, relative to the functional run's value.
    [[nodiscard]] double error(const std::string& name) const
    {
        const double recorded = functional.at(name).get<double>();
        const double found = drawn.at(name).get<double>();
        UNSCOPED_INFO(name << ": " << recorded << " functional, " << found << " from statistics");
        return recorded == found ? 0.0 : std::abs(found / recorded - 1.0);
    }
    /// Returns the error of the refreshes of all groups together.
    [[nodiscard]] double refresh_error() const
    {
        double recorded = 0, found = 0;
        for (const char* group : {"high_msb", "high_lsb", "low_msb", "low_lsb"}) {
            recorded += functional.at(std::string("kv_edram.refresh.") + group).get<double>();
            found += drawn.at(std::string("kv_edram.refresh.") + group).get<double>();
        }
        UNSCOPED_INFO("refreshes: " << recorded << " functional, " << found << " from statistics");
        return std::abs(found / recorded - 1.0);
    }
    nlohmann::json functional, drawn;
};

/// Returns the errors that `levee calibrate-decisions --check` prints for the recording.
std::map<std::string, double> errors(const Workplace& place)
{
    const Outcome outcome =
        place.levee({"calibrate-decisions", "--check", statistics.string(), "decisions"});
    REQUIRE(outcome.code == 0);
    std::istringstream lines(outcome.text);
    std::map<std::string, double> result;
    std::string line;
    std::getline(lines, line);
    REQUIRE(line == "figure,recorded,drawn,error");
    while (std::getline(lines, line) && line.find(',') != std::string::npos)
        result[line.substr(0, line.find(','))] =
            std::abs(std::stod(line.substr(line.rfind(',') + 1)));
    REQUIRE(result.size() == 5);
    return result;
}

void check(const HeldOut& what)
{
    INFO(what.policy << ", " << what.score << ", budget " << what.budget << ", recompute "
                     << what.recompute);
    const Workplace place;
    const Both both(place, what);
    CHECK(both.error("evictor.evicted") == 0);
    CHECK(both.error("evictor.scores") == 0);
    CHECK(both.error("sim.seconds") < 0.02);
    const bool recomputes = what.recompute == "all";
    CHECK(both.refresh_error() < (recomputes ? 0.12 : 0.01));
    CHECK(both.error("kv_edram.refresh.high_msb") < (recomputes ? 0.10 : 0.01));
    CHECK(both.error("kelle.recompute_rows") < 0.06);
    const auto of = errors(place);
    CHECK(of.at("evictions") == 0);
    CHECK(of.at("x_rows_in_use") < 0.06);
    CHECK(of.at("inputs_stored") < 0.30);
    CHECK(of.at("inputs_recomputed") < 0.06);
    CHECK(of.at("group_changes") < 0.40);
}

} // namespace

TEST_CASE("timing-only statistics: stories outside the calibration, importance from probabilities")
{
    check({0, {30, 100, 160}, 64, "softmax"});
    check({10, {60, 120, 160}, 96, "softmax"}); // These budgets are between the calibrated ones.
    check({20, {90, 150, 165}, 128, "softmax"});
    check({30, {30, 100, 160}, 64, "softmax", "off"});
}

TEST_CASE("timing-only statistics: stories outside the calibration, importance from logits")
{
    check({40, {60, 120, 160}, 96, "logit"});
    check({50, {90, 150, 165}, 128, "logit"});
}

TEST_CASE("timing-only statistics: stories outside the calibration, no importance")
{
    check({60, {60, 120, 160}, 96, "softmax", "off", "random"});
    // At these counts of tokens, an interval from statistics has just ended.
    check({70, {60, 120, 160}, 96, "softmax", "off", "streaming", 110});
}

TEST_CASE("timing-only statistics: the same run again has the same figures")
{
    const Workplace place;
    const HeldOut what{0, {30, 100, 160}, 64, "softmax"};
    const Both one(place, what), two(place, what);
    nlohmann::json a = one.drawn, b = two.drawn;
    CHECK(reproducible({{"metrics", a}}) == reproducible({{"metrics", b}}));
}
