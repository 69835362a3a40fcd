// Kelle's section 6: how long the data of one attention block wait, in the paper's order and in the
// one it is compared with, from the eDRAM's own record.
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

constexpr std::uint64_t weight_bandwidth = 128, key_bandwidth = 128; // bytes a nanosecond

/// All weights fit the SRAM; keys and values lie in one eDRAM, activations in another.
const char* const system_text =
    R"(system:
  extends: systems/original_32x32.yaml
  name: block
  memories:
    sram: {size: 2 MiB, roles: [model]}
    dram: {roles: [spill]}
    keys:
      {type: edram, layout: kv, size: 4 MiB, banks: 32, access: 2 ns, refresh: 4 ns, latency: 2 ns,
       intervals: 45 us, roles: [kv]}
    acts:
      {type: edram, size: 256 KiB, banks: 32, access: 2 ns, refresh: 4 ns, latency: 2 ns,
       intervals: 45 us, roles: [activations]}
  blocks:
    rsa_kv: {type: rsa, shares: rsa}
)";

struct Block {
    std::uint64_t ts = 0, te = 0;                 ///< ps
    std::map<std::string, std::uint64_t> waiting; ///< ps, of x, q, k, v; none: never given up
};

Block run_block(const Workplace& place, const std::string& app, const std::string& scheduler)
{
    std::string text = system_text;
    text += "timing: ideal\nmodel: {image: block.levee}\n"
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
        for (const char* const name : {"x", "q", "k", "v"})
            if (address == figure(name))
                block.waiting[name] = discarded - written;
    }
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

TEST_CASE("without its waits the block has other lifetimes")
{
    const Workplace place;
    import_block(place);
    for (const std::string scheduler : {"kelle", "kelle_baseline"}) {
        const Block right = run_block(place, "attention_block", scheduler);
        const Block hasty = run_block(place, "attention_block_hasty", scheduler);
        CHECK(right.waiting != hasty.waiting);
    }
}
