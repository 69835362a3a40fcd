// SPDX-License-Identifier: Apache-2.0
/// A run of `generate` with a cache policy, and the results of the evicting reference.
#pragma once

#include "ip/edram/regs.h"
#include "platform/input/model/model_image.hpp"
#include "test/reference/evicting_transformer.hpp"
#include "test/system/program.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace levee::test {

using Ids = std::vector<std::uint32_t>;

/// Returns token ids that no trained model would write, so that the comparison is not trivial.
inline Ids drawn_ids(std::uint32_t seed, std::size_t count, std::uint32_t vocab)
{
    Ids ids;
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        ids.push_back((seed >> 8) % vocab);
    }
    return ids;
}

inline levee_kv_policy kv_policy(levee_kv_policy_kind kind, std::uint32_t budget,
                                 std::uint32_t window, std::uint32_t sinks)
{
    levee_kv_policy policy{};
    policy.kind = kind;
    policy.budget = budget;
    policy.window = window;
    policy.sinks = sinks;
    policy.score = LEVEE_SE_SOFTMAX;
    policy.view_bits = 4;
    return policy;
}

/// Returns the section `kv_cache` of the scenario.
inline std::string yaml(const levee_kv_policy& policy, const std::string& more)
{
    const char* const kinds[] = {"full", "streaming", "h2o", "random",   "aep",
                                 "aerp", "voting",    "cpq", "retrieval"};
    const char* const recompute[] = {"off", "hidden", "all", "free"};
    std::string text = std::string("kv_cache: {policy: ") + kinds[policy.kind];
    if (policy.kind != LEVEE_KV_FULL && policy.kind < LEVEE_KV_CPQ)
        text += ", budget: " + std::to_string(policy.budget) +
                ", recent_window: " + std::to_string(policy.window) +
                ", sinks: " + std::to_string(policy.sinks) +
                ", score: " + (policy.score == LEVEE_SE_LOGIT ? "logit" : "softmax") +
                ", search: " + (policy.search == LEVEE_KV_SEARCH_AFTER ? "after" : "beside") +
                ", recompute: " + recompute[policy.recompute];
    if (policy.staging_bytes != 0)
        text += ", staging: " + std::to_string(policy.staging_bytes) + " B";
    return text + more + "}\n";
}

/// The test's system. If `edram` is empty, keys and values are in DRAM.
struct KelleSystem {
    std::string edram; ///< Size of the eDRAM.
    std::string layout = "kv";
    std::string sram = "4 MiB";
    std::string retention; ///< Retention map, such as "{curve: ...}"; empty: bits never fail.
    std::string interval = "45 us";
    std::uint32_t quantum = 10000;
    /// Bandwidth of a memory that replaces the DRAM; empty: LPDDR4.
    std::string slow;
};

inline std::string yaml(const KelleSystem& system)
{
    const std::string edram =
        "    kv_edram:\n      type: edram\n      layout: " + system.layout +
        "\n      size: " + system.edram +
        "\n      banks: 32\n      access: 2 ns\n      refresh: 4 ns\n"
        "      latency: 1.9 ns\n      intervals: " +
        system.interval + "\n      roles: [kv]\n" +
        (system.retention.empty() ? "" : "      retention: " + system.retention + "\n");
    return "system:\n"
           "  name: kelle_test\n"
           "  core:\n    clock: 1 GHz\n    timebase: 10 MHz\n    quantum: " +
           std::to_string(system.quantum) +
           "\n  bus: {latency: 4 ns, port_bandwidth: 256 GB/s}\n"
           "  commands: {queue_depth: 256, fetch: 20 ns, register_latency: 4 ns}\n"
           "  streams:\n"
           "    scores: {bandwidth: 256 GB/s, fill: 1 ns}\n"
           "    logits: {bandwidth: 256 GB/s, fill: 1 ns}\n"
           "  memories:\n"
           "    tcm: {type: tcm, size: 4 MiB, bandwidth: 16 GB/s, latency: 1 ns}\n" +
           (system.edram.empty() ? "" : edram) + "    sram: {type: sram, size: " + system.sram +
           ", bandwidth: 128 GB/s, latency: 2 ns, "
           "roles: [activations, state]}\n" +
           (system.slow.empty() ? "    dram: {type: dram, standard: tech/dram/lpddr4.yaml, "
                                : "    dram: {type: sram, size: 64 MiB, latency: 30 ns, "
                                  "bandwidth: " +
                                      system.slow + ", ") +
           "roles: [model, kv, spill]}\n"
           "  blocks:\n"
           "    sync: {type: sync, counters: 64}\n"
           "    dma: {type: dma, bytes_per_cycle: 64}\n"
           "    rsa: {type: rsa, rows: 32, columns: 32, load_bytes_per_cycle: 128, "
           "accumulator_rows: 512}\n"
           "    sfu: {type: sfu, lanes: 32, pipeline_cycles: 8}\n"
           "    evictor: {type: systolic_evictor, rows: 32}\n";
}

struct KelleCase {
    KelleSystem system;
    std::string shipped; ///< File of a shipped system that is used instead.
    std::filesystem::path image;
    std::vector<Ids> prompts;
    std::size_t batch = 0; ///< Prompts that run together; 0: all.
    std::uint32_t new_tokens = 0;
    levee_kv_policy policy{};
    levee_kv_voting voting{};
    std::string workload; ///< Further workload keys, such as ", scheduler: kelle".
    std::string cache;    ///< Further keys of kv_cache.
    std::uint32_t kv_bits = 16;
    bool hadamard = false;
    std::uint32_t input_bits = 16; ///< Bits of the inputs of products with weights.
    std::string blocks;            ///< Further blocks of the system, one per line.
    std::string observe;           ///< Further keys of section observe.
    std::uint32_t seed = 1;
    /// Extends the reference of a sequence, for example by decay. If not set, the reference only
    /// evicts.
    std::function<void(Eviction&)> beside;
};

/// The results of a run.
struct KelleRun {
    nlohmann::json results;
    std::vector<float> logits; ///< Every vector from which a token was picked, in order.
    std::string text;          ///< output of the run

    [[nodiscard]] bool has(const std::string& name) const
    {
        return results.at("metrics").contains(name);
    }
    [[nodiscard]] std::uint64_t count(const std::string& name) const
    {
        INFO(name);
        REQUIRE(has(name));
        return results.at("metrics").at(name).get<std::uint64_t>();
    }
};

/// Returns the keys that `policy: voting` adds to the section.
inline std::string yaml(const levee_kv_voting& voting)
{
    return ", threshold: {mean: " + std::to_string(voting.mean_factor) +
           ", deviation: " + std::to_string(voting.deviation_factor) +
           "}, reserved: " + std::to_string(voting.reserved) +
           ", protect: " + std::to_string(voting.protect);
}

inline std::string yaml(const KelleCase& kelle)
{
    const bool votes = kelle.policy.kind == LEVEE_KV_VOTING;
    const std::string engine = votes ? "    voting: {type: voting_engine, capacity: 1024}\n" : "";
    return (kelle.shipped.empty() ? yaml(kelle.system) + engine + kelle.blocks
                                  : "system: " + kelle.shipped + "\n") +
           "model: {image: " + kelle.image.string() +
           "}\nworkload: {app: generate, prompt_ids: " + nlohmann::json(kelle.prompts).dump() +
           ", batch: " + std::to_string(kelle.batch != 0 ? kelle.batch : kelle.prompts.size()) +
           ", max_new_tokens: " + std::to_string(kelle.new_tokens) + ", stop_token: none" +
           kelle.workload + "}\n" +
           yaml(kelle.policy,
                (kelle.policy.kind == LEVEE_KV_VOTING ? yaml(kelle.voting) : "") + kelle.cache +
                    (kelle.kv_bits != 16 ? ", bits: " + std::to_string(kelle.kv_bits) : "") +
                    (kelle.hadamard ? ", hadamard: true" : "")) +
           "observe: {logits: logits.f32" + kelle.observe +
           "}\nseed: " + std::to_string(kelle.seed) + "\n";
}

/// Runs the case with further options of `levee run`; the run must succeed.
inline KelleRun run_case(const Workplace& place, const KelleCase& kelle,
                         const std::vector<std::string>& options = {})
{
    place.write("scenario.yaml", yaml(kelle));
    std::vector<std::string> command{"run", "scenario.yaml", "--out", "out"};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome outcome = place.levee(command);
    REQUIRE(outcome.code == 0);
    const std::string raw = place.read("out/logits.f32");
    KelleRun result{place.results("out"), std::vector<float>(raw.size() / sizeof(float)),
                    outcome.text};
    if (!raw.empty())
        std::memcpy(result.logits.data(), raw.data(), raw.size());
    return result;
}

/// Returns the reference's rules for the cache of one sequence, as in the run.
inline Eviction eviction_of(const KelleCase& kelle, const KelleRun& seen, std::uint32_t entry)
{
    Eviction eviction;
    eviction.policy = kelle.policy;
    eviction.voting = kelle.voting;
    eviction.chunk = static_cast<std::uint32_t>(seen.count("generate.prefill_chunk"));
    if (seen.has("prefill.query_tile")) { // The machine can tile prefills.
        eviction.query_tile = static_cast<std::uint32_t>(seen.count("prefill.query_tile"));
        eviction.key_tile = static_cast<std::uint32_t>(seen.count("prefill.key_tile"));
    }
    eviction.entry = entry;
    eviction.kv_bits = kelle.kv_bits;
    eviction.hadamard = kelle.hadamard;
    eviction.input_bits = kelle.input_bits;
    eviction.seed = kelle.seed;
    if (seen.has("kv.x_rows"))
        eviction.input_rows = static_cast<std::uint32_t>(seen.count("kv.x_rows"));
    return eviction;
}

/// Returns Eviction::decay for a sequence. It also depends on the number of logits vectors that the
/// run had produced before the pass.
using Decay = std::function<void(std::uint32_t pass, std::uint32_t layer, std::uint32_t entry,
                                 LayerCache& cache)>;

/// Compares the logits of sequence `entry` of `count` in a batch with its own reference. The run's
/// vectors from `first` on are the last one of each prompt, then one of each sequence in each step.
inline void check_sequence(const KelleCase& kelle, const KelleRun& seen, const ModelImage& image,
                           const Ids& prompt, const Ids& generated, std::uint32_t first,
                           std::uint32_t entry, std::uint32_t count, const Decay& decay)
{
    const std::size_t vocab = image.shape().vocab;
    Eviction eviction = eviction_of(kelle, seen, entry);
    std::uint32_t pass = first + entry;
    if (decay)
        eviction.decay = [&](std::uint32_t layer, LayerCache& cache) {
            decay(pass, layer, entry, cache);
        };
    if (kelle.beside)
        kelle.beside(eviction);
    EvictingTransformer reference(image, eviction);
    std::vector<float> logits = reference.prefill(prompt).back();
    for (std::uint32_t step = 0; step < kelle.new_tokens; ++step) {
        INFO("entry " << entry << ", new token " << step);
        const std::size_t index = first + step * count + entry;
        REQUIRE(std::memcmp(&seen.logits[index * vocab], logits.data(), vocab * sizeof(float)) ==
                0);
        pass = first + (step + 1) * count;
        if (step + 1 < kelle.new_tokens)
            logits = reference.step(generated[step]);
    }
}

/// Compares every logits vector of the run.
inline void check_bits(const KelleCase& kelle, const KelleRun& seen, const Decay& decay = {})
{
    const auto generated = seen.results.at("tokens").get<std::vector<Ids>>();
    const ModelImage image = ModelImage::open(kelle.image);
    const std::size_t sequences = kelle.prompts.size();
    const std::size_t batch = kelle.batch != 0 ? kelle.batch : sequences;
    REQUIRE(generated.size() == sequences);
    REQUIRE(seen.logits.size() == image.shape().vocab * sequences * kelle.new_tokens);
    for (std::size_t s = 0; s < sequences; ++s) {
        REQUIRE(generated[s].size() == kelle.new_tokens);
        const std::size_t before = s / batch * batch;
        check_sequence(kelle, seen, image, kelle.prompts[s], generated[s],
                       static_cast<std::uint32_t>(before * kelle.new_tokens),
                       static_cast<std::uint32_t>(s - before),
                       static_cast<std::uint32_t>(std::min(batch, sequences - before)), decay);
    }
}

} // namespace levee::test
