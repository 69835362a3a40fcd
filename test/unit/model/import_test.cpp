// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/llama2c.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/model_image.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

using namespace levee;

namespace {

const std::filesystem::path shared_data = LEVEE_SHARED_DATA;

// A checkpoint and a tokenizer in a temporary folder. Value i of the checkpoint is i / 8192, so the
// values of a tensor reveal its position.
class Checkpoint {
public:
    static constexpr std::array<std::int32_t, 7> tied{8, 12, 2, 4, 2, 5, 6};

    explicit Checkpoint(std::array<std::int32_t, 7> header = tied)
    {
        std::filesystem::create_directories(directory_);
        const int values = (header[5] < 0 ? 1040 + 40 : 1040) + 12;
        append_object(bytes_, header);
        for (int i = 0; i < values; ++i) {
            append_object(bytes_, static_cast<float>(i) / 8192.0F);
        }
        std::vector<std::uint8_t> tokens;
        append_object(tokens, std::int32_t{7});
        for (const std::string text : {"<unk>", "\n<s>\n", "\n</s>\n", " a", " b"}) {
            append_object(tokens, 0.5F);
            append_object(tokens, static_cast<std::int32_t>(text.size()));
            tokens.insert(tokens.end(), text.begin(), text.end());
        }
        write_file(directory_ / "tokens.bin", tokens);
    }
    ~Checkpoint() { std::filesystem::remove_all(directory_); }

    std::vector<std::uint8_t>& bytes() { return bytes_; }

    ModelImage import(const Llama2cOptions& options = {})
    {
        return ModelImage::parse(image(options), "imported");
    }

    std::vector<std::uint8_t> image(const Llama2cOptions& options = {})
    {
        write_file(directory_ / "tiny.bin", bytes_);
        return import_llama2c(directory_ / "tiny.bin", directory_ / "tokens.bin", options);
    }

    std::string error()
    {
        try {
            image();
        } catch (const ModelError& error) {
            const std::string text = error.what();
            return text.substr(text.find("tiny.bin"));
        }
        return "no error";
    }

private:
    std::filesystem::path directory_ =
        std::filesystem::temp_directory_path() /
        ("levee_import_test_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::vector<std::uint8_t> bytes_;
};

const Llama2cOptions fp32_words{LEVEE_TYPE_FP32, LEVEE_TOKENIZER_WORD, {}};

float first(const ModelImage& image, levee_tensor_kind kind, std::uint32_t layer)
{
    return image.values(kind, layer)[0] * 8192.0F;
}

} // namespace

TEST_CASE("Every tensor of a llama2.c checkpoint is found at its place")
{
    Checkpoint checkpoint;
    const ModelImage image = checkpoint.import(fp32_words);
    CHECK(image.name() == "tiny");
    CHECK(image.shape().dim == 8);
    CHECK(image.shape().head_dim == 2);
    CHECK(image.shape().max_context == 6);
    CHECK(image.shape().tied);
    // By hand, the values are: embedding 5 x 8. Then for each layer norms 8, WQ 8 x 8, WK and WV 4
    // x 8, WO 8 x 8, norms 8, gate 12 x 8, down 8 x 12, up 12 x 8. Then the final norm 8.
    CHECK(first(image, LEVEE_TENSOR_EMBEDDING, LEVEE_NO_LAYER) == 0);
    CHECK(first(image, LEVEE_TENSOR_NORM_ATTENTION, 0) == 40);
    CHECK(first(image, LEVEE_TENSOR_NORM_ATTENTION, 1) == 48);
    CHECK(first(image, LEVEE_TENSOR_WQ, 1) == 120);
    CHECK(first(image, LEVEE_TENSOR_WK, 0) == 184);
    CHECK(first(image, LEVEE_TENSOR_WV, 0) == 248);
    CHECK(first(image, LEVEE_TENSOR_WO, 0) == 312);
    CHECK(first(image, LEVEE_TENSOR_NORM_FFN, 0) == 440);
    CHECK(first(image, LEVEE_TENSOR_W_GATE, 0) == 456);
    CHECK(first(image, LEVEE_TENSOR_W_DOWN, 0) == 648);
    CHECK(first(image, LEVEE_TENSOR_W_UP, 1) == 936);
    CHECK(first(image, LEVEE_TENSOR_NORM_FINAL, LEVEE_NO_LAYER) == 1032);
    CHECK(image.tensor(LEVEE_TENSOR_ROPE_PHASE).words()[0] == 683565276U);
    CHECK(image.tokenizer().encode("b a", true) == std::vector<std::uint32_t>{1, 4, 3});
}

TEST_CASE("A negative vocab_size means a separate classifier after the legacy tables")
{
    Checkpoint checkpoint({8, 12, 2, 4, 2, -5, 6});
    const ModelImage image = checkpoint.import(fp32_words);
    CHECK_FALSE(image.shape().tied);
    CHECK(image.shape().vocab == 5);
    CHECK(first(image, LEVEE_TENSOR_CLASSIFIER, LEVEE_NO_LAYER) == 1040 + 12);
}

TEST_CASE("Bad checkpoints are refused by field")
{
    const auto error_of = [](std::array<std::int32_t, 7> header) {
        return Checkpoint(header).error();
    };
    CHECK(error_of({8, 12, 2, 3, 1, 5, 6}) ==
          "tiny.bin: header.n_heads: 3, expected a divisor of dim, 8");
    CHECK(error_of({8, 12, 2, 4, 3, 5, 6}) ==
          "tiny.bin: header.kv_heads: 3, expected a divisor of heads, 4");
    CHECK(error_of({8, 12, 2, 8, 8, 5, 6}) ==
          "tiny.bin: header.head_dim: 1, expected an even number, as elements are rotated in "
          "pairs and rows are word-aligned");
    CHECK(error_of({8, 12, -2, 4, 2, 5, 6}) == "tiny.bin: header.n_layers: -2, expected 1 or more");
    CHECK(error_of({8, 12, 2, 4, 2, 0, 6}) == "tiny.bin: header.vocab_size: 0, expected not 0");
    CHECK(error_of({8, 12, 2, 4, 2, 5, 0}) == "tiny.bin: header.seq_len: 0, expected 1 or more");
    CHECK(error_of({0x616B3432, 3, 8, 12, 2, 4, 2}) ==
          "tiny.bin: header.version: 3, expected a llama2.c checkpoint of version 0, 1 or 2");
    CHECK_THAT(error_of({8, 12, 2147483647, 4, 2, 5, 6}), Catch::Contains("header.layers"));

    Checkpoint cut;
    cut.bytes().pop_back();
    CHECK(cut.error() == "tiny.bin: 4235 bytes, expected 4236 for the shape in its header "
                         "(vocab_size positive: classifier shared)");
    cut.bytes().resize(20);
    CHECK(cut.error() == "tiny.bin: 20 bytes, expected a llama2.c header of 28");

    Checkpoint infinite;
    const float value = INFINITY;
    std::memcpy(infinite.bytes().data() + 28 + 4 * 185, &value, sizeof value);
    CHECK_THROWS_WITH(infinite.image({LEVEE_TYPE_INT8, LEVEE_TOKENIZER_WORD, {}}),
                      Catch::Contains("tiny: tensor WK of layer 0: row 0, column 1: inf"));
}

namespace {

/// Returns the 256-byte header of llama2.c's versions 1 and 2.
std::vector<std::uint8_t> later_header(std::int32_t version, std::uint8_t shared,
                                       std::int32_t group)
{
    std::vector<std::uint8_t> bytes;
    append_object(bytes, std::uint32_t{0x616B3432});
    append_object(bytes, version);
    append_object(bytes, Checkpoint::tied);
    append_object(bytes, shared);
    append_object(bytes, group);
    bytes.resize(256);
    return bytes;
}

} // namespace

TEST_CASE("Every tensor of a version 1 checkpoint is found at its place, and so is its classifier")
{
    Checkpoint checkpoint;
    checkpoint.bytes() = later_header(1, 0, 0);
    for (int i = 0; i < 1040 + 40; ++i)
        append_object(checkpoint.bytes(), static_cast<float>(i) / 8192.0F);
    const ModelImage image = checkpoint.import(fp32_words);
    CHECK_FALSE(image.shape().tied);
    CHECK(image.shape().vocab == 5);
    // The norms of two layers' attention come first, 8 values each, then those of the networks, the
    // final norm and the embedding 5 x 8. The matrices WQ, WK, WV, WO, gate, down and up of both
    // layers follow.
    CHECK(first(image, LEVEE_TENSOR_NORM_ATTENTION, 1) == 8);
    CHECK(first(image, LEVEE_TENSOR_NORM_FFN, 0) == 16);
    CHECK(first(image, LEVEE_TENSOR_NORM_FINAL, LEVEE_NO_LAYER) == 32);
    CHECK(first(image, LEVEE_TENSOR_EMBEDDING, LEVEE_NO_LAYER) == 40);
    CHECK(first(image, LEVEE_TENSOR_WQ, 0) == 80);
    CHECK(first(image, LEVEE_TENSOR_WK, 1) == 80 + 128 + 32);
    CHECK(first(image, LEVEE_TENSOR_W_GATE, 0) == 80 + 128 + 64 + 64 + 128);
    CHECK(first(image, LEVEE_TENSOR_W_DOWN, 0) == 464 + 192);
    CHECK(first(image, LEVEE_TENSOR_W_UP, 1) == 656 + 192 + 96);
    CHECK(first(image, LEVEE_TENSOR_CLASSIFIER, LEVEE_NO_LAYER) == 1040);
    checkpoint.bytes().pop_back();
    CHECK(checkpoint.error() == "tiny.bin: 4575 bytes, expected 4576 for the shape in its header "
                                "(version 1, own classifier)");
}

TEST_CASE("Version 2's codes are multiplied by their groups' scales, also within a row")
{
    // Each group has 8 values, the codes 1, 2, ... 8. The scale of a tensor's group g is g + 1.
    Checkpoint checkpoint;
    checkpoint.bytes() = later_header(2, 1, 8);
    for (int i = 0; i < 40; ++i)
        append_object(checkpoint.bytes(), static_cast<float>(i) / 8192.0F);
    const auto tensor = [&](int values) {
        for (int i = 0; i < values; ++i)
            append_object(checkpoint.bytes(), static_cast<std::int8_t>(i % 2 ? -i % 8 - 1 : 127));
        for (int group = 0; group < values / 8; ++group)
            append_object(checkpoint.bytes(), static_cast<float>(group + 1));
    };
    tensor(5 * 8);
    for (const int values : {64, 32, 32, 64, 96, 96, 96})
        for (int layer = 0; layer < 2; ++layer)
            tensor(values);
    const ModelImage image = checkpoint.import(fp32_words);
    CHECK(image.shape().tied);
    CHECK(first(image, LEVEE_TENSOR_NORM_FINAL, LEVEE_NO_LAYER) == 32);
    const auto embedding = image.values(LEVEE_TENSOR_EMBEDDING);
    CHECK(embedding[0] == 127);
    CHECK(embedding[1] == -2);
    CHECK(embedding[39] == 5 * -8); // This is the last value of group 4.
    // A row of W_DOWN has 12 values, so row 1 begins in the middle of group 1.
    const auto down = image.values(LEVEE_TENSOR_W_DOWN, 1);
    CHECK(down[12] == 2 * 127);
    CHECK(down[15] == 2 * -8);
    CHECK(down[16] == 3 * 127);
    CHECK(down[95] == 12 * -8);
    const std::int32_t odd_group = 7;
    std::memcpy(checkpoint.bytes().data() + 37, &odd_group, sizeof odd_group);
    CHECK_THAT(checkpoint.error(), Catch::Contains("header.group_size: 7, expected a divisor"));
}

TEST_CASE("stories260K becomes an image of a quarter of its size")
{
    if (!std::filesystem::exists(shared_data / "stories260K.bin")) {
        WARN("skipped: no " << (shared_data / "stories260K.bin").string());
        return;
    }
    const auto bytes =
        import_llama2c(shared_data / "stories260K.bin", shared_data / "tok512.bin", {});
    const ModelImage image = ModelImage::parse(bytes, "stories260K");
    CHECK(image.shape().heads == 8);
    CHECK(image.shape().kv_heads == 4);
    CHECK(image.shape().hidden == 172);
    CHECK(image.shape().vocab == 512);
    CHECK(image.shape().max_context == 512);
    CHECK(image.shape().tied);
    CHECK(bytes.size() < 320000);
    CHECK(image.tokenizer().encode("Once upon a time", true) ==
          std::vector<std::uint32_t>{1, 403, 407, 261, 378});
}
