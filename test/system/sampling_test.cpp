// SPDX-License-Identifier: Apache-2.0
// Tests models without weights, and sampled runs.
#include "test/system/program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

using namespace levee::test;

namespace {

/// The embedded model's shape with a longer context.
constexpr const char* shape = "name: tiny\nsource: models/embedded\ndim: 64\nhidden: 172\n"
                              "layers: 5\nheads: 4\nkv_heads: 4\nhead_dim: 16\nvocab: 256\n"
                              "max_context: 1024\nnorm: rms\nnorm_epsilon: 1e-5\n"
                              "activation: silu_glu\nposition: rope_pairs\nbiases: none\n"
                              "tied: true\nweights: int8\n";

constexpr const char* work = "data: timing_only\nmodel: {shape: tiny.yaml}\n"
                             "decisions: {statistics: tech/decisions/embedded.yaml}\n"
                             "workload: {app: generate, prompt_tokens: 90, max_new_tokens: 300,\n"
                             "  batch: 3, prefill_chunk: 8}\n";

constexpr const char* priced = "tech.energy=tech/energy/kelle_events.yaml";

nlohmann::json run(const Workplace& place, const std::string& system,
                   const std::vector<std::string>& more)
{
    place.write("tiny.yaml", shape);
    place.write("s.yaml", "system: " + system + "\n" + work);
    // A sampled run moves fewer bytes than the whole run, so it might choose another way to price
    // DRAM streams (docs/validation.md).
    std::vector<std::string> arguments{"run",
                                       "s.yaml",
                                       "--quiet",
                                       "--out",
                                       "out",
                                       "--set",
                                       "system.memories.dram.standard.controller.prices=by_kind"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(place.read("out/results.json"));
}

/// Returns a run's warnings except those about the DRAM's streams, which are short in all runs of
/// this shape.
std::vector<std::string> warnings(const nlohmann::json& results)
{
    std::vector<std::string> all = results.at("warnings");
    std::erase_if(all, [](const std::string& warning) {
        return warning.find("under 64 KiB") != std::string::npos;
    });
    return all;
}

/// Some figures are excepted. Figures close to zero are inaccurate in samples (docs/models.md). So
/// are refreshes outside prefill and decode. These phases last 0.4 ms, less than a refresh
/// interval, so it depends on their start whether they contain a sweep.
bool is_excepted(const std::string& name, const nlohmann::json& whole)
{
    if (whole.contains("kv_edram.refresh.high_msb") &&
        (name == "energy.phase.other_j" || name == "energy.phase.other.kv_edram_j" ||
         name == "energy.phase.other.act_edram_j"))
        return true;
    const bool is_cause = name.starts_with("bounds.") || name.ends_with("binds_seconds");
    return is_cause && whole.at(name) < 0.02 * whole.at("sim.seconds").get<double>();
}

/// Returns whether an energy includes refreshes of an eDRAM, as sums over the whole chip do.
bool has_refreshes(const std::string& name)
{
    static const std::set<std::string> sums{
        "energy.total_j",         "energy.on_chip_j",        "energy.phase.prefill_j",
        "energy.phase.decode_j",  "energy.phase.other_j",    "energy.per_token_j",
        "energy.average_power_w", "energy.tokens_per_joule", "energy.decode_per_token_j",
    };
    return name.starts_with("energy.") &&
           (name.ends_with("_edram_j") || name.ends_with("_edram.refresh_j") ||
            name.starts_with("energy.operation.refresh.") || sums.contains(name));
}

/// Returns the permitted relative error of a sampled figure (docs/models.md). Refreshes come in
/// sweeps. A step of the tiny model is no longer than an interval and contains one sweep or none.
double allowed(const std::string& name, const nlohmann::json& whole, bool layers)
{
    // In runs that sample layers, the core's work between steps does not count. Half of the rows in
    // omitted layers have high scores.
    const bool rough = name.ends_with("core_j") || name.find("core.") != std::string::npos ||
                       name.ends_with("firmware_seconds") ||
                       name.find(".other") != std::string::npos ||
                       name.find("valid_row_seconds") != std::string::npos;
    if (layers && rough)
        return 0.12;
    if (name == "energy.phase.decode.core_j")
        return 0.015;
    const bool refreshed = whole.contains("kv_edram.refresh.high_msb") && has_refreshes(name);
    if (!refreshed && name.find("_edram.refresh.") == std::string::npos)
        return 0.01;
    return name.find("act_edram") != std::string::npos ? 0.5 : 0.25;
}

/// Lists the figures in which `sampled` differs from `whole` by more than the permitted error.
std::string differences(const nlohmann::json& whole, const nlohmann::json& sampled,
                        bool layers = false)
{
    std::string text;
    std::size_t compared = 0;
    for (const auto& [name, value] : whole.at("metrics").items()) {
        if (name.starts_with("host.") || !value.is_number() ||
            (layers && name.starts_with("sampling.")) || is_excepted(name, whole.at("metrics")))
            continue;
        const double expected = value.get<double>();
        const double found = sampled.at("metrics").at(name).get<double>();
        if (std::abs(found - expected) >
            allowed(name, whole.at("metrics"), layers) * std::abs(expected))
            text += "\n" + name + ": " + value.dump() + " whole, " + std::to_string(found);
        ++compared;
    }
    CHECK(compared > 50);
    return text;
}

} // namespace

TEST_CASE("a sampled run without eviction has the whole run's figures within 1 %")
{
    const Workplace place;
    std::vector<std::string> options{"--set", priced};
    const nlohmann::json whole = run(place, "systems/original.yaml", options);
    options.insert(options.end(), {"--set", "sampling.steps=24", "--set", "sampling.chunks=8"});
    const nlohmann::json sampled = run(place, "systems/original.yaml", options);
    CHECK(differences(whole, sampled) == "");
    CHECK(sampled.at("metrics").at("sampling.steps") == 24);
    CHECK(sampled.at("metrics").at("sampling.steps_of") == 299);
    CHECK(sampled.at("metrics").at("generate.tokens") == 900);
    CHECK(sampled.at("metrics").at("sampling.chunks") <
          sampled.at("metrics").at("sampling.chunks_of"));
    CHECK(sampled.at("metrics").at("energy.total_j") > 0);
}

TEST_CASE("runs with few samples state the error of their times, in the results and in the table")
{
    const Workplace place;
    const nlohmann::json metrics = run(place, "systems/original.yaml",
                                       {"--set", "sampling.steps=6", "--set", "sampling.chunks=8"})
                                       .at("metrics");
    std::map<std::string, std::array<double, 2>> table;
    std::istringstream lines(place.read("out/sampling.csv"));
    std::string name, value, error;
    std::getline(lines, name);
    CHECK(name == "metric,value,error");
    while (std::getline(lines, name, ',') && std::getline(lines, value, ',') &&
           std::getline(lines, error))
        if (error.empty()) // The phase has no samples.
            CHECK_THAT(name, Catch::Contains(".other"));
        else
            table[name] = {std::stod(value), std::stod(error)};
    double largest = 0;
    for (const std::string figure : {"sim.seconds", "prefill.seconds", "decode.seconds"}) {
        INFO(figure);
        const double estimate = metrics.at("sampling.error." + figure).get<double>();
        CHECK(estimate < 0.03);
        largest = std::max(largest, estimate);
        REQUIRE(table.contains(figure));
        CHECK(table[figure][0] == Approx(metrics.at(figure).get<double>()).epsilon(1e-8));
        CHECK(table[figure][1] == Approx(estimate).epsilon(0.006)); // The table has three digits.
    }
    CHECK(largest > 0);
}

TEST_CASE("a sampled run with a limited cache has the whole run's figures within 1 %")
{
    const Workplace place;
    std::vector<std::string> kept{
        "--set", "kv_cache.budget=128", "--set", "kv_cache.recent_window=32",
        "--set", "kv_cache.sinks=4",    "--set", "workload.scheduler=kelle"};
    for (const std::string policy : {"aep", "aerp"})
        for (const std::string system : {"aep_sram", "kelle"}) {
            INFO(policy << " on " << system);
            std::vector<std::string> options = kept;
            options.insert(options.end(), {"--set", "kv_cache.policy=" + policy});
            if (system == "kelle" && policy == "aep")
                options.insert(options.end(), {"--set", priced});
            const nlohmann::json whole = run(place, "kelle/systems/" + system + ".yaml", options);
            options.insert(options.end(),
                           {"--set", "sampling.steps=24", "--set", "sampling.chunks=8"});
            const nlohmann::json sampled = run(place, "kelle/systems/" + system + ".yaml", options);
            CHECK(differences(whole, sampled) == "");
        }
}

TEST_CASE("a sampled run recomputes as many rows as the whole run, and prints no error of decoding")
{
    const Workplace place;
    // One prompt fills the cache. Another is longer than the cache, and its stored inputs grow for
    // 70 steps.
    for (const auto& [system, prompt, steps] :
         {std::array{"aep_sram", "90", "16"}, std::array{"kelle", "90", "32"},
          std::array{"aep_sram", "200", "16"}, std::array{"kelle", "200", "24"}}) {
        INFO(system << ", " << prompt << " tokens, " << steps << " steps");
        std::vector<std::string> options{"--set", std::string("workload.prompt_tokens=") + prompt,
                                         "--set", "kv_cache.policy=aerp",
                                         "--set", "kv_cache.budget=128",
                                         "--set", "kv_cache.recent_window=32",
                                         "--set", "kv_cache.sinks=4",
                                         "--set", "kv_cache.score=logit",
                                         "--set", "kv_cache.recompute=all",
                                         "--set", "workload.scheduler=kelle"};
        const std::string file = std::string("kelle/systems/") + system + ".yaml";
        const auto figures = [&] { return run(place, file, options).at("metrics"); };
        const nlohmann::json whole = figures();
        options.insert(options.end(), {"--set", std::string("sampling.steps=") + steps, "--set",
                                       "sampling.chunks=8"});
        const nlohmann::json sampled = figures();
        const auto off = [&](const char* name) {
            return std::abs(sampled.at(name).get<double>() / whole.at(name).get<double>() - 1);
        };
        CHECK(whole.at("kelle.recompute_rows") > 100'000);
        CHECK(off("kelle.recompute_rows") < 0.002);
        CHECK(off("rsa.macs") < 0.002);
        CHECK(sampled.contains("sampling.error.prefill.seconds"));
        for (const char* const name : {"decode.seconds", "sim.seconds"}) {
            INFO(name);
            CHECK(off(name) < 0.005);
            CHECK_FALSE(sampled.contains(std::string("sampling.error.") + name));
        }
    }
}

TEST_CASE("at final length every step counts as the last, and the results say so")
{
    const Workplace place;
    // With final lengths, each of 299 steps counts as the last one, with 389 tokens. Without them,
    // steps grow from 91 to 389 tokens.
    const nlohmann::json whole =
        run(place, "systems/original.yaml", {"--set", "sampling.steps=299"});
    const nlohmann::json last =
        run(place, "systems/original.yaml",
            {"--set", "sampling.steps=2", "--set", "sampling.lengths=final"});
    CHECK(warnings(whole).empty());
    REQUIRE(warnings(last).size() == 1);
    CHECK_THAT(warnings(last)[0], Catch::Contains("every decode step is timed as the last one"));
    CHECK(last.at("metrics").at("prefill.seconds") == whole.at("metrics").at("prefill.seconds"));
    CHECK(last.at("metrics").at("generate.tokens") == whole.at("metrics").at("generate.tokens"));
    CHECK(last.at("metrics").at("sampling.steps") == 2);
    CHECK(last.at("metrics").contains("sampling.error.prefill.seconds"));
    CHECK_FALSE(last.at("metrics").contains("sampling.error.decode.seconds"));
    // By hand, keys and values are 389 tokens of 3 sequences, in 5 layers with 4 heads of 16
    // elements, 2 bytes each.
    const auto read = [](const nlohmann::json& results) {
        return results.at("metrics").at("dram.read_bytes").get<double>();
    };
    const double token = 3 * 2 * 5 * 4 * (16 * 2 + 4);
    const double growing = 299 * (91 + 389) / 2.0, final_ones = 299 * 389;
    CHECK(read(last) - read(whole) == Approx(token * (final_ones - growing)).epsilon(0.01));
}

TEST_CASE("a shape may be used with as many KV heads as heads, but an image may not")
{
    const Workplace place;
    const auto seconds = [&](const std::vector<std::string>& options) {
        return run(place, "systems/original.yaml", options).at("metrics").at("sim.seconds");
    };
    const auto all = seconds({});
    const auto grouped = seconds({"--set", "model.shape.kv_heads=2"});
    CHECK(grouped < all);
    CHECK(seconds({"--set", "model.shape.kv_heads=2", "--set", "model.attention=mha"}) == all);
    const Outcome refused =
        place.levee({"run", "demo", "--quiet", "--out", "out", "--set", "model.attention=mha"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text, Catch::Contains("'model.attention' is given without 'model.shape'"));
}

TEST_CASE(
    "free recomputation counts only in timing-only runs, halves keys and values, and is labelled")
{
    const Workplace place;
    // Every kept token is stored as its input and kept by every head.
    place.write("all.yaml", "logit: [{budget: 128, holders: 1, newest_victims: 0.5, high_victims: "
                            "0.2, popular: 1, turnover: 1, arrivals_high: 0, swaps: 0}]\n");
    const std::vector<std::string> kept{
        "--set", "kv_cache.policy=aerp",         "--set", "kv_cache.budget=128",
        "--set", "kv_cache.recent_window=32",    "--set", "kv_cache.score=logit",
        "--set", "decisions.statistics=all.yaml"};
    const auto results = [&](const std::string& recompute) {
        std::vector<std::string> options = kept;
        options.insert(options.end(), {"--set", "kv_cache.recompute=" + recompute});
        return run(place, "kelle/systems/aep_sram.yaml", options);
    };
    const nlohmann::json off = results("off"), free = results("free");
    CHECK(warnings(off).empty());
    REQUIRE(warnings(free).size() == 1);
    CHECK_THAT(warnings(free)[0], Catch::Contains("is unrealistic: the run only reads"));
    const auto of = [](const nlohmann::json& from, const char* name) {
        return from.at("metrics").at(name).get<double>();
    };
    // Keys and values of 300 steps, 5 layers and 3 sequences. Each input in use replaces two
    // vectors by one vector of 64. All tokens have inputs except the arriving one.
    const double rows = of(free, "kelle.recompute_rows");
    CHECK(rows > 0.97 * 5 * 3 * (299.0 * 128 - 38 * 38 / 2.0));
    CHECK(rows < 1.01 * 5 * 3 * 299 * 129);
    CHECK(of(off, "dram.read_bytes") - of(free, "dram.read_bytes") ==
          Approx(rows * 128).epsilon(0.05));
    const Outcome refused = place.levee(
        {"run", "kelle/demo", "--quiet", "--out", "out", "--set", "kv_cache.recompute=free"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text,
               Catch::Contains("'kv_cache.recompute' is free, so keys and values are"));
}

TEST_CASE("a model that is larger than its DRAM is an error")
{
    const Workplace place;
    place.write("tiny.yaml", shape);
    place.write("s.yaml", std::string("system: systems/original.yaml\n") + work);
    const Outcome refused =
        place.levee({"run", "s.yaml", "--quiet", "--out", "out", "--set", "model.shape.layers=4096",
                     "--set", "model.shape.dim=8192"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text, Catch::Contains("the model and its prompts need") &&
                                 Catch::Contains("'allow_overcommit: true'"));
}

TEST_CASE("a cache that is larger than its DRAM is an error, or with allow_overcommit a warning")
{
    const Workplace place;
    place.write("tiny.yaml", shape);
    place.write("s.yaml", std::string("system: systems/original.yaml\n") + work);
    std::vector<std::string> arguments{"run",
                                       "s.yaml",
                                       "--quiet",
                                       "--out",
                                       "out",
                                       "--set",
                                       "model.max_context=16000",
                                       "--set",
                                       "workload.batch=128",
                                       "--set",
                                       "model.shape.layers=64",
                                       "--set",
                                       "workload.max_new_tokens=2"};
    const Outcome refused = place.levee(arguments);
    CHECK(refused.code == 1);
    CHECK_THAT(nlohmann::json::parse(place.read("out/results.json")).at("text").get<std::string>(),
               Catch::Contains("memory dram has") && Catch::Contains("allow_overcommit"));
    arguments.insert(arguments.end(), {"--set", "system.memories.dram.allow_overcommit=true"});
    const Outcome warned = place.levee(arguments);
    INFO(warned.text);
    REQUIRE(warned.code == 0);
    CHECK_THAT(warned.text, Catch::Contains("dram is overcommitted"));
    const nlohmann::json results = nlohmann::json::parse(place.read("out/results.json"));
    REQUIRE(results.at("warnings").size() == 1);
    CHECK_THAT(results.at("warnings")[0].get<std::string>(),
               Catch::Contains("16.00 GiB are installed"));
    CHECK(results.at("metrics").at("dram.overcommitted_bytes") > 1'000'000'000);
}

TEST_CASE("a long run prints its progress to a terminal, and nothing else")
{
    const Workplace place;
    place.write("tiny.yaml", shape);
    place.write("s.yaml", std::string("system: systems/original.yaml\n") + work);
    // The run is long enough for the progress bar, which is drawn every 0.1 s, even on a much
    // faster host.
    const std::vector<std::string> command{"run",   "s.yaml",
                                           "--out", "out",
                                           "--set", "workload.max_new_tokens=4000",
                                           "--set", "model.max_context=4096"};
    CHECK_THAT(place.levee(command).text, !Catch::Contains(" s left"));
    std::string line = quote(LEVEE_PROGRAM);
    for (const std::string& word : command)
        line += " " + word;
    CHECK_THAT(place.shell("script -qec " + quote(line) + " /dev/null").text,
               Catch::Contains("%, about") && Catch::Contains(" s left"));
}

namespace {

/// Runs a scenario of the tiny shape with 24 layers: whole, with samples of steps and chunks, and
/// with additional samples of layers. Returns the differences.
std::string layers_differ(const Workplace& place, const std::string& system,
                          std::vector<std::string> options)
{
    options.insert(options.end(), {"--set", "model.shape.layers=24", "--set", "sampling.steps=8",
                                   "--set", "sampling.chunks=4"});
    const nlohmann::json whole = run(place, system, options);
    options.insert(options.end(), {"--set", "sampling.layers=2"});
    const nlohmann::json sampled = run(place, system, options);
    CHECK(whole.at("metrics").count("sampling.layers") == 0);
    CHECK(sampled.at("metrics").at("sampling.layers_of") == 24);
    CHECK(sampled.at("metrics").at("sampling.layers") < 12);
    CHECK(sampled.at("metrics").at("generate.tokens") == whole.at("metrics").at("generate.tokens"));
    return differences(whole, sampled, true);
}

} // namespace

TEST_CASE("samples of layers have the figures of all layers")
{
    const Workplace place;
    CHECK(layers_differ(place, "systems/original.yaml", {"--set", priced}) == "");
}

TEST_CASE("samples of layers match all layers when tokens are evicted and eDRAM holds some slices")
{
    const Workplace place;
    CHECK(layers_differ(place, "kelle/systems/kelle.yaml",
                        {"--set", priced, "--set", "model.shape.dim=1024", "--set",
                         "model.shape.heads=16", "--set", "model.shape.kv_heads=16", "--set",
                         "model.shape.head_dim=64", "--set", "model.shape.hidden=2816", "--set",
                         "workload.scheduler=kelle", "--set",
                         "kv_cache={policy: aep, budget: 64, sinks: 4, recent_window: 16}"}) == "");
}
