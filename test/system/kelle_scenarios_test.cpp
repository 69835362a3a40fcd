// SPDX-License-Identifier: Apache-2.0
// Tests the systems, baselines and refresh strategies in scenarios/kelle. One file selects each of
// them. All do the same work with the reference's bits, and each has the parameters of the machine
// that its name states.
#include "test/system/kelle_case.hpp"

#include <cmath>
#include <map>

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";
const fs::path shipped = fs::path(LEVEE_SOURCE) / "scenarios";

KelleCase on(const std::string& system, const levee_kv_policy& policy, const std::string& scheduler)
{
    KelleCase kelle;
    kelle.shipped = (shipped / system).string();
    kelle.image = embedded;
    kelle.prompts = {drawn_ids(3, 60, 256), drawn_ids(4, 20, 256)};
    kelle.new_tokens = 24;
    kelle.policy = policy;
    kelle.workload = ", scheduler: " + scheduler;
    return kelle;
}

levee_kv_policy aerp(levee_kv_recompute recompute)
{
    levee_kv_policy policy = kv_policy(LEVEE_KV_AERP, 40, 16, 4);
    policy.recompute = recompute;
    return policy;
}

const levee_kv_policy full = kv_policy(LEVEE_KV_FULL, 0, 0, 0);
const levee_kv_policy aep = kv_policy(LEVEE_KV_AEP, 40, 16, 4);

std::string system_of(const KelleRun& seen)
{
    return seen.results.at("scenario").at("system").at("name").get<std::string>();
}

double seconds(const KelleRun& seen)
{
    return seen.results.at("metrics").at("decode.seconds").get<double>();
}

} // namespace

TEST_CASE("kelle scenarios: the baselines do the same work on the same DRAM")
{
    struct Baseline {
        const char* file;
        const char* name;
        levee_kv_policy policy;
        const char* scheduler;
        int rows; ///< Rows of the array.
        bool edram;
    };
    const Baseline baselines[] = {
        {"systems/original.yaml", "original", full, "baseline", 24, false},
        {"kelle/systems/original_edram.yaml", "original_edram", full, "kelle_baseline", 32, true},
        {"kelle/systems/aep_sram.yaml", "aep_sram", aep, "baseline", 24, false},
        {"kelle/systems/aerp_sram.yaml", "aerp_sram", aerp(LEVEE_KV_RECOMPUTE_HIDDEN), "baseline",
         24, false},
        {"kelle/systems/kelle.yaml", "kelle", aerp(LEVEE_KV_RECOMPUTE_HIDDEN), "kelle", 32, true},
    };
    const Workplace place;
    nlohmann::json dram;
    for (const Baseline& baseline : baselines) {
        INFO(baseline.file);
        const KelleCase kelle = on(baseline.file, baseline.policy, baseline.scheduler);
        const KelleRun seen = run_case(place, kelle);
        check_bits(kelle, seen);
        CHECK(system_of(seen) == baseline.name);
        const nlohmann::json& system = seen.results.at("scenario").at("system");
        CHECK(system.at("blocks").at("rsa").at("rows") == baseline.rows);
        CHECK(seen.has("kv_edram.read_bytes") == baseline.edram);
        if (baseline.edram)
            CHECK(seen.count("kv_edram.read_bytes") > 0);
        const nlohmann::json& standard = system.at("memories").at("dram").at("standard");
        if (dram.is_null())
            dram = standard;
        CHECK(standard == dram);
        CHECK(seen.count("generate.tokens") == 48);
    }
}

TEST_CASE("kelle scenarios: every scheduler and policy on Kelle's system has the reference's bits")
{
    const Workplace place;
    for (const char* system : {"kelle/systems/kelle.yaml", "kelle/systems/kelle_resident.yaml"})
        for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"})
            for (levee_kv_policy policy :
                 {full, aep, aerp(LEVEE_KV_RECOMPUTE_HIDDEN), aerp(LEVEE_KV_RECOMPUTE_ALL)})
                for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT}) {
                    INFO(system << ", " << scheduler << ", policy " << policy.kind << ", score "
                                << score);
                    policy.score = score;
                    const KelleCase kelle = on(system, policy, scheduler);
                    check_bits(kelle, run_case(place, kelle));
                }
}

TEST_CASE("recomputed rows ride in the current token's passes")
{
    const Workplace place;
    const std::string system = "kelle/systems/kelle_resident.yaml";
    const KelleRun stored = run_case(place, on(system, aep, "kelle"));
    const double cycles = stored.count("rsa.cycles");
    const KelleRun seen = run_case(place, on(system, aerp(LEVEE_KV_RECOMPUTE_ALL), "kelle"));
    // Weight tiles are loaded no more often and by no more operations.
    CHECK(seen.count("rsa.folds") == stored.count("rsa.folds"));
    CHECK(seen.count("rsa.operations") == stored.count("rsa.operations"));
    // Each recomputed row is multiplied by W_K and W_V once and takes no further cycles.
    const double rows = seen.count("kelle.recompute_rows");
    CHECK(rows > 0);
    CHECK(seen.count("rsa.macs") - stored.count("rsa.macs") == rows * 2 * 64 * 64);
    CHECK(seen.count("rsa.cycles") > cycles);
    const double tiles = 2 * 2 * 2; // Tiles of 32 x 32 in both matrices.
    const double passes = 2;        // Rows of 16 bits take two passes.
    CHECK(seen.count("rsa.cycles") - stored.count("rsa.cycles") <= rows * tiles * passes);
}

TEST_CASE("hidden recomputation is never slower than none, and says where nothing hides")
{
    const Workplace place;
    const auto said = [](const KelleRun& seen) {
        return seen.results.at("warnings").dump().find("no idle time in which to recompute") !=
               std::string::npos;
    };
    for (const char* system : {"kelle/systems/kelle.yaml", "kelle/systems/kelle_resident.yaml",
                               "kelle/systems/aerp_sram.yaml"})
        for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
            INFO(system << ", " << scheduler);
            const KelleRun hidden =
                run_case(place, on(system, aerp(LEVEE_KV_RECOMPUTE_HIDDEN), scheduler));
            const KelleRun off =
                run_case(place, on(system, aerp(LEVEE_KV_RECOMPUTE_OFF), scheduler));
            CHECK(seconds(hidden) <= seconds(off));
            CHECK(said(hidden) == (hidden.count("kv.x_rows") == 0));
            CHECK_FALSE(said(off));
        }
    for (const char* bandwidth :
         {"64 GB/s", "6 GB/s", "3300 MB/s", "3 GB/s", "2 GB/s", "500 MB/s"}) {
        INFO("a memory of " << bandwidth);
        KelleCase kelle = on("", aerp(LEVEE_KV_RECOMPUTE_HIDDEN), "baseline");
        kelle.shipped.clear();
        kelle.system.slow = bandwidth;
        const KelleRun hidden = run_case(place, kelle);
        kelle.policy.recompute = LEVEE_KV_RECOMPUTE_OFF;
        const KelleRun off = run_case(place, kelle);
        CHECK(seconds(hidden) <= seconds(off));
        CHECK((hidden.count("kelle.recompute_rows") > 0) == !said(hidden));
    }
}

TEST_CASE("kelle scenarios: who leaves is found after attention as well, only later")
{
    const Workplace place;
    levee_kv_policy policy = aep;
    policy.score = LEVEE_SE_LOGIT;
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
        INFO(scheduler);
        policy.search = LEVEE_KV_SEARCH_BESIDE;
        const KelleCase kelle = on("kelle/systems/kelle_resident.yaml", policy, scheduler);
        const KelleRun beside = run_case(place, kelle);
        policy.search = LEVEE_KV_SEARCH_AFTER;
        const KelleRun after =
            run_case(place, on("kelle/systems/kelle_resident.yaml", policy, scheduler));
        check_bits(kelle, after);
        CHECK(after.count("evictor.evicted") == beside.count("evictor.evicted"));
        CHECK(after.count("evictor.evicted") > 0);
        CHECK(seconds(after) > seconds(beside));
    }
}

TEST_CASE("kelle scenarios: no operation overlaps another's data or reads what nobody has written")
{
    const Workplace place;
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"})
        for (const levee_kv_policy& policy : {full, aep, aerp(LEVEE_KV_RECOMPUTE_ALL)}) {
            INFO(scheduler << ", policy " << policy.kind);
            run_case(place, on("kelle/systems/kelle.yaml", policy, scheduler), {"--check", "all"});
        }
}

TEST_CASE("kelle scenarios: refresh strategies are files to choose from")
{
    const std::map<std::string, std::vector<double>> intervals{
        {"org", {45e-6, 45e-6, 45e-6, 45e-6}},
        {"uniform", {1050e-6, 1050e-6, 1050e-6, 1050e-6}},
        {"2drp", {360e-6, 5400e-6, 1440e-6, 7200e-6}}};
    const char* const groups[] = {"high_msb", "high_lsb", "low_msb", "low_lsb"};
    // A group has half of the tokens of 2 sequences x 5 layers x 4 heads. Each token has a row for
    // the key and one for the value.
    const double rows = 2 * 5 * 4 * 42 / 2 * 2;
    const Workplace place;
    for (const auto& [strategy, expected] : intervals) {
        KelleCase kelle = on("kelle/systems/kelle_resident.yaml", aep, "kelle");
        kelle.new_tokens = 200;
        kelle.cache = ", refresh: {extends: " + (shipped / "kelle/refresh").string() + "/" +
                      strategy + ".yaml}";
        const KelleRun seen = run_case(place, kelle);
        const nlohmann::json& metrics = seen.results.at("metrics");
        for (std::size_t i = 0; i < 4; ++i) {
            const std::string group = groups[i];
            CHECK(metrics.at("kv_edram.interval_s." + group) == Approx(expected[i]));
            const double count = metrics.at("kv_edram.refresh." + group).get<double>();
            const double valid = metrics.at("kv_edram.valid_row_seconds." + group).get<double>();
            INFO(strategy << ", " << group << ": " << count << " refreshes in " << valid
                          << " seconds of a row");
            // All rows of a group are due at the same time. So one round at either end may fall
            // inside or outside.
            CHECK(std::abs(count - valid / expected[i]) <= rows);
        }
    }
}

TEST_CASE("kelle scenarios: the ring of keys and values is valid, half of it high-score")
{
    const Workplace place;
    const KelleRun seen = run_case(place, on("kelle/systems/kelle.yaml", aep, "kelle"));
    const nlohmann::json& metrics = seen.results.at("metrics");
    const double high = metrics.at("kv_edram.valid_row_seconds.high_msb").get<double>();
    const double low = metrics.at("kv_edram.valid_row_seconds.low_msb").get<double>();
    CHECK(high == Approx(low).epsilon(0.02));
    // Every 256 bytes have a row in an MSB bank. The ring's rows hold data in both halves.
    const double rows = 2.0 * static_cast<double>(seen.count("ring.kv_bytes")) / 256;
    CHECK(rows > 0.9 * (4 << 20) / 256);
    CHECK(high + low > rows * (seconds(seen) + metrics.at("prefill.seconds").get<double>()));
    CHECK(seen.count("ring.weights_bytes") >= (2 << 20) / 4);
    // Data from DRAM are written on chip and read there.
    CHECK(seen.count("sram.write_bytes") > seen.count("model.step_weight_bytes") * 24);
}

TEST_CASE("a sequence that ends with its first token leaves the others alone, under every policy")
{
    for (const std::string policy : {"streaming", "random", "h2o", "aep", "aerp"}) {
        INFO(policy);
        const Workplace place;
        place.write("two.yaml",
                    "system: " + (shipped / "kelle/systems/kelle_resident.yaml").string() +
                        "\nmodel: {image: " + embedded.string() +
                        "}\n"
                        "workload: {app: generate, scheduler: kelle, batch: 2, "
                        "max_new_tokens: 20, stop_token: none, prompts: ['Once upon a "
                        "time', 'One morning the snow fell. Ben and Eve']}\n"
                        "kv_cache: {policy: " +
                        policy + ", budget: 32, recent_window: 16, sinks: 2}\n");
        const auto tokens = [&](const std::string& stop) {
            REQUIRE(place
                        .levee({"run", "two.yaml", "--quiet", "--out", "out", "--set",
                                "workload.stop_token=" + stop})
                        .code == 0);
            return nlohmann::json::parse(place.read("out/results.json")).at("tokens");
        };
        const auto both = tokens("none");
        const auto one = tokens(std::to_string(both[0][0].get<std::uint32_t>()));
        CHECK(one[0].size() == 1);
        CHECK(one[1] == both[1]);
    }
}
