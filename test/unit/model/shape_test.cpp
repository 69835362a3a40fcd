// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/structured_shapes.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

using namespace levee;

namespace {

ModelShape small_qwen()
{
    ModelShape shape = llama_shape(16, 24, 2, 4, 2, 40, 32);
    shape.qkv_biases = true;
    return shape;
}

} // namespace

TEST_CASE("An image of a shape begins like one with data")
{
    for (const ModelShape& shape : {small_qwen(), opt_shape(16, 64, 2, 4, 40, 32)})
        for (const levee_type weights : {LEVEE_TYPE_INT8, LEVEE_TYPE_INT4}) {
            const std::vector<std::uint8_t> whole =
                import_synthetic(shape, {.weights = weights, .seed = 1, .name = "s"});
            const ModelImage head = ModelImage::of_shape(shape, weights, "s");
            const ModelImage image = ModelImage::parse(whole, "s");
            REQUIRE(head.entries().size() == image.entries().size());
            CHECK(head.bytes().size() ==
                  sizeof(levee_model_header) + head.entries().size() * sizeof(levee_tensor_entry));
            CHECK(std::memcmp(head.bytes().data() + sizeof(levee_model_header),
                              whole.data() + sizeof(levee_model_header),
                              head.bytes().size() - sizeof(levee_model_header)) == 0);
            CHECK(head.header().tokenizer_offset == image.header().tokenizer_offset);
            CHECK(head.image_bytes() ==
                  image.image_bytes() - (image.header().tokenizer_bytes + 63) / 64 * 64);
            CHECK(image.has_data());
            CHECK_FALSE(head.has_data());
        }
}

TEST_CASE("A shape without data reports an error when data are requested")
{
    const ModelImage head = ModelImage::of_shape(small_qwen(), LEVEE_TYPE_INT8, "s");
    CHECK_THROWS_WITH(head.values(LEVEE_TENSOR_WO, 1),
                      "model 's' is only a shape: tensor WO of layer 1 has no data");
    CHECK_THROWS_WITH(head.tokenizer().encode("a", false),
                      Catch::Contains("no text tokenizer: give token ids"));
}

TEST_CASE("Biases on queries, keys and values only")
{
    const ModelImage image = ModelImage::parse(import_synthetic(small_qwen(), {.seed = 2}), "q");
    CHECK(image.shape().qkv_biases);
    CHECK_FALSE(image.shape().biases);
    CHECK(image.has(LEVEE_TENSOR_BV, 1));
    CHECK_FALSE(image.has(LEVEE_TENSOR_BO, 1));
    CHECK_FALSE(image.has(LEVEE_TENSOR_B_UP, 1));
}

TEST_CASE("Every shape of a structure is restored from its image")
{
    std::vector<levee::test::NamedShape> shapes = levee::test::structured_shapes();
    for (const auto& list : {levee::test::mixture_shapes(), levee::test::latent_shapes(),
                             levee::test::family_shapes()})
        shapes.insert(shapes.end(), list.begin(), list.end());
    for (const auto& [name, shape] : shapes) {
        INFO(name);
        CHECK(ModelImage::parse(import_synthetic(shape, {.seed = 3}), "m").shape() == shape);
    }
}

TEST_CASE("Latent attention with contradictory sizes is refused by its key")
{
    const auto refused = [](const std::string& expected, auto change) {
        ModelShape shape = levee::test::latent_shape();
        change(shape);
        INFO(expected);
        CHECK_THROWS_WITH(check_shape(shape, "s"), Catch::Contains("header." + expected));
    };
    refused("nope_dim: 16, expected 0: this size applies only with kv_latent",
            [](ModelShape& s) { s.kv_latent = 0; });
    refused("query_latent: 8, expected 0", [](ModelShape& s) {
        s = levee::test::plain_shape();
        s.query_latent = 8;
    });
    refused("nope_dim: 0, expected 1 to", [](ModelShape& s) { s.nope_dim = 0; });
    refused("value_dim: 0, expected 1 to", [](ModelShape& s) { s.value_dim = 0; });
    refused("kv_latent: 1048577, expected 1 to 1048576",
            [](ModelShape& s) { s.kv_latent = (1U << 20) + 1; });
    refused("kv_heads: 2, expected 1", [](ModelShape& s) { s.kv_heads = 2; });
    refused("rotary_dim: 0, expected 2 or more", [](ModelShape& s) { s.rotary_dim = 0; });
    refused("head_dim: 46, expected kv_latent and rotary_dim together, 48",
            [](ModelShape& s) { s.head_dim = 46; });
    refused("biases: queries, keys and values", [](ModelShape& s) { s.qkv_biases = true; });
    refused("head_norm: norms of queries and keys",
            [](ModelShape& s) { s.head_norm = HeadNorm::head; });
}

TEST_CASE("A mixture with contradictory sizes is refused by its key")
{
    const auto refused = [](const std::string& expected, auto change) {
        ModelShape shape = levee::test::mixture_shape();
        change(shape);
        INFO(expected);
        CHECK_THROWS_WITH(check_shape(shape, "s"), Catch::Contains("header." + expected));
    };
    refused("shared_hidden: given without experts", [](ModelShape& s) {
        s.experts = s.chosen = 0;
        s.shared_hidden = 8;
    });
    refused("routing: given without experts", [](ModelShape& s) {
        s.experts = s.chosen = 0;
        s.sigmoid = true;
    });
    refused("expert_bias: given without experts", [](ModelShape& s) {
        s.experts = s.chosen = 0;
        s.expert_biases = true;
    });
    refused("shared_gate: a gate without a shared expert",
            [](ModelShape& s) { s.shared_gate = true; });
    refused("dense_hidden: 0, expected the width", [](ModelShape& s) {
        s.layer_flags = {LEVEE_LAYER_DENSE, 0, 0, 0};
    });
    refused("dense_hidden: 8, expected 0", [](ModelShape& s) { s.dense_hidden = 8; });
    refused("experts: 6, expected 0, as no layer has experts", [](ModelShape& s) {
        s.layer_flags.assign(4, LEVEE_LAYER_DENSE);
        s.dense_hidden = 8;
    });
    refused("chosen: 7", [](ModelShape& s) { s.chosen = 7; });
    refused("glu_limit: 0", [](ModelShape& s) { s.activation = LEVEE_ACTIVATION_CLAMPED_GLU; });
    refused("glu_alpha: 1", [](ModelShape& s) { s.glu_alpha = 1.0F; });
    refused("biases: several kinds",
            [](ModelShape& s) { s.qkv_biases = s.attention_biases = true; });
}

TEST_CASE("A shape that no model can have is refused")
{
    ModelShape shape = small_qwen();
    shape.kv_heads = 3;
    CHECK_THROWS_WITH(ModelImage::of_shape(shape, LEVEE_TYPE_INT8, "s"),
                      "s: header.kv_heads: 3, expected a divisor of heads, 4");
    shape = small_qwen();
    shape.biases = true;
    CHECK_THROWS_WITH(ModelImage::of_shape(shape, LEVEE_TYPE_INT8, "s"),
                      Catch::Contains("no bias for W_GATE"));
}
