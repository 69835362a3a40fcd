// SPDX-License-Identifier: Apache-2.0
// Small models of every family, imported, against what the families' descriptions compute.
#include "platform/input/import/huggingface/checkpoint.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/family_transformer.hpp"
#include "test/reference/plain_transformer.hpp"
#include "test/unit/huggingface/checkpoint.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace levee;
using namespace levee::test;

namespace {

const std::vector<std::uint32_t> tokens{3, 49, 0, 17, 17, 42, 8, 1, 30, 5, 22, 11};
using Logits = std::vector<std::vector<double>>;

/// The largest difference at any position, as a share of the logits there.
double difference(const Logits& found, const Logits& expected)
{
    REQUIRE(found.size() == expected.size());
    double largest = 0;
    for (std::size_t t = 0; t < expected.size(); ++t) {
        REQUIRE(found[t].size() == expected[t].size());
        double error = 0, square = 0;
        for (std::size_t i = 0; i < expected[t].size(); ++i) {
            error += std::pow(found[t][i] - expected[t][i], 2);
            square += std::pow(expected[t][i], 2);
        }
        largest = std::max(largest, std::sqrt(error / square));
    }
    return largest;
}

ModelImage imported(const FamilyCheckpoint& model, levee_type weights)
{
    const Folder folder;
    std::vector<RawTensor> tensors;
    for (const auto& [name, tensor] : model.tensors)
        tensors.push_back({name, tensor.shape, tensor.values});
    folder.write("config.json", model.config.dump());
    folder.write("model.safetensors", safetensors(tensors));
    return ModelImage::parse(image_in_memory(hf::safetensors_source(folder.path(), ""), weights),
                             "m");
}

} // namespace

TEST_CASE("Families compute after an import what their descriptions say")
{
    for (const FamilyCheckpoint& model : family_checkpoints()) {
        INFO(model.title);
        const Logits expected = family_logits(model, tokens);
        CHECK(difference(plain_logits(imported(model, LEVEE_TYPE_FP32), tokens), expected) < 1e-5);
    }
}

TEST_CASE("Mixtures of experts compute after an import what their descriptions say")
{
    Logits family;
    for (const FamilyCheckpoint& model : mixture_checkpoints()) {
        INFO(model.title);
        const Logits expected = family_logits(model, tokens);
        CHECK(difference(plain_logits(imported(model, LEVEE_TYPE_FP32), tokens), expected) < 1e-5);
        if (model.title.find(": ") == std::string::npos)
            family = expected;
        else
            CHECK(difference(expected, family) > 1e-3);
    }
}

TEST_CASE("Each variant of a family computes something else than the family")
{
    Logits family;
    for (const FamilyCheckpoint& model : family_checkpoints()) {
        INFO(model.title);
        const Logits logits = family_logits(model, tokens);
        if (model.title.find(": ") == std::string::npos)
            family = logits;
        else
            CHECK(difference(logits, family) > 1e-3);
    }
}
