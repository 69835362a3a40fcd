// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/regs.h"
#include "ip/kv_tables/operations.h"
#include "platform/input/config/scenario.hpp"
#include "test/unit/config/files.hpp"

using namespace levee::config;

namespace {

constexpr const char* core = "  name: s\n"
                             "  core: {clock: 1 GHz, timebase: 10 MHz, cycles: {mul: 3}}\n"
                             "  bus: {latency: 2 ns, port_bandwidth: 16 GB/s}\n";
constexpr const char* memories = "  memories:\n"
                                 "    tcm: {type: tcm, size: 1 MiB}\n";

Scenario load(const Files& files, const std::string& text, std::vector<std::string> overrides = {})
{
    const FileFinder finder(files.folder());
    return load_scenario({files.write("s.yaml", text), std::move(overrides), {}}, finder);
}

std::string fault(const std::string& text, std::vector<std::string> overrides = {})
{
    const Files files;
    const std::string message = message_of([&] { (void)load(files, text, std::move(overrides)); });
    const std::string folder = files.folder().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
}

std::string system_text()
{
    return std::string("system:\n") + core + memories;
}

} // namespace

TEST_CASE("a scenario becomes typed values")
{
    const Files files;
    files.write("model.levee", "");
    const Scenario scenario =
        load(files, system_text() +
                        "  commands: {queue_depth: 4, fetch: 20 ns, register_latency: 1 ns}\n"
                        "  blocks:\n    sync: {type: sync, counters: 8}\n"
                        "model: {image: model.levee}\n"
                        "workload: {app: generate, prompts: [a, \"\"], batch: 2}\n"
                        "seed: 7\n");
    CHECK(scenario.name == "s");
    CHECK(scenario.seed == 7);
    CHECK(scenario.system.core.clock_hz == 1'000'000'000);
    CHECK(scenario.system.core.costs.mul == 3);
    CHECK(scenario.system.core.costs.div == 1);
    CHECK(scenario.system.bus.latency_ps == 2000);
    CHECK(scenario.system.commands.fetch_ps == 20000);
    REQUIRE(scenario.system.blocks.size() == 1);
    CHECK(scenario.system.blocks[0].type == "sync");
    REQUIRE(scenario.workload);
    CHECK(scenario.workload->prompts == std::vector<std::string>{"a", ""});
    CHECK(scenario.workload->scheduler.name == "baseline");
    REQUIRE(scenario.model);
    CHECK(scenario.model->image == files.path("model.levee"));
}

TEST_CASE("the seed of the command line takes precedence over the scenario's")
{
    const Files files;
    const FileFinder finder(files.folder());
    const std::string file = files.write("s.yaml", system_text() + "seed: 7\n");
    CHECK(load_scenario({file, {}, 9}, finder).seed == 9);
}

TEST_CASE("overrides reach every key, and only keys that exist")
{
    const Files files;
    CHECK(load(files, system_text(), {"system.core.clock=2 GHz"}).system.core.clock_hz ==
          2'000'000'000);
    CHECK(load(files, system_text(), {"system.core.cycles.div=9"}).system.core.costs.div == 9);
    CHECK(fault(system_text(), {"system.core.clok=2 GHz"}) ==
          "--set system.core.clok=2 GHz: unknown key 'system.core.clok'; did you mean 'clock'?");
    CHECK(fault(system_text(), {"sistem.core.clock=2 GHz"}) ==
          "--set sistem.core.clock=2 GHz: unknown key 'sistem'; did you mean 'system'?");
    CHECK(fault(system_text(), {"system.memories.tmc.size=2 MiB"}) ==
          "--set system.memories.tmc.size=2 MiB: there is no 'system.memories.tmc'; did you mean "
          "'tcm'?");
    CHECK(fault(system_text(), {"system.core.clock=2"}) ==
          "--set system.core.clock=2: 'system.core.clock' is '2', which lacks its unit; expected a "
          "frequency such as '1 GHz'");
}

TEST_CASE("keys that exclude each other are refused at their place")
{
    const std::string model = "model: {image: s.yaml}\n";
    CHECK(fault(system_text() +
                "workload:\n  app: generate\n  prompts: [a]\n  text_file: s.yaml\n") ==
          "s.yaml:10:14: 'workload.text_file' is given, and so is 'workload.prompts'; "
          "expected one source of text");
    CHECK(fault(system_text() + "workload: {app: generate, separator: x}\n") ==
          "s.yaml:7:38: 'workload.separator' is given without 'workload.text_file', "
          "to which it applies; expected both or neither");
    CHECK(fault(system_text() + "workload: {app: generate, temperature: 0.5}\n") ==
          "s.yaml:7:40: 'workload.temperature' has no effect with 'workload.sampling: greedy'; "
          "expected "
          "'sampling: temperature', or 'temperature: null', which removes a file's value");
    CHECK(
        fault(system_text() + "workload: {app: generate, prompts: [[1, 2]]}\n") ==
        "s.yaml:7:37: an item of 'workload.prompts' is a list; expected text. Token ids belong in "
        "'workload.prompt_ids'");
    CHECK(
        fault("system: off\n") ==
        "s.yaml:1:9: 'system' is 'off'; expected a file such as systems/original.yaml, or a map of "
        "its keys and values");
    CHECK(fault(system_text() + "workload: {app: generate, prompt_ids: [[1], [x]]}\n") ==
          "s.yaml:7:46: 'workload.prompt_ids' has a single value here; expected a token id");
    CHECK(fault(system_text() + "  blocks: {tcm: {type: sync}}\n"
                                "  commands: {queue_depth: 4, fetch: 0, register_latency: 0}\n") ==
          "s.yaml:7:17: the name 'tcm' is already used; expected another name");
    for (const std::string cause : {"fetch", "latency"}) // These are keys of `timing:`.
        CHECK(fault(system_text() + "  blocks: {" + cause +
                    ": {type: sync}}\n"
                    "  commands: {queue_depth: 4, fetch: 0, register_latency: 0}\n") ==
              "s.yaml:7:" + std::to_string(14 + cause.size()) + ": the name '" + cause +
                  "' is already used; expected another name");
    for (const std::string figure :
         {"chip_other", "total", "on_chip", "off_chip", "per_token", "phase", "operation"})
        CHECK(
            fault(system_text() + "  blocks: {" + figure +
                  ": {type: sync}}\n"
                  "  commands: {queue_depth: 4, fetch: 0, register_latency: 0}\n") ==
            "s.yaml:7:" + std::to_string(14 + figure.size()) + ": the name '" + figure +
                "' is reserved for other figures of energy and area (docs/scenarios.md); expected "
                "another name");
    CHECK(fault(system_text() + "  blocks: {Sync: {type: sync}}\n"
                                "  commands: {queue_depth: 4, fetch: 0, register_latency: 0}\n") ==
          "s.yaml:7:12: the name 'Sync' is not valid; expected lower-case letters, digits and _");
}

TEST_CASE("missing parts are named")
{
    CHECK(fault("seed: 1\n") == "s.yaml:1:1: the file lacks the key 'system'");
    CHECK(fault("system:\n" + std::string(core)) ==
          "s.yaml:2:3: 'system' lacks the key 'memories'");
    CHECK(fault(system_text() + "  blocks: {sync: {type: sync}}\n") ==
          "s.yaml:2:3: 'system' lacks the key 'commands', which 'blocks' needs");
    CHECK(fault(system_text() + "model: {image: none.levee}\n")
              .starts_with("s.yaml:7:16: no file 'none.levee'"));
    CHECK(fault("[]\n") == "s.yaml:1:1: the file holds a list; expected a map of keys and values");
    CHECK(fault("") == "s.yaml:1:1: the file holds nothing; expected a map of keys and values");
}

TEST_CASE("kv_cache: the values that firmware gets about the cache")
{
    const Files files;
    CHECK(load(files, system_text()).kv_cache.boot.kv.kind == LEVEE_KV_FULL);
    const levee_kv_policy policy =
        load(files, system_text() +
                        "kv_cache: {policy: aerp, budget: 128, recent_window: 64, sinks: 10,\n"
                        "  score: logit, search: after, view_bits: 5, recent_high: true, "
                        "recompute: all, staging: "
                        "64 KiB,\n"
                        "  refresh: {high_msb: 360 us, low_lsb: 7200 us},\n"
                        "  activation_refresh: 45 us}\n")
            .kv_cache.boot.kv;
    CHECK(policy.kind == LEVEE_KV_AERP);
    CHECK(policy.budget == 128);
    CHECK(policy.window == 64);
    CHECK(policy.sinks == 10);
    CHECK(policy.score == LEVEE_SE_LOGIT);
    CHECK(policy.search == LEVEE_KV_SEARCH_AFTER);
    CHECK(policy.view_bits == 5);
    CHECK(policy.recent_high == 1);
    CHECK(policy.recompute == LEVEE_KV_RECOMPUTE_ALL);
    CHECK(policy.staging_bytes == 65536);
    CHECK(policy.refresh_ps[LEVEE_EDRAM_HIGH_MSB] == 360'000'000);
    CHECK(policy.refresh_ps[LEVEE_EDRAM_HIGH_LSB] == 0);
    CHECK(policy.refresh_ps[LEVEE_EDRAM_LOW_LSB] == 7'200'000'000);
    CHECK(policy.activation_refresh_ps == 45'000'000);
}

TEST_CASE("kv_cache: random eviction draws a victim at each eviction, unless ranks are permanent")
{
    const Files files;
    const auto draw = [&](const std::string& keys) {
        return load(files, system_text() + "kv_cache: {policy: random, budget: 64" + keys + "}\n")
            .kv_cache.boot.random.draw;
    };
    CHECK(draw("") == LEVEE_KV_DRAW_VICTIM);
    CHECK(draw(", draw: victim") == LEVEE_KV_DRAW_VICTIM);
    CHECK(draw(", draw: rank") == LEVEE_KV_DRAW_RANK);
    const Scenario aep =
        load(files, system_text() + "kv_cache: {policy: aep, budget: 64, draw: rank}\n");
    CHECK(aep.kv_cache.boot.random.draw == LEVEE_KV_DRAW_VICTIM);
    CHECK(aep.kv_cache.unused == std::vector<std::string>{"draw"});
}

TEST_CASE("kv_cache: invalid values are refused at their key")
{
    const std::string head = system_text();
    CHECK_THAT(fault(head + "kv_cache: {policy: aep}\n"),
               Catch::StartsWith("s.yaml:7:11: ") && Catch::Contains("budget"));
    CHECK_THAT(fault(head + "kv_cache: {policy: aep, budget: 64, recent_window: 60, sinks: 4}\n"),
               Catch::StartsWith("s.yaml:7:33: ") && Catch::Contains("more than the 64"));
    CHECK_THAT(fault(head + "kv_cache: {policy: streaming, budget: 4, sinks: 4}\n"),
               Catch::Contains("more than the 4"));
    CHECK_THAT(fault(head + "kv_cache: {policy: h20, budget: 4}\n"), Catch::Contains("h2o"));
    CHECK_THAT(fault(head + "kv_cache: {policy: aep, budget: 65535}\n"),
               Catch::StartsWith("s.yaml:7:33: ") && Catch::Contains("at most 65534"));
    CHECK_THAT(fault(head + "kv_cache: {view_bits: 8}\n"), Catch::StartsWith("s.yaml:7:23: "));
    CHECK_THAT(fault(head + "kv_cache: {refresh: {high: 1 us}}\n"), Catch::Contains("high_msb"));
}

TEST_CASE(
    "kv_cache: keys that a policy does not use are refused if they would mislead, or reported")
{
    const Files files;
    const std::string head = system_text() + "kv_cache: {policy: ";
    const std::string cpq = "cpq: {key_bits: 4, value_bits: 4, max_levels: 2, key_threshold: 0, "
                            "value_threshold: 0}";
    CHECK_THAT(fault(head + "cpq, budget: 64, " + cpq + "}\n"),
               Catch::Contains("'kv_cache.budget' has no effect with 'policy: cpq'"));
    CHECK_THAT(fault(head + "retrieval, ratio: 0.5, retrieval: {bits: 4, top_k: 4}}\n"),
               Catch::Contains("'kv_cache.ratio' has no effect with 'policy: retrieval'"));
    CHECK(load(files, head + "cpq, " + cpq + "}\n").kv_cache.unused.empty());
    CHECK(load(files, head + "full, " + cpq + "}\n").kv_cache.unused ==
          std::vector<std::string>{"cpq"});
    CHECK(load(files, head + "full, retrieval: {bits: 4, top_k: 4}}\n").kv_cache.unused ==
          std::vector<std::string>{"retrieval"});
}

TEST_CASE("kv_cache: a share of the cached tokens is rounded up once")
{
    const Files files;
    for (std::uint64_t tenths = 1; tenths <= 10; ++tenths) {
        const std::string ratio = tenths == 10 ? "1.0" : "0." + std::to_string(tenths);
        const std::uint64_t share =
            load(files, system_text() +
                            "kv_cache: {policy: retrieval, retrieval: {bits: 4, ratio: " + ratio +
                            "}}\n")
                .kv_cache.boot.retrieval.share;
        for (std::uint64_t tokens = 1; tokens <= 4096; ++tokens)
            if (((tokens * share + 0x7FFFFFFF) >> 31) != (tokens * tenths + 9) / 10)
                FAIL(ratio << " of " << tokens);
    }
    CHECK_THAT(fault(system_text() + "kv_cache: {policy: retrieval, retrieval: {bits: 4, top_k: 4, "
                                     "range: 1e-300}}\n"),
               Catch::Contains("range") && Catch::Contains("too small"));
}
