// SPDX-License-Identifier: Apache-2.0
// Tests requests whose prompts share a prefix.
#include "test/system/program.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

using Table = std::vector<std::map<std::string, std::string>>; // Rows of values by column.

Table table_of(const Workplace& place)
{
    std::istringstream lines(place.read("out/requests.csv"));
    std::vector<std::string> names;
    Table table;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line + ",");
        std::vector<std::string> values;
        for (std::string cell; std::getline(cells, cell, ',');)
            values.push_back(cell);
        if (names.empty()) {
            names = values;
            continue;
        }
        REQUIRE(values.size() == names.size());
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < names.size(); ++i)
            row[names[i]] = values[i];
        table.push_back(std::move(row));
    }
    if (table.back().at("request") == "idle")
        table.pop_back();
    return table;
}

std::vector<int> column(const Table& table, const std::string& name)
{
    std::vector<int> values;
    for (const auto& row : table)
        values.push_back(std::stoi(row.at(name)));
    return values;
}

nlohmann::json results_of(const Workplace& place, const std::string& scenario)
{
    place.write("s.yaml", scenario);
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(place.read("out/results.json"));
}

std::string serving(const std::string& scenario, const std::string& machine,
                    const std::string& workload)
{
    return "extends: " LEVEE_SOURCE "/scenarios/" + scenario + ".yaml\n" + machine +
           "workload:\n  app: serve\n  prompts: null\n  sampling: greedy\n  temperature: null\n"
           "  stop_token: none\n  max_new_tokens: null\n  prefill_chunk: 3\n" +
           workload;
}

constexpr const char* texts =
    "arrival_s,prompt,new_tokens\n"
    "0,Once upon a time the dog was with the whistle,6\n"
    "0,Once upon a time the dog was with the cat,6\n"     // last tokens differ from request 1
    "0,Once upon a time the dog was with the whistle,9\n" // last tokens differ from request 2
    "0.00001,The dog was,3\n"
    "0.5,Once upon a time the dog was with the whistle and,6\n" // all others have finished
    "0.5,Once upon a,2\n"
    "0.6,Then the whistle,4\n"
    "0.7,The dog was with Ben,5\n"
    "0.8,The dog was with Ben,5\n";

/// Requires the same tokens as without sharing, and as for the request alone (requests_test.cpp).
void check_tokens(const std::string& scenario, const std::string& machine, bool copies = true)
{
    const Workplace place;
    place.write("requests.csv", texts);
    for (const std::string batch : {"1", "2", "4"}) {
        const auto run = [&](const std::string& more) {
            return results_of(
                place,
                serving(scenario, machine,
                        "  batch: " + batch + "\n  requests: {file: requests.csv" + more + "}\n"));
        };
        const nlohmann::json apart = run("");
        CHECK_THAT(place.read("out/requests.csv"), !Catch::Contains("shared_tokens"));
        for (const std::string block : {"1", "4"}) {
            INFO(scenario << " batch " << batch << " block " << block);
            const nlohmann::json together = run(", prefix_block: " + block);
            CHECK(together.at("tokens") == apart.at("tokens"));
            const Table table = table_of(place);
            const std::vector<int> shared = column(table, "shared_tokens");
            const std::vector<int> prompts = column(table, "prompt_tokens");
            int sum = 0;
            for (std::size_t i = 0; i < shared.size(); ++i) {
                CHECK(shared[i] % std::stoi(block) == 0);
                // The last token of a prompt is never shared, because its pass produces the first
                // token of the answer.
                CHECK(shared[i] < prompts[i]);
                sum += shared[i];
            }
            CHECK(shared[0] == 0);
            CHECK(shared[1] == (copies || batch == "1" ? 10 - 10 % std::stoi(block)
                                                       : 0)); // Everything except "the cat".
            CHECK(shared[2] == (copies || batch != "4" ? 10 - 10 % std::stoi(block) : 0));
            const nlohmann::json& metrics = together.at("metrics");
            CHECK(metrics.at("requests.shared_tokens") == sum);
            CHECK(metrics.at("requests.shared_bytes") ==
                  sum * metrics.at("kv.bytes_per_token").get<double>());
        }
    }
}

std::string counted(const std::string& requests)
{
    return "extends: " LEVEE_SOURCE "/scenarios/kelle/kelle_edram.yaml\n"
           "model: {shape: {extends: models/llama2-7b.yaml, layers: 2}}\n"
           "sampling: off\nkv_cache: {policy: full, recompute: off}\n"
           "workload: {app: serve, prompt_tokens: null, max_new_tokens: null, context: 128, batch: "
           "4, prefill_chunk: 16, requests: {" +
           requests + "}}\n";
}

void check_refused(const std::string& scenario, const std::string& message)
{
    const Workplace place;
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens,prefix,prefix_tokens\n"
                                "0,5,2,1,6\n");
    place.write("s.yaml", scenario);
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains(message));
}

} // namespace

TEST_CASE("requests that share prefixes have the tokens that they have without")
{
    check_tokens("demo", "");
    check_tokens("kelle/demo", "kv_cache: {policy: full, recompute: off}\n");
    check_tokens("veda/demo", "kv_cache: {policy: full}\n");
    check_tokens("pim/titanus_demo", "", false); // This machine has no DMA engine.
}

TEST_CASE("prefixes are shared where the softmax of a prefill is in parts")
{
    const Workplace place;
    std::string prompt;
    for (int i = 0; i < 8; ++i)
        prompt += "Once upon a time the dog was with the whistle. ";
    place.write("requests.csv", "arrival_s,prompt,new_tokens\n0," + prompt + "The dog,12\n0," +
                                    prompt + "The cat,12\n1," + prompt + "One day,12\n");
    const auto run = [&](const std::string& more) {
        return results_of(place,
                          serving("demo", "system: {memories: {sram: {size: 12 KiB}}}\n",
                                  "  batch: 2\n  requests: {file: requests.csv" + more + "}\n"));
    };
    const nlohmann::json apart = run(""), together = run(", prefix_block: 7");
    CHECK(together.at("tokens") == apart.at("tokens"));
    const std::vector<int> shared = column(table_of(place), "shared_tokens");
    const int tile = together.at("metrics").at("prefill.key_tile");
    CHECK(shared[1] > tile);
    CHECK(shared[1] % tile != 0);
    CHECK(shared[2] == shared[1]);
}

TEST_CASE("an entry that was left is taken as it is, and what others have is copied")
{
    const Workplace place;
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens,prefix,prefix_tokens\n"
                                "0,40,2,7,32\n"  // entry 0
                                "1,40,2,9,32\n"  // entry 1, which has not been used yet
                                "2,48,60,7,36\n" // uses entry 0 without a copy
                                "2,48,60,7,36\n" // entry 2: copied, as entry 0 is taken
                                // uses entry 1 without a copy: all blocks except the last
                                "20,20,2,9,20\n"
                                "21,64,2,3,8\n"   // entry 3, the last unused one
                                "22,64,2,4,8\n"   // entry 0, which became free first
                                "23,40,2,7,32\n"  // uses entry 2 without a copy
                                "24,80,2,4,8\n"); // uses entry 0 without a copy
    const nlohmann::json metrics =
        results_of(place, counted("file: requests.csv, prefix_block: 8")).at("metrics");
    const Table table = table_of(place);
    CHECK(column(table, "shared_tokens") == std::vector<int>{0, 0, 32, 32, 16, 0, 0, 32, 8});
    CHECK(column(table, "copied_tokens") == std::vector<int>{0, 0, 0, 32, 0, 0, 0, 0, 0});
    CHECK(metrics.at("requests.shared") == 5);
    CHECK(metrics.at("requests.copied_tokens") == 32);
    CHECK(metrics.at("requests.copy_s") > 0.0);
    CHECK(metrics.at("requests.saved_estimate_s") > 0.0);
}

TEST_CASE("prefixes that are shared take less time and energy, and no more than is said")
{
    const Workplace place;
    const std::string requests = "count: 12, interval: 1 s, arrivals: regular, prompt_tokens: 96, "
                                 "new_tokens: 2, prefix_tokens: 64";
    const nlohmann::json apart = results_of(place, counted(requests)).at("metrics");
    const nlohmann::json together =
        results_of(place, counted(requests + ", prefix_block: 16")).at("metrics");
    CHECK(together.at("requests.shared_tokens") == 11 * 64);
    // Requests come one at a time, so all use the same entry.
    CHECK(together.at("requests.copied_tokens") == 0);
    const auto difference = [&](const char* name) {
        return apart.at(name).get<double>() - together.at(name).get<double>();
    };
    // The last chunk of each prompt is not saved, since it also produces logits.
    CHECK(difference("prefill.seconds") ==
          Approx(together.at("requests.saved_estimate_s").get<double>()).epsilon(0.15));
    CHECK(difference("energy.total_j") > 0);
    CHECK(together.at("generate.tokens") == 24);
}

/// The calculation is in docs/hand_calculations.md, "A shared prefix": one layer of Llama2-7B. The
/// whole cache is in an SRAM of 128 GB/s, and the DMA engine moves 64 bytes a cycle at 1 GHz.
TEST_CASE("copies of a prefix take as long as by hand, to the nanosecond")
{
    const Workplace place;
    const auto metrics = [&](std::uint32_t tokens) {
        return results_of(
                   place,
                   "extends: " LEVEE_SOURCE "/scenarios/kelle/original_sram.yaml\n"
                   "model: {shape: {extends: models/llama2-7b.yaml, layers: 1}}\n"
                   "system:\n  extends: systems/original.yaml\n  memories:\n"
                   "    sram: {size: 8 MiB, roles: [activations, kv, state]}\n"
                   "    dram: {roles: [model, spill]}\n"
                   "sampling: off\nkv_cache: {policy: full, recompute: off}\n"
                   "workload: {app: serve, prompt_tokens: null, max_new_tokens: null, context: 48, "
                   "batch: 2, prefill_chunk: 16, requests: {count: 2, interval: 1 us, arrivals: "
                   "regular, prompt_tokens: 40, new_tokens: 2, prefix_block: 16, prefix_tokens: " +
                       std::to_string(tokens) + "}}\n")
            .at("metrics");
    };
    const auto by_hand = [](std::uint32_t tokens) {
        const std::uint64_t latency = 2 + 4; // ns of the SRAM and the bus.
        const std::uint64_t vectors = 32 * std::uint64_t{tokens} * 128 * 2;
        const std::uint64_t scales = 32 * std::uint64_t{tokens} * 4;
        return 2 * (2 * vectors / 128 + latency) + 2 * (2 * scales / 128 + latency);
    };
    CHECK(by_hand(16) == 4184);
    double copies[2];
    for (const std::uint32_t blocks : {1u, 2u}) {
        const nlohmann::json run = metrics(16 * blocks);
        CHECK(run.at("requests.copied_tokens") == 16 * blocks);
        CHECK(std::llround(1e12 * run.at("dma.busy_seconds").get<double>()) ==
              1000 * static_cast<long long>(by_hand(16 * blocks)));
        copies[blocks - 1] = run.at("requests.copy_s");
    }
    // The core's work for the copies does not depend on their length.
    CHECK(std::llround(1e12 * (copies[1] - copies[0])) == 4'160'000);
}

TEST_CASE("a burst shares what the first of it has made")
{
    const Workplace place;
    results_of(place, counted("count: 4, interval: 1 ns, arrivals: regular, prompt_tokens: 96, "
                              "new_tokens: 2, prefix_tokens: 64, prefix_block: 16"));
    CHECK(column(table_of(place), "shared_tokens") == std::vector<int>{0, 64, 64, 64});
    CHECK(column(table_of(place), "copied_tokens") == std::vector<int>{0, 64, 64, 64});
}

TEST_CASE("a prompt that fills its entry leaves all but its last row to others")
{
    const Workplace place;
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens,prefix,prefix_tokens\n"
                                "0,128,1,7,128\n0,8,120,1,0\n30,128,1,7,128\n");
    std::string scenario = counted("file: requests.csv, prefix_block: 1");
    scenario.replace(scenario.find("batch: 4"), 8, "batch: 2");
    results_of(place, scenario);
    CHECK(column(table_of(place), "shared_tokens") == std::vector<int>{0, 0, 127});
}

TEST_CASE("prefixes that cannot be shared, or make no sense, are refused at their place")
{
    check_refused(counted("file: requests.csv, prefix_block: 8"),
                  "requests.csv:2:1: prefix_tokens is '6'; expected 0 to 5");
    check_refused(counted("file: requests.csv, prefix_tokens: 8"),
                  "'workload.requests.prefix_tokens' is given, and so is 'file'");
    check_refused(counted("count: 1, interval: 1 s, prompt_tokens: 5, new_tokens: 1, "
                          "prefix_tokens: 6, prefix_block: 1"),
                  "'workload.requests.prefix_tokens' is 6; expected at most the 5");
    check_refused(serving("demo",
                          "system: pim/systems/original_cam.yaml\n"
                          "kv_cache: {policy: retrieval, retrieval: {top_k: 2, bits: 4}}\n",
                          "  requests: {count: 1, interval: 1 s, prompt_tokens: 5, new_tokens: 1, "
                          "prefix_block: 1}\n"),
                  "s.yaml:12:86: 'workload.requests.prefix_block' is given with 'kv_cache.policy: "
                  "retrieval'; expected full");
    check_refused(serving("demo", "kv_cache: {policy: h2o, budget: 8, recent_window: 2}\n",
                          "  requests: {count: 1, interval: 1 s, prompt_tokens: 5, new_tokens: "
                          "1}\n"),
                  "'workload.requests' is given with 'kv_cache.policy: h2o'; expected full or "
                  "retrieval");
    check_refused(serving("pim/cpq", "kv_cache: {policy: full, with: [cpq]}\n",
                          "  requests: {count: 1, interval: 1 s, prompt_tokens: 5, new_tokens: "
                          "1}\n"),
                  "'workload.requests' is given with 'kv_cache.with: cpq'; expected no 'cpq' "
                  "there");
    check_refused("extends: " LEVEE_SOURCE "/scenarios/demo.yaml\nkv_cache: {with: [cpq]}\n",
                  "s.yaml:2:18: 'kv_cache.with' has 'cpq', whose settings are missing; expected "
                  "them in 'kv_cache.cpq'");
    const std::string cpq =
        "kv_cache:\n  policy: full\n  with: [cpq]\n  cpq: {key_bits: 4, "
        "value_bits: 4, max_levels: 16, key_threshold: 0, value_threshold: 0}\n";
    check_refused("extends: " LEVEE_SOURCE "/scenarios/demo.yaml\n" + cpq,
                  "s.yaml:4:9: firmware: this system has no compression block, which "
                  "kv_cache.with cpq needs (part cpq)");
    check_refused("extends: " LEVEE_SOURCE "/scenarios/veda/demo.yaml\n" + cpq,
                  "s.yaml:4:9: firmware: scheduler veda: kv_cache.with cpq: attention by veda does "
                  "not support compressed keys and values");
}

TEST_CASE("a common beginning that is not shared gives a warning")
{
    const Workplace place;
    const auto warnings = [&](const std::string& requests) {
        return results_of(place, counted(requests)).at("warnings").dump();
    };
    const std::string rule = "count: 3, interval: 1 ms, prompt_tokens: 12, new_tokens: 1, ";
    CHECK_THAT(warnings(rule + "prefix_tokens: 8"),
               Catch::Contains("prefix_tokens of 'workload.requests' has no effect: 'prefix_block' "
                               "is not given, so all 3 prompts go through prefill whole. Set "
                               "'prefix_block' to 8 or less"));
    CHECK_THAT(warnings(rule + "prefix_tokens: 8, prefix_block: 9"),
               Catch::Contains("has 9 tokens, and no common beginning has more than 8"));
    CHECK_THAT(warnings(rule + "prefix_tokens: 8, prefix_block: 8"),
               !Catch::Contains("prefix_tokens"));
    CHECK_THAT(warnings(rule + "prefix_block: 8"), !Catch::Contains("prefix_tokens"));
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens,prefix,prefix_tokens\n"
                                "0,9,1,0,5\n0,9,1,0,0\n");
    CHECK_THAT(warnings("file: requests.csv"), Catch::Contains("so all 1 prompts go through"));
}
