// SPDX-License-Identifier: Apache-2.0
// Tests models in the forms that a scenario may request in memory: FP16 weights, and matrices
// stored by columns.
#include "core/numerics/numerics.hpp"
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/image_check.hpp"
#include "platform/input/model/memory_form.hpp"
#include "platform/input/model/quantize.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

using namespace levee;

namespace {

ModelImage image_of(const ModelShape& shape, levee_type weights)
{
    return ModelImage::parse(
        import_synthetic(shape, {.weights = weights, .seed = 9, .name = "form"}), "form.levee");
}

std::uint16_t half_at(std::span<const std::uint8_t> bytes, std::size_t index)
{
    std::uint16_t half = 0;
    REQUIRE(2 * index + 2 <= bytes.size());
    std::memcpy(&half, bytes.data() + 2 * index, sizeof half);
    return half;
}

int code_at(const TensorView& view, std::size_t index)
{
    std::vector<float> row(view.cols());
    unpack_row(view.row(static_cast<std::uint32_t>(index / view.cols())), view.type(), 1.0F, row);
    return static_cast<int>(row[index % view.cols()]);
}

/// Returns the FP16 number nearest to the product, which is exact here. Ties go to even.
float nearest_half(int code, float scale)
{
    const double exact = static_cast<double>(code) * static_cast<double>(scale);
    const std::uint16_t about = fp32_to_fp16(static_cast<float>(exact));
    std::uint16_t best = about;
    for (const int step : {-1, 1}) {
        const auto other = static_cast<std::uint16_t>(about + step);
        const double error = std::fabs(static_cast<double>(fp16_to_fp32(other)) - exact);
        const double least = std::fabs(static_cast<double>(fp16_to_fp32(best)) - exact);
        if (error < least || (error == least && other % 2 == 0))
            best = other;
    }
    return fp16_to_fp32(best);
}

/// Returns a model whose embedding consists of weights code * scale.
ModelImage constant_image(int code, float scale)
{
    constexpr std::uint32_t vocab = 40;
    const ModelImage image = image_of(llama_shape(16, 24, 1, 4, 2, vocab, 32), LEVEE_TYPE_INT8);
    std::vector<std::uint8_t> bytes(image.bytes().begin(), image.bytes().end());
    const TensorView view = image.tensor(LEVEE_TENSOR_EMBEDDING);
    const std::vector<float> scales(vocab, scale);
    std::memset(bytes.data() + view.entry.data_offset, code, view.data.size());
    std::memcpy(bytes.data() + view.entry.scale_offset, scales.data(), vocab * sizeof scale);
    constexpr std::size_t at = offsetof(levee_model_header, crc32);
    std::memset(bytes.data() + at, 0, sizeof levee_model_header::crc32);
    const std::uint32_t crc = image_crc(bytes);
    std::memcpy(bytes.data() + at, &crc, sizeof crc);
    return ModelImage::parse(std::move(bytes), "constant");
}

} // namespace

TEST_CASE("A weight in FP16 is code times scale, rounded once")
{
    // With these scales, rounding to FP32 turns the product into a tie of FP16. If it were rounded
    // twice, all products would become 1.
    const double tie = 1.0 + 0x1p-11;
    for (const int code : {3, 5, 7, 11, 61, 113, 127}) {
        const auto scale = static_cast<float>(tie / code);
        const ModelImage half = image_in_form(constant_image(code, scale), {.fp16 = true});
        const bool above = static_cast<double>(scale) * code > tie;
        INFO("code " << code);
        CHECK(half_at(half.tensor(LEVEE_TENSOR_EMBEDDING).data, 0) == (above ? 0x3C01 : 0x3C00));
    }
}

TEST_CASE("A model in FP16 has the weights of its INT8 and INT4 codes, and otherwise the same data")
{
    for (const levee_type type : {LEVEE_TYPE_INT8, LEVEE_TYPE_INT4}) {
        const ModelImage image = image_of(llama_shape(16, 24, 2, 4, 2, 40, 32), type);
        const ModelImage half = image_in_form(image, {.fp16 = true});
        CHECK(half.weight_type() == LEVEE_TYPE_FP16);
        CHECK(half.shape().tied);
        CHECK(half.tokenizer().vocab() == image.tokenizer().vocab());
        for (const TensorGroup& group : required_tensors(image.shape()))
            for (const TensorSpec& spec : group) {
                if (spec.role == TensorRole::words)
                    continue;
                const TensorView view = image.tensor(spec.kind, spec.layer);
                std::vector<float> expected = image.values(spec.kind, spec.layer);
                for (std::size_t i = 0; i < expected.size() && !view.scales.empty(); ++i)
                    expected[i] = nearest_half(code_at(view, i), view.scales[i / view.cols()]);
                INFO(tensor_place(spec.kind, spec.layer));
                CHECK(half.values(spec.kind, spec.layer) == expected);
            }
    }
}

TEST_CASE("A model that is already in FP16, or requests nothing, is not changed")
{
    const ModelImage image = image_of(llama_shape(16, 24, 2, 4, 2, 40, 32), LEVEE_TYPE_FP16);
    const ModelImage same = image_in_form(image, {.fp16 = true});
    CHECK(std::equal(same.bytes().begin(), same.bytes().end(), image.bytes().begin(),
                     image.bytes().end()));
    const ModelImage int8 = image_of(llama_shape(16, 24, 2, 4, 2, 40, 32), LEVEE_TYPE_INT8);
    CHECK(image_in_form(int8, {}).weight_type() == LEVEE_TYPE_INT8);
}

TEST_CASE("Matrices by columns: tensors that are one matrix side by side, everything else in place")
{
    const MemoryForm form{true, {LEVEE_TENSOR_WQ, LEVEE_TENSOR_W_GATE, LEVEE_TENSOR_CLASSIFIER}};
    const ModelImage image =
        image_in_form(image_of(llama_shape(16, 24, 2, 4, 2, 40, 32), LEVEE_TYPE_INT8), form);
    REQUIRE_FALSE(image.shape().tied); // The embedding is unchanged.
    const MemoryImage memory = columns_first_image(image, form.columns_first);
    REQUIRE(memory.bytes.size() == image.bytes().size());
    for (std::size_t i = 0; i < image.entries().size(); ++i) {
        levee_tensor_entry entry;
        std::memcpy(&entry, memory.bytes.data() + image.header().tensor_offset + i * sizeof entry,
                    sizeof entry);
        const levee_tensor_entry& before = image.entries()[i];
        const TensorView view =
            image.tensor(static_cast<levee_tensor_kind>(before.kind), before.layer);
        INFO(tensor_place(before.kind, before.layer));
        if ((entry.type & LEVEE_TENSOR_COLUMNS_FIRST) == 0) {
            CHECK(std::memcmp(&entry, &before, sizeof entry) == 0);
            CHECK(std::memcmp(memory.bytes.data() + before.data_offset, view.data.data(),
                              view.data.size()) == 0);
            continue;
        }
        CHECK(entry.type == (LEVEE_TYPE_FP16 | LEVEE_TENSOR_COLUMNS_FIRST));
        bool same = true;
        const auto stored = std::span(memory.bytes).subspan(entry.data_offset);
        for (std::uint32_t row = 0; row < entry.rows; ++row)
            for (std::uint32_t col = 0; col < entry.cols; ++col)
                same &= half_at(stored, col * (entry.row_bytes / 2) + row) ==
                        half_at(view.row(row), col);
        CHECK(same);
    }
}

TEST_CASE("Only FP16 matrices can be stored by columns")
{
    const ModelImage image = image_of(llama_shape(16, 24, 2, 4, 2, 40, 32), LEVEE_TYPE_INT8);
    const std::vector<levee_tensor_kind> qkv{LEVEE_TENSOR_WQ};
    CHECK_THROWS_WITH(columns_first_image(image, qkv),
                      Catch::Contains("INT8") && Catch::Contains("expected FP16"));
    CHECK_THROWS_WITH(image_in_form(image, {false, {LEVEE_TENSOR_CLASSIFIER}}),
                      Catch::Contains("INT8") && Catch::Contains("expected FP16"));
}
