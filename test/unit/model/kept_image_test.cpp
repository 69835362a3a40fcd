// SPDX-License-Identifier: Apache-2.0
// Tests images in memory whose layer matrices are kept by a component.
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/kept_image.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <map>

using namespace levee;

namespace {

ModelImage image_of(const ModelShape& shape, levee_type weights = LEVEE_TYPE_INT8)
{
    return ModelImage::parse(
        import_synthetic(shape, {.weights = weights, .seed = 9, .name = "kept"}), "kept.levee");
}

using Records = std::vector<std::vector<std::uint8_t>>;

/// Returns records that consist of their head only.
Records records_for(const std::vector<ModelMatrix>& matrices, std::size_t bytes)
{
    Records records;
    for (const ModelMatrix& matrix : matrices) {
        const levee_kept_head head{matrix.kind, matrix.layer};
        records.emplace_back(bytes, 0xA5);
        std::memcpy(records.back().data(), &head, sizeof head);
    }
    return records;
}

template <typename T> T object_at(const MemoryImage& memory, std::uint64_t offset)
{
    T object;
    REQUIRE(offset + sizeof object <= memory.bytes.size());
    std::memcpy(&object, memory.bytes.data() + offset, sizeof object);
    return object;
}

bool is_same(const MemoryImage& memory, std::uint64_t offset, const auto& expected)
{
    const auto bytes = std::as_bytes(expected);
    return offset + bytes.size() <= memory.bytes.size() &&
           std::memcmp(memory.bytes.data() + offset, bytes.data(), bytes.size()) == 0;
}

/// Returns the number of bytes of matrices that are missing from the image in memory. Checks that
/// everything else is there.
std::uint64_t count_kept(const ModelImage& image, const MemoryImage& memory)
{
    const auto header = object_at<levee_model_header>(memory, 0);
    std::uint64_t kept = 0;
    for (std::uint32_t i = 0; i < header.tensor_count; ++i) {
        const auto entry = object_at<levee_tensor_entry>(
            memory, header.tensor_offset + i * sizeof(levee_tensor_entry));
        const TensorView tensor =
            image.tensor(static_cast<levee_tensor_kind>(entry.kind), entry.layer);
        if (!tensor.scales.empty())
            CHECK(is_same(memory, entry.scale_offset, tensor.scales));
        if (entry.layer != LEVEE_NO_LAYER && !tensor.scales.empty()) {
            CHECK(entry.data_offset == 0);
            kept += tensor.data.size();
        } else {
            CHECK(is_same(memory, entry.data_offset, tensor.data));
        }
    }
    return kept;
}

} // namespace

TEST_CASE("Tensors without a gap are one matrix of a layer, with all their rows")
{
    const ModelImage image = image_of(llama_shape(16, 24, 2, 4, 2, 40, 32));
    const std::vector<ModelMatrix> matrices = layer_matrices(image);
    REQUIRE(matrices.size() == 8);
    CHECK(matrices[0].kind == LEVEE_TENSOR_WQ);
    CHECK(matrices[0].rows == 16 + 8 + 8);
    CHECK(matrices[1].kind == LEVEE_TENSOR_WO);
    CHECK(matrices[2].kind == LEVEE_TENSOR_W_GATE);
    CHECK(matrices[2].rows == 48);
    CHECK(matrices[7].kind == LEVEE_TENSOR_W_DOWN);
    CHECK(matrices[7].layer == 1);
    CHECK(matrices[7].columns == 24);
    // The last row belongs to WV.
    const TensorView value = image.tensor(LEVEE_TENSOR_WV, 0);
    const auto last = matrices[0].data.last(16);
    CHECK(std::equal(last.begin(), last.end(), value.row(7).begin()));
}

TEST_CASE("An image in memory has only records of kept matrices, and all other data")
{
    for (const ModelShape& shape :
         {llama_shape(16, 24, 2, 4, 2, 40, 32), opt_shape(16, 24, 2, 4, 40, 32)}) {
        const ModelImage image = image_of(shape);
        const std::vector<ModelMatrix> matrices = layer_matrices(image);
        const Records records = records_for(matrices, 20);
        const MemoryImage memory = memory_image(image, records);
        const auto header = object_at<levee_model_header>(memory, 0);
        CHECK(header.version == LEVEE_MODEL_VERSION_KEPT);
        CHECK(header.image_bytes == memory.image_bytes);
        CHECK(memory.bytes.size() == memory.image_bytes);
        REQUIRE(header.kept_count == matrices.size());
        CHECK(header.kept_bytes == 20);
        for (std::size_t i = 0; i < records.size(); ++i)
            CHECK(is_same(memory, header.kept_offset + 20 * i, std::span(records[i])));
        std::uint64_t handed = 0;
        for (const ModelMatrix& matrix : matrices)
            handed += matrix.data.size();
        CHECK(count_kept(image, memory) == handed);
        CHECK(memory.image_bytes < image.image_bytes());
        CHECK(is_same(memory, header.tokenizer_offset,
                      image.bytes().subspan(image.header().tokenizer_offset,
                                            image.header().tokenizer_bytes)));
    }
}

TEST_CASE("A shape's image in memory has the same head as one with data, except for its tokenizer")
{
    const ModelShape shape = llama_shape(16, 24, 2, 4, 2, 40, 32);
    const ModelImage full = image_of(shape);
    const ModelImage head = ModelImage::of_shape(shape, LEVEE_TYPE_INT8, "kept");
    const Records records = records_for(layer_matrices(head), 20);
    const MemoryImage with = memory_image(full, records), without = memory_image(head, records);
    CHECK(layer_matrices(head).front().data.empty());
    CHECK(without.bytes.size() < with.bytes.size());
    const std::size_t table = sizeof(levee_model_header);
    CHECK(
        std::equal(without.bytes.begin() + table, without.bytes.end(), with.bytes.begin() + table));
    CHECK(object_at<levee_model_header>(without, 0).kept_offset ==
          object_at<levee_model_header>(with, 0).kept_offset);
}
