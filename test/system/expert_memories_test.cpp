// SPDX-License-Identifier: Apache-2.0
// Tests experts in a separate memory. Logits equal the composed reference's bit for bit, the chosen
// experts are read only from this memory, and runs without data have the same figures.
#include "platform/input/model/image_layout.hpp"
#include "test/reference/structured_shapes.hpp"
#include "test/system/machine_case.hpp"

#include <string>

using namespace levee;
using namespace levee::test;

namespace {

std::string flash_with(const std::string& roles)
{
    return "system: {extends: cambricon/systems/small.yaml, memories: {flash: {roles: [" + roles +
           "]}}}\n";
}

/// A second DRAM in addition to the one of Kelle's system.
const std::string second_dram =
    "system: {extends: kelle/systems/kelle.yaml, memories: {expert_dram: {type: dram, standard: "
    "tech/dram/lpddr5x_cambricon.yaml, roles: [experts]}}}\n";

double figure(const nlohmann::json& metrics, const std::string& name)
{
    return metrics.at(name).get<double>();
}

/// Number of passes: one for each token of the prompt, and one for each generated token that is fed
/// back.
const double passes = static_cast<double>(prompt().size() + new_tokens - 1);

/// Returns the bytes of the experts that a token uses, in all layers with experts.
double bytes_of_chosen(const ModelShape& shape)
{
    double layers = 0;
    for (std::uint32_t i = 0; i < shape.layers; ++i)
        layers += shape.has_experts(i) ? 1 : 0;
    return (shape.gated() ? 3.0 : 2.0) * shape.hidden * shape.dim * shape.chosen * layers;
}

/// Returns the number of weights in the layers' other matrices.
double other_weights(const ModelShape& shape)
{
    double weights = 0;
    for (const TensorGroup& group : required_tensors(shape))
        if (is_layer_matrix(group) && !is_experts_matrix(group))
            for (const TensorSpec& spec : group)
                weights += double(spec.rows) * spec.cols;
    return weights;
}

} // namespace

TEST_CASE("expert memories: chosen experts are read from flash, all other weights from DRAM")
{
    for (const auto& [name, shape] : mixture_shapes()) {
        INFO(name);
        const Workplace place;
        save_model(place, shape);
        const auto metrics = check_logits(
            place, flash_with("experts") + model_and_workload("baseline", ", prefill_chunk: 1"),
            [](const ModelImage& image) { return ComposedTransformer(image); });
        CHECK(figure(metrics, "flash.read_bytes") == passes * bytes_of_chosen(shape));
        CHECK(figure(metrics, "flash.link_bytes") == figure(metrics, "flash.read_bytes"));
        const std::string results = place.results("out").dump();
        CHECK(results.find("flash is read by address") != std::string::npos);
        CHECK(results.find("was not used") == std::string::npos);
    }
}

TEST_CASE("expert memories: experts in a flash whose cores multiply the other matrices")
{
    for (const auto& [name, shape] : mixture_shapes()) {
        INFO(name);
        const Workplace place;
        save_model(place, shape);
        const auto metrics = check_logits(
            place,
            flash_with("weights, experts") + model_and_workload("flash", ", prefill_chunk: 1"),
            [](const ModelImage& image) { return ComposedTransformer(image, 8); });
        CHECK(figure(metrics, "flash.read_bytes") == passes * bytes_of_chosen(shape));
        CHECK(figure(metrics, "layers.core_weights") + figure(metrics, "layers.array_weights") ==
              other_weights(shape));
        CHECK(figure(metrics, "layers.core_weights") > other_weights(shape) / 2);
    }
}

TEST_CASE("expert memories: a decode step reads only the chosen experts")
{
    const Workplace place;
    const ModelShape shape = mixture_shape();
    save_model(place, shape);
    const auto bytes = [&](const std::string& more) {
        return figure(
            check_logits(place, second_dram + model_and_workload("kelle", more),
                         [](const ModelImage& image) { return ComposedTransformer(image); }),
            "expert_dram.read_bytes");
    };
    CHECK(bytes(", prefill_chunk: 1") == passes * bytes_of_chosen(shape));
    // A chunk that has all tokens reads each expert at most once, and reads at least the first
    // token's experts.
    const double steps = new_tokens - 1, all = double(shape.experts) / shape.chosen;
    const double seen = bytes("") / bytes_of_chosen(shape);
    CHECK(seen >= steps + 1);
    CHECK(seen <= steps + all);
}

TEST_CASE("expert memories: the model's own memory may also have the role")
{
    for (const auto& [name, shape] : mixture_shapes()) {
        INFO(name);
        const Workplace place;
        save_model(place, shape);
        (void)check_logits(place,
                           "system: {extends: kelle/systems/kelle.yaml, memories: {dram: {roles: "
                           "[model, experts, kv, spill]}}}\n" +
                               model_and_workload("kelle"),
                           [](const ModelImage& image) { return ComposedTransformer(image); });
    }
}

TEST_CASE("expert memories: a model without experts gets no statement about experts")
{
    for (const auto& [roles, scheduler] :
         {std::pair{"experts", "baseline"}, std::pair{"weights, experts", "flash"}}) {
        INFO(roles);
        const Workplace place;
        save_model(place, plain_shape());
        const bool apart = std::string(scheduler) == "flash"; // The cores take inputs of 8 bits.
        (void)check_logits(
            place, flash_with(roles) + model_and_workload(scheduler),
            [&](const ModelImage& image) { return ComposedTransformer(image, apart ? 8 : 16); });
        const std::string results = place.results("out").dump();
        CHECK(results.find("is read by address") == std::string::npos);
        CHECK((results.find("flash was not used") == std::string::npos) == apart);
    }
}

TEST_CASE("expert memories: runs without data have the figures of those with data")
{
    for (const auto& [roles, scheduler] :
         {std::pair{"experts", "baseline"}, std::pair{"weights, experts", "flash"}}) {
        INFO(roles);
        const Workplace place;
        save_model(place, mixture_shapes().front().shape);
        place.write("scenario.yaml", flash_with(roles) + model_and_workload(scheduler));
        (void)check_timing_only(place);
    }
}

TEST_CASE("expert memories: impossible settings are refused at their place")
{
    const Workplace place;
    save_model(place, mixture_shape());
    const auto fault = [&](const std::string& scenario) {
        place.write("scenario.yaml", scenario);
        const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
        CHECK(outcome.code == 2);
        return outcome.text;
    };
    CHECK_THAT(
        fault(flash_with("weights") + model_and_workload("flash")),
        Catch::Contains("scheduler flash: weights: flash does not support a feature of the model: "
                        "several experts a layer"));
    CHECK_THAT(fault("system: {extends: cambricon/systems/small.yaml, memories: {flash: {roles: "
                     "[experts]}, dram: {roles: [model, kv, spill, experts]}}}\n" +
                     model_and_workload("baseline")),
               Catch::Contains("has the role 'experts', as '"));
    CHECK_THAT(fault(flash_with("weights, experts") + model_and_workload("baseline")),
               Catch::Contains("scheduler baseline: weights: systolic reads the layers' matrices "
                               "from the memory with the role 'model'; expected no role 'weights' "
                               "for 'system.memories.flash'"));
    CHECK_THAT(fault(flash_with("experts") + model_and_workload("flash")),
               Catch::Contains("scheduler flash: weights: flash reads the layers' matrices from "
                               "a memory with the role 'weights', but there is none"));
    for (const std::string role : {"experts", "model", "kv_ring"})
        CHECK_THAT(
            fault("system: {extends: cambricon/systems/small.yaml, memories: {tcm: {roles: "
                  "[" +
                  role + "]}}}\n" + model_and_workload("baseline")),
            Catch::Contains("'system.memories.tcm.roles' includes other data, but code and heap"));
    CHECK_THAT(fault("system: {extends: cambricon/systems/small.yaml, memories: {flash: {roles: "
                     "[experts], blocks: 1, pages: 1}}}\n" +
                     model_and_workload("baseline")),
               Catch::Contains("8 KiB; the model's experts need 180 KiB"));
}
