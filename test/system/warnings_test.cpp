// SPDX-License-Identifier: Apache-2.0
// Tests warnings about questionable figures, messages about failures, and where outputs go.
#include "test/system/program.hpp"

#include <algorithm>
#include <regex>

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

constexpr const char* two_tokens = "workload.max_new_tokens=2";
const std::string prices = "system.memories.dram.standard.controller.prices=";

/// A run, its warnings, and its text with --quiet.
struct Seen {
    std::vector<std::string> warnings;
    std::string text;

    [[nodiscard]] bool has(const std::string& part) const
    {
        return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
            return warning.find(part) != std::string::npos &&
                   text.find(warning) != std::string::npos;
        });
    }
};

Seen run(const Workplace& place, const std::string& scenario,
         const std::vector<std::string>& overrides)
{
    std::vector<std::string> arguments{"run", scenario, "--quiet", "--out", "out"};
    for (const std::string& text : overrides)
        arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = place.levee(arguments);
    REQUIRE(outcome.code == 0);
    return {place.results("out")["warnings"].get<std::vector<std::string>>(), outcome.text};
}

/// Returns the overrides that the warnings recommend.
std::vector<std::string> recommended(const std::vector<std::string>& warnings)
{
    static const std::regex override{"--set ([^ ]*[^ .,;:)])"};
    std::vector<std::string> found;
    for (const std::string& warning : warnings)
        for (std::sregex_iterator at(warning.begin(), warning.end(), override), end; at != end;
             ++at)
            found.push_back((*at)[1]);
    return found;
}

const std::string kv_retention =
    "system.memories.kv_edram.retention={curve: [[45 us, 1e-6], [10 ms, 1e-2]]}";

std::string refreshed_every(const std::string& interval)
{
    return "kv_cache.refresh={high_msb: 45 us, high_lsb: 45 us, low_msb: 45 us, low_lsb: " +
           interval + "}";
}

} // namespace

TEST_CASE("a run without questionable figures prints no warning")
{
    const Workplace place;
    const Seen seen = run(place, "demo", {two_tokens});
    CHECK(seen.warnings.empty());
    CHECK(seen.text.empty());
}

TEST_CASE("warnings known before a run and those from its results appear once each")
{
    const Workplace place;
    const Seen seen = run(place, "kelle/demo", {two_tokens});
    CHECK(seen.has("the run simulates no failures"));    // This run has no override yet.
    CHECK(seen.has("recompute: hidden' has no effect")); // This run has the recommended override.
    for (const std::string& warning : seen.warnings)
        CHECK(seen.text.find(warning) == seen.text.rfind(warning));
}

TEST_CASE("streams too short for prices by kind cause a warning if they matter")
{
    const Workplace place;
    const std::string said = "of its traffic is in streams under 64 KiB, priced by kind";
    const Seen seen = run(place, "demo", {prices + "by_kind"});
    CHECK(seen.has(said));
    CHECK(seen.has("off by 2.5 % or more"));
    CHECK(seen.has("--set " + prices + "by_schedule"));
    CHECK(seen.warnings.size() == 1);
    CHECK(run(place, "demo", {prices + "by_schedule"}).warnings.empty());
    // By default, the run itself schedules these streams.
    CHECK(run(place, "demo", {}).warnings.empty());
    // A DRAM next to an eDRAM moves few bytes, in short streams. Prices by kind are meant for long
    // streams.
    CHECK_FALSE(run(place, "kelle/demo", {}).has(said));
}

TEST_CASE("time-consuming refreshes of all banks cause a warning with prices by kind")
{
    const Workplace place;
    const std::string standard = "system.memories.dram.standard.",
                      said = "refreshes all banks together";
    const std::vector<std::string> hot{standard + "refresh=all_bank", standard + "refresh_rate=4x"};
    const Seen seen = run(place, "kelle/demo", hot);
    CHECK(seen.has(said + " for 29 % of the time"));
    CHECK(seen.has("--set " + prices + "by_schedule"));
    // With one rank, the warning comes only if these refreshes take at least a fifth of the time.
    // LPDDR4 has two ranks, so the warning comes for shorter times, too.
    const std::string one_rank = standard + "ranks=1";
    const Seen ranks = run(place, "kelle/demo", {hot[0]});
    CHECK(ranks.has(", rank by rank. Without `prices: by_schedule`, times may be off by a fifth"));
    CHECK(ranks.has("--set " + prices + "by_schedule"));
    CHECK_FALSE(run(place, "kelle/demo", {hot[0], one_rank}).has(said));
    CHECK_FALSE(run(place, "kelle/demo", {hot[0], prices + "by_schedule"}).has(said));
    // Streams that are scheduled are exact, or estimated from many refreshes.
    CHECK_FALSE(run(place, "kelle/demo", {hot[0], hot[1], prices + "by_schedule"}).has(said));
    CHECK_FALSE(run(place, "silicon/decode",
                    {"model.shape.layers=1", hot[0], hot[1], prices + "by_schedule"})
                    .has(said));
    CHECK_FALSE(run(place, "knobs", {"workload.max_new_tokens=4"}).has(said));
}

TEST_CASE("refreshes of single banks that delay streams cause a warning with prices by kind")
{
    const Workplace place;
    const std::string standard = "system.memories.dram.standard";
    const auto says = [&](std::vector<std::string> keys) {
        keys.insert(keys.begin(), {two_tokens, standard + "=tech/dram/hbm4.yaml"});
        return run(place, "kelle/demo", keys).has("refreshes banks one by one");
    };
    const std::string one_by_one = standard + ".refresh=per_bank",
                      hot = standard + ".refresh_rate=2x";
    CHECK(says({one_by_one}));
    CHECK(says({one_by_one, hot}));
    CHECK_FALSE(says({}));
    CHECK_FALSE(says({one_by_one, hot, prices + "by_schedule"}));
    // In LPDDR4, half a bank is in refresh at a time on average, too few for this warning.
    CHECK_FALSE(run(place, "kelle/demo", {two_tokens, hot}).has("refreshes banks one by one"));
}

TEST_CASE("an override that a warning recommends is accepted, and removes the warning")
{
    const Workplace place;
    place.write("other.yaml", "extends: demo.yaml\nsystem:\n  memories:\n    dram: null\n    main: "
                              "{type: dram, standard: {extends: tech/dram/lpddr5.yaml}, roles: "
                              "[model, kv, spill]}\n");
    place.write("two.yaml", "extends: demo.yaml\nsystem: systems/two_drams.yaml\n");
    struct Case {
        std::string scenario;
        std::vector<std::string> overrides;
    };
    const std::vector<Case> cases{
        {"demo", {prices + "by_kind"}},
        {"other.yaml", {"system.memories.main.standard.controller.prices=by_kind"}},
        {"two.yaml",
         {prices + "by_kind", "system.memories.dram2.standard.controller.prices=by_kind"}},
        {"kelle/demo",
         {two_tokens, "system.memories.dram.standard.refresh=all_bank",
          "system.memories.dram.standard.refresh_rate=4x"}},
        {"kelle/demo", {two_tokens, "system.blocks.rsa.dataflow=output_stationary"}}};
    for (const Case& one : cases) {
        const std::vector<std::string> first = run(place, one.scenario, one.overrides).warnings;
        const std::vector<std::string> settings = recommended(first);
        INFO(one.scenario);
        CHECK_FALSE(settings.empty());
        std::vector<std::string> with = one.overrides;
        with.insert(with.end(), settings.begin(), settings.end());
        CHECK(recommended(run(place, one.scenario, with).warnings).empty());
    }
}

TEST_CASE("refresh intervals beyond what cells or the retention curve allow cause a warning")
{
    const Workplace place;
    const std::string scenario = "kelle/demo";
    // With recompute=hidden a warning says that nothing is hidden.
    const std::string off = "kv_cache.recompute=off";
    CHECK(run(place, scenario, {two_tokens, off, kv_retention, refreshed_every("10 ms")})
              .warnings.empty());
    CHECK(run(place, scenario, {two_tokens, kv_retention, refreshed_every("11 ms")})
              .has("kv_edram is refreshed every 11 ms (low_lsb), beyond the end of its retention "
                   "curve at 10 ms"));
    CHECK(run(place, scenario, {two_tokens, off, refreshed_every("45 us")}).warnings.empty());
    CHECK(run(place, scenario, {two_tokens, refreshed_every("46 us")})
              .has("kv_edram is refreshed every 46 us (low_lsb), cells fail from 45 us on, but the "
                   "memory has no key 'retention'"));
    CHECK(run(place, scenario,
              {two_tokens, refreshed_every("45 us"), "kv_cache.activation_refresh=1 ms"})
              .has("act_edram is refreshed every 1 ms"));
}

TEST_CASE("an unused array or memory causes a warning, with the roofline that counts it")
{
    const Workplace place;
    place.write("idle.yaml", "extends: demo.yaml\nsystem:\n  blocks:\n"
                             "    veda: {type: veda, rows: 8, columns: 8, arrays: 2}\n"
                             "    other_dma: {type: dma, bytes_per_cycle: 64}\n"
                             "  memories:\n    spare: {type: sram, size: 64 KiB, "
                             "bandwidth: 1 GB/s, latency: 0, roles: [activations]}\n");
    const Seen seen = run(place, "idle.yaml", {two_tokens});
    CHECK(seen.has("veda was not used, but the roofline's peak includes its array"));
    CHECK(seen.has("spare was not used"));
    CHECK(seen.warnings.size() == 2); // The system has no DMA engine and no sync unit.
}

TEST_CASE("recomputation hidden by the rule of another dataflow causes a warning")
{
    const Workplace place;
    const std::string dataflow = "system.blocks.rsa.dataflow=output_stationary",
                      said = "rsa is output stationary, but 'kv_cache.recompute: hidden'";
    CHECK(run(place, "kelle/demo", {two_tokens, dataflow}).has(said));
    CHECK_FALSE(
        run(place, "kelle/demo", {two_tokens, dataflow, "kv_cache.recompute=off"}).has(said));
    CHECK_FALSE(run(place, "kelle/demo", {two_tokens}).has(said));
}

TEST_CASE("documents longer than the context cause a warning that they are split")
{
    const Workplace place;
    const std::vector<std::string> few{"workload.max_tokens=100", "workload.context=64"};
    CHECK(run(place, "perplexity", few)
              .has("1 of 1 documents are longer than the context of 64 tokens"));
    CHECK(run(place, "perplexity", {"workload.max_tokens=60"}).warnings.empty());
}

TEST_CASE("prices of another machine cause a warning")
{
    const Workplace place;
    const std::string still = refreshed_every("45 us");
    CHECK(run(place, "kelle/demo", {two_tokens, still, "system.blocks.rsa.rows=64"})
              .has("the prices of 'kelle_stated_power' are for another machine: rsa.rows is 64, "
                   "not 32"));
    CHECK(run(place, "kelle/demo", {two_tokens, still, "system.memories.kv_edram.size=8 MiB"})
              .has("the prices of 'kelle_events' are for another machine: kv_edram.size is 8 MiB"));
}

TEST_CASE("prices from a datasheet with assumptions cause a warning")
{
    const Workplace place;
    const std::vector<std::string> currents{"workload.max_new_tokens=2", "model.shape.layers=1",
                                            "tech.energy=tech/energy/dram_currents.yaml"};
    CHECK(run(place, "dram_standards", currents)
              .has("the prices of 'dram_currents' for dram are partly assumed: the charge that "
                   "LPDDR4 takes"));
    std::vector<std::string> published = currents;
    published.emplace_back("system.memories.dram.standard=tech/dram/hbm2.yaml");
    CHECK_FALSE(run(place, "dram_standards", published).has("partly assumed"));
}

TEST_CASE("a study's table repeats its runs' warnings")
{
    const Workplace place;
    place.write("study.yaml", "scenario: kelle/demo.yaml\nset: [" + std::string(two_tokens) +
                                  "]\npoints: {a: [], b: [\"" + refreshed_every("45 us") +
                                  "\"]}\ncolumns: {s: sim.seconds}\n");
    const Outcome outcome = place.levee({"sweep", "study.yaml", "--out", "swept"});
    CHECK(outcome.code == 0);
    CHECK(place.read("swept/table.txt").find("1 of 2 runs: kv_edram is refreshed every 7200 us") !=
          std::string::npos);
}

TEST_CASE("a failed run says why, on the terminal and in its results, quiet or not")
{
    const Workplace place;
    const std::vector<std::string> impossible{
        "run", "demo", "--quiet", "--out", "out", "--set", "workload.scheduler=none"};
    const Outcome firmware = place.levee(impossible);
    CHECK(firmware.code == 1);
    const std::string error = place.results("out")["error"];
    CHECK(error.starts_with("the program ended with 1: --set workload.scheduler=none: firmware: "));
    CHECK(firmware.text.find(error) != std::string::npos);
    const Outcome platform =
        place.levee({"run", "demo", "--quiet", "--out", "out", "--max-sim-time", "1 us"});
    CHECK(platform.code == 6);
    CHECK(place.results("out")["error"].get<std::string>().starts_with(
        "the program has not ended within 1 us"));
    CHECK(place.levee({"run", "hello", "--quiet", "--out", "out"}).code == 0);
    CHECK_FALSE(place.results("out").contains("error"));
}

TEST_CASE("files that a scenario observes are written inside the output folder")
{
    const Workplace place;
    place.write("victim", "mine");
    std::filesystem::create_directories(place.path("out/sub"));
    std::filesystem::create_symlink(place.path("victim"), place.path("out/link"));
    std::filesystem::create_symlink(place.path("new"), place.path("out/dangling"));
    std::filesystem::create_symlink(place.path(""), place.path("out/up"));
    for (const std::string& name :
         {std::string("../victim"), place.path("victim").string(), std::string("link"),
          std::string("dangling"), std::string("up/victim"), std::string("sub/../../victim")})
        for (const bool in_file : {true, false}) {
            place.write("s.yaml", "extends: demo.yaml\nworkload: {max_new_tokens: 2}\n" +
                                      (in_file ? "observe: {logits: " + name + "}\n" : ""));
            std::vector<std::string> arguments{"run", "s.yaml", "--quiet", "--out", "out"};
            if (!in_file)
                arguments.insert(arguments.end(), {"--set", "observe.logits=" + name});
            const Outcome outcome = place.levee(arguments);
            CHECK(outcome.code == 2);
            CHECK(outcome.text.starts_with(in_file ? "s.yaml:3:19: the file '" : "--set observe"));
            CHECK(place.read("victim") == "mine");
            CHECK_FALSE(std::filesystem::exists(place.path("new")));
        }
    CHECK(place
              .levee({"run", "s.yaml", "--quiet", "--out", "out", "--set",
                      "observe.logits=sub/logits.f32"})
              .code == 0);
    CHECK(std::filesystem::file_size(place.path("out/sub/logits.f32")) == 2 * 256 * 4);
    CHECK(place
              .levee({"run", "s.yaml", "--quiet", "--out", "out", "--set",
                      "observe.logits=../victim", "--allow-outside"})
              .code == 0);
    CHECK(place.read("victim") != "mine");
}

TEST_CASE("a file of observe: must not have the name of another output file")
{
    const Workplace place;
    for (const std::string& name : {std::string("results.json"), std::string("./report.html"),
                                    std::string("sub/../bounds.csv"), std::string("energy.csv")}) {
        const Outcome outcome = place.levee({"run", "demo", "--quiet", "--out", "out", "--set",
                                             "observe.logits=" + name, "--allow-outside"});
        INFO(outcome.text);
        CHECK(outcome.code == 2);
        CHECK(outcome.text.find("the run writes a file '") != std::string::npos);
    }
    const Outcome twice = place.levee({"run", "demo", "--quiet", "--out", "out", "--set",
                                       "observe.logits=a", "--set", "observe.lifetimes=b/../a"});
    CHECK(twice.code == 2);
    CHECK(twice.text.find("'observe' names the same file twice, 'a'") != std::string::npos);
}

TEST_CASE("text outside the scenario's folder is read only if the user permits it")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("mine"));
    place.write("secret.txt", "Once upon a time");
    place.write("mine/s.yaml", "extends: perplexity.yaml\nworkload: {text_file: ../secret.txt}\n");
    const Outcome refused = place.levee({"run", "mine/s.yaml", "--quiet"});
    CHECK(refused.code == 2);
    CHECK(refused.text.starts_with("mine/s.yaml:2:23: the file 'secret.txt' is outside"));
    CHECK(place.levee({"run", "mine/s.yaml", "--quiet", "--allow-outside"}).code == 0);
    CHECK(place.levee({"run", "perplexity", "--quiet", "--set", "workload.text_file=secret.txt"})
              .code == 0);
}

TEST_CASE("text is scored token by token through the cache under test")
{
    const Workplace place;
    const auto score = [&](const std::vector<std::string>& more) {
        std::vector<std::string> overrides{"workload.app=perplexity",
                                           "workload.max_new_tokens=null",
                                           "workload.sampling=null",
                                           "workload.temperature=null",
                                           "workload.stop_token=null",
                                           "workload.prompts=null",
                                           "workload.text_file=" LEVEE_SOURCE
                                           "/models/embedded/held_out.txt",
                                           "workload.max_tokens=200"};
        overrides.insert(overrides.end(), more.begin(), more.end());
        (void)run(place, "kelle/demo", overrides);
        return place.results("out")["metrics"];
    };
    const auto full = score({"kv_cache.policy=full"});
    const auto few = score({"kv_cache.policy=streaming", "kv_cache.budget=24"});
    CHECK(full["evictor.evicted"] == 0);
    CHECK(few["score.nll"].get<double>() > full["score.nll"].get<double>() + 20);
    // All tokens except the first are decoded, with one step fewer than predictions.
    CHECK(full["score.tokens"] == 200);
    CHECK(full["prefill.seconds"].get<double>() < full["decode.seconds"].get<double>() / 10);
    // The whole text is prefilled, so every token attends to all earlier ones.
    const auto prefilled =
        score({"kv_cache.policy=streaming", "kv_cache.budget=24", "workload.prefill_tokens=1000"});
    CHECK(prefilled["score.nll"] == full["score.nll"]);
    // The text after the prefilled part is scored through the cache.
    const auto half =
        score({"kv_cache.policy=streaming", "kv_cache.budget=24", "workload.prefill_tokens=100"});
    CHECK(half["score.nll"].get<double>() > full["score.nll"].get<double>());
    CHECK(half["score.nll"].get<double>() < few["score.nll"].get<double>());
}
