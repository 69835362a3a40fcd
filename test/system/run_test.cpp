// SPDX-License-Identifier: Apache-2.0
// Tests whole runs: their outputs, where these go, and repeatability.
#include "test/system/program.hpp"

#include <set>

using levee::test::Outcome;
using levee::test::reproducible;
using levee::test::Workplace;

namespace {

/// Checks that docs/bottlenecks.md lists the figure. It lists bounds.* and roofline.* by their last
/// part, which may end with a name.
void check_bounds_documented(const std::string& name)
{
    std::ifstream stream(std::string(LEVEE_SOURCE) + "/docs/bottlenecks.md");
    const std::string page{std::istreambuf_iterator<char>(stream), {}};
    std::string last = name.substr(name.rfind('.') + 1);
    if (name.starts_with("bounds."))
        last = last.substr(0, last.size() - std::string("_seconds").size());
    for (const char* kind : {"memory", "link", "stream", "wait"})
        if (last.starts_with(kind + std::string("_")))
            last = kind + std::string("_<name>");
    INFO(name);
    CHECK(page.find("`" + last + "`") != std::string::npos);
}

/// Checks that docs/results.md lists every figure, by its name or as a figure of any component.
void check_documented(const nlohmann::json& metrics)
{
    std::ifstream stream(std::string(LEVEE_SOURCE) + "/docs/results.md");
    const std::string page{std::istreambuf_iterator<char>(stream), {}};
    REQUIRE_FALSE(page.empty());
    for (const auto& [name, value] : metrics.items()) {
        if (name.starts_with("bounds.") || name.starts_with("roofline.")) {
            check_bounds_documented(name);
            continue;
        }
        const std::string figure = name.substr(name.find('.'));
        INFO(name);
        CHECK((page.find("`" + name + "`") != std::string::npos ||
               page.find(">" + figure + "`") != std::string::npos ||
               page.find("*" + figure + "`") != std::string::npos));
    }
}

} // namespace

TEST_CASE(
    "streams by schedule give the same text at other times, and a timing-only run the same figures")
{
    const Workplace place;
    const auto run = [&](const std::string& prices, const std::string& out,
                         std::vector<std::string> more) {
        std::vector<std::string> command{"run",
                                         "demo",
                                         "--quiet",
                                         "--out",
                                         out,
                                         "--set",
                                         "workload.max_new_tokens=12",
                                         "--set",
                                         "system.memories.dram.standard={extends: "
                                         "tech/dram/lpddr4.yaml, controller: {prices: " +
                                             prices + "}}"};
        command.insert(command.end(), more.begin(), more.end());
        REQUIRE(place.levee(command).code == 0);
        return place.results(out);
    };
    const auto kind = run("by_kind", "kind", {});
    const auto schedule =
        run("by_schedule", "schedule", {"--record-decisions", place.path("decisions").string()});
    CHECK(schedule["text"] == kind["text"]);
    CHECK(schedule["metrics"]["sim.seconds"] != kind["metrics"]["sim.seconds"]);
    const auto timing_only =
        run("by_schedule", "timing_only",
            {"--set", "data=timing_only", "--set",
             "decisions={recorded: " + place.path("decisions").string() + "}"});
    for (const auto& [name, value] : schedule["metrics"].items()) {
        if (name.starts_with("host."))
            continue;
        INFO(name);
        CHECK(timing_only["metrics"][name] == value);
    }
}

TEST_CASE("a trace that cannot be written completely costs no results")
{
    const Workplace place;
    const Outcome outcome = place.levee(
        {"run", "hello", "--out", "out", "--trace", "instr:/dev/full", "--trace", "bus:bus.txt"});
    CHECK(outcome.code == 1);
    const auto results = place.results("out");
    CHECK(results["exit_code"] == 0);
    CHECK(results["error"].get<std::string>().find("/dev/full") == 0);
    CHECK(outcome.text.find("[platform] /dev/full") != std::string::npos);
    CHECK(results["metrics"]["sim.seconds"] > 0);
    CHECK(!place.read("bus.txt").empty());
}

TEST_CASE("a run leaves no table of an earlier run next to its results")
{
    const Workplace place;
    const std::string list = "tech/energy/kelle_events.yaml";
    REQUIRE(place
                .levee({"run", "hello", "--out", "out", "--profile", "--set",
                        "tech={energy: " + list + "}"})
                .code == 0);
    const std::string table = place.read("out/energy.csv");
    REQUIRE(!table.empty());
    REQUIRE(!place.read("out/profile.folded").empty());
    // This file belongs to the price list `other` of `also`.
    place.write("out/energy_other.csv", table);
    place.write("out/energy_mine.csv", "a,b\n1,2\n");
    place.write("out/sampling.csv", "metric,value,error\n");
    place.write("out/notes.txt", "mine");
    REQUIRE(place.levee({"run", "hello", "--out", "out", "--no-report"}).code == 0);
    std::set<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(place.path("out")))
        left.insert(entry.path().filename().string());
    for (const std::string file : {"energy.csv", "energy_other.csv", "profile.txt",
                                   "profile.folded", "sampling.csv", "report.html"})
        CHECK_FALSE(left.contains(file));
    for (const std::string file : {"energy_mine.csv", "notes.txt", "results.json"})
        CHECK(left.contains(file));
}

TEST_CASE("results.json has a program's text, figures and scenario")
{
    const Workplace place;
    const Outcome outcome = place.levee({"run", "hello", "--out", "here/there"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.starts_with("Hello from the core"));
    CHECK(outcome.text.find("simulated time") != std::string::npos);
    const auto results = place.results("here/there");
    CHECK(results["name"] == "hello");
    CHECK(results["exit_code"] == 0);
    CHECK(outcome.text.starts_with(results["text"].get<std::string>()));
    CHECK(results["metrics"]["core.instructions"] > 1000);
    CHECK(results["metrics"]["sim.seconds"] > 0);
    CHECK(results["metrics"].contains("hello.cycles"));
    CHECK(results["metrics"].contains("host.wall_s"));
    CHECK(results["scenario"]["system"]["core"]["clock"] == "1 GHz");
    CHECK(results["versions"]["levee"] == LEVEE_VERSION);
}

TEST_CASE("quiet prints nothing and still writes the results")
{
    const Workplace place;
    CHECK(place.levee({"run", "hello", "--quiet"}).text.empty());
    CHECK(place.results("out/hello")["text"].get<std::string>().starts_with("Hello"));
}

TEST_CASE("programs that end through tohost return 0 or 1")
{
    const Workplace place;
    const std::string folder = LEVEE_ISA_DIR;
    CHECK(place.levee({"run", "core", "--elf", folder + "/alu.elf"}).code == 0);
    CHECK(place.levee({"run", "core", "--elf", folder + "/fails.elf"}).code == 1);
    CHECK(place.results("out/core")["exit_code"] != 0);
}

TEST_CASE("a scenario's program returns its own exit code and says what was wrong")
{
    const Workplace place;
    const Outcome outcome = place.levee({"run", "demo", "--set", "workload.scheduler=nobody"});
    CHECK(outcome.code != 0);
    CHECK(outcome.code != 2);
    CHECK(outcome.text.find("exit code") != std::string::npos);
    CHECK(place.results("out/demo")["exit_code"] == outcome.code);
}

TEST_CASE("a program that needs a text is not started without one")
{
    const Workplace place;
    for (const std::string app : {"generate", "perplexity", "recall"}) {
        const Outcome outcome = place.levee({"run", "hello", "--set", "workload.app=" + app});
        INFO(outcome.text);
        CHECK(outcome.code == 2);
        CHECK(outcome.text.find("'workload.app' is " + app + ", but the workload has no text") !=
              std::string::npos);
    }
}

TEST_CASE("the same scenario and seed give the same results")
{
    const Workplace place;
    const std::vector<std::string> short_demo{"run", "demo", "--quiet", "--set",
                                              "workload.max_new_tokens=12"};
    const auto run = [&](std::vector<std::string> more) {
        more.insert(more.begin(), short_demo.begin(), short_demo.end());
        CHECK(place.levee(more).code == 0);
        return reproducible(place.results("out/demo"));
    };
    const auto first = run({});
    CHECK(first["tokens"][0].size() == 12);
    // The prompt's last pass produces the first token.
    CHECK(first["metrics"]["prefill.tokens"] == 1);
    CHECK(first["metrics"]["decode.tokens"] == 11);
    CHECK(first["metrics"]["decode.tokens_per_s"].get<double>() *
              first["metrics"]["decode.seconds"].get<double>() ==
          Approx(11));
    CHECK(first["metrics"]["dram.read_bytes"] > 1'000'000);
    check_documented(place.results("out/demo")["metrics"]);
    CHECK(run({}) == first);
    auto other = run({"--seed", "2"});
    CHECK(other["seed"] == 2);
    CHECK(other["tokens"] != first["tokens"]);
}

TEST_CASE("the quantum changes only the scenario's text in the results")
{
    const Workplace place;
    const auto run = [&](const std::string& quantum) {
        CHECK(place
                  .levee({"run", "demo", "--quiet", "--set", "workload.max_new_tokens=4", "--set",
                          "system.core.quantum=" + quantum})
                  .code == 0);
        auto results = reproducible(place.results("out/demo"));
        results.erase("scenario");
        return results;
    };
    const auto first = run("10000");
    CHECK(run("1000") == first);
    CHECK(run("1") == first);
}

TEST_CASE("the observed logits are all vectors from which a token was picked")
{
    const Workplace place;
    CHECK(place
              .levee({"run", "demo", "--quiet", "--set", "workload.max_new_tokens=3", "--set",
                      "observe={logits: logits.bin}"})
              .code == 0);
    constexpr std::size_t vocabulary = 256;
    CHECK(std::filesystem::file_size(place.path("out/demo/logits.bin")) ==
          3 * vocabulary * sizeof(float));
}

TEST_CASE("recall reports the share of right answers and the share expected by chance")
{
    const Workplace place;
    CHECK(place.levee({"run", "recall", "--quiet", "--set", "workload.max_stories=2"}).code == 0);
    const auto metrics = place.results("out/recall")["metrics"];
    CHECK(metrics["recall.questions"] == 8);
    CHECK(metrics["recall.chance"] == 0.2);
    CHECK(metrics["recall.share"] > 0.5);
    check_documented(metrics);
}

TEST_CASE("recall: an answer of several tokens is right if each of them is the most probable")
{
    const Workplace place;
    const std::string line = "Once upon a time Adam, Ida, Joy, Kate and Paul lived in the old "
                             "village. The comb was with Kate.\t\tWho has the comb? The comb was "
                             "with\t";
    const auto answered = [&](const std::string& answer) {
        place.write("stories.txt", line + answer + "\n");
        place.write("scenario.yaml",
                    "system: systems/original.yaml\nmodel: {image: " + std::string(LEVEE_SOURCE) +
                        "/models/embedded/stories.levee}\nworkload: {app: recall, "
                        "stories_file: stories.txt}\n");
        const Outcome outcome =
            place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"});
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
        const auto metrics = place.results("out")["metrics"];
        CHECK(metrics["recall.questions"] == 1);
        CHECK(metrics["recall.chance"] == 0);
        return metrics["recall.answered"].get<int>();
    };
    CHECK(answered("Kate") == 1);
    CHECK(answered("Kate.") == 1);
    CHECK(answered("Kate Kate.") == 0);
    CHECK(answered("Adam.") == 0);
}

TEST_CASE("recall: a story that is decoded loses the tokens that its cache evicts")
{
    const Workplace place;
    place.write("stories.txt",
                "Once upon a time Adam, Ida, Joy, Kate and Paul lived in the old village. The comb "
                "was with Kate. Ida went to the lake. Adam ate some soup. The soup was very good."
                "\t\tWho has the comb? The comb was with\tKate\n");
    const auto metrics = [&](const std::string& prefill, const std::string& cache) {
        place.write(
            "scenario.yaml",
            "system: kelle/systems/kelle_resident.yaml\nmodel: {image: " +
                std::string(LEVEE_SOURCE) +
                "/models/embedded/stories.levee}\nworkload: {app: recall, scheduler: kelle, "
                "stories_file: stories.txt" +
                prefill + "}\nkv_cache: " + cache + "\n");
        const Outcome outcome =
            place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"});
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
        return place.results("out")["metrics"];
    };
    const std::string streaming = "{policy: streaming, budget: 16, recent_window: 8, sinks: 2}";
    // With every token kept, answers do not depend on how the story is read.
    const auto prefilled = metrics("", "{policy: full}");
    CHECK(prefilled["recall.answered"] == 1);
    const auto decoded = metrics(", prefill_tokens: 1", "{policy: full}");
    CHECK(decoded["recall.answered"] == 1);
    CHECK(decoded["decode.seconds"] > 2 * prefilled["decode.seconds"].get<double>());
    CHECK(metrics(", prefill_tokens: 1", streaming)["recall.answered"] == 0);
    // A question is decoded although there are fewer tokens before it.
    CHECK(metrics(", prefill_tokens: 1000", "{policy: full}")["recall.answered"] == 1);
}

TEST_CASE("the embedded model recalls 19 answers of 20, where guesses get four right")
{
    const Workplace place;
    CHECK(place.levee({"run", "recall", "--quiet", "--set", "workload.max_stories=25"}).code == 0);
    const auto metrics = place.results("out/recall")["metrics"];
    CHECK(metrics["recall.questions"] == 100);
    CHECK(metrics["recall.share"] >= 0.95);
}
