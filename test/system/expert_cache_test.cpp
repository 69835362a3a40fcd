// SPDX-License-Identifier: Apache-2.0
// Tests a cache of hot experts in DRAM in front of experts in flash. Logits equal the composed
// reference's bit for bit. Hits equal those of a separate LRU cache over the recorded choices. Runs
// without data have the same figures.
#include "platform/observe/decisions/recording.hpp"
#include "test/reference/structured_shapes.hpp"
#include "test/system/machine_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>

using namespace levee;
using namespace levee::test;

namespace {

using Metrics = nlohmann::json;

double figure(const Metrics& metrics, const std::string& name)
{
    return metrics.at(name).get<double>();
}

/// Returns the bytes of an expert's matrices in its slot: gate and up, then down, each padded to
/// whole lines.
std::uint64_t expert_bytes(const ModelShape& shape)
{
    const auto lines = [](std::uint64_t bytes) { return (bytes + 63) / 64 * 64; };
    return lines(std::uint64_t{shape.gated() ? 2U : 1U} * shape.hidden * shape.dim) +
           lines(std::uint64_t{shape.dim} * shape.hidden);
}

std::string cached(std::uint64_t capacity, const std::string& roles = "experts")
{
    return "system: {extends: cambricon/systems/small.yaml, memories: {flash: {roles: [" + roles +
           "]}, hot: {type: expert_cache, memory: dram, capacity: " + std::to_string(capacity) +
           " B}}}\n";
}

/// Removes the least recently used expert, by the time of each expert's last use.
class Lru {
public:
    explicit Lru(std::size_t capacity) : capacity_(capacity) {}

    void use(std::size_t expert, unsigned matrix)
    {
        ++time_;
        if (used_.count(expert) == 0 && used_.size() == capacity_) {
            const auto oldest =
                std::min_element(used_.begin(), used_.end(), [](const auto& a, const auto& b) {
                    return a.second.time < b.second.time;
                });
            used_.erase(oldest);
        }
        Use& here = used_[expert];
        here.time = time_;
        ++(here.matrices.insert(matrix).second ? misses : hits);
    }

    double hits = 0, misses = 0;

private:
    struct Use {
        std::size_t time = 0;
        std::set<unsigned> matrices;
    };
    std::map<std::size_t, Use> used_;
    std::size_t capacity_, time_ = 0;
};

/// Returns the experts that the tokens of a pass use, layer by layer.
std::vector<std::set<std::size_t>> recorded_choices(const Workplace& place, std::size_t experts)
{
    std::vector<std::set<std::size_t>> all;
    Recording recording(place.path("decisions"));
    for (Recording::Record record; recording.next(record);) {
        const auto& writes = record.decision.writes;
        if (writes.size() != 2 ||
            writes[0].bytes.size() != 4 * experts + writes[1].bytes.size() / 2)
            continue; // The row is not a decision of the router.
        std::set<std::size_t> chosen;
        for (std::size_t i = 0; i < experts; ++i) {
            std::uint32_t tokens = 0;
            std::memcpy(&tokens, writes[0].bytes.data() + 4 * i, sizeof tokens);
            if (tokens != 0)
                chosen.insert(i);
        }
        all.push_back(chosen);
    }
    return all;
}

std::string fault(const Workplace& place, const std::string& scenario)
{
    place.write("scenario.yaml", scenario);
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    CHECK(outcome.code == 2);
    return outcome.text;
}

/// Runs a mixture of two layers with drawn experts on Cambricon-LLM-S.
Metrics drawn_run(const Workplace& place, const std::string& memories, const std::string& roles,
                  const std::string& skew, const std::string& more = "")
{
    place.write("scenario.yaml",
                "data: timing_only\n"
                "model: {shape: {extends: models/olmoe-1b-7b.yaml, layers: 2}, max_context: 256}\n"
                "system: {extends: cambricon/systems/s.yaml, memories: {flash: {roles: [" +
                    roles + "]}" + memories +
                    "}}\n"
                    "kv_cache: {policy: full}\n"
                    "workload: {app: generate, scheduler: flash, prompt_tokens: 1, "
                    "max_new_tokens: 80, context: 100, stop_token: none}\n"
                    "decisions: {statistics: tech/decisions/embedded.yaml, expert_skew: " +
                    skew + "}\n" + more);
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results("out").at("metrics");
}

/// Returns the hit rate of an LRU cache with independently drawn tokens. A token's experts are
/// distinct, and expert i is drawn in proportion to (i + 1)^-skew.
double drawn_hit_rate(std::size_t capacity, double skew)
{
    constexpr std::size_t tokens = 80, layers = 2, experts = 64, chosen = 8, repeats = 40;
    std::mt19937 engine(11);
    double hits = 0, all = 0;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        Lru lru(capacity);
        for (std::size_t i = 0; i < tokens * layers; ++i) {
            std::vector<double> shares(experts);
            for (std::size_t j = 0; j < experts; ++j)
                shares[j] = std::pow(static_cast<double>(j + 1), -skew);
            std::set<std::size_t> picks;
            while (picks.size() < chosen) {
                const std::size_t pick =
                    std::discrete_distribution<std::size_t>(shares.begin(), shares.end())(engine);
                shares[pick] = 0;
                picks.insert(i % layers * experts + pick);
            }
            for (const unsigned matrix : {0U, 1U})
                for (const std::size_t pick : picks)
                    lru.use(pick, matrix);
        }
        hits += lru.hits;
        all += lru.hits + lru.misses;
    }
    return hits / all;
}

const double passes = static_cast<double>(prompt().size() + new_tokens - 1);

} // namespace

TEST_CASE(
    "expert cache: results keep the reference's bits, and the flash sends what the cache misses")
{
    bool apart = false; // Every second shape also has its other matrices in flash.
    for (const auto& [name, shape] : mixture_shapes()) {
        INFO(name);
        apart = !apart;
        std::uint32_t layers = 0;
        for (std::uint32_t i = 0; i < shape.layers; ++i)
            layers += shape.has_experts(i) ? 1 : 0;
        // Number of slots that one token uses.
        const std::uint64_t slots = std::uint64_t{layers} * shape.chosen;
        const Workplace place;
        save_model(place, shape);
        const auto metrics = check_logits(
            place,
            cached(slots * expert_bytes(shape), apart ? "weights, experts" : "experts") +
                model_and_workload(apart ? "flash" : "baseline", ", prefill_chunk: 1"),
            [&](const ModelImage& image) { // The cores take inputs of 8 bits.
                return ComposedTransformer(image, apart ? 8 : 16);
            });
        const double hits = figure(metrics, "hot.hits"), misses = figure(metrics, "hot.misses");
        CHECK(hits + misses == passes * shape.chosen * 2 * layers);
        CHECK(hits > 0);
        CHECK(misses > 0);
        CHECK(figure(metrics, "hot.hit_rate") == Approx(hits / (hits + misses)));
        CHECK(figure(metrics, "hot.experts") == double(slots));
        CHECK(figure(metrics, "hot.filled_bytes") == figure(metrics, "flash.read_bytes"));
        CHECK(figure(metrics, "hot.read_bytes") == passes * shape.chosen * layers *
                                                       double(shape.gated() ? 3 : 2) *
                                                       shape.hidden * shape.dim);
    }
}

TEST_CASE("expert cache: hits equal those of a separate LRU cache, also in runs without data")
{
    const Workplace place;
    const ModelShape shape = mixture_shape();
    save_model(place, shape);
    for (const std::size_t capacity : {1U, 3U, 8U, 24U})
        for (const char* const chunk : {", prefill_chunk: 1", ", prefill_chunk: 4"}) {
            INFO(capacity << chunk);
            place.write("scenario.yaml", cached(capacity * expert_bytes(shape) + 63) +
                                             model_and_workload("baseline", chunk));
            const auto metrics = check_timing_only(place).at("metrics");
            Lru lru(capacity);
            std::size_t pass = 0;
            for (const auto& chosen : recorded_choices(place, shape.experts)) {
                const std::size_t layer = pass++ % shape.layers;
                for (const unsigned matrix : {0U, 1U})
                    for (const std::size_t expert : chosen)
                        lru.use(layer * shape.experts + expert, matrix);
            }
            REQUIRE(pass % shape.layers == 0);
            REQUIRE(lru.misses > 0);
            CHECK(figure(metrics, "hot.hits") == lru.hits);
            CHECK(figure(metrics, "hot.misses") == lru.misses);
        }
}

TEST_CASE("expert cache: with drawn experts the hit rate is that of an LRU with independent draws")
{
    const Workplace place;
    constexpr std::size_t capacity = 40;
    const std::string memories = ", hot: {type: expert_cache, memory: dram, capacity: " +
                                 std::to_string(capacity * 3 * 2048 * 1024) + " B}";
    for (const char* const skew : {"0", "1", "2"}) {
        INFO(skew);
        const auto metrics = drawn_run(place, memories, "weights, experts", skew);
        CHECK(figure(metrics, "hot.hits") + figure(metrics, "hot.misses") == 80.0 * 2 * 8 * 2);
        CHECK(figure(metrics, "hot.hit_rate") ==
              Approx(drawn_hit_rate(capacity, std::stod(skew))).margin(0.03));
    }
}

TEST_CASE("expert cache: misses take the flash's time, hits the DRAM's")
{
    const Workplace place;
    const auto seconds = [&](const std::string& memories) {
        return figure(drawn_run(place, memories, "weights, experts", "0"), "decode.seconds");
    };
    const auto with = [&](std::size_t capacity) {
        return seconds(", hot: {type: expert_cache, memory: dram, capacity: " +
                       std::to_string(capacity * 3 * 2048 * 1024) + " B}");
    };
    const double flash = seconds("");
    // The DRAM can hold one expert, which the token's next expert replaces. Two products per layer
    // take an additional bus hop.
    const double missed = with(1);
    CHECK(missed >= flash);
    CHECK(missed - flash <= 79 * 2 * 2 * 5e-9);
    // All experts fit, so each byte comes from flash once, and later at the DRAM's rate.
    const auto hit = drawn_run(place,
                               ", hot: {type: expert_cache, memory: dram, capacity: " +
                                   std::to_string(128ULL * 3 * 2048 * 1024) + " B}",
                               "weights, experts", "0");
    const double bytes = 79.0 * 2 * 8 * 3 * 2048 * 1024;
    // Excludes the bytes of the prompt.
    const double first = figure(hit, "hot.filled_bytes") - 2 * 8 * 3 * 2048 * 1024;
    const double saved = (bytes - first) * (1 / 8e9 - 1 / 40e9);
    CHECK(flash - figure(hit, "decode.seconds") == Approx(saved).epsilon(0.1));
}

TEST_CASE("expert cache: misses cost the energy of flash pages, channels, link and DRAM")
{
    const Workplace place;
    const auto energy = [&](std::size_t capacity) {
        (void)drawn_run(
            place,
            ", hot: {type: expert_cache, memory: dram, capacity: " +
                std::to_string(capacity * 3 * 2048 * 1024) + " B}",
            "weights, experts", "1",
            "tech: {energy: {extends: tech/energy/cambricon_events.yaml, lists: {dram: "
            "tech/energy/kelle_events_dram8.yaml}, prices: {expert_cache: {unpriced: none, "
            "source: test, lookup: {energy: 1 uJ}, static: {unpriced: small}}}}}\n");
        return place.results("out").at("metrics");
    };
    const auto few = energy(20), many = energy(60);
    const auto more = [&](const std::string& name) {
        return figure(few, name) - figure(many, name);
    };
    const double bytes = more("hot.filled_bytes");
    REQUIRE(bytes > 1e9);
    // By the price list, a page of 16 KiB costs 1.29 uJ. A bit costs 7.2 pJ on a channel and 0.5 pJ
    // on the link.
    CHECK(more("energy.flash_j") ==
          Approx(bytes / 16384 * 1.29e-6 + bytes * 8 * 7.7e-12).epsilon(0.01));
    for (const std::string way : {"read", "write"}) // The price is 8 pJ a bit.
        CHECK(figure(few, "energy.dram." + way + "_j") ==
              Approx(figure(few, "dram." + way + "_bytes") * 8 * 8e-12));
    CHECK(more("dram.write_bytes") > 0.9 * bytes);
    CHECK(figure(few, "energy.hot_j") == Approx(80.0 * 2 * 8 * 2 * 1e-6));
}

TEST_CASE("expert cache: impossible settings are refused at their place")
{
    const Workplace place;
    save_model(place, mixture_shape());
    const auto refused = [&](const std::string& memories) {
        return fault(place, "system: {extends: cambricon/systems/small.yaml, memories: {" +
                                memories + "}}\n" + model_and_workload("baseline"));
    };
    const std::string experts = "flash: {roles: [experts]}, ";
    CHECK_THAT(refused(experts + "hot: {type: expert_cache, memory: dram, capacity: 7000 B}"),
               Catch::Contains("'system.memories.hot.capacity' is 7 kB; expected at least 7680 "
                               "B, the size of the largest expert"));
    CHECK_THAT(refused("flash: {roles: []}, hot: {type: expert_cache, memory: dram, capacity: 1 "
                       "MiB}"),
               Catch::Contains("'system.memories.hot' has copies of experts; expected a memory "
                               "with the role 'experts'"));
    CHECK_THAT(refused(experts + "hot: {type: expert_cache, memory: drum, capacity: 1 MiB}"),
               Catch::Contains("'system.memories.hot.memory' has 'drum'; expected another memory, "
                               "without the role 'experts', that keeps bytes as written: "
                               "sram, dram"));
    CHECK_THAT(refused(experts + "hot: {type: expert_cache, memory: flash, capacity: 1 MiB}"),
               Catch::Contains("has 'flash'; expected another memory"));
    CHECK_THAT(
        refused(experts +
                "hot: {type: expert_cache, memory: dram, capacity: 1 MiB, roles: [experts]}"),
        Catch::Contains("'system.memories.hot' has roles; expected none"));
    CHECK_THAT(refused(experts + "hot: {type: expert_cache, memory: dram, capacity: 1 MiB}, hot2: "
                                 "{type: expert_cache, memory: dram, capacity: 1 MiB}"),
               Catch::Contains("'system.memories.hot2' has copies of experts, as 'hot' has"));
    CHECK_THAT(refused(experts + "hot: {type: expert_cache, memory: sram, capacity: 2 MiB}"),
               Catch::Contains("'system.memories.sram' has 1 MiB; with the copies of experts in "
                               "'hot' it needs 2 MiB"));
    CHECK_THAT(refused(experts + "hot: {type: expert_cache, memory: dram}"),
               Catch::Contains("'system.memories.hot' lacks the key 'capacity'"));
    save_model(place, plain_shape());
    CHECK_THAT(refused(experts + "hot: {type: expert_cache, memory: dram, capacity: 1 MiB}"),
               Catch::Contains("'system.memories.hot' has copies of experts, but model 'synthetic' "
                               "has no experts; expected a mixture of experts"));
}
