// SPDX-License-Identifier: Apache-2.0
// Tests compressed keys and values on the platform. Every logits vector must equal that of a
// reference whose cache passes through the reference of pruning and quantisation. The bytes moved
// follow from the stored data, and a timing-only run has the same figures.
#include "platform/input/import/synthetic.hpp"
#include "test/reference/composed_transformer.hpp"
#include "test/system/cpq_case.hpp"
#include "test/system/timing_only_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

KelleCase stories(const Compression& cpq = {})
{
    KelleCase kelle;
    kelle.image = embedded_stories;
    kelle.prompts = {drawn_ids(2, 5, 256), drawn_ids(3, 90, 256), drawn_ids(4, 33, 256)};
    kelle.new_tokens = 24;
    kelle.policy = kv_policy(LEVEE_KV_CPQ, 0, 1, 0);
    kelle.cache = yaml(cpq);
    kelle.blocks = cpq_block;
    return kelle;
}

/// Compares every logits vector of the run and returns counts of the values.
cpq::Counts check_compressed(const KelleCase& kelle, const Compression& compression,
                             const KelleRun& seen)
{
    const ModelImage image = ModelImage::open(kelle.image);
    const std::size_t vocab = image.shape().vocab, count = kelle.prompts.size();
    const auto generated = seen.results.at("tokens").get<std::vector<Ids>>();
    REQUIRE(seen.logits.size() == vocab * count * kelle.new_tokens);
    // If the prefill is not tiled, one tile holds all keys.
    const std::size_t key_tile =
        seen.has("prefill.key_tile") ? seen.count("prefill.key_tile") : image.shape().max_context;
    cpq::Counts counts;
    for (std::size_t s = 0; s < count; ++s) {
        Compressed keys(compression, compression.key_bits, compression.key_threshold);
        Compressed values(compression, compression.value_bits, compression.value_threshold);
        ComposedTransformer reference(image, kelle.input_bits, 16, kelle.hadamard);
        reference.kept = [&](std::uint32_t layer, std::span<CacheSlice> k,
                             std::span<CacheSlice> v) {
            keys.take(layer, k);
            values.take(layer, v);
        };
        std::vector<float> logits;
        for (const std::uint32_t token : kelle.prompts[s])
            logits = reference.step(token, key_tile);
        reference.end_prefill();
        for (std::uint32_t step = 0; step < kelle.new_tokens; ++step) {
            INFO("sequence " << s << ", new token " << step);
            const std::size_t index = step * count + s;
            REQUIRE(std::memcmp(&seen.logits[index * vocab], logits.data(),
                                vocab * sizeof(float)) == 0);
            if (step + 1 < kelle.new_tokens)
                logits = reference.step(generated[s][step]);
        }
        counts += keys.counts;
        counts += values.counts;
    }
    return counts;
}

void check(const Compression& cpq, KelleCase kelle)
{
    kelle.cache = yaml(cpq);
    const Workplace place;
    const KelleRun seen = run_case(place, kelle, {"--check", "overlap"});
    const cpq::Counts counts = check_compressed(kelle, cpq, seen);
    CHECK(seen.count("cpq.survivors") == counts.survivors);
    CHECK(seen.count("cpq.non_zeros") == counts.non_zeros);
    CHECK(seen.count("cpq.clamped") == counts.clamped);
}

} // namespace

TEST_CASE("compressed keys and values, bit by bit: bits, thresholds, levels, tolerance")
{
    for (const Compression& cpq :
         {Compression{}, Compression{8, 8, 64, 0, {0}, {0}}, Compression{1, 2, 1, 0, {0.2f}, {0}},
          Compression{3, 4, 3, 0.25f, {0, 0.5f, 1, 2, 4}, {0.1f}}}) {
        INFO(yaml(cpq));
        check(cpq, stories());
    }
}

TEST_CASE("compression of products with a Hadamard matrix, bit by bit")
{
    KelleCase kelle = stories();
    kelle.hadamard = true;
    check(Compression{3, 4, 3, 0.25f, {0, 0.5f, 1, 2, 4}, {0.1f}}, kelle);
}

TEST_CASE("compression with Kelle's order of operations, and with prompts in chunks")
{
    for (const char* more : {", scheduler: kelle", ", prefill_chunk: 1", ", prefill_chunk: 24"}) {
        INFO(more);
        KelleCase kelle = stories();
        kelle.workload = more;
        check({}, kelle);
    }
}

TEST_CASE("hybrids: compressed keys and values in eDRAM with weights in flash, bit by bit")
{
    for (const Compression& cpq : {Compression{}, Compression{4, 4, 16, 0, {0}, {0}}}) {
        INFO(yaml(cpq));
        KelleCase kelle = stories(cpq);
        kelle.shipped = "hybrids/systems/flash_cpq_small.yaml";
        kelle.workload = ", machine: {weights: flash, attention: systolic}";
        kelle.input_bits = 8;
        kelle.prompts = {drawn_ids(3, 60, 256)}; // The cores work on one sequence.
        check(cpq, kelle);
    }
}

TEST_CASE("bytes moved equal non-zeros times bits, plus the stated metadata")
{
    KelleCase kelle = stories({4, 4, 16, 0, {0.5f}, {0.125f}});
    kelle.prompts = {drawn_ids(3, 90, 256)};
    const Workplace place;
    const KelleRun seen = run_case(place, kelle);
    const ModelImage image = ModelImage::open(kelle.image);
    const std::uint64_t channels = std::uint64_t{image.shape().kv_heads} * image.shape().head_dim;
    const std::uint64_t rows = 2ull * image.shape().layers * (90 + kelle.new_tokens - 1);
    CHECK(seen.count("cpq.rows") == rows);
    CHECK(seen.count("cpq.values") == rows * channels);
    CHECK(seen.count("cpq.index_bytes") == rows * ((channels + 7) / 8));
    const std::uint64_t code_bits = seen.count("cpq.non_zeros") * 4;
    CHECK(seen.count("cpq.code_bytes") >= code_bits / 8);
    CHECK(seen.count("cpq.code_bytes") < code_bits / 8 + rows);
    CHECK(seen.count("cpq.packed_bytes") == rows + seen.count("cpq.index_bytes") +
                                                seen.count("cpq.code_bytes") +
                                                seen.count("cpq.label_bytes"));
    // INT16 would take twice this many bytes.
    CHECK(seen.count("cpq.packed_bytes") < rows * channels * 2 / 2);
    // Each step expands the rows of all previous tokens.
    std::uint64_t expanded = 0;
    for (std::uint64_t step = 0; step + 1 < kelle.new_tokens; ++step)
        expanded += 2ull * image.shape().layers * (90 + step);
    CHECK(seen.count("cpq.expanded.rows") == expanded);
}

TEST_CASE("compression: a timing-only run with recorded decisions has every figure")
{
    for (const char* scheduler : {"baseline", "kelle"}) {
        INFO(scheduler);
        KelleCase kelle = stories();
        kelle.new_tokens = 12;
        kelle.workload = std::string(", prefill_chunk: 24, scheduler: ") + scheduler;
        check_timing_only(kelle);
    }
}

TEST_CASE("compression with missing parts or wrong settings is refused at its place")
{
    KelleCase kelle = stories();
    kelle.new_tokens = 2;
    const auto says = [&](const std::string& section, int code, const std::string& what) {
        check_says(kelle, section, code, what);
    };
    const std::string whole = "policy: cpq, cpq: {key_bits: 4, value_bits: 4, max_levels: 4, "
                              "key_threshold: 0, value_threshold: ";
    says("policy: cpq", 2, "lacks the key 'cpq'");
    says("policy: cpq, cpq: {key_bits: 4}", 2, "value_bits");
    says("policy: cpq, cpq: {key_bits: 9, value_bits: 4, max_levels: 4, key_threshold: 0, "
         "value_threshold: 0}",
         2, "kv_cache.cpq.key_bits");
    says(whole + "-1}", 2, "kv_cache.cpq.value_threshold");
    says(whole + "[0, 1, 2]}", 1, "kv_cache.cpq.value_threshold has 3 thresholds");
    kelle.blocks =
        "    cpq: {type: cpq, clock: 200 MHz, width: 32, prune_cycles: 2, quantise_cycles: 3, "
        "dequantise_cycles: 2, level_cycles: 36, sz_buffer: 4 KiB}\n";
    says(whole + "0}", 1, "the scale-zero buffer of the compression block has 4096");
    kelle.blocks.clear();
    says(whole + "0}", 1, "no compression block");
    kelle = stories();
    kelle.workload = ", scheduler: kelle_baseline";
    says(whole + "0}", 1, "kelle_baseline stages");
}
