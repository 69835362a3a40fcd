// SPDX-License-Identifier: Apache-2.0
// Tests which forms of GGUF files are permitted, and errors that name the cause.
#include "test/unit/gguf/checkpoint.hpp"
#include "test/unit/gguf/imported.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::test;
using Catch::Contains;

namespace {

Checkpoint small()
{
    Checkpoint checkpoint;
    checkpoint.dim = 32;
    checkpoint.hidden = 32;
    checkpoint.layers = 1;
    checkpoint.heads = 2;
    checkpoint.kv_heads = 1;
    checkpoint.vocab = 6;
    checkpoint.draw(3);
    return checkpoint;
}

using W = GgufWriter;

/// Returns the error for the small file after a change.
template <typename Change> std::string with(Change change)
{
    GgufWriter writer = small().gguf();
    change(writer);
    return import_error(writer);
}

const Bytes square = encoded(std::vector<float>(32 * 32, 0.5F), f32);

std::vector<std::uint8_t> image(const GgufWriter& writer)
{
    const GgufOnDisk file(writer.bytes());
    return image_in_memory(gguf_source(file.path(), {}), LEVEE_TYPE_INT8);
}

} // namespace

TEST_CASE("Order, alignment, padding, version and unknown keys change nothing")
{
    const auto expected = image(small().gguf());
    GgufWriter writer = small().gguf();
    writer.reverse();
    CHECK(image(writer) == expected);
    writer.tensors_backwards = true;
    CHECK(image(writer) == expected);
    writer.pads_end = false;
    CHECK(image(writer) == expected);
    writer.version = 2;
    CHECK(image(writer) == expected);
    for (const std::uint32_t alignment : {8U, 16U, 64U, 24U, 4096U}) {
        writer.alignment = alignment;
        writer.u32("general.alignment", alignment);
        CHECK(image(writer) == expected);
    }
    writer.text("somebody.own_key", "a value");
    writer.array("somebody.ages", 11, std::vector<std::int64_t>{-1, 2});
    writer.texts("somebody.names", {"a", "", "c"});
    // The key is an array of two arrays: an empty one of float64, and one of three bools.
    writer.key("somebody.nested", 9,
               raw(std::uint32_t{9}) + raw(std::uint64_t{2}) + raw(std::uint32_t{12}) +
                   raw(std::uint64_t{0}) + raw(std::uint32_t{7}) + raw(std::uint64_t{3}) +
                   Bytes("\1\0\1", 3));
    CHECK(image(writer) == expected);
}

TEST_CASE("Counts may be integers of any width, and one per layer if all are alike")
{
    const auto expected = image(small().gguf());
    GgufWriter writer = small().gguf();
    writer.u64("llama.embedding_length", 32);
    writer.key("llama.block_count", 5, raw(std::int32_t{1}));
    writer.key("llama.attention.head_count", 2, raw(std::uint16_t{2}));
    writer.array("llama.attention.head_count_kv", 5, std::vector<std::int32_t>{1});
    writer.key("llama.attention.layer_norm_rms_epsilon", 12, raw(1e-5));
    CHECK(image(writer) == expected);
    writer.number("llama.attention.head_count_kv", 1);
    CHECK_THAT(import_error(writer), Contains("type float32, expected an integer"));
}

TEST_CASE("An array with a count per layer has as many values as layers")
{
    Checkpoint model = small();
    model.layers = 2;
    model.weights.clear();
    model.draw(1);
    const GgufWriter whole = model.gguf();
    GgufWriter other = whole;
    other.array("llama.attention.head_count_kv", 5, std::vector<std::int32_t>{1, 1});
    CHECK(image(other) == image(whole));
    other.array("llama.attention.head_count_kv", 5, std::vector<std::int32_t>{1, 2});
    CHECK_THAT(import_error(other),
               Contains("key llama.attention.head_count_kv: 2 for layer 1, expected 1"));
    for (const char* key :
         {"feed_forward_length", "attention.head_count", "attention.head_count_kv"}) {
        for (const std::uint64_t count : {0, 1, 3}) {
            GgufWriter writer = whole;
            writer.array("llama." + std::string(key), 5, std::vector<std::int32_t>(count, 2));
            CHECK_THAT(import_error(writer),
                       Contains("key llama." + std::string(key) + ": an array of " +
                                std::to_string(count) + " for 2 layers (block_count), expected"));
        }
    }
    other = whole;
    other.array("llama.context_length", 5, std::vector<std::int32_t>{40});
    CHECK_THAT(import_error(other),
               Contains("key llama.context_length: type array, expected an integer"));
}

TEST_CASE("Files of other kinds and versions are refused by name")
{
    GgufWriter writer = small().gguf();
    writer.version = 1;
    CHECK_THAT(import_error(writer), Contains("header.version: 1, expected 2 or 3"));
    writer.version = 4;
    CHECK_THAT(import_error(writer), Contains("header.version: 4, expected 2 or 3"));
    writer.version = 0x03000000; // This is version 3 with its bytes swapped.
    CHECK_THAT(import_error(writer), Contains("header.version: that of a big-endian file"));
    Bytes bytes = small().gguf().bytes();
    bytes.replace(0, 4, "FUGG");
    CHECK_THAT(import_error(bytes), Contains("is a big-endian GGUF file"));
    bytes.replace(0, 4, "tjgg");
    CHECK_THAT(import_error(bytes), Contains("is a GGML file older than GGUF"));
    bytes.replace(0, 4, "LVEM");
    CHECK_THAT(import_error(bytes), Contains("is a model image"));
    bytes.replace(0, 4, "abcd");
    CHECK_THAT(import_error(bytes), Contains("does not begin with GGUF"));
    CHECK_THAT(import_error(Bytes("GGU")), Contains("header.magic"));
}

TEST_CASE("Unsupported models are refused with the key that shows it")
{
    const std::string known =
        "expected llama, mistral3, arcee, seed_oss, ernie4_5, qwen2, qwen3, qwen3moe, qwen2moe, "
        "deepseek, deepseek2, glm4moe, ernie4_5-moe, gpt-oss, olmoe, phi3, gemma, gemma2, gemma3, "
        "smollm3, olmo, olmo2, granite, granitemoe, starcoder2, nemotron, stablelm, command-r, "
        "cohere2, chatglm, glm4, gptneox, falcon, exaone, exaone4, internlm2, minicpm or opt";
    CHECK(with([](W& w) { w.text("general.architecture", "mamba"); }) ==
          "m.gguf: key general.architecture: 'mamba': not supported, " + known);
    CHECK(with([](W& w) { w.drop("general.architecture"); }) ==
          "m.gguf: key general.architecture: absent, " + known);
    CHECK_THAT(with([](W& w) { w.u32("llama.expert_count", 8); }),
               Contains("key llama.expert_used_count: absent"));
    CHECK(with([](W& w) { w.u32("llama.expert_count", 0); }) == "no error");
    CHECK_THAT(with([](W& w) { w.flag("llama.attention.causal", false); }),
               Contains("key llama.attention.causal: not supported"));
    CHECK_THAT(with([](W& w) { w.number("llama.logit_scale", 0.5F); }),
               Contains("key llama.logit_scale: 0.5"));
    CHECK_THAT(with([](W& w) { w.text("llama.rope.scaling.type", "dynamic"); }),
               Contains("key llama.rope.scaling.type: 'dynamic': not supported"));
    CHECK_THAT(with([](W& w) {
                   w.array("llama.rope.dimension_sections", 4, std::vector<std::uint32_t>{4, 2, 2});
               }),
               Contains("key llama.rope.dimension_sections: not supported"));
    CHECK_THAT(with([](W& w) { w.key("split.no", 2, raw(std::uint16_t{1})); }),
               Contains("key split.no: 1, expected 0 for a model in a single file"));
    CHECK_THAT(
        with([](W& w) { w.key("split.count", 2, raw(std::uint16_t{3})); }),
        Contains("key split.count: 3: this file is one of several parts of a model, expected a "
                 "file name that ends with -00001-of-00003.gguf, so that"));
    CHECK_THAT(
        with([](W& w) { w.u32("split.tensors.count", 12); }),
        Contains("key split.tensors.count: 12, expected 11, the number of tensors in this file"));
    CHECK(with([](W& w) {
              w.key("split.count", 2, raw(std::uint16_t{0}));
              w.u32("split.tensors.count", 11);
          }) == "no error");
    CHECK_THAT(with([](W& w) { w.text("general.type", "adapter"); }),
               Contains("key general.type: 'adapter'"));
}

TEST_CASE("Keys that are absent or out of range are refused")
{
    CHECK_THAT(with([](W& w) { w.u32("llama.attention.value_length", 8); }),
               Contains("key llama.attention.value_length: 8, expected 16"));
    CHECK_THAT(
        with([](W& w) { w.drop("llama.context_length"); }),
        Contains("key llama.context_length: absent, expected in a model of architecture llama"));
    CHECK_THAT(with([](W& w) { w.drop("llama.attention.layer_norm_rms_epsilon"); }),
               Contains("layer_norm_rms_epsilon: absent"));
    CHECK_THAT(with([](W& w) { w.u32("llama.attention.head_count", 3); }),
               Contains("key llama.attention.head_count: 3, expected a divisor"));
    CHECK_THAT(with([](W& w) { w.u32("llama.block_count", 5000); }),
               Contains("key llama.block_count: 5000, expected 1 to 4096"));
    CHECK_THAT(with([](W& w) { w.u32("llama.embedding_length", 0); }),
               Contains("key llama.embedding_length: 0, expected 1"));
    CHECK_THAT(with([](W& w) { w.number("llama.rope.freq_base", 1); }),
               Contains("key llama.rope.freq_base: 1"));
    CHECK_THAT(with([](W& w) { w.number("llama.rope.freq_base", INFINITY); }),
               Contains("llama.rope.freq_base: not finite"));
    CHECK_THAT(with([](W& w) { w.u32("general.alignment", 12); }),
               Contains("key general.alignment: 12, expected a multiple of 8"));
}

TEST_CASE("Tensors that do not fit the model are refused by name")
{
    CHECK(with([](W& w) { w.drop_tensor("blk.0.attn_k.weight"); }) ==
          "m.gguf: tensor blk.0.attn_k.weight: absent, expected [32, 16] in a model of "
          "architecture llama");
    CHECK_THAT(with([](W& w) { w.drop_tensor("token_embd.weight"); }),
               Contains("tensor token_embd.weight: absent"));
    CHECK(with([](W& w) {
              w.tensor("blk.0.attn_k.weight", {32, 32}, f32, square);
          }) == "m.gguf: tensor blk.0.attn_k.weight: dimensions [32, 32], expected [32, 16]");
    CHECK_THAT(with([](W& w) {
                   w.tensor("blk.0.ffn_up.weight", {16, 32, 2}, f32, square);
               }),
               Contains("dimensions [16, 32, 2], expected [32, 32]"));
    CHECK_THAT(with([](W& w) {
                   w.tensor("blk.0.attn_q_norm.weight", {32, 32}, f32, square);
               }),
               Contains("tensor blk.0.attn_q_norm.weight: not supported"));
}

TEST_CASE("Tensors of other types, sizes and places are refused by name")
{
    CHECK(with([](W& w) {
              w.tensor("blk.0.ffn_up.weight", {32, 32, 1, 1}, f32, square);
          }) == "no error");
    CHECK(with([](W& w) {
              w.tensor("blk.0.ffn_up.weight", {32, 32}, 16, square);
          }) ==
          "m.gguf: tensor blk.0.ffn_up.weight: type IQ2_XXS (16), expected F32, F16, BF16, "
          "Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, Q5_1, Q5_0, Q4_1, Q4_0, IQ4_NL, IQ4_XS, MXFP4, "
          "TQ2_0 or TQ1_0");
    CHECK_THAT(with([](W& w) {
                   w.tensor("blk.0.ffn_up.weight", {16, 64}, q8_0, square);
               }),
               Contains("rows of 16 values, expected a multiple of the 32"));
    CHECK_THAT(with([](W& w) {
                   w.tensor("blk.0.ffn_up.weight", {32, 1ULL << 60}, f32, square);
               }),
               Contains("dimension 1: 1152921504606846976"));
    CHECK_THAT(with([](W& w) {
                   w.tensor("blk.0.ffn_up.weight", {0, 32}, f32, square);
               }),
               Contains("dimension 0: 0, expected 1 or more"));
    CHECK_THAT(with([](W& w) {
                   w.tensor("blk.0.ffn_up.weight", {1, 1, 1, 1, 1}, f32, square);
               }),
               Contains("5 dimensions, expected 1 to 4"));
    CHECK_THAT(with([](W& w) { w.move("blk.0.ffn_up.weight", 1ULL << 60); }),
               Contains("tensor blk.0.ffn_up.weight: 4096 bytes from byte 1152921504606846976"));
    CHECK_THAT(with([](W& w) { w.move("blk.0.ffn_up.weight", 4); }),
               Contains("offset 4, expected a multiple of the alignment, 32"));
    CHECK_THAT(with([](W& w) { w.move("blk.0.ffn_up.weight", 32); }),
               Contains("expected tensors that do not overlap"));
    CHECK_THAT(with([](W& w) { w.move("blk.0.ffn_up.weight", 0); }),
               Contains("expected tensors that do not overlap"));
}

TEST_CASE("Values that are NaN or infinite are refused with their place")
{
    Bytes bad_scale = encoded(std::vector<float>(32 * 32, 0.5F), q8_0);
    bad_scale.replace(34 * 5, 2, "\x00\x7C", 2);
    CHECK(with([&](W& w) {
              w.tensor("blk.0.ffn_up.weight", {32, 32}, q8_0, bad_scale);
          }) == "m.gguf: tensor blk.0.ffn_up.weight: row 5, block 0: a scale that is not finite, "
                "expected a number");
    Bytes bad_value = square;
    bad_value.replace(4 * 33, 4, raw(NAN));
    CHECK_THAT(with([&](W& w) {
                   w.tensor("blk.0.ffn_up.weight", {32, 32}, f32, bad_value);
               }),
               Contains("m.gguf: tensor blk.0.ffn_up.weight: row 1, column 1: nan"));
    const Bytes eight = encoded({1, 1, 1, 1, 1, 1, 1, 0}, f32);
    CHECK_THAT(with([&](W& w) { w.tensor("rope_freqs.weight", {8}, f32, eight); }),
               Contains("tensor rope_freqs.weight: value 7: 0"));
    CHECK_THAT(with([&](W& w) {
                   w.tensor("rope_freqs.weight", {2, 4}, f32, eight);
               }),
               Contains("dimensions [2, 4], expected [8]"));
}

TEST_CASE("Keys and tensors that occur twice are refused")
{
    Bytes bytes = small().gguf().bytes();
    const auto rename = [&](std::string from, const std::string& to) {
        Bytes changed = bytes;
        changed.replace(changed.find(from), from.size(), to);
        return import_error(changed);
    };
    CHECK(rename("general.architecture", "llama.context_length") ==
          "m.gguf: key llama.context_length: given twice, expected once");
    CHECK(rename("blk.0.attn_q.weight", "blk.0.attn_k.weight") ==
          "m.gguf: tensor blk.0.attn_k.weight: given twice, expected once");
}

TEST_CASE("Counts too large for the file are refused before anything is stored")
{
    const Bytes bytes = small().gguf().bytes();
    const auto patched = [&](std::size_t at, std::uint64_t value) {
        Bytes changed = bytes;
        changed.replace(at, sizeof value, raw(value));
        return import_error(changed);
    };
    CHECK_THAT(patched(8, 1ULL << 60),
               Contains("header.tensor_count: a count of 1152921504606846976"));
    CHECK_THAT(patched(16, 1ULL << 60), Contains("header.metadata_kv_count: a count of"));
    CHECK_THAT(patched(24, 1ULL << 60), Contains("the name of key 0"));
    GgufWriter writer = small().gguf();
    writer.key("x.array", 9, raw(std::uint32_t{8}) + raw(std::uint64_t{1} << 60));
    CHECK_THAT(import_error(writer), Contains("key x.array: a count of 1152921504606846976"));
    writer.key("x.array", 13, "");
    CHECK_THAT(import_error(writer), Contains("key x.array: value type 13, expected 0 to 12"));
    Bytes deep;
    for (int i = 0; i < 100000; ++i)
        deep += raw(std::uint32_t{9}) + raw(std::uint64_t{1});
    writer.key("x.array", 9, deep + raw(std::uint32_t{0}) + raw(std::uint64_t{0}));
    CHECK_THAT(import_error(writer), Contains("key x.array: arrays within arrays"));
}

namespace {

/// Splits the small model into three files, after `change`. Returns the image's bytes, or the error
/// on opening file number `opened`.
template <typename Change> std::string of_three(Change change, int opened = 1)
{
    const GgufOnDisk place(Bytes{});
    const auto path = [&](int number) {
        return place.path().parent_path() / ("m-0000" + std::to_string(number) + "-of-00003.gguf");
    };
    std::vector<GgufWriter> parts = small().gguf().split(3);
    parts[2].alignment = 64; // Files may have different alignments.
    parts[2].u32("general.alignment", 64);
    change(parts);
    for (int i = 0; i < static_cast<int>(parts.size()); ++i)
        parts[static_cast<std::size_t>(i)].write(path(i + 1).string());
    try {
        const auto bytes = image_in_memory(gguf_source(path(opened), {}), LEVEE_TYPE_INT8);
        return {bytes.begin(), bytes.end()};
    } catch (const ModelError& error) {
        const std::string text = error.what();
        return text.substr(std::min(text.find("m-0000"), text.size()));
    }
}

} // namespace

TEST_CASE("A model in three files is the same as in one file")
{
    using Parts = std::vector<GgufWriter>;
    const auto one = image(small().gguf());
    CHECK(of_three([](Parts&) {}) == std::string(one.begin(), one.end()));
    const std::string second = of_three([](Parts&) {}, 2);
    CHECK_THAT(second, Contains("m-00002-of-00003.gguf: key split.no: 1: part 2 of 3, expected the "
                                "first, "));
    CHECK_THAT(second, Catch::EndsWith("/m-00001-of-00003.gguf"));
    CHECK_THAT(
        of_three([](Parts& parts) { parts.pop_back(); }),
        Contains("m-00003-of-00003.gguf: cannot be read: no such file, expected part 3 of 3 of "
                 "the model in the folder of ") &&
            Catch::EndsWith("m-00001-of-00003.gguf"));
    CHECK_THAT(of_three([](Parts& parts) { std::swap(parts[1], parts[2]); }),
               Contains("m-00002-of-00003.gguf: key split.no: 2, expected 1 in a part of "));
    CHECK_THAT(of_three([](Parts& parts) { parts[2].text("general.architecture", "qwen2"); }),
               Contains("m-00003-of-00003.gguf: key general.architecture: 'qwen2', expected "));
    CHECK_THAT(of_three([](Parts& parts) { parts[1].u32("llama.block_count", 7); }),
               Contains("m-00002-of-00003.gguf: key llama.block_count: another value than in ") &&
                   Contains("m-00001-of-00003.gguf, expected the same in all parts"));
    CHECK_THAT(of_three([](Parts& parts) { parts[2].u32("llama.expert_count", 2); }),
               Contains("m-00003-of-00003.gguf: key llama.expert_count: absent in ") &&
                   Contains("m-00001-of-00003.gguf, expected in both files or in none"));
    // An array of one array, of one U32.
    const std::string nested("\t\0\0\0\1\0\0\0\0\0\0\0\4\0\0\0\1\0\0\0\0\0\0\0\7\0\0\0", 28);
    CHECK_THAT(of_three([&](Parts& parts) {
                   for (GgufWriter& part : parts)
                       part.key("llama.nested", 9, {nested.begin(), nested.end()});
               }),
               Contains("key llama.nested: an array of arrays, expected values"));
    CHECK(of_three([](Parts& parts) { parts[1].u32("llama.block_count", 1); }) ==
          std::string(one.begin(), one.end()));
    CHECK_THAT(of_three([](Parts& parts) { parts[1].drop("split.count"); }),
               Contains("m-00002-of-00003.gguf: key split.count: absent, expected 3"));
    CHECK_THAT(of_three([](Parts& parts) { parts[0].u32("split.tensors.count", 7); }),
               Contains("m-00001-of-00003.gguf: key split.tensors.count: 7, expected 11"));
    CHECK_THAT(of_three([](Parts& parts) { parts[2].u32("split.tensors.count", 12); }),
               Contains("m-00003-of-00003.gguf: key split.tensors.count: 12, expected 11"));
    CHECK_THAT(of_three([](Parts& parts) {
                   parts[0].drop("split.tensors.count");
                   parts[1].u32("split.tensors.count", 4);
               }),
               Contains("m-00002-of-00003.gguf: key split.tensors.count: 4, expected 11"));
    CHECK_THAT(of_three([](Parts& parts) { parts[2].u32("split.count", 4); }),
               Contains("m-00003-of-00003.gguf: key split.count: 4, expected 3"));
    CHECK(of_three([](Parts& parts) { parts[1].drop("split.tensors.count"); }) ==
          std::string(one.begin(), one.end()));
    CHECK_THAT(of_three([](Parts& parts) {
                   parts[2].tensor("blk.0.attn_norm.weight", {32}, f32, Bytes(128, 0));
               }),
               Contains("m-00003-of-00003.gguf: tensor blk.0.attn_norm.weight: also in "));
    CHECK_THAT(of_three([](Parts& parts) {
                   parts[2].tensor("blk.0.ffn_up.weight", {16, 64}, f32, square);
               }),
               Contains("-of-00003.gguf: tensor blk.0.ffn_up.weight: dimensions [16, 64]"));
    for (const std::uint16_t other : {0, 1})
        CHECK_THAT(of_three([other](Parts& parts) { parts[0].key("split.count", 2, raw(other)); }),
                   Contains("m-00001-of-00003.gguf: key split.count: " + std::to_string(other) +
                            ", expected 00003, as the name of this part of a model says"));
    CHECK_THAT(of_three([](Parts& parts) { parts[0].drop("split.count"); }),
               Contains("key split.count: absent, expected 00003"));
    CHECK_THAT(of_three([](Parts& parts) {
                   parts[0].drop("split.count");
                   parts[0].drop("split.tensors.count");
               }),
               Contains("key split.count: absent, expected 00003"));
}

TEST_CASE("A sliding window causes no message, because it is supported")
{
    GgufWriter writer = small().gguf();
    writer.u32("llama.attention.sliding_window", 16);
    const GgufOnDisk file(writer.bytes());
    const ModelSource source = gguf_source(file.path(), {});
    REQUIRE(source.notes.size() == 1);
    CHECK_THAT(source.notes[0], Contains("no tokenizer"));
}

TEST_CASE("A name that is too long is cut between characters, with a message")
{
    GgufWriter writer = small().gguf();
    writer.text("general.name", std::string(25, 'n') + "\xC3\xA9" + std::string(5, 'n'));
    CHECK_THAT(imported(writer).name(), Catch::StartsWith(std::string(25, 'n') + "~"));
    CHECK(imported(writer).name().size() == 30);
    const GgufOnDisk file(writer.bytes());
    CHECK_THAT(gguf_source(file.path(), {}).notes.back(), Contains("longer than the 31 bytes"));
    writer.drop("general.name");
    CHECK(imported(writer).name() == "m");
    CHECK(imported(writer, LEVEE_TYPE_INT8, {.name = "own"}).name() == "own");
}
