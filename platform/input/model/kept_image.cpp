// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/kept_image.hpp"

#include "platform/input/model/image_layout.hpp"
#include "platform/input/model/quantize.hpp"

#include <algorithm>
#include <cstring>

namespace levee {

namespace {

template <typename Span>
void put(std::vector<std::uint8_t>& image, std::uint64_t offset, const Span& values)
{
    const auto bytes = std::as_bytes(std::span(values));
    if (!bytes.empty())
        std::memcpy(image.data() + offset, bytes.data(), bytes.size());
}

/// Copies what stays of the tensors, and the tokenizer.
void put_tensors(std::vector<std::uint8_t>& bytes, const ModelImage& image,
                 const ImageLayout& layout)
{
    for (const levee_tensor_entry& entry : layout.entries) {
        const TensorView tensor =
            image.tensor(static_cast<levee_tensor_kind>(entry.kind), entry.layer);
        if (entry.data_offset != 0)
            put(bytes, entry.data_offset, tensor.data);
        put(bytes, entry.scale_offset, tensor.scales);
    }
    put(bytes, layout.header.tokenizer_offset,
        image.bytes().subspan(image.header().tokenizer_offset, image.header().tokenizer_bytes));
}

} // namespace

std::vector<ModelMatrix> layer_matrices(const ModelImage& image)
{
    if (image.weight_format().group != 0)
        throw ModelError("model '" + image.name() + "': weights of " +
                         format_name(image.weight_format()) +
                         ", expected one scale a row: the components that keep a model's matrices "
                         "themselves take no groups");
    std::vector<ModelMatrix> matrices;
    for (const TensorGroup& group : required_tensors(image.shape())) {
        const TensorSpec& first = group.front();
        if (!is_layer_matrix(group))
            continue;
        ModelMatrix matrix{first.kind, first.layer, image.weight_type(), 0, first.cols, 0, {}};
        for (const TensorSpec& part : group)
            matrix.rows += part.rows;
        matrix.row_bytes = packed_row_bytes(matrix.type, matrix.columns);
        if (image.has_data())
            matrix.data = {image.tensor(first.kind, first.layer).data.data(),
                           std::size_t{matrix.rows} * matrix.row_bytes};
        matrices.push_back(matrix);
    }
    return matrices;
}

MemoryImage memory_image(const ModelImage& image,
                         std::span<const std::vector<std::uint8_t>> records)
{
    const KeptRecords kept{static_cast<std::uint32_t>(records.size()),
                           static_cast<std::uint32_t>(records.front().size())};
    const ImageLayout layout = lay_out_image(image.shape(), image.weight_format(), image.name(),
                                             image.header().tokenizer_bytes, kept);
    const std::uint64_t head = layout.header.kept_offset + std::uint64_t{kept.count} * kept.bytes;
    MemoryImage memory{layout.bytes(), layout.header.image_bytes};
    memory.bytes.resize(image.has_data() ? memory.image_bytes : head);
    for (std::size_t i = 0; i < records.size(); ++i)
        put(memory.bytes, layout.header.kept_offset + i * kept.bytes, records[i]);
    if (image.has_data())
        put_tensors(memory.bytes, image, layout);
    else
        append_layer_flags(image.shape(), layout, memory.bytes);
    return memory;
}

} // namespace levee
