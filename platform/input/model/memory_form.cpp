// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/memory_form.hpp"

#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/quantize.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace levee {

namespace {

/// Returns the product, rounded to odd. Rounding this result to FP16 then gives the same as
/// rounding the exact product once.
float product_to_odd(float code, float scale)
{
    const double exact = static_cast<double>(code) * static_cast<double>(scale);
    const auto nearest = static_cast<float>(exact);
    const double error = exact - static_cast<double>(nearest);
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    if (error == 0.0 || bits % 2 == 1)
        return nearest;
    const bool away_from_zero = (error > 0.0) == (exact > 0.0);
    return std::bit_cast<float>(away_from_zero ? bits + 1 : bits - 1);
}

/// Returns rows of weights as FP32 values. Rounding these to FP16 gives the same as rounding the
/// exact products.
void exact_rows(const TensorView& view, std::uint32_t first, std::span<float> out)
{
    for (std::uint32_t row = first; !out.empty(); ++row, out = out.subspan(view.cols())) {
        const auto values = out.first(view.cols());
        unpack_row(view.row(row), view.type(), 1.0F, values);
        if (view.scales.empty())
            continue;
        const std::size_t shared = view.group == 0 ? values.size() : view.group;
        for (std::size_t col = 0; col < values.size(); ++col)
            values[col] = product_to_odd(values[col], view.row_scales(row)[col / shared]);
    }
}

/// Returns the tensor of `image` from which the values of a tensor in the new model come.
TensorSpec source_of(const ModelImage& image, TensorSpec spec)
{
    if (spec.kind == LEVEE_TENSOR_CLASSIFIER && !image.has(spec.kind, spec.layer))
        spec.kind = LEVEE_TENSOR_EMBEDDING;
    return spec;
}

ModelImage rebuilt(const ModelImage& image, const ModelShape& shape, const WeightFormat& weights)
{
    std::span<const std::uint32_t> phases, local;
    if (shape.rotated())
        phases = image.tensor(LEVEE_TENSOR_ROPE_PHASE).words();
    if (shape.local_phases)
        local = image.tensor(LEVEE_TENSOR_ROPE_PHASE_LOCAL).words();
    const ModelSource source{
        .shape = shape,
        .name = image.name(),
        .tokenizer = image.tokenizer(),
        .phases = {phases.begin(), phases.end()},
        .local_phases = {local.begin(), local.end()},
        .rows = [&image](const TensorSpec& spec, std::uint32_t first, std::span<float> out) {
            const TensorSpec from = source_of(image, spec);
            exact_rows(image.tensor(from.kind, from.layer), first, out);
        }};
    return ModelImage::parse(image_in_memory(source, weights), image.name());
}

constexpr std::uint32_t weight_bytes = 2;

/// Transposes the matrix that several tensors form: [rows][cols] in `data` becomes [cols][rows].
void transpose(std::span<std::uint8_t> data, std::uint32_t rows, std::uint32_t cols)
{
    const std::vector<std::uint8_t> before(data.begin(), data.end());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t col = 0; col < cols; ++col) {
            std::memcpy(data.data() + (col * rows + row) * weight_bytes,
                        before.data() + (row * cols + col) * weight_bytes, weight_bytes);
        }
    }
}

/// Transposes the matrix of a group, whose tensors follow one another in the table, and changes
/// their entries.
void turn_group(std::vector<std::uint8_t>& memory, std::span<levee_tensor_entry> group,
                bool has_data)
{
    const std::uint64_t base = group.front().data_offset;
    const std::uint32_t cols = group.front().cols;
    std::uint32_t rows = 0;
    for (levee_tensor_entry& entry : group) {
        entry.type |= LEVEE_TENSOR_COLUMNS_FIRST;
        entry.data_offset = base + std::uint64_t{rows} * weight_bytes;
        rows += entry.rows;
    }
    for (levee_tensor_entry& entry : group)
        entry.row_bytes = rows * weight_bytes;
    if (has_data) {
        transpose(std::span(memory).subspan(base, std::size_t{rows} * cols * weight_bytes), rows,
                  cols);
    }
}

} // namespace

bool MemoryForm::unties() const
{
    return std::find(columns_first.begin(), columns_first.end(), LEVEE_TENSOR_CLASSIFIER) !=
           columns_first.end();
}

ModelImage image_in_form(ModelImage image, const MemoryForm& form)
{
    ModelShape shape = image.shape();
    shape.tied = shape.tied && !form.unties();
    const WeightFormat weights = form.fp16 ? LEVEE_TYPE_FP16 : image.weight_format();
    if (shape.tied == image.shape().tied && weights == image.weight_format())
        return image;
    if (weights.type != LEVEE_TYPE_FP16) {
        throw ModelError("model '" + image.name() + "': weights of type " +
                         type_name(weights.type) +
                         ", expected FP16 to store the classifier columns first");
    }
    return image.has_data() ? rebuilt(image, shape, weights)
                            : ModelImage::of_shape(shape, weights, image.name());
}

MemoryImage columns_first_image(const ModelImage& image,
                                std::span<const levee_tensor_kind> matrices)
{
    if (image.weight_type() != LEVEE_TYPE_FP16) {
        throw ModelError("model '" + image.name() + "': weights of type " +
                         type_name(image.weight_type()) +
                         ", expected FP16 for matrices stored columns first");
    }
    MemoryImage memory{{image.bytes().begin(), image.bytes().end()}, image.image_bytes()};
    std::vector<levee_tensor_entry> entries(image.entries().begin(), image.entries().end());
    std::size_t next = 0;
    for (const TensorGroup& group : required_tensors(image.shape())) {
        if (std::find(matrices.begin(), matrices.end(), group.front().kind) != matrices.end()) {
            turn_group(memory.bytes, std::span(entries).subspan(next, group.size()),
                       image.has_data());
        }
        next += group.size();
    }
    std::memcpy(memory.bytes.data() + image.header().tensor_offset, entries.data(),
                entries.size() * sizeof entries[0]);
    return memory;
}

} // namespace levee
