// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/model_image.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstring>

using namespace levee;

namespace {

ModelShape small_qwen()
{
    ModelShape shape = llama_shape(16, 24, 2, 4, 2, 40, 32);
    shape.qkv_biases = true;
    return shape;
}

} // namespace

TEST_CASE("An image of a shape begins as one with data does")
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

TEST_CASE("A shape without data says so when asked for data")
{
    const ModelImage head = ModelImage::of_shape(small_qwen(), LEVEE_TYPE_INT8, "s");
    CHECK_THROWS_WITH(head.values(LEVEE_TENSOR_WO, 1),
                      "model 's' is only a shape: tensor WO of layer 1 has no data");
    CHECK_THROWS_WITH(head.tokenizer().encode("a", false),
                      Catch::Contains("no text tokenizer: give token ids"));
}

TEST_CASE("Biases on queries, keys and values alone")
{
    const ModelImage image = ModelImage::parse(import_synthetic(small_qwen(), {.seed = 2}), "q");
    CHECK(image.shape().qkv_biases);
    CHECK_FALSE(image.shape().biases);
    CHECK(image.has(LEVEE_TENSOR_BV, 1));
    CHECK_FALSE(image.has(LEVEE_TENSOR_BO, 1));
    CHECK_FALSE(image.has(LEVEE_TENSOR_B_UP, 1));
}

TEST_CASE("A shape no model can have is refused")
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
