// SPDX-License-Identifier: Apache-2.0
// Tests keys and values of 8 and 4 bits. Every logits vector of a run equals the evicting
// reference's bit for bit. A timing-only run has the figures of the functional one. Data that
// cannot have 8 or 4 bits are refused.
#include "platform/input/import/synthetic.hpp"
#include "test/system/timing_only_case.hpp"

#include <sstream>

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path kv_embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";

fs::path kv_synthetic(const Workplace& place, const ModelShape& shape)
{
    const auto bytes = import_synthetic(shape, {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
    return place.path("model.levee");
}

/// Three prompts: one shorter than the budget of 40, one longer, and one that reaches it while
/// decoding.
KelleCase narrow(std::uint32_t bits, levee_kv_policy_kind kind)
{
    KelleCase kelle;
    kelle.system.edram = "64 KiB";
    kelle.image = kv_embedded;
    kelle.prompts = {drawn_ids(2, 5, 256), drawn_ids(3, 90, 256), drawn_ids(4, 33, 256)};
    kelle.new_tokens = 14;
    kelle.policy = kv_policy(kind, 40, 16, 4);
    kelle.kv_bits = bits;
    return kelle;
}

void check_narrow(const KelleCase& kelle)
{
    const Workplace place;
    check_bits(kelle, run_case(place, kelle));
}

constexpr std::uint32_t widths[] = {8, 4};

} // namespace

TEST_CASE("kv bits: every policy, batch of three with unequal lengths")
{
    for (const std::uint32_t bits : widths)
        for (const auto kind : {LEVEE_KV_FULL, LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_RANDOM,
                                LEVEE_KV_AEP, LEVEE_KV_AERP}) {
            INFO(bits << " bits, policy " << kind);
            check_narrow(narrow(bits, kind));
        }
}

TEST_CASE("kv bits: schedulers, staged or not, and the shipped machine with its rings")
{
    for (const std::uint32_t bits : widths)
        for (const char* scheduler : {"kelle", "kelle_baseline"})
            for (const bool shipped : {false, true}) {
                INFO(bits << " bits, " << scheduler << ", shipped " << shipped);
                KelleCase kelle = narrow(bits, LEVEE_KV_AEP);
                if (shipped)
                    kelle.shipped =
                        std::string(LEVEE_SOURCE) + "/scenarios/kelle/systems/kelle.yaml";
                kelle.workload = std::string(", scheduler: ") + scheduler;
                const Workplace place;
                check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
            }
}

TEST_CASE("kv bits: votes, by the voting engine")
{
    for (const std::uint32_t bits : widths) {
        KelleCase kelle = narrow(bits, LEVEE_KV_VOTING);
        kelle.voting = {1.0f, 0.2f, 2, 2};
        INFO(bits << " bits");
        check_narrow(kelle);
    }
}

TEST_CASE("kv bits: prefills in tiles and chunks, scores of either kind")
{
    for (const std::uint32_t bits : widths)
        for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT}) {
            INFO(bits << " bits, score " << score);
            KelleCase kelle = narrow(bits, LEVEE_KV_AEP);
            kelle.policy.score = score;
            kelle.system.sram = "16 KiB";
            kelle.prompts = {drawn_ids(12, 190, 256), drawn_ids(13, 77, 256)};
            kelle.new_tokens = 4;
            kelle.workload = ", prefill_chunk: 32, scheduler: kelle";
            const Workplace place;
            const KelleRun seen = run_case(place, kelle, {"--check", "overlap"});
            CHECK(seen.count("prefill.key_tile") < 100);
            check_bits(kelle, seen);
        }
}

TEST_CASE("kv bits: grouped queries, and heads of 10 elements, which share bytes and units")
{
    for (const std::uint32_t bits : widths) {
        INFO(bits << " bits");
        const Workplace place;
        KelleCase kelle = narrow(bits, LEVEE_KV_H2O);
        kelle.image = kv_synthetic(place, llama_shape(60, 200, 2, 6, 2, 300, 160));
        for (Ids& prompt : kelle.prompts)
            for (std::uint32_t& id : prompt)
                id = id * 300 / 256;
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("kv bits: OPT shape, learned positions and biases")
{
    for (const std::uint32_t bits : widths) {
        INFO(bits << " bits");
        const Workplace place;
        KelleCase kelle = narrow(bits, LEVEE_KV_AEP);
        kelle.image = kv_synthetic(place, opt_shape(96, 384, 3, 6, 300, 128));
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("kv bits: a layer input is no smaller than narrow keys and values: none is stored")
{
    for (const std::uint32_t bits : widths) {
        KelleCase kelle = narrow(bits, LEVEE_KV_AERP);
        kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
        kelle.new_tokens = 4;
        const Workplace place;
        const KelleRun seen = run_case(place, kelle);
        check_bits(kelle, seen);
        CHECK(seen.count("kelle.recompute_off_bits") == 1);
        CHECK(seen.count("kv.x_rows") == 0);
        CHECK(seen.text.find("recomputation is off: a token's layer input is no smaller than its "
                             "keys and values of " +
                             std::to_string(bits) + " bits") != std::string::npos);
    }
}

TEST_CASE("kv bits: the cache and its traffic are a half and a quarter")
{
    const Workplace place;
    KelleCase kelle = narrow(16, LEVEE_KV_FULL);
    kelle.system.edram = "2 MiB";
    kelle.prompts = {drawn_ids(3, 60, 256)};
    const KelleRun whole = run_case(place, kelle);
    for (const std::uint32_t bits : widths) {
        kelle.kv_bits = bits;
        const KelleRun part = run_case(place, kelle);
        const std::uint64_t times = 16 / bits;
        INFO(bits << " bits");
        CHECK(part.count("kv.bytes_per_token") * times == whole.count("kv.bytes_per_token"));
        CHECK(part.count("kv.slice_bytes") * times == whole.count("kv.slice_bytes"));
        CHECK(part.count("kv_edram.read_bytes") * times == whole.count("kv_edram.read_bytes"));
        CHECK(part.count("kv_edram.write_bytes") * times == whole.count("kv_edram.write_bytes"));
        CHECK(part.count("rsa.macs") == whole.count("rsa.macs"));
    }
}

TEST_CASE("kv bits: who leaves gives up its own key and value in the eDRAM, and no more")
{
    for (const std::uint32_t bits : {16u, 8u, 4u}) {
        INFO(bits << " bits");
        const Workplace place;
        KelleCase kelle = narrow(bits, LEVEE_KV_AEP);
        kelle.prompts = {drawn_ids(3, 60, 256)};
        kelle.observe = ", lifetimes: lifetimes.csv";
        run_case(place, kelle);
        std::istringstream lines(place.read("out/lifetimes.csv"));
        std::string line;
        std::getline(lines, line);
        std::size_t count = 0;
        for (; std::getline(lines, line); ++count)
            REQUIRE(line.find("," + std::to_string(16 * bits / 8) + ",") != std::string::npos);
        CHECK(count > 100);
    }
}

TEST_CASE("kv bits: a timing-only run has the functional run's figures")
{
    for (const std::uint32_t bits : widths)
        for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
            INFO(bits << " bits, " << scheduler);
            KelleCase kelle = narrow(bits, LEVEE_KV_AEP);
            kelle.workload = std::string(", prefill_chunk: 24, scheduler: ") + scheduler;
            check_timing_only(kelle);
        }
}

TEST_CASE("kv bits: products with a Hadamard matrix, under every policy")
{
    for (const std::uint32_t bits : {16u, 4u})
        for (const auto kind : {LEVEE_KV_FULL, LEVEE_KV_H2O, LEVEE_KV_AERP}) {
            INFO(bits << " bits, policy " << kind);
            KelleCase kelle = narrow(bits, kind);
            kelle.hadamard = true;
            if (kind == LEVEE_KV_AERP)
                kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
            check_narrow(kelle);
        }
}

TEST_CASE("kv bits: products with a Hadamard matrix, tiled, staged, grouped and timing-only")
{
    KelleCase kelle = narrow(4, LEVEE_KV_AEP);
    kelle.hadamard = true;
    kelle.system.sram = "16 KiB";
    kelle.prompts = {drawn_ids(12, 190, 256), drawn_ids(13, 77, 256)};
    kelle.new_tokens = 4;
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
        INFO(scheduler);
        kelle.workload = std::string(", prefill_chunk: 32, scheduler: ") + scheduler;
        check_narrow(kelle);
        check_timing_only(kelle);
    }
    const Workplace place;
    KelleCase grouped = narrow(8, LEVEE_KV_H2O);
    grouped.hadamard = true;
    grouped.image = kv_synthetic(place, llama_shape(96, 200, 2, 6, 2, 256, 160));
    check_bits(grouped, run_case(place, grouped));
}

TEST_CASE("kv bits: a Hadamard matrix costs passes and sums of the function unit, and no bytes")
{
    const Workplace place;
    KelleCase kelle = narrow(16, LEVEE_KV_FULL);
    kelle.prompts = {drawn_ids(3, 20, 256)};
    const KelleRun plain = run_case(place, kelle);
    kelle.hadamard = true;
    const KelleRun mixed = run_case(place, kelle);
    CHECK(mixed.count("sfu.cycles") > plain.count("sfu.cycles"));
    CHECK(mixed.count("sfu.elements") == plain.count("sfu.elements"));
    for (const char* bytes : {"kv_edram.read_bytes", "kv_edram.write_bytes", "dram.read_bytes"})
        CHECK(mixed.count(bytes) == plain.count(bytes));
}

TEST_CASE("kv bits: refused by name where there is no such form")
{
    const Workplace place;
    const auto refused = [&](std::vector<std::string> command, const std::string& why) {
        command.insert(command.begin(), "run");
        command.insert(command.end(), {"--out", "out"});
        const Outcome outcome = place.levee(command);
        INFO(outcome.text);
        CHECK(outcome.code != 0);
        CHECK(outcome.text.find(why) != std::string::npos);
    };
    refused({"kelle/demo", "--set", "kv_cache.bits=6"},
            "'kv_cache.bits' is 6; expected 16, 8 or 4");
    refused({"veda/demo", "--set", "kv_cache.bits=8"},
            "kv_cache.bits is 8; scheduler veda keeps keys and values of 16 bits only");
    refused(
        {"pim/titanus_cpq", "--set", "kv_cache.bits=8"},
        "'kv_cache.bits' is 8 with 'policy: cpq', whose block reads only 16-bit keys; expected 16");
    refused({"veda/demo", "--set", "kv_cache.hadamard=true"},
            "--set kv_cache.hadamard=true: 'kv_cache.hadamard' is true with scheduler veda, but a "
            "part of the machine has no "
            "function unit that multiplies by this matrix; expected false, or systolic attention");
    kv_synthetic(place, llama_shape(60, 200, 2, 6, 2, 300, 160));
    refused({"kelle/demo", "--set", "kv_cache.hadamard=true", "--set",
             "model.image=" + place.path("model.levee").string(), "--set",
             "workload={app: generate, prompt_ids: [[1, 2]], max_new_tokens: 1}"},
            "but the model's heads have a dimension that is not a power of two; expected false");
    const auto even = import_synthetic(llama_shape(64, 64, 2, 2, 2, 300, 160), {});
    place.write("even.levee", std::string(even.begin(), even.end()));
    refused(
        {"kelle/demo", "--set", "kv_cache={policy: full, hadamard: true}", "--set",
         "model.image=" + place.path("even.levee").string(), "--set",
         "workload={app: generate, prompt_ids: [[1, 2]], max_new_tokens: 1, sampling: greedy, "
         "speculation: {tokens: 2, draft: {image: " +
             place.path("model.levee").string() + "}}}"},
        "is true with scheduler baseline and 'workload.speculation.draft', but the model's heads");
    place.write("two.yaml",
                std::string("extends: ") + LEVEE_SOURCE +
                    "/scenarios/kelle/systems/kelle.yaml\nname: two\nmemories:\n"
                    "  kv_edram: {size: 64 KiB}\n  dram: {roles: [model, spill]}\n"
                    "  more: {type: edram, size: 1 MiB, banks: 32, access: 2 ns, refresh: 4 ns, "
                    "latency: 1.9 ns, intervals: 45 us, roles: [kv]}\n");
    refused({"kelle/demo", "--set", "kv_cache.bits=8", "--set",
             "system=" + place.path("two.yaml").string()},
            "kv_cache.bits is 8; memory more also holds keys and values, but only the first memory "
            "with the role kv (kv_edram) can hold fewer bits; an additional eDRAM needs 16 bits");
}
