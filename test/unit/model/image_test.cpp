// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/old_image.hpp"
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/model_image.hpp"

#include <catch2/catch.hpp>
#include <zlib.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <unistd.h>

using namespace levee;

namespace {

constexpr size_t table = sizeof(levee_model_header);

ModelShape small_llama()
{
    return llama_shape(16, 24, 2, 4, 2, 40, 32);
}

std::vector<std::uint8_t> small_image(const WeightFormat& weights = {})
{
    return import_synthetic(small_llama(), {.weights = weights, .seed = 7, .name = "small"});
}

// Corrects the CRC of a changed image, so that the next check must find the error.
std::vector<std::uint8_t> with_crc(std::vector<std::uint8_t> image)
{
    const std::uint32_t none = 0;
    std::memcpy(image.data() + offsetof(levee_model_header, crc32), &none, sizeof none);
    const auto crc = static_cast<std::uint32_t>(crc32_z(0, image.data(), image.size()));
    std::memcpy(image.data() + offsetof(levee_model_header, crc32), &crc, sizeof crc);
    return image;
}

template <typename T> std::vector<std::uint8_t> patched(size_t offset, T value)
{
    auto image = small_image();
    std::memcpy(image.data() + offset, &value, sizeof value);
    return with_crc(image);
}

std::string error_of(std::vector<std::uint8_t> image)
{
    try {
        ModelImage::parse(std::move(image), "small.levee");
    } catch (const ModelError& error) {
        return error.what();
    }
    return "no error";
}

size_t entry_field(const ModelImage& image, levee_tensor_kind kind, std::uint32_t layer,
                   size_t field)
{
    for (size_t i = 0; i < image.entries().size(); ++i) {
        if (image.entries()[i].kind == std::uint32_t{kind} && image.entries()[i].layer == layer) {
            return table + i * sizeof(levee_tensor_entry) + field;
        }
    }
    throw ModelError("no such entry");
}

} // namespace

TEST_CASE("An image that was built is read back")
{
    const ModelImage image = ModelImage::parse(small_image(), "small.levee");
    CHECK(image.name() == "small");
    CHECK(image.shape().kv_heads == 2);
    CHECK(image.shape().head_dim == 4);
    CHECK(image.shape().tied);
    CHECK_FALSE(image.shape().biases);
    CHECK(image.weight_type() == LEVEE_TYPE_INT8);
    CHECK(image.entries().size() == 3 + 2 * 9);
    CHECK(image.tensor(LEVEE_TENSOR_ROPE_PHASE).words()[0] == 683565276U);
    CHECK(image.tensor(LEVEE_TENSOR_NORM_FINAL).floats().size() == 16);
    CHECK(image.tokenizer().decode(std::vector<std::uint32_t>{3, 39}) == " 3 39");
    CHECK_THROWS_WITH(image.tokenizer().encode("x", false), Catch::Contains("no text tokenizer"));
    CHECK_FALSE(image.has(LEVEE_TENSOR_CLASSIFIER));
    CHECK_THROWS_WITH(image.tensor(LEVEE_TENSOR_WQ, 2),
                      "model 'small' has no tensor WQ of layer 2");
}

TEST_CASE("Q, K and V, and gate and up, are stored side by side as one matrix")
{
    const WeightFormat formats[] = {LEVEE_TYPE_INT8, LEVEE_TYPE_INT4,       LEVEE_TYPE_FP16,
                                    LEVEE_TYPE_INT3, {LEVEE_TYPE_INT4, 16}, {LEVEE_TYPE_INT3, 32}};
    for (const auto weights : formats) {
        const ModelImage image = ModelImage::parse(small_image(weights), "small.levee");
        for (std::uint32_t layer = 0; layer < 2; ++layer) {
            const TensorView q = image.tensor(LEVEE_TENSOR_WQ, layer);
            const TensorView k = image.tensor(LEVEE_TENSOR_WK, layer);
            const TensorView v = image.tensor(LEVEE_TENSOR_WV, layer);
            const TensorView gate = image.tensor(LEVEE_TENSOR_W_GATE, layer);
            const TensorView up = image.tensor(LEVEE_TENSOR_W_UP, layer);
            CHECK(q.entry.data_offset % 64 == 0);
            CHECK(q.data.data() + q.data.size() == k.data.data());
            CHECK(k.data.data() + k.data.size() == v.data.data());
            CHECK(gate.data.data() + gate.data.size() == up.data.data());
            if (weights.has_scales()) {
                CHECK(q.scales.data() + q.scales.size() == k.scales.data());
                CHECK(k.scales.data() + k.scales.size() == v.scales.data());
                CHECK(gate.scales.data() + gate.scales.size() == up.scales.data());
            }
        }
    }
}

TEST_CASE("An image of the OPT family has biases, layer norms and positions")
{
    const auto bytes = import_synthetic(opt_shape(16, 64, 2, 4, 40, 32), {.seed = 3});
    const ModelImage image = ModelImage::parse(bytes, "opt.levee");
    CHECK(image.shape().norm == LEVEE_NORM_LAYER);
    CHECK(image.shape().biases);
    CHECK(image.tensor(LEVEE_TENSOR_POSITION).rows() == 32);
    CHECK_FALSE(image.has(LEVEE_TENSOR_ROPE_PHASE));
    CHECK_FALSE(image.has(LEVEE_TENSOR_W_GATE, 0));
    for (const auto kind : {LEVEE_TENSOR_BQ, LEVEE_TENSOR_BO, LEVEE_TENSOR_B_UP,
                            LEVEE_TENSOR_B_DOWN, LEVEE_TENSOR_NORM_FFN_BIAS}) {
        CHECK(image.has(kind, 1));
    }
    const TensorView bq = image.tensor(LEVEE_TENSOR_BQ, 1);
    CHECK(bq.data.data() + bq.data.size() == image.tensor(LEVEE_TENSOR_BK, 1).data.data());
}

TEST_CASE("Synthetic weights follow the seed and keep the variance")
{
    CHECK(small_image() == small_image());
    const ModelShape shape = llama_shape(64, 128, 1, 4, 4, 256, 32);
    const auto one = import_synthetic(shape, {.weights = LEVEE_TYPE_FP32, .seed = 1});
    CHECK(one != import_synthetic(shape, {.weights = LEVEE_TYPE_FP32, .seed = 2}));
    const auto down = ModelImage::parse(one, "one").values(LEVEE_TENSOR_W_DOWN, 0);
    const auto up = ModelImage::parse(one, "one").values(LEVEE_TENSOR_W_UP, 0);
    CHECK(down != up);
    double squares = 0.0;
    for (const float value : down) {
        squares += double{value} * value;
    }
    CHECK(squares / static_cast<double>(down.size()) == Approx(1.0 / 128).epsilon(0.03));
}

TEST_CASE("INT8 codes are within half a step of the weights")
{
    const auto wanted =
        ModelImage::parse(small_image(LEVEE_TYPE_FP32), "f").values(LEVEE_TENSOR_WO, 1);
    const ModelImage image = ModelImage::parse(small_image(), "q");
    const auto found = image.values(LEVEE_TENSOR_WO, 1);
    const TensorView view = image.tensor(LEVEE_TENSOR_WO, 1);
    for (size_t i = 0; i < wanted.size(); ++i) {
        CHECK(std::abs(found[i] - wanted[i]) <= 0.5001F * view.scales[i / view.cols()]);
    }
}

TEST_CASE("An image with groups of scales says so, and its weights are within half a step")
{
    const WeightFormat format(LEVEE_TYPE_INT3, 8);
    const ModelImage image = ModelImage::parse(small_image(format), "g");
    CHECK(image.header().version == LEVEE_MODEL_VERSION_GROUPED);
    CHECK(image.weight_format() == format);
    const auto wanted =
        ModelImage::parse(small_image(LEVEE_TYPE_FP32), "f").values(LEVEE_TENSOR_W_DOWN, 1);
    const auto found = image.values(LEVEE_TENSOR_W_DOWN, 1);
    const TensorView view = image.tensor(LEVEE_TENSOR_W_DOWN, 1);
    CHECK(view.scales.size() == std::size_t{3} * view.rows());
    for (size_t i = 0; i < wanted.size(); ++i) {
        const float scale = view.row_scales(static_cast<std::uint32_t>(i / 24))[i % 24 / 8];
        CHECK(std::abs(found[i] - wanted[i]) <= 0.5001F * scale);
    }
    CHECK(ModelImage::parse(small_image(), "s").header().version == LEVEE_MODEL_VERSION);
    constexpr auto group = offsetof(levee_model_header, weight_group);
    CHECK_THAT(error_of(patched(group, std::uint32_t{16})),
               Catch::Contains("header.weight_group: 16, expected 0 in version 1"));
    auto other = small_image(format);
    other[group] = 24;
    CHECK_THAT(error_of(with_crc(other)), Catch::Contains("groups of 24"));
    other[group] = 16; // The number of scales differs.
    CHECK_THAT(error_of(with_crc(other)), Catch::Contains("scale_offset"));
}

TEST_CASE("Every cut of an image is an error")
{
    const auto image = small_image();
    for (size_t size = 0; size < image.size(); size += size < 1300 ? 1 : 37) {
        auto cut = image;
        cut.resize(size);
        CHECK(error_of(cut) != "no error");
    }
    auto longer = image;
    longer.push_back(0);
    CHECK_THAT(error_of(longer), Catch::Contains("header.image_bytes"));
}

TEST_CASE("Any changed byte of an image is an error")
{
    const auto image = small_image();
    for (size_t at = 0; at < image.size(); at += at < 1300 ? 1 : 41) {
        auto damaged = image;
        damaged[at] ^= 0xA5U;
        CHECK(error_of(damaged) != "no error");
        error_of(with_crc(damaged)); // Any content may be an error, but must not crash.
    }
}

TEST_CASE("Errors name the file, the field, the value found and the value expected")
{
    using H = levee_model_header;
    CHECK(error_of(patched(offsetof(H, magic), 1U)) ==
          "small.levee: header.magic: 1, expected 1296389708 (a model image, as `levee import` "
          "writes it)");
    CHECK(error_of(patched(offsetof(H, version), 2U)) ==
          "small.levee: header.version: 2, expected 1, 3 or 4");
    CHECK(error_of(patched(offsetof(H, structure.logit_cap), 1.0F)) ==
          "small.levee: header.structure: set in version 1, expected 0 in all versions but 4");
    CHECK(error_of(patched(offsetof(H, kv_heads), 3U)) ==
          "small.levee: header.kv_heads: 3, expected a divisor of heads, 4");
    CHECK(error_of(patched(offsetof(H, hidden), 0U)) ==
          "small.levee: header.hidden: 0, expected 1 to 1048576");
    CHECK(error_of(patched(offsetof(H, layers), 3U)) ==
          "small.levee: tensor NORM_ATTENTION of layer 2: absent, expected present in an image of "
          "this shape");
    CHECK(error_of(patched(offsetof(H, layers), 1U)) ==
          "small.levee: tensor NORM_ATTENTION of layer 1 (kind 4): present, expected absent in an "
          "image of this shape");
    CHECK(error_of(patched(offsetof(H, head_dim), 2U)) ==
          "small.levee: tensor ROPE_PHASE.cols: 2, expected 1");
    CHECK(error_of(patched(offsetof(H, weight_type), 4U)) ==
          "small.levee: tensor EMBEDDING.type: INT8, expected FP16");
    CHECK_THAT(error_of(patched(offsetof(H, position), 3U)),
               Catch::Contains("tensor POSITION: absent"));
    CHECK_THAT(error_of(patched(offsetof(H, norm), 9U)), Catch::Contains("header.norm: 9"));
    CHECK_THAT(error_of(patched(offsetof(H, norm_epsilon), NAN)), Catch::Contains("norm_epsilon"));
    CHECK_THAT(error_of(patched(offsetof(H, tensor_count), 0xFFFFFFFFU)),
               Catch::Contains("header.tensor_offset"));
    CHECK_THAT(error_of(patched(offsetof(H, tokenizer_offset), ~std::uint64_t{63})),
               Catch::Contains("header.tokenizer_offset"));
    CHECK_THAT(error_of(patched(offsetof(H, tokenizer_bytes), std::uint64_t{20})),
               Catch::Contains("tokenizer.bytes: 20, expected at least 24"));
}

TEST_CASE("Tensors in the wrong place are errors")
{
    using E = levee_tensor_entry;
    const ModelImage image = ModelImage::parse(small_image(), "small.levee");
    const std::uint64_t end = image.header().image_bytes;
    const auto at = [&](levee_tensor_kind kind, size_t field) {
        return entry_field(image, kind, 0, field);
    };
    CHECK_THAT(error_of(patched(at(LEVEE_TENSOR_WO, offsetof(E, data_offset)), end)),
               Catch::Contains("tensor WO of layer 0.data_offset: 256 bytes from"));
    CHECK_THAT(error_of(patched(at(LEVEE_TENSOR_WO, offsetof(E, data_offset)), ~std::uint64_t{63})),
               Catch::Contains("an end within the image"));
    CHECK_THAT(
        error_of(patched(at(LEVEE_TENSOR_WO, offsetof(E, data_offset)), std::uint64_t{1000})),
        Catch::Contains("1000, expected a multiple of 64"));
    CHECK_THAT(error_of(patched(at(LEVEE_TENSOR_WO, offsetof(E, data_offset)), std::uint64_t{0})),
               Catch::Contains("after the header"));
    CHECK_THAT(
        error_of(patched(at(LEVEE_TENSOR_WK, offsetof(E, data_offset)), std::uint64_t{4096})),
        Catch::Contains("right after the tensor before it"));
    CHECK_THAT(
        error_of(patched(at(LEVEE_TENSOR_WV, offsetof(E, scale_offset)), std::uint64_t{4096})),
        Catch::Contains("WV of layer 0.scale_offset: 4096"));
    CHECK_THAT(
        error_of(patched(at(LEVEE_TENSOR_NORM_FFN, offsetof(E, scale_offset)), std::uint64_t{64})),
        Catch::Contains("expected 0, as FP32 has no scales"));
    CHECK_THAT(error_of(patched(at(LEVEE_TENSOR_WO, offsetof(E, rows)), 17U)),
               Catch::Contains("WO of layer 0.rows: 17, expected 16"));
    CHECK_THAT(error_of(patched(at(LEVEE_TENSOR_WO, offsetof(E, row_bytes)), 0U)),
               Catch::Contains("WO of layer 0.row_bytes: 0, expected 16"));
    CHECK_THAT(
        error_of(patched(at(LEVEE_TENSOR_WO, offsetof(E, kind)), std::uint32_t{LEVEE_TENSOR_WQ})),
        Catch::Contains("tensor WQ of layer 0: given twice"));
}

TEST_CASE("Every bit of the header is covered by the checksum or named by its own check")
{
    const std::vector<std::uint8_t> image = small_image();
    CHECK(error_of(image) == "no error");
    for (size_t at = 0; at < sizeof(levee_model_header); ++at)
        for (unsigned bit = 0; bit < 8; ++bit) {
            auto damaged = image;
            damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ (1U << bit));
            INFO("byte " << at << ", bit " << bit);
            REQUIRE(error_of(damaged) != "no error");
        }
    for (const size_t field :
         {offsetof(levee_model_header, position), offsetof(levee_model_header, max_context),
          offsetof(levee_model_header, norm_epsilon)}) {
        auto damaged = image;
        damaged[field] ^= 1;
        CHECK_THAT(error_of(damaged), Catch::Contains("header.crc32"));
    }
}

TEST_CASE("An image whose checksum excludes the header is refused, with advice")
{
    auto old = small_image();
    const std::uint32_t none = 0;
    std::memcpy(old.data() + offsetof(levee_model_header, format), &none, sizeof none);
    const auto crc = static_cast<std::uint32_t>(crc32_z(0, old.data() + sizeof(levee_model_header),
                                                        old.size() - sizeof(levee_model_header)));
    std::memcpy(old.data() + offsetof(levee_model_header, crc32), &crc, sizeof crc);
    CHECK_THAT(error_of(old), Catch::Contains("header.format: 0, expected 2") &&
                                  Catch::Contains("levee import image OLD --out NEW"));
    const auto folder = std::filesystem::temp_directory_path();
    const auto file = folder / ("levee_old_image." + std::to_string(::getpid()));
    write_file(file, old);
    CHECK(renewed_image(file) == small_image());
    old.back() ^= 1; // The last byte is damaged, too.
    write_file(file, old);
    CHECK_THROWS_WITH(renewed_image(file), Catch::Contains("header.crc32"));
    write_file(file, small_image());
    CHECK_THROWS_WITH(renewed_image(file), Catch::Contains("header.format: 2, expected 0"));
    std::filesystem::remove(file);
}
