// SPDX-License-Identifier: Apache-2.0
// Tests machines with parts of several papers' machines. Every logits vector equals that of a
// reference composed of the blocks' references. Timing-only runs have the figures of functional
// ones, and incompatible parts are refused.
#include "platform/input/import/synthetic.hpp"
#include "test/reference/mixed_transformer.hpp"
#include "test/system/timing_only_case.hpp"

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";

/// Returns the key `workload.machine` in the form of additional workload keys.
std::string machine(const std::string& weights, const std::string& attention)
{
    return ", machine: {weights: " + weights + ", attention: " + attention + "}";
}

KelleCase stories(const std::string& system, const std::string& parts, std::vector<Ids> prompts)
{
    KelleCase kelle;
    kelle.shipped = system;
    kelle.image = embedded;
    kelle.prompts = std::move(prompts);
    kelle.new_tokens = 24;
    kelle.workload = parts;
    return kelle;
}

/// Returns a case with weights in the small flash, whose cores take INT8 inputs and process one
/// sequence at a time.
KelleCase from_flash(const std::string& system, const std::string& attention, const Ids& prompt)
{
    KelleCase kelle = stories("hybrids/systems/" + system, machine("flash", attention), {prompt});
    kelle.input_bits = 8;
    return kelle;
}

void check_both_kinds(const Workplace& place, const KelleCase& kelle)
{
    const KelleRun functional =
        run_case(place, kelle, {"--record-decisions", "decisions", "--check", "overlap"});
    const KelleRun timing = run_case(
        place, kelle, {"--set", "data=timing_only", "--set", "decisions.recorded=decisions"});
    CHECK(differences(functional, timing) == "");
}

std::string refused(const KelleCase& kelle)
{
    const Workplace place;
    place.write("scenario.yaml", yaml(kelle));
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    CHECK(outcome.code != 0);
    return outcome.text;
}

/// Compares a run with attention in FP16 with the mixed reference.
void check_mixed(const Workplace& place, const KelleCase& kelle)
{
    const KelleRun seen = run_case(place, kelle, {"--check", "overlap"});
    const ModelImage image = ModelImage::open(kelle.image);
    const auto generated = seen.results.at("tokens").get<std::vector<Ids>>().at(0);
    Fp16Cache cache;
    cache.rule.policy = kelle.policy;
    cache.rule.voting = kelle.voting;
    cache.rule.seed = kelle.seed;
    cache.chunk = static_cast<std::uint32_t>(seen.count("generate.prefill_chunk"));
    MixedTransformer reference(image, kelle.input_bits, cache);
    const std::size_t vocab = image.shape().vocab;
    std::vector<float> logits = reference.prefill(kelle.prompts[0]);
    for (std::uint32_t step = 0; step < kelle.new_tokens; ++step) {
        INFO("new token " << step);
        REQUIRE(std::memcmp(&seen.logits[step * vocab], logits.data(), vocab * sizeof(float)) == 0);
        logits = reference.step(generated[step]);
    }
}

} // namespace

TEST_CASE("hybrids: flash weights, Kelle's cache, bit by bit under every policy that evicts")
{
    for (const levee_kv_policy_kind kind : {LEVEE_KV_FULL, LEVEE_KV_STREAMING, LEVEE_KV_H2O,
                                            LEVEE_KV_RANDOM, LEVEE_KV_AEP, LEVEE_KV_AERP}) {
        INFO("policy " << kind);
        const Workplace place;
        KelleCase kelle = from_flash("flash_kelle_small.yaml", "systolic", drawn_ids(3, 90, 256));
        kelle.policy = kv_policy(kind, 40, 8, 4);
        check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
    }
}

TEST_CASE("hybrids: flash weights, Kelle's cache, timing-only runs")
{
    const Workplace place;
    KelleCase kelle = from_flash("flash_kelle_small.yaml", "systolic", drawn_ids(5, 70, 256));
    kelle.policy = kv_policy(LEVEE_KV_AERP, 40, 8, 4);
    check_both_kinds(place, kelle);
}

TEST_CASE("hybrids: crossbar weights, Kelle's cache, a batch of three")
{
    const Workplace place;
    KelleCase kelle =
        stories("hybrids/systems/crossbars_kelle.yaml", machine("crossbars", "systolic"),
                {drawn_ids(2, 5, 256), drawn_ids(3, 90, 256), drawn_ids(4, 33, 256)});
    kelle.policy = kv_policy(LEVEE_KV_AERP, 40, 8, 4);
    check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
    check_both_kinds(place, kelle);
}

TEST_CASE("hybrids: flash weights, VEDA's attention, no token evicted")
{
    const Workplace place;
    check_mixed(place, from_flash("flash_veda_small.yaml", "veda", drawn_ids(6, 37, 256)));
}

TEST_CASE("hybrids: flash weights, VEDA's attention and votes")
{
    for (const char* chunk : {"1", "7", "64"}) {
        INFO("chunk " << chunk);
        const Workplace place;
        KelleCase kelle = from_flash("flash_veda_small.yaml", "veda", drawn_ids(3, 90, 256));
        kelle.policy = kv_policy(LEVEE_KV_VOTING, 40, 1, 0);
        kelle.voting = {1.0f, 0.2f, 8, 2};
        kelle.workload += std::string(", prefill_chunk: ") + chunk;
        check_mixed(place, kelle);
    }
}

TEST_CASE("hybrids: flash weights, VEDA's attention and votes, timing-only runs")
{
    const Workplace place;
    KelleCase kelle = from_flash("flash_veda_small.yaml", "veda", drawn_ids(7, 60, 256));
    kelle.policy = kv_policy(LEVEE_KV_VOTING, 40, 1, 0);
    kelle.voting = {1.0f, 0.2f, 8, 2};
    check_both_kinds(place, kelle);
}

TEST_CASE("hybrids: grouped queries, biases and learned positions")
{
    const Workplace place;
    SyntheticOptions options;
    options.weights = LEVEE_TYPE_INT8;
    for (const ModelShape& shape :
         {llama_shape(96, 200, 2, 6, 2, 300, 160), opt_shape(96, 384, 2, 6, 300, 128)}) {
        const std::vector<std::uint8_t> bytes = import_synthetic(shape, options);
        place.write("model.levee", std::string(bytes.begin(), bytes.end()));
        KelleCase kelle = from_flash("flash_veda_small.yaml", "veda", drawn_ids(6, 19, 300));
        kelle.image = place.path("model.levee");
        kelle.new_tokens = 8;
        check_mixed(place, kelle);
        kelle = from_flash("flash_kelle_small.yaml", "systolic", drawn_ids(8, 60, 300));
        kelle.image = place.path("model.levee");
        kelle.new_tokens = 8;
        kelle.policy = kv_policy(LEVEE_KV_AEP, 24, 8, 4);
        check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
    }
}

namespace {

/// Returns a scenario for a combination of parts, on the system that has the units of all parts.
std::string with_everything(const std::string& weights, const std::string& attention,
                            const std::string& functions, const std::string& cache)
{
    const std::string own_memory =
        weights == "crossbars"
            ? "reram: {extends: pim/tech/crossbar_128.yaml, type: reram, units: 2048, "
              "roles: [weights]}"
            : "";
    const std::string model = weights == "veda" ? ", weights: fp16" : "";
    return "system: {extends: hybrids/systems/everything.yaml, memories: {" + own_memory +
           "}}\nmodel: {image: " + embedded.string() + model +
           "}\nworkload: {app: generate, prompt_ids: " +
           nlohmann::json(std::vector<Ids>{drawn_ids(3, 33, 256)}).dump() +
           ", max_new_tokens: 12, stop_token: none, machine: {weights: " + weights +
           ", attention: " + attention + ", functions: " + functions +
           "}}\nkv_cache: {policy: " + cache + "}\n";
}

} // namespace

TEST_CASE("hybrids: each pair of parts under each policy generates a text or is refused by a part")
{
    const std::string policies[] = {
        "full", "aerp, budget: 16, recent_window: 8, sinks: 4, recompute: \"off\"",
        "voting, budget: 16, threshold: {mean: 1, deviation: 0.2}, reserved: 8",
        "cpq, cpq: {key_bits: 4, value_bits: 4, max_levels: 16, key_threshold: 0, "
        "value_threshold: 0}",
        "retrieval, retrieval: {top_k: 8, bits: 4}"};
    const Workplace place;
    unsigned told = 0, refusals = 0;
    for (const char* weights : {"systolic", "veda", "crossbars"})
        for (const char* attention : {"systolic", "veda", "crossbars", "pipelined"})
            for (const char* functions : {"sfu", "element_serial"})
                for (const std::string& policy : policies) {
                    const std::string text = with_everything(weights, attention, functions, policy);
                    place.write("scenario.yaml", text);
                    const Outcome outcome = place.levee({"run", "scenario.yaml", "--no-report",
                                                         "--check", "overlap", "--out", "out"});
                    INFO(text << outcome.text);
                    if (outcome.code == 0) {
                        ++told;
                        continue;
                    }
                    ++refusals;
                    REQUIRE(outcome.code == 1);
                    const bool by_part =
                        outcome.text.find("works only with weights by") != std::string::npos ||
                        outcome.text.find("attention by ") != std::string::npos;
                    REQUIRE(by_part);
                }
    CHECK(told == 34);
    CHECK(refusals == 86);
}

TEST_CASE(
    "hybrids: a machine composed by its parts' names equals the machine with a name of its own")
{
    const Workplace place;
    KelleCase kelle =
        stories("systems/original.yaml", ", scheduler: baseline", {drawn_ids(2, 9, 256)});
    const KelleRun named = run_case(place, kelle);
    kelle.workload = machine("systolic", "systolic");
    const KelleRun parts = run_case(place, kelle);
    CHECK(parts.logits == named.logits);
    kelle.workload = ", machine: {weights: systolic, attention: systolic, staged: true}";
    CHECK(run_case(place, kelle).logits == named.logits);
    CHECK(parts.results.at("metrics").at("decode.seconds").get<double>() ==
          Approx(named.results.at("metrics").at("decode.seconds").get<double>()).epsilon(1e-3));
}

TEST_CASE("hybrids: several function units share the vectors of heads and give the same bits")
{
    for (const char* scheduler : {"baseline", "kelle_baseline"}) {
        INFO(scheduler);
        const Workplace place;
        KelleCase kelle;
        kelle.image = embedded;
        kelle.prompts = {drawn_ids(3, 40, 256), drawn_ids(4, 5, 256)};
        kelle.new_tokens = 16;
        kelle.policy = kv_policy(LEVEE_KV_AEP, 24, 8, 4);
        kelle.workload = std::string(", scheduler: ") + scheduler;
        kelle.blocks = "    sfu_1: {type: sfu, lanes: 8, pipeline_cycles: 4}\n"
                       "    sfu_2: {type: sfu, lanes: 8, pipeline_cycles: 4}\n";
        const KelleRun seen = run_case(place, kelle, {"--check", "overlap"});
        CHECK(seen.count("sfu_2.operations") > 0);
        check_bits(kelle, seen);
    }
}

TEST_CASE("hybrids: incompatible parts are refused, with the parts and what is missing")
{
    KelleCase kelle = from_flash("flash_kelle_small.yaml", "systolc", {1, 2, 3});
    CHECK_THAT(refused(kelle), Catch::Contains("workload.machine.attention: no part \"systolc\""));
    kelle.workload = machine("flash", "crossbars");
    CHECK_THAT(
        refused(kelle),
        Catch::Contains(
            "attention: crossbars works only with weights by crossbars, but weights is flash"));
    kelle.workload = machine("flash", "cim");
    CHECK_THAT(refused(kelle), Catch::Contains("cim executes attention and weights together"));
    kelle.workload = ", machine: {weight: flash, attention: systolic}";
    CHECK_THAT(refused(kelle), Catch::Contains("weight'") && Catch::Contains("'weights'"));
    kelle.workload = ", machine: {weights: flash, attention: systolic, function: sfu}";
    CHECK_THAT(refused(kelle), Catch::Contains("function'") && Catch::Contains("'functions'"));
    kelle.workload = ", machine: {attention: systolic}";
    CHECK_THAT(refused(kelle), Catch::Contains("lacks the key 'weights'"));
    kelle.workload = ", scheduler: flash" + machine("flash", "systolic");
    CHECK_THAT(refused(kelle), Catch::Contains("expected one of the two"));
    kelle.workload = ", machine: {weights: flash, attention: veda, functions: element_serial}";
    CHECK_THAT(refused(kelle), Catch::Contains("element_serial works only with weights by veda"));
    kelle.workload = ", machine: {weights: flash, attention: systolic, separate: true}";
    CHECK_THAT(refused(kelle), Catch::Contains("flash multiplies Q, K and V by one matrix"));
    kelle.workload = ", machine: {weights: flash, attention: systolic, kv_queue: true}";
    CHECK_THAT(refused(kelle),
               Catch::Contains("no attention block of this system has the key 'shares'"));
    kelle.workload = machine("flash", "systolic");
    kelle.policy = kv_policy(LEVEE_KV_VOTING, 40, 1, 0);
    CHECK_THAT(refused(kelle), Catch::Contains("this system has no voting engine"));
    kelle = from_flash("flash_veda_small.yaml", "veda", {1, 2, 3});
    kelle.policy = kv_policy(LEVEE_KV_AEP, 40, 8, 4);
    kelle.policy.score = LEVEE_SE_LOGIT;
    CHECK_THAT(refused(kelle), Catch::Contains("attention by veda passes on probabilities"));
    kelle = stories("hybrids/systems/crossbars_kelle.yaml",
                    ", machine: {weights: crossbars, attention: systolic, staged: true}", {{1, 2}});
    CHECK_THAT(refused(kelle), Catch::Contains("crossbars multiplies Q, K and V by one matrix"));
    std::string text = with_everything("veda", "veda", "element_serial", "full");
    text.replace(text.find("memories: {}"), 12, "blocks: {element_serial: null}");
    const Workplace place;
    place.write("scenario.yaml", text);
    CHECK_THAT(place.levee({"run", "scenario.yaml", "--out", "out"}).text,
               Catch::Contains("no element-serial unit, which the part element_serial needs"));
}

TEST_CASE(
    "a step reads the same bytes with crossbars, however many tokens the prefill took at once")
{
    const Workplace place;
    place.write(
        "scenario.yaml",
        "extends: " LEVEE_SOURCE "/scenarios/common/work.yaml\n"
        "model: {shape: {extends: models/llama2-7b.yaml, layers: 1, vocab: 64}}\n"
        "sampling: off\n"
        "kv_cache: {refresh: {extends: kelle/refresh/2drp.yaml}}\n"
        "workload: {prompt_tokens: 64, max_new_tokens: 3, machine: {weights: crossbars}}\n");
    const auto bytes = [&](const std::string& chunk) {
        const Outcome outcome = place.levee(
            {"run", "scenario.yaml", "--quiet", "--out", "out", "--set",
             "system={extends: hybrids/systems/crossbars_kelle.yaml, memories: {reram: {units: "
             "12352}}}",
             "--set", "workload.prefill_chunk=" + chunk});
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
        return place.results("out").at("metrics").at("roofline.decode.lpddr4.bytes").get<double>();
    };
    CHECK(bytes("16") == bytes("64"));
}
