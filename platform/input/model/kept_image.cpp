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

bool is_of_experts(const levee_tensor_entry& entry)
{
    return entry.kind == LEVEE_TENSOR_W_EXPERTS_UP || entry.kind == LEVEE_TENSOR_W_EXPERTS_DOWN;
}

/// Copies the tensors that remain in the image, and the tokenizer.
void put_tensors(std::vector<std::uint8_t>& bytes, const ModelImage& image,
                 const ImageLayout& layout, bool experts_apart)
{
    for (const levee_tensor_entry& entry : layout.entries) {
        const TensorView tensor =
            image.tensor(static_cast<levee_tensor_kind>(entry.kind), entry.layer);
        if (entry.data_offset != 0 && !(experts_apart && is_of_experts(entry)))
            put(bytes, entry.data_offset, tensor.data);
        put(bytes, entry.scale_offset, tensor.scales);
    }
    put(bytes, layout.header.tokenizer_offset,
        image.bytes().subspan(image.header().tokenizer_offset, image.header().tokenizer_bytes));
}

} // namespace

namespace {

/// Calls visit(entry, begin) for each tensor of experts; `begin` is the distance from the first of
/// these tensors. Returns the end of the last one, as such a distance.
template <typename Visit> std::uint64_t for_each_experts(const ModelImage& image, Visit visit)
{
    std::uint64_t end = 0;
    for (const levee_tensor_entry& entry : image.entries()) {
        if (!is_of_experts(entry))
            continue;
        const std::uint64_t first = experts_offset(end);
        end = first + std::uint64_t{entry.rows} * entry.row_bytes;
        visit(entry, first);
    }
    return end;
}

} // namespace

namespace {

/// Calls change(entry) for each entry in the table of an image.
template <typename Change> void change_entries(std::span<std::uint8_t> image, Change change)
{
    levee_model_header header;
    std::memcpy(&header, image.data(), sizeof header);
    for (std::uint32_t i = 0; i < header.tensor_count; ++i) {
        std::uint8_t* const at =
            image.data() + header.tensor_offset + i * sizeof(levee_tensor_entry);
        levee_tensor_entry entry;
        std::memcpy(&entry, at, sizeof entry);
        change(entry);
        std::memcpy(at, &entry, sizeof entry);
    }
}

} // namespace

std::uint64_t place_experts(const ModelImage& image, std::uint64_t offset, const StorageSink& sink)
{
    return offset + for_each_experts(image, [&](const levee_tensor_entry& entry, auto first) {
               if (image.has_data())
                   sink(offset + first,
                        image.tensor(static_cast<levee_tensor_kind>(entry.kind), entry.layer).data);
           });
}

std::vector<ExpertMatrices> expert_matrices(const ModelImage& image, std::uint64_t offset)
{
    std::vector<ExpertMatrices> all;
    const std::uint32_t experts = image.shape().experts;
    for_each_experts(image, [&](const levee_tensor_entry& entry, auto first) {
        all.push_back({entry.layer, experts, offset + first,
                       std::uint64_t{entry.rows} / experts * entry.row_bytes});
    });
    return all;
}

std::uint64_t table_bytes(const ModelImage& image)
{
    const levee_model_header& header = image.header();
    return header.tensor_offset + std::uint64_t{header.tensor_count} * sizeof(levee_tensor_entry);
}

void move_tensors(std::span<std::uint8_t> table, std::uint64_t distance)
{
    change_entries(table, [&](levee_tensor_entry& entry) {
        entry.data_offset += distance;
        if (entry.scale_offset != 0)
            entry.scale_offset += distance;
    });
    levee_model_header header;
    std::memcpy(&header, table.data(), sizeof header);
    header.tokenizer_offset += distance;
    std::memcpy(table.data(), &header, sizeof header);
}

void point_to_experts(MemoryImage& image, std::uint64_t model, const ExpertsStorage& storage)
{
    change_entries(image.bytes, [&](levee_tensor_entry& entry) {
        if (is_of_experts(entry)) // firmware adds `model`
            entry.data_offset += storage.address + storage.offset - model;
    });
}

std::vector<ModelMatrix> layer_matrices(const ModelImage& image, bool experts_apart)
{
    if (image.weight_format().group != 0)
        throw ModelError("model '" + image.name() + "': weights of " +
                         format_name(image.weight_format()) +
                         ", expected one scale per row, because a component stores the matrices in "
                         "its own format, which has no groups");
    std::vector<ModelMatrix> matrices;
    for (const TensorGroup& group : required_tensors(image.shape())) {
        const TensorSpec& first = group.front();
        if (!is_layer_matrix(group) || (experts_apart && is_experts_matrix(group)))
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
                         std::span<const std::vector<std::uint8_t>> records, bool experts_apart)
{
    const std::size_t record = records.empty() ? 0 : records.front().size();
    const KeptRecords kept{static_cast<std::uint32_t>(records.size()),
                           static_cast<std::uint32_t>(record), experts_apart};
    const ImageLayout layout = lay_out_image(image.shape(), image.weight_format(), image.name(),
                                             image.header().tokenizer_bytes, kept);
    const std::uint64_t head = layout.header.kept_offset + std::uint64_t{kept.count} * kept.bytes;
    MemoryImage memory{layout.bytes(), layout.header.image_bytes};
    memory.bytes.resize(image.has_data() ? memory.image_bytes
                                         : std::max<std::uint64_t>(head, memory.bytes.size()));
    for (std::size_t i = 0; i < records.size(); ++i)
        put(memory.bytes, layout.header.kept_offset + i * kept.bytes, records[i]);
    if (image.has_data())
        put_tensors(memory.bytes, image, layout, experts_apart);
    else
        append_layer_flags(image.shape(), layout, memory.bytes);
    return memory;
}

} // namespace levee
