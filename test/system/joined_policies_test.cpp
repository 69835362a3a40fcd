// SPDX-License-Identifier: Apache-2.0
// Combines policies with one that evicts: retrieval over the kept tokens, and pruning and
// quantisation of their rows. Every logits vector equals that of the evicting reference. That
// reference attends to the tokens that the associative memory's reference finds, and compresses
// rows with the reference of pruning and quantisation.
#include "platform/input/import/synthetic.hpp"
#include "test/system/cpq_case.hpp"
#include "test/system/retrieval_case.hpp"
#include "test/system/timing_only_case.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>

using namespace levee;
using namespace levee::test;

namespace {

/// Three prompts: one shorter than the budget of 40, one longer, and one that reaches it while
/// decoding.
KelleCase stories(levee_kv_policy_kind kind)
{
    KelleCase kelle;
    kelle.image = embedded_stories;
    kelle.prompts = {drawn_ids(2, 5, 256), drawn_ids(3, 90, 256), drawn_ids(4, 33, 256)};
    kelle.new_tokens = 24;
    kelle.policy = kv_policy(kind, 40, 8, 4);
    kelle.voting = {1.0f, 0.2f, 8, 2};
    return kelle;
}

/// A sequence's tables of packed rows, and its original keys, which the associative memory turns
/// into proxies.
struct Beside {
    Beside(const Retrieval& listed, const Compression& packed) : retrieval(listed), cpq(packed) {}
    Beside(const Beside&) = delete;

    Retrieval retrieval;
    Compression cpq;
    Compressed keys{cpq, cpq.key_bits, cpq.key_threshold};
    Compressed values{cpq, cpq.value_bits, cpq.value_threshold};
    std::map<std::pair<std::uint32_t, std::uint32_t>, CacheSlice>
        arrived; // Lists by layer and KV head.

    std::vector<std::uint32_t> attended(std::uint32_t layer, std::uint32_t kv_head,
                                        std::span<const QuantisedVector> queries,
                                        const CacheSlice& cached, std::uint32_t arrival)
    {
        CacheSlice& exact = arrived[{layer, kv_head}];
        exact.put(arrival, cached.row(arrival));
        Retrieval some = retrieval; // Attends to all tokens if there are fewer than top_k.
        some.top_k = std::min(some.top_k, static_cast<std::uint32_t>(cached.scales.size()));
        return nearest_slots(some, queries, exact);
    }
    void kept(std::uint32_t layer, LayerCache& cache, std::span<const std::uint32_t> slots,
              bool packs)
    {
        for (std::uint32_t head = 0; head < cache.keys.size(); ++head)
            for (const std::uint32_t slot : slots)
                arrived[{layer, head}].put(slot, cache.keys[head].row(slot));
        if (!packs)
            return;
        keys.take(layer, cache.keys, slots);
        values.take(layer, cache.values, slots);
    }
};

/// Adds policies to the case's policy.
void join(KelleCase& kelle, const std::optional<Retrieval>& retrieval,
          const std::optional<Compression>& cpq = {})
{
    kelle.cache = std::string(", with: [") + (retrieval ? "retrieval" : "") +
                  (retrieval && cpq ? ", " : "") + (cpq ? "cpq" : "") + "]" +
                  (retrieval ? yaml(*retrieval) : "") + (cpq ? yaml(*cpq) : "");
    kelle.blocks = (retrieval ? cam_block + "}\n" : "") + (cpq ? cpq_block : "");
    kelle.beside = [retrieval, cpq](Eviction& eviction) {
        const auto beside =
            std::make_shared<Beside>(retrieval.value_or(Retrieval{}), cpq.value_or(Compression{}));
        if (retrieval)
            eviction.attended = [beside](std::uint32_t layer, std::uint32_t kv_head,
                                         std::span<const QuantisedVector> queries,
                                         const CacheSlice& cached, std::uint32_t arrival) {
                return beside->attended(layer, kv_head, queries, cached, arrival);
            };
        eviction.kept = [beside, packs = cpq.has_value()](std::uint32_t layer, LayerCache& cache,
                                                          std::span<const std::uint32_t> slots) {
            beside->kept(layer, cache, slots, packs);
        };
    };
}

void check(const Workplace& place, const KelleCase& kelle)
{
    check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
}

void check(const KelleCase& kelle)
{
    const Workplace place;
    check(place, kelle);
}

std::string refused(const KelleCase& kelle)
{
    const Workplace place;
    place.write("scenario.yaml", yaml(kelle));
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    CHECK(outcome.code != 0);
    return outcome.text;
}

} // namespace

TEST_CASE("retrieval over the tokens that a policy keeps, bit by bit, under every policy")
{
    for (const levee_kv_policy_kind kind : {LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_RANDOM,
                                            LEVEE_KV_AEP, LEVEE_KV_AERP, LEVEE_KV_VOTING}) {
        INFO("policy " << kind);
        KelleCase kelle = stories(kind);
        kelle.system.edram = "64 KiB"; // The layers are split over two memories.
        join(kelle, Retrieval{});
        check(kelle);
    }
}

TEST_CASE("retrieval over kept tokens: orders, chunks, distances")
{
    for (const char* more : {", scheduler: kelle", ", prefill_chunk: 1", ", prefill_chunk: 24"})
        for (const Retrieval& retrieval : {Retrieval{1, LEVEE_CAM_HAMMING, LEVEE_CAM_LEAST, 0, 1},
                                           Retrieval{3, LEVEE_CAM_L2, LEVEE_CAM_SUM, 0, 0}}) {
            INFO(more << yaml(retrieval));
            KelleCase kelle = stories(LEVEE_KV_AEP);
            kelle.workload = more;
            join(kelle, retrieval);
            check(kelle);
        }
}

TEST_CASE("retrieval over kept tokens with grouped queries: shapes, a list for a KV head")
{
    const Workplace place;
    const auto bytes = import_synthetic(llama_shape(96, 200, 2, 6, 2, 300, 160), {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
    for (const levee_kv_policy_kind kind : {LEVEE_KV_AEP, LEVEE_KV_VOTING})
        for (const levee_cam_merge merge : {LEVEE_CAM_LEAST, LEVEE_CAM_SUM}) {
            KelleCase kelle = stories(kind);
            kelle.image = place.path("model.levee");
            kelle.prompts = {drawn_ids(12, 100, 300), drawn_ids(13, 40, 300)};
            kelle.new_tokens = 12;
            const Retrieval retrieval{4, LEVEE_CAM_L2_PRODUCT, merge, 0, 9};
            join(kelle, retrieval);
            check(place, kelle);
            if (kind == LEVEE_KV_VOTING) {
                join(kelle, retrieval, Compression{});
                check(place, kelle);
            }
        }
}

TEST_CASE("rows that voting keeps are compressed, bit by bit, with retrieval and without")
{
    for (const Compression& cpq :
         {Compression{}, Compression{8, 8, 64, 0, {0}, {0}}, Compression{1, 2, 1, 0, {0.2f}, {0}}})
        for (const bool listed : {false, true}) {
            INFO(yaml(cpq) << (listed ? ", listed" : ""));
            KelleCase kelle = stories(LEVEE_KV_VOTING);
            join(kelle, listed ? std::optional(Retrieval{}) : std::nullopt, cpq);
            check(kelle);
        }
}

TEST_CASE("joined policies: prompts in chunks, a batch that runs twice, Kelle's order")
{
    for (const char* more : {", prefill_chunk: 7", ", scheduler: kelle"}) {
        INFO(more);
        KelleCase kelle = stories(LEVEE_KV_VOTING);
        kelle.prompts.push_back(drawn_ids(9, 60, 256));
        kelle.batch = 2;
        kelle.new_tokens = 12;
        kelle.workload = more;
        join(kelle, Retrieval{}, Compression{});
        check(kelle);
    }
}

TEST_CASE("hybrids: Kelle as shipped with retrieval, flash with votes, packed rows and retrieval")
{
    KelleCase kelle = stories(LEVEE_KV_AEP);
    join(kelle, Retrieval{});
    kelle.shipped = "hybrids/systems/kelle_cam.yaml";
    kelle.workload = ", scheduler: kelle";
    check(kelle);

    kelle = stories(LEVEE_KV_VOTING);
    join(kelle, Retrieval{}, Compression{4, 4, 16, 0, {0}, {0}});
    kelle.shipped = "hybrids/systems/flash_joined_small.yaml";
    kelle.workload = ", machine: {weights: flash, attention: systolic}";
    kelle.prompts = {drawn_ids(3, 60, 256)}; // The cores work on one sequence.
    kelle.input_bits = 8;
    check(kelle);
}

TEST_CASE("joined policies: biases and learned positions")
{
    const Workplace place;
    SyntheticOptions options;
    options.weights = LEVEE_TYPE_INT8;
    const auto bytes = import_synthetic(opt_shape(96, 384, 2, 6, 300, 128), options);
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
    KelleCase kelle = stories(LEVEE_KV_VOTING);
    kelle.image = place.path("model.levee");
    kelle.prompts = {drawn_ids(12, 70, 300), drawn_ids(13, 30, 300)};
    kelle.new_tokens = 12;
    join(kelle, Retrieval{}, Compression{});
    check(place, kelle);
}

TEST_CASE("joined policies: a timing-only run with recorded decisions has every figure")
{
    for (const bool packed : {false, true}) {
        KelleCase kelle = stories(packed ? LEVEE_KV_VOTING : LEVEE_KV_AEP);
        kelle.new_tokens = 12;
        join(kelle, Retrieval{}, packed ? std::optional(Compression{}) : std::nullopt);
        const Workplace place;
        const KelleRun functional = run_case(place, kelle, {"--record-decisions", "decisions"});
        const KelleRun timing = run_case(
            place, kelle, {"--set", "data=timing_only", "--set", "decisions.recorded=decisions"});
        CHECK(differences(functional, timing) == "");
    }
}

TEST_CASE("a search over kept tokens costs what it reads and saves what it skips")
{
    KelleCase kelle = stories(LEVEE_KV_AEP);
    kelle.prompts = {drawn_ids(3, 60, 256)};
    kelle.new_tokens = 11;
    const Workplace place;
    const KelleRun all = run_case(place, kelle);
    join(kelle, Retrieval{4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_LEAST, 0, 12});
    const KelleRun some = run_case(place, kelle);
    const ModelImage image = ModelImage::open(kelle.image);
    const std::uint64_t heads = std::uint64_t{image.shape().layers} * image.shape().kv_heads;
    // Ten steps have 41 slots and read 12 of them, for keys and for values.
    CHECK(all.count("rsa.macs") - some.count("rsa.macs") ==
          2 * 10 * (41 - 12) * heads * image.shape().head_dim);
    CHECK(some.count("cam.rows_compared") == 10 * 41 * heads);
    CHECK(some.count("cam.matches") == 10 * 12 * heads);
    CHECK(some.count("cam.rows_written") == (40 + 10) * heads);
}

TEST_CASE("statistics of attention to all tokens cause a warning if a search selects tokens")
{
    KelleCase kelle = stories(LEVEE_KV_AEP);
    kelle.prompts = {drawn_ids(3, 30, 256)};
    kelle.new_tokens = 4;
    const std::vector<std::string> timing{
        "--set", "data=timing_only", "--set", "decisions.statistics=tech/decisions/embedded.yaml",
        "--set", "observe=null"};
    const auto warned = [&] {
        const Workplace place;
        return run_case(place, kelle, timing)
                   .results.at("warnings")
                   .dump()
                   .find("decisions.statistics were measured with attention to all kept tokens") !=
               std::string::npos;
    };
    CHECK_FALSE(warned());
    join(kelle, Retrieval{});
    CHECK(warned());
}

TEST_CASE("policies that cannot be combined are refused, with what was expected")
{
    KelleCase kelle = stories(LEVEE_KV_AEP);
    join(kelle, {}, Compression{});
    CHECK_THAT(refused(kelle), Catch::Contains("expected kv_cache.policy voting or full"));
    kelle = stories(LEVEE_KV_AEP);
    join(kelle, Retrieval{});
    kelle.policy.score = LEVEE_SE_LOGIT;
    CHECK_THAT(refused(kelle), Catch::Contains("expected softmax with retrieval"));
    kelle = stories(LEVEE_KV_AERP);
    kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
    join(kelle, Retrieval{});
    CHECK_THAT(refused(kelle), Catch::Contains("'kv_cache.recompute' is not off; expected off"));
    kelle = stories(LEVEE_KV_AEP);
    kelle.workload = ", scheduler: kelle_baseline";
    join(kelle, Retrieval{});
    CHECK_THAT(refused(kelle), Catch::Contains("kelle_baseline stages"));
    kelle = stories(LEVEE_KV_AEP);
    join(kelle, Retrieval{});
    kelle.blocks.clear();
    CHECK_THAT(refused(kelle), Catch::Contains("no content-addressable memory"));
    kelle.cache = ", with: [retrieval]";
    CHECK_THAT(refused(kelle),
               Catch::Contains("'kv_cache.with' has 'retrieval', whose settings "
                               "are missing; expected them in 'kv_cache.retrieval'"));
    kelle.cache = ", with: [aerp]";
    CHECK_THAT(refused(kelle), Catch::Contains("expected one of: cpq, retrieval"));
    kelle = stories(LEVEE_KV_CPQ);
    join(kelle, {}, Compression{});
    CHECK_THAT(refused(kelle), Catch::Contains("names 'cpq' twice"));
}
