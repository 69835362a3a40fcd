// SPDX-License-Identifier: Apache-2.0
// Tests models that differ from a plain transformer in one property or several. The machines'
// results equal the composed reference's bit for bit. Machines that cannot run a model refuse and
// give the reason.
#include "platform/input/model/image_writer.hpp"
#include "test/reference/decomposed_transformer.hpp"
#include "test/reference/structured_shapes.hpp"
#include "test/system/machine_case.hpp"
#include "test/system/timing_only_case.hpp"

#include <algorithm>
#include <utility>

using namespace levee;
using namespace levee::test;

namespace {

void save(const Workplace& place, const ModelShape& shape)
{
    const auto bytes = import_synthetic(shape, {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
}

std::vector<NamedShape> all_shapes()
{
    std::vector<NamedShape> shapes = structured_shapes();
    for (NamedShape& shape : mixture_shapes())
        shapes.push_back(std::move(shape));
    for (NamedShape& shape : family_shapes())
        shapes.push_back(std::move(shape));
    return shapes;
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

std::string refusal(const Workplace& place, const std::string& scenario);

/// Machines with weights in flash or crossbars do not support experts.
bool is_refused_for_experts(const Workplace& place, const ModelShape& shape,
                            const std::string& scenario)
{
    if (shape.experts == 0)
        return false;
    CHECK(refusal(place, scenario).find("several experts a layer") != std::string::npos);
    return true;
}

/// Returns the message with which a machine refuses the saved model.
std::string refusal(const Workplace& place, const std::string& scenario)
{
    place.write("scenario.yaml", scenario);
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    CHECK(outcome.code != 0);
    return outcome.text;
}

} // namespace

TEST_CASE("structured models: on Kelle, a batch of three, no token evicted")
{
    for (const auto& [name, shape] : all_shapes()) {
        INFO(name);
        const Workplace place;
        const KelleCase kelle = on_kelle(place, shape, LEVEE_KV_FULL);
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("structured models: experts of four bits, with a scale a row or a group")
{
    for (const std::uint32_t group : {0U, 16U}) {
        INFO("groups of " << group);
        const Workplace place;
        ModelShape shape = mixture_shape();
        shape.expert_biases = true;
        shape.shared_hidden = 48;
        shape.shared_gate = true;
        KelleCase kelle = on_kelle(place, shape, LEVEE_KV_FULL);
        SyntheticOptions options;
        options.weights = WeightFormat(LEVEE_TYPE_INT4, group);
        const auto bytes = import_synthetic(shape, options);
        place.write("model.levee", std::string(bytes.begin(), bytes.end()));
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("structured models: several arrays share experts' products")
{
    const Workplace place;
    ModelShape shape = mixture_shape();
    shape.hidden = 80;
    shape.expert_biases = true;
    shape.shared_hidden = 120;
    shape.shared_gate = true;
    KelleCase kelle = on_kelle(place, shape, LEVEE_KV_FULL);
    kelle.blocks = "    rsa_2: {type: rsa, rows: 32, columns: 32, load_bytes_per_cycle: 128, "
                   "accumulator_rows: 512}\n";
    check_bits(kelle, run_case(place, kelle));
}

TEST_CASE("structured models: on Kelle, evicted and recomputed")
{
    for (auto [name, shape] : all_shapes()) {
        INFO(name);
        const Workplace place;
        shape.kv_heads = shape.heads; // Grouped queries switch recomputation off.
        KelleCase kelle = on_kelle(place, shape, LEVEE_KV_AERP);
        const bool recomputes = shape.head_norm != HeadNorm::all;
        kelle.policy.recompute = recomputes ? LEVEE_KV_RECOMPUTE_ALL : LEVEE_KV_RECOMPUTE_OFF;
        const KelleRun seen = run_case(place, kelle);
        check_bits(kelle, seen);
        CHECK((seen.count("kelle.recompute_rows") > 0) == recomputes);
    }
}

TEST_CASE("structured models: recomputation is refused where keys have a norm over all heads")
{
    const Workplace place;
    ModelShape shape = plain_shape();
    shape.head_norm = HeadNorm::all;
    shape.kv_heads = shape.heads;
    KelleCase kelle = on_kelle(place, shape, LEVEE_KV_AERP);
    kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
    CHECK(refusal(place, yaml(kelle))
              .find("norm of keys over all heads, which recomputed keys lack") !=
          std::string::npos);
}

TEST_CASE("structured models: prefills in tiles")
{
    for (const auto& [name, shape] : all_shapes()) {
        INFO(name);
        const Workplace place;
        KelleCase kelle = on_kelle(place, shape, LEVEE_KV_AEP);
        kelle.system.sram = "40 KiB";
        kelle.workload = ", prefill_chunk: 32";
        check_bits(kelle, run_case(place, kelle));
    }
}

TEST_CASE("structured models: timing-only runs have the figures of functional ones")
{
    for (const auto& [name, shape] : family_shapes()) {
        INFO(name);
        const Workplace place;
        (void)check_timing_only(place, on_kelle(place, shape, LEVEE_KV_AEP));
    }
}

TEST_CASE("structured models: every router's choice among equal scores, of one expert and of all")
{
    for (const std::uint32_t experts : {1U, 5U})
        for (const std::uint32_t chosen : {1U, experts})
            for (const bool sigmoid : {false, true})
                for (const bool choice_bias : {false, true}) {
                    INFO(chosen << " of " << experts << (sigmoid ? ", sigmoid" : "")
                                << (choice_bias ? ", a bias" : ""));
                    const Workplace place;
                    ModelShape shape = mixture_shape();
                    shape.experts = experts;
                    shape.chosen = chosen;
                    shape.sigmoid = sigmoid;
                    shape.choice_bias = choice_bias;
                    shape.among_chosen = true;
                    const KelleCase kelle = on_kelle(place, shape, LEVEE_KV_FULL);
                    ModelSource source = synthetic_source(shape, {});
                    source.rows = [rows = source.rows](const TensorSpec& spec, std::uint32_t first,
                                                       std::span<float> out) {
                        rows(spec, first, out);
                        if (spec.kind == LEVEE_TENSOR_W_ROUTER) // This makes all scores of the
                                                                // router equal.
                            std::ranges::fill(out, 0.0F);
                    };
                    const auto bytes = image_in_memory(source, LEVEE_TYPE_INT8);
                    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
                    check_bits(kelle, run_case(place, kelle));
                }
}

TEST_CASE("structured models: from flash")
{
    const std::string scenario =
        "system: cambricon/systems/small.yaml\n" + model_and_workload("flash");
    for (const auto& [name, shape] : all_shapes()) {
        INFO(name);
        const Workplace place;
        save(place, shape);
        if (!is_refused_for_experts(place, shape, scenario))
            (void)check_logits(place, scenario, [](const ModelImage& image) {
                return ComposedTransformer(image, 8);
            });
    }
}

TEST_CASE("structured models: weights in crossbars, attention on the array")
{
    const std::string scenario =
        "system: pim/systems/retransformer_small.yaml\n" + model_and_workload("reram_weights");
    for (const auto& [name, shape] : all_shapes()) {
        INFO(name);
        const Workplace place;
        save(place, shape);
        if (!is_refused_for_experts(place, shape, scenario))
            (void)check_logits(place, scenario,
                               [](const ModelImage& image) { return ComposedTransformer(image); });
    }
}

TEST_CASE("structured models: plain attention runs in crossbars, decomposed attention is refused")
{
    for (const auto& [name, shape] : all_shapes()) {
        INFO(name);
        const Workplace place;
        save(place, shape);
        const std::string system = "system: pim/systems/retransformer_small.yaml\n";
        if (is_refused_for_experts(place, shape, system + model_and_workload("reram_plain")))
            continue;
        (void)check_logits(place, system + model_and_workload("reram_plain"),
                           [](const ModelImage& image) { return ComposedTransformer(image); });
        if (shape.sinks)
            (void)check_logits(
                place, system + model_and_workload("reram_layers"),
                [](const ModelImage& image) { return DecomposedTransformer(image); });
        const bool by_layer = shape.local_phases || shape.flags_of(1) == LEVEE_LAYER_UNROTATED ||
                              shape.flags_of(3) == LEVEE_LAYER_UNROTATED;
        if (shape.head_norm == HeadNorm::none && shape.rotary() == shape.head_dim && !by_layer)
            continue;
        const std::string text = refusal(place, system + model_and_workload("reram_layers"));
        CHECK(text.find("does not support a feature of the model") != std::string::npos);
    }
}

TEST_CASE("structured models: compute-in-memory cores name what they cannot do")
{
    for (const auto& [name, shape] : structured_shapes()) {
        INFO(name);
        const Workplace place;
        save(place, shape);
        const std::string scenario =
            "system: {extends: pim/systems/titanus_small.yaml, memories: {cim: {cores: 4, hidden: "
            "64, feed_forward: 192}}}\n" +
            model_and_workload("titanus");
        if (shape.logit_cap != 0.0F || shape.attention_biases)
            (void)check_logits(place, scenario, [](const ModelImage& image) {
                return ComposedTransformer(image, 8);
            });
        else if (shape.head_dim == 16 && shape.experts == 0)
            CHECK(refusal(place, scenario).find("does not support a feature of the model") !=
                  std::string::npos);
    }
}
