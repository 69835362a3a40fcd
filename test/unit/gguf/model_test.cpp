// SPDX-License-Identifier: Apache-2.0
// Compares models imported from GGUF files with computations from the checkpoint that a converter
// had.
#include "platform/input/import/gguf/element_types.hpp"
#include "test/reference/composed_transformer.hpp"
#include "test/unit/gguf/checkpoint.hpp"
#include "test/unit/gguf/imported.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace levee;
using namespace levee::test;

namespace {

const std::vector<std::uint32_t> tokens{3, 17, 42, 0,  9,  31, 5, 5,  47, 20, 11, 2,
                                        8, 33, 1,  26, 40, 14, 6, 29, 44, 38, 12, 7};

/// Returns the largest error of logits at any position, relative to their standard deviation.
double error_of(const Checkpoint& checkpoint, const ModelImage& image)
{
    ComposedTransformer transformer(image);
    const auto expected = checkpoint.logits(tokens);
    double largest = 0;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        const auto found = transformer.step(tokens[t]);
        double error = 0, square = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            error += std::pow(static_cast<double>(found[i]) - expected[t][i], 2);
            square += std::pow(expected[t][i], 2);
        }
        largest = std::max(largest, std::sqrt(error / square));
    }
    return largest;
}

Checkpoint drawn(Checkpoint checkpoint)
{
    checkpoint.draw(7);
    return checkpoint;
}

Checkpoint llama()
{
    Checkpoint checkpoint;
    checkpoint.tied = false;
    return drawn(checkpoint);
}

Checkpoint qwen()
{
    Checkpoint checkpoint;
    checkpoint.family = "qwen2";
    checkpoint.theta = 1000000;
    return drawn(checkpoint);
}

Checkpoint opt()
{
    Checkpoint checkpoint;
    checkpoint.family = "opt";
    checkpoint.kv_heads = checkpoint.heads;
    return drawn(checkpoint);
}

// INT8 rows and INT16 activations cause an error of 1 to 2 % of the logits. A wrong order of rows
// in Q and K, or wrong rotations, would cause tens of percent.
constexpr double int8_error = 0.04;

} // namespace

TEST_CASE("Llama: rows of Q and K are in the order of the firmware's rotation")
{
    const ModelImage image = imported(llama().gguf(), LEVEE_TYPE_INT8);
    CHECK(image.shape().position == LEVEE_POSITION_ROPE_PAIRS);
    CHECK_FALSE(image.shape().tied);
    CHECK(image.name() == "Test model");
    CHECK(image.shape().max_context == 40);
    CHECK(error_of(llama(), image) < int8_error);
    Checkpoint unturned = llama();
    unturned.theta = 2;
    CHECK(error_of(unturned, image) > 0.1);
}

TEST_CASE("Llama 3: another base, and a divisor for each frequency")
{
    Checkpoint checkpoint;
    checkpoint.theta = 500000;
    checkpoint.divisors = {1, 1, 1, 1.5F, 3, 6, 8, 8};
    checkpoint.head_dim = 16;
    checkpoint = drawn(checkpoint);
    CHECK(error_of(checkpoint, imported(checkpoint.gguf(), LEVEE_TYPE_INT8)) < int8_error);
    Checkpoint undivided = checkpoint;
    undivided.divisors.clear();
    // The phases are 2^32 / 2 pi * theta^(-i/8) / divisor.
    const ModelImage divided_image = imported(checkpoint.gguf());
    const auto phases = divided_image.tensor(LEVEE_TENSOR_ROPE_PHASE).words();
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const double turns = 683565275.576 * std::pow(500000.0, -static_cast<double>(i) / 8) /
                             static_cast<double>(checkpoint.divisors[i]);
        CHECK(std::fabs(phases[i] - turns) < 1.0);
    }
}

TEST_CASE("Linear scaling divides positions, by either key")
{
    Checkpoint checkpoint;
    checkpoint.linear = 4;
    checkpoint = drawn(checkpoint);
    CHECK(error_of(checkpoint, imported(checkpoint.gguf(), LEVEE_TYPE_INT8)) < int8_error);
    GgufWriter older = checkpoint.gguf();
    older.drop("llama.rope.scaling.type");
    older.drop("llama.rope.scaling.factor");
    older.number("llama.rope.scale_linear", 4);
    CHECK(imported(older).tensor(LEVEE_TENSOR_ROPE_PHASE).words()[0] == 683565276U / 4);
    GgufWriter none = checkpoint.gguf();
    none.text("llama.rope.scaling.type", "none");
    CHECK(imported(none).tensor(LEVEE_TENSOR_ROPE_PHASE).words()[0] == 683565276U);
}

TEST_CASE("Qwen2: rotated halves, and biases of Q, K and V")
{
    const ModelImage image = imported(qwen().gguf(), LEVEE_TYPE_INT8);
    CHECK(image.shape().position == LEVEE_POSITION_ROPE_HALVES);
    CHECK(image.shape().tied);
    CHECK(image.shape().qkv_biases);
    CHECK(error_of(qwen(), image) < int8_error);
}

TEST_CASE("OPT: learned positions, with or without the two rows of padding")
{
    const Checkpoint checkpoint = opt();
    const ModelImage image = imported(checkpoint.gguf(), LEVEE_TYPE_INT8);
    CHECK(image.shape().norm == LEVEE_NORM_LAYER);
    CHECK(image.shape().biases);
    CHECK(error_of(checkpoint, image) < int8_error);
    GgufWriter without = checkpoint.gguf();
    const auto& positions = checkpoint.weights.at("position_embd.weight");
    without.tensor("position_embd.weight", {64, 40}, f32,
                   encoded({positions.begin() + 2 * 64, positions.end()}, f32));
    CHECK(imported(without).values(LEVEE_TENSOR_POSITION) ==
          imported(checkpoint.gguf()).values(LEVEE_TENSOR_POSITION));
}

TEST_CASE("Heads may have another length than dim / heads")
{
    Checkpoint checkpoint;
    checkpoint.head_dim = 32;
    checkpoint.theta = 500000;
    checkpoint = drawn(checkpoint);
    const ModelImage image = imported(checkpoint.gguf(), LEVEE_TYPE_INT8);
    CHECK(image.shape().head_dim == 32);
    CHECK(error_of(checkpoint, image) < int8_error);
}

TEST_CASE("Biases of Q, K and V in a llama are in the rows' order")
{
    // Qwen2's checkpoint is written with the architecture "llama", so the biases of Q and K are
    // reordered like the rows of their matrices.
    Checkpoint checkpoint = qwen();
    checkpoint.family = "llama";
    const ModelImage image = imported(checkpoint.gguf(), LEVEE_TYPE_INT8);
    CHECK(image.shape().qkv_biases);
    CHECK(error_of(checkpoint, image) < int8_error);
}

TEST_CASE("Element types give the values of their codes")
{
    const Checkpoint checkpoint = llama();
    const auto exact = imported(checkpoint.gguf(f32)).values(LEVEE_TENSOR_W_DOWN, 1);
    CHECK(exact == checkpoint.weights.at("blk.1.ffn_down.weight"));
    const auto largest_error = [&](GgmlType type) {
        const auto values = imported(checkpoint.gguf(type)).values(LEVEE_TENSOR_W_DOWN, 1);
        float largest = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            largest = std::max(largest, std::fabs(values[i] - exact[i]));
        return largest;
    };
    // The largest weight is sqrt(3 / 96) = 0.177. FP16 errs by half a step (from 2^-3 to 2^-2,
    // 2^-13), truncated BF16 by a whole step (2^-10). With 127 codes the error is 0.177 / 254 plus
    // the rounding of the scale. With 4-bit codes it is half of 0.177 / 8, and the opposite extreme
    // is clamped to 7.
    CHECK(largest_error(f16) <= 0x1p-14F);
    CHECK(largest_error(f16) > 0x1p-16F);
    CHECK(largest_error(bf16) <= 0x1p-10F);
    CHECK(largest_error(bf16) > 0x1p-12F);
    CHECK(largest_error(q8_0) < 0.177F / 254 + 0.0001F);
    CHECK(largest_error(q8_0) > 0.177F / 300);
    CHECK(largest_error(q4_0) < 0.177F / 8 * 1.01F);
    CHECK(largest_error(q4_0) > 0.177F / 20);
}

TEST_CASE("A file whose tensors have several types, as llama.cpp's quantiser mixes them")
{
    Checkpoint checkpoint;
    checkpoint.dim = 256;
    checkpoint.hidden = 512;
    checkpoint.layers = 1;
    checkpoint.head_dim = 64;
    checkpoint.draw(9);
    GgufWriter writer = checkpoint.gguf();
    // The types are Q4_K (12), Q6_K (14), Q5_0 (6) and Q3_K (11). Quantised files mix such types.
    struct Stored {
        const char* name;
        levee_tensor_kind kind;
        std::uint64_t cols, rows;
        std::uint32_t type, scale_at;
    };
    std::uint8_t byte = 1;
    for (const Stored& stored : {Stored{"ffn_up", LEVEE_TENSOR_W_UP, 256, 512, 12, 0},
                                 Stored{"ffn_down", LEVEE_TENSOR_W_DOWN, 512, 256, 14, 208},
                                 Stored{"attn_v", LEVEE_TENSOR_WV, 256, 128, 6, 0},
                                 Stored{"attn_output", LEVEE_TENSOR_WO, 256, 256, 11, 108}}) {
        const gguf::ElementType& type = *gguf::element_type(stored.type);
        const std::uint64_t blocks = stored.cols * stored.rows / type.block_values;
        Bytes data;
        for (std::uint64_t i = 0; i < blocks * type.block_bytes; ++i) {
            byte = static_cast<std::uint8_t>(byte * 5 + i);
            data += static_cast<char>(byte);
        }
        for (std::uint64_t i = 0; i < blocks; ++i)
            for (std::uint64_t half = 0; half < 2;
                 ++half) // The scale d; for Q4_K also the scale of the minima.
                data[i * type.block_bytes + (stored.scale_at + 2 * half + 1) % type.block_bytes] &=
                    0x3F;
        writer.tensor(std::string("blk.0.") + stored.name + ".weight", {stored.cols, stored.rows},
                      stored.type, data);
        std::vector<float> expected(stored.cols * stored.rows);
        gguf::to_fp32(type, {reinterpret_cast<const std::uint8_t*>(data.data()), data.size()},
                      expected);
        CHECK(imported(writer).values(stored.kind, 0) == expected);
    }
}

TEST_CASE("Phi-3: Q, K and V in one tensor, gate and up in another")
{
    Checkpoint checkpoint;
    checkpoint.family = "phi3";
    checkpoint.tied = false;
    checkpoint.draw(7);
    GgufWriter writer = checkpoint.gguf();
    std::erase_if(checkpoint.weights,
                  [](const auto& entry) { return entry.first.ends_with(".bias"); });
    const auto fuse = [&](const std::string& whole, const std::vector<std::string>& parts) {
        std::vector<float> values;
        for (const std::string& part : parts) {
            const auto& more = checkpoint.weights.at(part);
            values.insert(values.end(), more.begin(), more.end());
            writer.drop_tensor(part);
        }
        writer.tensor(whole, {64, values.size() / 64}, f32, encoded(values, f32));
    };
    for (const std::string block : {"blk.0.", "blk.1."}) {
        for (const char* name : {"attn_q.bias", "attn_k.bias", "attn_v.bias"})
            writer.drop_tensor(block + name);
        fuse(block + "attn_qkv.weight",
             {block + "attn_q.weight", block + "attn_k.weight", block + "attn_v.weight"});
        fuse(block + "ffn_up.weight", {block + "ffn_gate.weight", block + "ffn_up.weight"});
    }
    CHECK(error_of(checkpoint, imported(writer, LEVEE_TYPE_INT8)) < int8_error);
    writer.tensor("blk.1.ffn_up.weight", {64, 96}, f32,
                  encoded(checkpoint.weights.at("blk.1.ffn_up.weight"), f32));
    CHECK(import_error(writer) ==
          "m.gguf: tensor blk.1.ffn_up.weight: dimensions [64, 96], expected [64, 192], or its 2 "
          "matrices in separate tensors");
}

TEST_CASE("Rotation of only a part of each head")
{
    GgufWriter writer = llama().gguf();
    writer.u32("llama.rope.dimension_count", 8);
    const ModelImage partly = imported(writer);
    CHECK(partly.shape().rotary_dim == 8);
    const auto phases = partly.tensor(LEVEE_TENSOR_ROPE_PHASE).words();
    REQUIRE(phases.size() == 4);
    CHECK(phases[0] == 683565276U);
    CHECK(phases[1] == 68356528U); // This is theta^(-2 / 8) = 1 / 10.
    CHECK(phases[3] != 0);
    GgufWriter halves = qwen().gguf();
    halves.u32("qwen2.rope.dimension_count", 8);
    CHECK(imported(halves).shape().rotary_dim == 8);
    halves.u32("qwen2.rope.dimension_count", 16);
    CHECK(imported(halves).shape().rotary_dim == 0);
    for (const std::uint32_t count : {0U, 7U, 18U}) {
        halves.u32("qwen2.rope.dimension_count", count);
        CHECK(import_error(halves) ==
              "m.gguf: key qwen2.rope.dimension_count: " + std::to_string(count) +
                  ", expected 16, the length of a head, or a smaller even number");
    }
}

TEST_CASE("A table of rotations that some converters write is ignored, other tensors are not")
{
    GgufWriter writer = llama().gguf();
    const auto bytes_of = [](const ModelImage& image) {
        return std::vector<std::uint8_t>(image.bytes().begin(), image.bytes().end());
    };
    const auto expected = bytes_of(imported(writer, LEVEE_TYPE_INT8));
    writer.tensor("blk.0.attn_rot_embd", {8}, f32, encoded(std::vector<float>(8), f32));
    CHECK(bytes_of(imported(writer, LEVEE_TYPE_INT8)) == expected);
    writer.tensor("blk.0.attn_rot", {8}, f32, encoded(std::vector<float>(8), f32));
    CHECK_THAT(import_error(writer),
               Catch::StartsWith("m.gguf: tensor blk.0.attn_rot: not supported"));
}

TEST_CASE("A model's name contains no terminal control characters")
{
    GgufWriter writer = llama().gguf();
    writer.text("general.name", "red \x1B[31m\nmodel");
    CHECK(imported(writer).name() == "red  [31m model");
}

TEST_CASE("A size beyond an image's limits is refused with the file's key")
{
    GgufWriter writer = llama().gguf();
    writer.u32("llama.context_length", 2000000);
    CHECK(import_error(writer) == "m.gguf: key llama.context_length: 2000000, expected 1 to "
                                  "1048576");
    GgufWriter groups = llama().gguf();
    groups.u32("llama.attention.head_count_kv", 3);
    CHECK(import_error(groups) == "m.gguf: key llama.attention.head_count_kv: 3, expected a "
                                  "divisor of key llama.attention.head_count, 4");
}

TEST_CASE("A stated size of the vocabulary must be that of the embedding")
{
    GgufWriter writer = llama().gguf();
    writer.u32("llama.vocab_size", 7);
    CHECK_THAT(import_error(writer),
               Catch::StartsWith("m.gguf: key llama.vocab_size: 7, expected ") &&
                   Catch::EndsWith("the rows of token_embd.weight"));
}
