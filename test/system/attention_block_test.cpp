// SPDX-License-Identifier: Apache-2.0
// Kelle's section 6: measures how long the data of an attention block stay stored, in the paper's
// order and in the order to which the paper compares it. The eDRAM itself records this.
#include "test/system/program.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::uint64_t weight_bandwidth = 128, key_bandwidth = 128; // in bytes per ns

/// All weights fit into the SRAM. Keys and values are in one eDRAM, activations in another.
const char* const system_text =
    R"(system:
  extends: systems/original_32x32.yaml
  name: block
  memories:
    sram: {size: 2 MiB, roles: [model]}
    dram: {roles: [spill]}
    keys: # section 6 counts no refresh of keys and values
      {type: edram, layout: kv, size: 4 MiB, banks: 32, access: 2 ns, row: 16 B, refresh: 500 ps,
       latency: 2 ns, intervals: 0 us, roles: [kv]}
    acts:
      {type: edram, size: 256 KiB, banks: 32, access: 2 ns, refresh: 4 ns, latency: 2 ns,
       intervals: 45 us, roles: [activations]}
  blocks:
    rsa_kv: {type: rsa, shares: rsa}
)";

struct Block {
    std::uint64_t ts = 0, te = 0;                 ///< times in ps
    std::map<std::string, std::uint64_t> waiting; ///< ps for each of x, q, k and v; absent if never
                                                  ///< discarded.
};

Block run_block(const Workplace& place, const std::string& app, const std::string& scheduler)
{
    std::string text = system_text;
    text +=
        "timing: {rsa: streams, rsa_kv: streams, sfu: false, dma: false, latency: false, fetch: "
        "false}\nmodel: {image: block.levee}\n"
        "workload: {app: " +
        app + ", scheduler: " + scheduler +
        ", prompt_ids: [[1]], context: 512, max_new_tokens: 1}\n"
        "observe: {lifetimes: lifetimes.csv}\n";
    place.write("block.yaml", text);
    REQUIRE(place.levee({"run", "block.yaml", "--out", "out"}).code == 0);
    const nlohmann::json metrics = place.results("out").at("metrics");
    const auto figure = [&](const std::string& name) {
        return metrics.at("block." + name).get<std::uint64_t>();
    };
    Block block;
    block.ts = figure("weight_bytes") * 1000 / weight_bandwidth;
    block.te = figure("key_bytes") * 1000 / key_bandwidth;
    std::istringstream lines(place.read("out/lifetimes.csv"));
    std::string line;
    std::getline(lines, line);
    REQUIRE(line == "memory,address,bytes,written_ps,discarded_ps");
    while (std::getline(lines, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        std::string memory;
        std::uint64_t address = 0, bytes = 0, written = 0, discarded = 0;
        fields >> memory >> address >> bytes >> written >> discarded;
        for (const std::string name : {"x", "q", "k", "v"})
            if (address == figure(name + ".address"))
                block.waiting[name] = discarded - written;
    }
    std::uint64_t sum = 0;
    for (const auto& [name, waited] : block.waiting) {
        CHECK(figure(name + ".lifetime_ps") == waited);
        sum += waited;
    }
    CHECK(metrics.at("block.lifetime_ps") == sum);
    return block;
}

void import_block(const Workplace& place)
{
    REQUIRE(place
                .levee({"import", "synthetic", "--dim", "512", "--hidden", "256", "--layers", "1",
                        "--heads", "4", "--vocab", "64", "--context", "2048", "-o", "block.levee"})
                .code == 0);
}

} // namespace

TEST_CASE("data lifetimes: 6 Ts + 4 Te one after another, 4 Ts + Te in Kelle's order")
{
    const Workplace place;
    import_block(place);
    Block block = run_block(place, "attention_block", "kelle_baseline");
    using Waiting = std::map<std::string, std::uint64_t>;
    CHECK(block.waiting == Waiting{{"x", 3 * block.ts},
                                   {"q", 2 * block.ts + block.te},
                                   {"k", block.ts + block.te},
                                   {"v", 2 * block.te}});
    block = run_block(place, "attention_block", "kelle");
    CHECK(block.waiting ==
          Waiting{{"x", 3 * block.ts}, {"q", block.ts + block.te}, {"k", 0}, {"v", 0}});
}

TEST_CASE("without its waits the block has other data lifetimes")
{
    const Workplace place;
    import_block(place);
    for (const std::string scheduler : {"kelle", "kelle_baseline"}) {
        const Block right = run_block(place, "attention_block", scheduler);
        const Block hasty = run_block(place, "attention_block_hasty", scheduler);
        CHECK(right.waiting != hasty.waiting);
    }
}

namespace {

/// One row of the shipped study's table, which has a row for each point.
struct Row {
    std::map<std::string, std::int64_t> waiting; ///< times in ps
    std::int64_t sum = 0, ts = 0, te = 0;
};

/// Returns the study's table by point. A point's name is a cause, prefixed by the order of
/// operations.
std::map<std::string, Row> sweep_lifetimes(const Workplace& place)
{
    REQUIRE(place.levee({"sweep", "kelle/studies/lifetimes.yaml", "--out", "swept"}).code == 0);
    std::istringstream lines(place.read("swept/table.csv"));
    std::string line;
    std::getline(lines, line);
    REQUIRE(line == "point,order,timing,seed,X,Q,K,V,sum,Ts,Te,error");
    std::map<std::string, Row> rows;
    while (std::getline(lines, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        std::string point, order, timing;
        Row row;
        fields >> point >> order >> timing;
        for (const char* const name : {"x", "q", "k", "v"})
            fields >> row.waiting[name];
        fields >> row.sum >> row.ts >> row.te;
        REQUIRE(fields);
        rows[point] = row;
    }
    return rows;
}

/// Returns the time that each cause adds to the sum, in the order of the study.
std::map<std::string, std::int64_t> excess(const std::map<std::string, Row>& rows,
                                           const std::string& order)
{
    std::map<std::string, std::int64_t> added;
    std::int64_t before = rows.at(order + "/ideal").sum;
    for (const std::string cause :
         {"array", "function_unit", "dma", "evictor", "latency", "real", "scales"}) {
        const Row& row = rows.at(order + "/" + cause);
        const auto& w = row.waiting;
        CHECK(row.sum == w.at("x") + w.at("q") + w.at("k") + w.at("v"));
        added[cause] = row.sum - before;
        before = row.sum;
    }
    return added;
}

} // namespace

TEST_CASE("the study of lifetimes starts with section 6's sums, then adds an excess for each cause")
{
    const Workplace place;
    import_block(place);
    const std::map<std::string, Row> rows = sweep_lifetimes(place);
    REQUIRE(rows.size() == 16);
    const Row& baseline = rows.at("kelle_baseline/ideal");
    CHECK(baseline.sum == 6 * baseline.ts + 4 * baseline.te);
    const Row& kelle = rows.at("kelle/ideal");
    CHECK(kelle.sum == 4 * kelle.ts + kelle.te);

    const auto in_order = excess(rows, "kelle_baseline");
    // If nothing else takes time, the array is faster than its memories.
    CHECK(in_order.at("array") == 0);
    CHECK(in_order.at("dma") > 0); // The arriving key and value are copied to their slots.
    const auto in_parallel = excess(rows, "kelle");
    CHECK(in_parallel.at("array") > 0); // Two products share the array's cycles.
    CHECK(in_parallel.at("dma") == 0);  // Nothing needs to be copied.
    for (const auto& added : {in_order, in_parallel}) {
        CHECK(added.at("function_unit") > 0);
        CHECK(added.at("evictor") == 0); // Nothing needs to be evicted.
        CHECK(added.at("latency") > 0);
        CHECK(added.at("real") == 0); // Everything is fetched before anything starts.
        CHECK(added.at("scales") > 0);
    }
}

TEST_CASE("timing: the same rule switches off the time of any component")
{
    const Workplace place;
    import_block(place);
    const auto lifetime = [&](const std::string& timing) {
        REQUIRE(place
                    .levee({"run", "kelle/attention_block", "--set", "model.image=block.levee",
                            "--set", "timing=" + timing, "--out", "out"})
                    .code == 0);
        return place.results("out").at("metrics").at("block.lifetime_ps").get<std::uint64_t>();
    };
    CHECK(lifetime("{}") == lifetime("real"));
    const auto warns = [&] {
        return place.read("out/results.json").find("'timing' omits the time of") !=
               std::string::npos;
    };
    CHECK_FALSE(warns());
    const std::string others = "latency: false, fetch: false}";
    CHECK(
        lifetime("{rsa: streams, rsa_kv: streams, sfu: streams, dma: streams, evictor: streams, " +
                 others) == lifetime("ideal"));
    CHECK(lifetime("{latency: false}") < lifetime("real"));
    (void)lifetime("{sfu: streams}");
    CHECK(place.read("out/results.json").find("'timing' omits the time of sfu:") !=
          std::string::npos);
    const std::string only_streams = "sfu: false, dma: false, evictor: false, " + others;
    CHECK(lifetime("{" + only_streams) >
          lifetime("{rsa: streams, rsa_kv: streams, " + only_streams));
    place.write("typo.yaml", "extends: kelle/attention_block.yaml\ntiming:\n  latency: false\n"
                             "  evicter: false\n");
    const Outcome outcome = place.levee({"run", "typo.yaml"});
    CHECK(outcome.code == 2);
    place.write("unlike.yaml", "extends: kelle/attention_block.yaml\ntiming: {x: false}\n");
    CHECK(place.levee({"run", "unlike.yaml"})
              .text.find("unknown key 'timing.x'; expected one of: latency, fetch, dma, rsa, "
                         "rsa_kv, sfu, evictor\n") != std::string::npos);
    place.write("memory.yaml", "extends: kelle/attention_block.yaml\ntiming: {sram: false}\n");
    CHECK(place.levee({"run", "memory.yaml"})
              .text.find("'timing.sram' names a component without operations") !=
          std::string::npos);
    CHECK(
        outcome.text.find("typo.yaml:4:3: unknown key 'timing.evicter'; did you mean 'evictor'?") !=
        std::string::npos);
}

TEST_CASE("staged keys and values take the space of their codes")
{
    const Workplace place;
    import_block(place);
    for (const std::uint64_t bits : {16, 8, 4}) {
        INFO(bits << " bits");
        place.write("block.yaml",
                    system_text +
                        std::string("model: {image: block.levee}\n"
                                    "workload: {app: attention_block, scheduler: kelle_baseline, "
                                    "prompt_ids: [[1]], context: 512, max_new_tokens: 1}\n"
                                    "kv_cache: {policy: full, bits: ") +
                        std::to_string(bits) + "}\n");
        REQUIRE(place.levee({"run", "block.yaml", "--out", "out"}).code == 0);
        const nlohmann::json metrics = place.results("out").at("metrics");
        const auto address = [&](const char* name) {
            return metrics.at(name).get<std::uint64_t>();
        };
        // The values of one token (4 heads of 128 elements) follow the keys.
        CHECK(address("block.v.address") - address("block.k.address") == 512 * bits / 8);
    }
}
