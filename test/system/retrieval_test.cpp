// SPDX-License-Identifier: Apache-2.0
// Tests retrieval attention on the platform. Every logits vector equals that of a reference that
// attends to the tokens found by the memory's reference. With K = N this is dense attention. Reads
// and products fall as K / N, and a timing-only run has the same figures.
#include "platform/input/import/synthetic.hpp"
#include "test/system/retrieval_case.hpp"
#include "test/system/timing_only_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

KelleCase stories(const Retrieval& retrieval = {})
{
    KelleCase kelle;
    kelle.system.edram = "64 KiB"; // The layers are split over two memories.
    kelle.image = embedded_stories;
    kelle.prompts = {drawn_ids(2, 5, 256), drawn_ids(3, 90, 256), drawn_ids(4, 33, 256)};
    kelle.new_tokens = 24;
    kelle.policy = kv_policy(LEVEE_KV_RETRIEVAL, 0, 1, 0);
    kelle.cache = yaml(retrieval);
    kelle.blocks = cam_block + "}\n";
    return kelle;
}

void check(const Retrieval& retrieval, KelleCase kelle)
{
    kelle.cache = yaml(retrieval);
    const Workplace place;
    check_listed(kelle, retrieval, run_case(place, kelle, {"--check", "overlap"}));
}

} // namespace

TEST_CASE("retrieval, bit by bit: every distance and count, layers in two memories")
{
    for (const Retrieval& retrieval :
         {Retrieval{}, Retrieval{1, LEVEE_CAM_HAMMING, LEVEE_CAM_LEAST, 0, 20},
          Retrieval{3, LEVEE_CAM_L2, LEVEE_CAM_SUM, 0, 0},
          Retrieval{2, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_SUM, 4.0f, 7}}) {
        INFO(yaml(retrieval));
        check(retrieval, stories());
    }
}

TEST_CASE("retrieval by products with a Hadamard matrix, bit by bit")
{
    KelleCase kelle = stories();
    kelle.hadamard = true;
    check(Retrieval{2, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_SUM, 4.0f, 7}, kelle);
}

TEST_CASE("retrieval with Kelle's order of operations, and in a plain memory")
{
    for (const char* more : {", scheduler: kelle", ", prefill_chunk: 1", ", prefill_chunk: 24"}) {
        INFO(more);
        KelleCase kelle = stories();
        kelle.system.edram.clear();
        kelle.workload = more;
        check({}, kelle);
    }
}

TEST_CASE("retrieval with grouped queries uses one list per KV head, with sinks and without")
{
    for (const levee_cam_merge merge : {LEVEE_CAM_LEAST, LEVEE_CAM_SUM}) {
        const Workplace place;
        KelleCase kelle = stories();
        ModelShape shape = llama_shape(96, 200, 2, 6, 2, 300, 160);
        shape.sinks = merge == LEVEE_CAM_SUM;
        const auto bytes = import_synthetic(shape, {});
        place.write("model.levee", std::string(bytes.begin(), bytes.end()));
        kelle.image = place.path("model.levee");
        kelle.prompts = {drawn_ids(12, 100, 300), drawn_ids(13, 40, 300)};
        kelle.new_tokens = 12;
        check({4, LEVEE_CAM_L2_PRODUCT, merge, 0, 9}, kelle);
    }
}

TEST_CASE("retrieval in layers with full attention, windows in the other layers")
{
    for (const std::uint32_t first : {0U, std::uint32_t{LEVEE_LAYER_LOCAL}}) {
        const Workplace place;
        ModelShape shape = llama_shape(96, 200, 3, 6, 2, 300, 160);
        shape.window = 16;
        shape.layer_flags = {first, LEVEE_LAYER_LOCAL, 0};
        const auto bytes = import_synthetic(shape, {});
        place.write("model.levee", std::string(bytes.begin(), bytes.end()));
        KelleCase kelle = stories();
        kelle.image = place.path("model.levee");
        kelle.prompts = {drawn_ids(12, 100, 300), drawn_ids(13, 40, 300)};
        kelle.new_tokens = 12;
        check({4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_LEAST, 0, 9}, kelle);
    }
}

TEST_CASE("retrieval with K = N is dense attention, bit for bit")
{
    KelleCase kelle = stories({4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_LEAST, 0, 60000});
    const Workplace place;
    const KelleRun all = run_case(place, kelle);
    kelle.policy = kv_policy(LEVEE_KV_FULL, 0, 0, 0);
    kelle.cache.clear();
    const KelleRun dense = run_case(place, kelle);
    CHECK(all.results.at("tokens") == dense.results.at("tokens"));
    REQUIRE(all.logits.size() == dense.logits.size());
    CHECK(std::memcmp(all.logits.data(), dense.logits.data(), all.logits.size() * sizeof(float)) ==
          0);
    CHECK(all.count("rsa.macs") == dense.count("rsa.macs"));
    CHECK(all.count("cam.matches") == all.count("cam.rows_compared"));
}

TEST_CASE("products and bytes of keys and values fall as K / N")
{
    // One sequence has 60 tokens, then 10 steps with 61 to 70 cached tokens. 16 of them are listed.
    KelleCase kelle = stories();
    kelle.system.edram = "8 MiB";
    kelle.prompts = {drawn_ids(3, 60, 256)};
    kelle.new_tokens = 11;
    kelle.cache = yaml({4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_LEAST, 0, 16});
    const Workplace place;
    const KelleRun some = run_case(place, kelle);
    kelle.cache = yaml({4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_LEAST, 0, 60000});
    const KelleRun all = run_case(place, kelle);
    const ModelImage image = ModelImage::open(kelle.image);
    const ModelShape& shape = image.shape();
    std::uint64_t left_out = 0; // vectors of keys, and as many vectors of values
    for (std::uint64_t tokens = 61; tokens <= 70; ++tokens)
        left_out += (tokens - 16) * shape.layers * shape.kv_heads;
    constexpr std::uint64_t products = 2; // The products are q k and p v.
    const std::uint64_t group = shape.heads / shape.kv_heads;
    CHECK(all.count("rsa.macs") - some.count("rsa.macs") ==
          products * left_out * group * shape.head_dim);
    CHECK(all.count("kv_edram.read_bytes") - some.count("kv_edram.read_bytes") ==
          2 * 2 * left_out * shape.head_dim);
    CHECK(some.count("cam.matches") == 16 * 10 * std::uint64_t{shape.layers} * shape.kv_heads);
    CHECK(some.count("cam.rows_compared") == all.count("cam.rows_compared"));
    CHECK(some.count("cam.searches") == 10 * std::uint64_t{shape.layers} * shape.heads);
}

TEST_CASE("retrieval: a timing-only run with recorded decisions has every figure")
{
    for (const char* scheduler : {"baseline", "kelle"}) {
        INFO(scheduler);
        KelleCase kelle = stories();
        kelle.new_tokens = 12;
        kelle.workload = std::string(", prefill_chunk: 24, scheduler: ") + scheduler;
        check_timing_only(kelle);
    }
}

TEST_CASE("retrieval from statistics: the same operations, traffic and memory cycles")
{
    KelleCase kelle = stories();
    kelle.system.edram.clear();
    kelle.prompts = {drawn_ids(3, 90, 256)};
    const Workplace place;
    const KelleRun seen = run_case(place, kelle);
    const auto drawn = run_from_statistics(place, kelle);
    for (const char* name : {"cam.matches", "cam.rows_compared", "cam.cycles", "rsa.macs"})
        CHECK(drawn.at(name) == seen.results.at("metrics").at(name));
}

TEST_CASE(
    "seeded noise changes which tokens are found but no computation, and has no effect with K = N")
{
    KelleCase kelle = stories();
    kelle.prompts = {drawn_ids(3, 90, 256)};
    const Workplace place;
    const auto run = [&](const std::string& noise, std::uint32_t seed, std::uint32_t top_k) {
        kelle.seed = seed;
        kelle.blocks = cam_block + noise + "}\n";
        kelle.cache = yaml({4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_LEAST, 0, top_k});
        return run_case(place, kelle).logits;
    };
    const std::string strong = ", noise: {cell: 0.3, line: 200}";
    const auto quiet = run("", 1, 12), one = run(strong, 1, 12);
    CHECK(one == run(strong, 1, 12));
    CHECK(one != run(strong, 2, 12));
    CHECK(one != quiet);
    CHECK(quiet == run("", 2, 12));
    CHECK(run(strong, 1, 60000) == run("", 1, 60000));
}

TEST_CASE("retrieval with missing parts or wrong settings is refused at its place")
{
    KelleCase kelle = stories();
    kelle.new_tokens = 2;
    const auto says = [&](const std::string& section, int code, const std::string& what) {
        check_says(kelle, section, code, what);
    };
    says("policy: retrieval", 2, "lacks the key 'retrieval'");
    says("policy: retrieval, retrieval: {bits: 4}", 2, "and has neither");
    says("policy: retrieval, retrieval: {bits: 4, top_k: 4, ratio: 0.5}", 2, "and has both");
    says("policy: retrieval, retrieval: {bits: 9, top_k: 4}", 2, "kv_cache.retrieval.bits");
    says("policy: retrieval, retrieval: {bits: 4, top_k: 0}", 2, "kv_cache.retrieval.top_k");
    says("policy: retrieval, retrieval: {bits: 4, top_k: 4, distance: cosine}", 2, "cosine");
    says("policy: full, retrieval: {bits: 4, top_k: 4}", 0, "retrieval has no effect with");
    says("policy: retrieval, retrieval: {bits: 5, top_k: 4}", 1,
         "expected at most 4, the bits of a cell of the cam");
    const std::string cam = "    cam: {type: cam, rows: 64, columns: 40, arrays: 20, write_cycles: "
                            "10, search_cycles: 4, cell_bits: ";
    kelle.blocks = cam + "4}\n";
    says("policy: retrieval, retrieval: {bits: 4, top_k: 4}", 1, "has 1280 rows for proxies");
    kelle.blocks = cam + "9}\n";
    says("policy: full", 2, "cell_bits");
    kelle.blocks = cam + "4, noise: {cell: 2}}\n";
    says("policy: full", 2, "'system.blocks.cam.noise.cell'");
    kelle.blocks.clear();
    says("policy: retrieval, retrieval: {bits: 4, top_k: 4}", 1, "no content-addressable memory");
    kelle = stories();
    kelle.workload = ", scheduler: kelle_baseline";
    says("policy: retrieval, retrieval: {bits: 4, top_k: 4}", 1, "kelle_baseline stages");
}

namespace {

/// Returns a case whose compressed rows are also searched.
KelleCase compressed(std::uint32_t top_k)
{
    KelleCase kelle = stories();
    kelle.system.edram.clear();
    kelle.policy.kind = LEVEE_KV_CPQ;
    kelle.blocks += "    cpq: {type: cpq, width: 32, prune_cycles: 2, quantise_cycles: 3, "
                    "dequantise_cycles: 2, level_cycles: 36, sz_buffer: 1 MiB}\n";
    kelle.cache = ", cpq: {key_bits: 6, value_bits: 6, max_levels: 8, key_threshold: 0.01, "
                  "value_threshold: 0.01}";
    if (top_k != 0)
        kelle.cache += yaml(Retrieval{4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_SUM, 0, top_k});
    return kelle;
}

} // namespace

TEST_CASE("retrieval with cpq: K = N gives cpq's bits, and a smaller K expands only listed rows")
{
    const Workplace place;
    const KelleRun alone = run_case(place, compressed(0));
    const KelleRun all = run_case(place, compressed(60000));
    CHECK(all.logits == alone.logits);
    CHECK(all.count("cpq.expanded.rows") == alone.count("cpq.expanded.rows"));
    const KelleRun some = run_case(place, compressed(8));
    CHECK(some.logits != alone.logits);
    CHECK(some.count("cpq.expanded.rows") < alone.count("cpq.expanded.rows") / 2);
    CHECK(some.count("cpq.expanded.packed_bytes") < alone.count("cpq.expanded.packed_bytes") / 2);
}

TEST_CASE("retrieval with cpq: a batch entry gets the same results alone and among others")
{
    KelleCase kelle = compressed(8);
    const Workplace place;
    const KelleRun together = run_case(place, kelle);
    kelle.batch = 1;
    const KelleRun one_by_one = run_case(place, kelle);
    CHECK(together.results.at("tokens") == one_by_one.results.at("tokens"));
}

TEST_CASE("retrieval with cpq: a timing-only run with recorded decisions has every figure")
{
    KelleCase kelle = compressed(8);
    kelle.new_tokens = 12;
    kelle.workload = ", prefill_chunk: 24";
    const Workplace place;
    const KelleRun functional = run_case(place, kelle, {"--record-decisions", "decisions"});
    const KelleRun timing_only = run_case(
        place, kelle, {"--set", "data=timing_only", "--set", "decisions.recorded=decisions"});
    CHECK(differences(functional, timing_only) == "");
    CHECK(timing_only.results.at("tokens") == functional.results.at("tokens"));
}

TEST_CASE("retrieval on a computing flash is dense with K = N, and runs timing-only")
{
    const Workplace place;
    const auto run = [&](const std::string& kv_cache, std::vector<std::string> more = {}) {
        place.write("flash.yaml",
                    "system: {extends: cambricon/systems/small.yaml, blocks: {dma: {type: dma, "
                    "bytes_per_cycle: 64}, cam: {type: cam, rows: 64, columns: 40, arrays: 1024, "
                    "cell_bits: 4, write_cycles: 10, search_cycles: 4}}}\nmodel: {image: " +
                        embedded_stories +
                        "}\nworkload: {app: generate, scheduler: flash, prompt_ids: [[17, 250, 3, "
                        "99, 121, 8, 44, 5, 6, 7]], max_new_tokens: 12, stop_token: none}\n"
                        "kv_cache: {" +
                        kv_cache + "}\n");
        std::vector<std::string> command{"run", "flash.yaml", "--out", "out"};
        command.insert(command.end(), more.begin(), more.end());
        const Outcome outcome = place.levee(command);
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
        return KelleRun{place.results("out"), {}, outcome.text};
    };
    const std::string some = "policy: retrieval, retrieval: {bits: 4, top_k: 4}";
    const KelleRun dense = run("policy: full");
    const KelleRun all = run("policy: retrieval, retrieval: {bits: 4, ratio: 1}");
    CHECK(all.results.at("tokens") == dense.results.at("tokens"));
    CHECK(all.count("rsa.macs") == dense.count("rsa.macs"));
    const KelleRun four = run(some, {"--record-decisions", "decisions"});
    CHECK(four.count("rsa.macs") < dense.count("rsa.macs"));
    const KelleRun timing_only =
        run(some, {"--set", "data=timing_only", "--set", "decisions.recorded=decisions"});
    CHECK(differences(four, timing_only) == "");
}

TEST_CASE("retrieval for a model too large to run uses drawn lists and no samples")
{
    Workplace place;
    const auto run = [&](const std::string& change) {
        const Outcome outcome =
            place.levee({"run", "pim/retrieval_llama2_7b", "--set", change, "--out", "out"});
        INFO(outcome.text);
        return std::pair(outcome, outcome.code == 0 ? place.results("out") : nlohmann::json());
    };
    const auto speed = [&](const std::string& change) {
        const auto [outcome, results] = run(change);
        REQUIRE(outcome.code == 0);
        return results.at("metrics").at("decode.tokens_per_s").get<double>();
    };
    const double all = speed("kv_cache.policy=full");
    const double some = speed("kv_cache.retrieval.top_k=1024");
    const double few = speed("kv_cache.retrieval.top_k=256");
    CHECK(all < some);
    CHECK(some < few);
    const auto refused = run("sampling={steps: 2, chunks: 2}");
    CHECK(refused.first.code == 2);
    CHECK_THAT(refused.first.text, Catch::Contains("kv_cache.retrieval"));
}
