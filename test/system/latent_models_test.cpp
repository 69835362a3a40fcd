// SPDX-License-Identifier: Apache-2.0
// Tests models with latent attention. The machines' results equal the composed reference's bit for
// bit. Machines that cannot run them refuse and give the reason.
#include "platform/input/model/image_writer.hpp"
#include "test/reference/structured_shapes.hpp"
#include "test/system/machine_case.hpp"
#include "test/system/retrieval_case.hpp"
#include "test/system/timing_only_case.hpp"

#include <string>

using namespace levee;
using namespace levee::test;

namespace {

void save(const Workplace& place, const ModelShape& shape, const SyntheticOptions& options = {})
{
    const auto bytes = import_synthetic(shape, options);
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
}

KelleCase on_kelle(const Workplace& place, const ModelShape& shape, levee_kv_policy_kind policy)
{
    save(place, shape);
    KelleCase kelle;
    kelle.system.edram = "64 KiB";
    kelle.image = place.path("model.levee");
    kelle.prompts = {drawn_ids(2, 5, shape.vocab), drawn_ids(3, 40, shape.vocab),
                     drawn_ids(4, 21, shape.vocab)};
    kelle.new_tokens = 8;
    kelle.policy = kv_policy(policy, 24, 8, 4);
    return kelle;
}

std::string refusal(const Workplace& place, const std::string& scenario)
{
    place.write("scenario.yaml", scenario);
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    CHECK(outcome.code != 0);
    return outcome.text;
}

} // namespace

TEST_CASE("latent models: on Kelle, a batch of three, everything kept, one vector a token")
{
    for (const auto& [name, shape] : latent_shapes()) {
        INFO(name);
        const Workplace place;
        const KelleCase kelle = on_kelle(place, shape, LEVEE_KV_FULL);
        const KelleRun seen = run_case(place, kelle);
        check_bits(kelle, seen);
        CHECK(seen.count("kv.bytes_per_token") == 2.0 * shape.head_dim * shape.layers);
    }
}

TEST_CASE("latent models: weights of four bits, with a scale a row or a group")
{
    for (const std::uint32_t group : {0U, 8U}) {
        INFO("groups of " << group);
        const Workplace place;
        ModelShape shape = latent_shape();
        shape.query_latent = 20;
        const KelleCase kelle = on_kelle(place, shape, LEVEE_KV_FULL);
        SyntheticOptions options;
        options.weights = WeightFormat(LEVEE_TYPE_INT4, group);
        save(place, shape, options);
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("latent models: several arrays share heads' products")
{
    const Workplace place;
    KelleCase kelle = on_kelle(place, latent_shape(), LEVEE_KV_FULL);
    kelle.blocks = "    rsa_2: {type: rsa, rows: 32, columns: 32, load_bytes_per_cycle: 128, "
                   "accumulator_rows: 512}\n";
    check_bits(kelle, run_case(place, kelle));
}

TEST_CASE("latent models: on Kelle, evicted")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_AEP,
                                              LEVEE_KV_AERP, LEVEE_KV_RANDOM, LEVEE_KV_VOTING})
        for (const auto& [name, shape] : latent_shapes()) {
            INFO(name << ", policy " << policy);
            const Workplace place;
            KelleCase kelle = on_kelle(place, shape, policy);
            kelle.voting = {1.0F, 0.2F, 8, 2};
            check_bits(kelle, run_case(place, kelle));
        }
}

TEST_CASE("latent models: keys and values of eight and four bits")
{
    for (const unsigned bits : {8U, 4U}) {
        INFO(bits);
        const Workplace place;
        KelleCase kelle = on_kelle(place, latent_shape(), LEVEE_KV_AEP);
        kelle.kv_bits = bits;
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("latent models: retrieval reads the nearest tokens, and all with K = N")
{
    constexpr std::uint32_t all = 60000;
    for (const std::uint32_t top_k : {6U, all})
        for (const auto& [name, shape] : latent_shapes()) {
            INFO(name << ", top_k " << top_k);
            const Workplace place;
            KelleCase kelle = on_kelle(place, shape, LEVEE_KV_FULL);
            const KelleRun plain = run_case(place, kelle);
            const Retrieval retrieval{4, LEVEE_CAM_L2_PRODUCT, LEVEE_CAM_SUM, 0, top_k};
            kelle.policy.kind = LEVEE_KV_RETRIEVAL;
            kelle.cache = yaml(retrieval);
            kelle.blocks = cam_block + "}\n";
            const KelleRun seen = run_case(place, kelle, {"--check", "overlap"});
            check_listed(kelle, retrieval, seen);
            CHECK((seen.logits == plain.logits) == (top_k == all));
        }
}

TEST_CASE("latent models: retrieval over the tokens that a policy keeps")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_AEP, LEVEE_KV_VOTING}) {
        INFO("policy " << policy);
        const Workplace place;
        KelleCase kelle = on_kelle(place, latent_shape(), policy);
        kelle.voting = {1.0F, 0.2F, 8, 2};
        const KelleRun alone = run_case(place, kelle);
        kelle.cache =
            ", with: [retrieval]" + yaml(Retrieval{4, LEVEE_CAM_L2, LEVEE_CAM_SUM, 0, 60});
        kelle.blocks = cam_block + "}\n";
        CHECK(run_case(place, kelle).logits == alone.logits);
    }
}

TEST_CASE("latent models: retrieval, a timing-only run with recorded decisions has every figure")
{
    const Workplace place;
    KelleCase kelle = on_kelle(place, latent_shape(), LEVEE_KV_RETRIEVAL);
    kelle.cache = yaml(Retrieval{});
    kelle.blocks = cam_block + "}\n";
    (void)check_timing_only(place, kelle);
}

TEST_CASE("latent models: prefills in tiles")
{
    for (const auto& [name, shape] : latent_shapes()) {
        INFO(name);
        const Workplace place;
        KelleCase kelle = on_kelle(place, shape, LEVEE_KV_AEP);
        kelle.system.sram = "40 KiB";
        kelle.workload = ", prefill_chunk: 32";
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("latent models: timing-only runs have the figures of functional ones")
{
    for (const auto& [name, shape] : latent_shapes()) {
        INFO(name);
        const Workplace place;
        (void)check_timing_only(place, on_kelle(place, shape, LEVEE_KV_AEP));
    }
}

TEST_CASE("latent models: cpq is refused at its place, before the run")
{
    const Workplace place;
    save(place, latent_shape());
    const std::string cpq = "{key_bits: 4, value_bits: 4, max_levels: 8, key_threshold: 0.01, "
                            "value_threshold: 0.01}}\n";
    const std::vector<std::pair<std::string, std::string>> refused{
        {"cpq, cpq: ", "'kv_cache.cpq' packs rows"},
        {"streaming, budget: 24, with: [cpq], cpq: ", "'kv_cache.cpq' packs a token's keys"}};
    for (const auto& [policy, why] : refused) {
        INFO(policy);
        const std::string text =
            refusal(place, "system: kelle/systems/kelle.yaml\n" + model_and_workload("kelle") +
                               "kv_cache: {policy: " + policy + cpq);
        CHECK_THAT(text, Catch::Contains("scenario.yaml:4:") && Catch::Contains(why));
    }
}

TEST_CASE("latent models: other machines refuse them by name")
{
    const Workplace place;
    save(place, latent_shape());
    for (const auto& [system, scheduler] :
         {std::pair{"cambricon/systems/small.yaml", "flash"},
          std::pair{"pim/systems/retransformer_small.yaml", "reram_weights"},
          std::pair{"pim/systems/retransformer_small.yaml", "reram_plain"}}) {
        INFO(scheduler);
        const std::string text =
            refusal(place, "system: " + std::string(system) + "\n" + model_and_workload(scheduler));
        CHECK(text.find("latent keys and values") != std::string::npos);
    }
}
