// SPDX-License-Identifier: Apache-2.0
// Tests eDRAMs that hold a cache: refreshes and intervals on every machine, in sampled and in whole
// runs.
#include "test/system/program.hpp"

#include <string>
#include <vector>

using namespace levee::test;

namespace {

const std::string scenarios = LEVEE_SOURCE "/scenarios/";

nlohmann::json metrics_of(const Workplace& place, const std::string& scenario)
{
    place.write("s.yaml", scenario);
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(place.read("out/results.json")).at("metrics");
}

/// A shipped scenario, and its memory for keys and values.
struct Machine {
    std::string scenario, system, dram;
    std::string roles; ///< Roles of that memory other than kv.
};

const Machine veda{"veda/demo.yaml", "systems/veda.yaml", "hbm", "model, state, spill"};

/// Returns a system with keys and values in an eDRAM of 4 MiB.
std::string system_of(const Machine& machine)
{
    return "system:\n  extends: " + scenarios + machine.system + "\n  memories:\n    " +
           machine.dram + ": {roles: [" + machine.roles +
           "]}\n    kv_edram: {type: edram, layout: kv, size: 4 MiB, banks: 32, access: 2 ns, "
           "latency: 1.9 ns, refresh: 4 ns, intervals: 45 us, roles: [kv]}\n";
}

/// Compares the refreshes of an eDRAM with keys and values in a sampled run with those in the whole
/// run.
void check_samples(const std::string& system, const std::string& model, const std::string& workload,
                   const std::string& kv_cache)
{
    const Workplace place;
    place.write("tiny.yaml", "name: tiny\nsource: models/embedded\ndim: 64\nhidden: 172\n"
                             "layers: 5\nheads: 4\nkv_heads: 4\nhead_dim: 16\nvocab: 256\n"
                             "max_context: 1024\nnorm: rms\nnorm_epsilon: 1e-5\n"
                             "activation: silu_glu\nposition: rope_pairs\nbiases: none\n"
                             "tied: true\nweights: int8\n");
    const std::string scenario =
        system + "data: timing_only\nmodel: {shape: tiny.yaml" + model +
        "}\ndecisions: {statistics: tech/decisions/embedded.yaml}\n"
        "workload: {app: generate, prompt_tokens: 16, max_new_tokens: 300, batch: 3, "
        "prefill_chunk: 8, stop_token: none, scheduler: " +
        workload + "}\nkv_cache: {" + kv_cache + "}\n";
    const nlohmann::json whole = metrics_of(place, scenario);
    const nlohmann::json sampled =
        metrics_of(place, scenario + "sampling: {steps: 24, chunks: 2}\n");
    const auto check = [&](const std::string& name, double share) {
        INFO(name);
        CHECK(sampled.at(name).get<double>() ==
              Approx(whole.at(name).get<double>()).epsilon(share));
    };
    check("decode.seconds", 0.01);
    for (const std::string group : {"high_msb", "high_lsb", "low_msb", "low_lsb"}) {
        check("kv_edram.valid_row_seconds." + group, 0.01);
        check("kv_edram.refresh." + group, 0.25); // Refreshes come in sweeps (docs/models.md).
    }
}

} // namespace

TEST_CASE("kv_cache.refresh is of an eDRAM with the role kv under every scheduler")
{
    const std::vector<Machine> machines{
        veda,
        {"cambricon/demo.yaml", "cambricon/systems/small.yaml", "dram", "model, spill"},
        {"pim/retransformer.yaml", "pim/systems/retransformer_small.yaml", "dram", "model, spill"},
        {"pim/titanus_demo.yaml", "pim/systems/titanus_small.yaml", "hbm", "model, state, spill"},
    };
    const Workplace place;
    for (const Machine& machine : machines) {
        INFO(machine.scenario);
        const nlohmann::json metrics = metrics_of(
            place, "extends: " + scenarios + machine.scenario + "\n" + system_of(machine) +
                       "workload: {max_new_tokens: 4, stop_token: none}\n"
                       "kv_cache: {policy: full, refresh: {high_msb: 360 us, high_lsb: 5400 us, "
                       "low_msb: 1440 us, low_lsb: 7200 us}}\n");
        CHECK(metrics.at("kv_edram.write_bytes") > 0);
        CHECK(metrics.at("kv_edram.interval_s.high_msb") == 360e-6);
        CHECK(metrics.at("kv_edram.interval_s.low_lsb") == 7200e-6);
    }
}

TEST_CASE("samples beside an eDRAM with the role kv: all machines fill it")
{
    check_samples(system_of(veda), ", weights: fp16", "veda", "policy: full");
}

TEST_CASE("samples refresh what votes keep as the whole does")
{
    check_samples("system:\n  extends: " + scenarios +
                      "kelle/systems/kelle.yaml\n  memories: {kv_edram: {roles: [kv]}}\n"
                      "  blocks: {voting: {type: voting_engine, capacity: 4096}}\n",
                  "", "kelle",
                  "policy: voting, budget: 200, threshold: {mean: 1, deviation: 0.2}, reserved: 8");
}

TEST_CASE("weights beside keys and values in an eDRAM are refreshed from the first batch on")
{
    const Workplace place;
    const std::string kelle = "extends: " + scenarios +
                              "kelle/demo.yaml\n"
                              "workload: {max_new_tokens: 4, stop_token: none}\n"
                              "kv_cache: {policy: full, recompute: off, refresh: {high_msb: 45 us, "
                              "high_lsb: 45 us, low_msb: 45 us, low_lsb: 45 us}}\n"
                              "system:\n  extends: " +
                              scenarios +
                              "kelle/systems/kelle_resident.yaml\n"
                              "  memories:\n    sram: {roles: [state]}\n";
    const auto row_seconds = [&](const std::string& memories, const char* memory) {
        const nlohmann::json metrics = metrics_of(place, kelle + memories);
        return metrics.at(std::string(memory) + ".valid_row_seconds.high_msb").get<double>() /
               metrics.at("sim.seconds").get<double>();
    };
    const double model = row_seconds("    kv_edram: {layout: plain, roles: [kv]}\n"
                                     "    model_edram: {type: edram, size: 4 MiB, banks: 32, row: "
                                     "128 B, access: 2 ns, latency: 1.9 ns, refresh: 4 ns, "
                                     "intervals: 45 us, roles: [model]}\n",
                                     "model_edram");
    CHECK(row_seconds("    kv_edram: {layout: plain, roles: [model, kv]}\n", "kv_edram") > model);
}

TEST_CASE("a prefill of many layers keeps activations for as short a time as one of few")
{
    // With 28 layers, a chunk has more descriptors than firmware can hold in memory.
    const Workplace place;
    const auto mean_rows = [&](const std::string& layers) {
        const nlohmann::json metrics = metrics_of(
            place, "extends: " + scenarios +
                       "kelle/kelle_edram.yaml\n"
                       "model: {shape: {extends: models/llama3.2-3b.yaml, vocab: 64, layers: " +
                       layers +
                       "}}\n"
                       "workload: {batch: 1, prefill_chunk: 64, prompt_tokens: 256, context: 520, "
                       "max_new_tokens: 1}\n"
                       "kv_cache: {policy: full, recompute: off}\nsampling: off\n");
        return metrics.at("act_edram.valid_row_seconds.high_msb").get<double>() /
               metrics.at("prefill.seconds").get<double>();
    };
    CHECK(mean_rows("28") == Approx(mean_rows("6")).epsilon(0.1));
}
