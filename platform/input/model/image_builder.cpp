// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/image_builder.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/image_check.hpp"
#include "platform/input/model/image_layout.hpp"

#include <algorithm>
#include <cstring>

namespace levee {

namespace {

void put_floats(std::vector<std::uint8_t>& image, std::uint64_t offset,
                const std::vector<float>& values)
{
    const auto* raw = reinterpret_cast<const std::uint8_t*>(values.data());
    std::copy_n(raw, values.size() * sizeof(float), image.data() + offset);
}

} // namespace

ImageBuilder::ImageBuilder(const ModelShape& shape, const WeightFormat& weights,
                           const std::string& name)
    : shape_(shape), weights_(weights), name_(name)
{
    check_shape(shape, name);
    check_image_options(weights, name);
    groups_ = required_tensors(shape);
}

const TensorSpec& ImageBuilder::spec_of(levee_tensor_kind kind, std::uint32_t layer) const
{
    for (const TensorGroup& group : groups_) {
        for (const TensorSpec& spec : group) {
            if (spec.kind == kind && spec.layer == layer) {
                return spec;
            }
        }
    }
    throw ModelError(name_ + ": tensor " + tensor_place(kind, layer) +
                     ": given, expected none in a model of this shape");
}

void ImageBuilder::put(const TensorSpec& spec, PackedMatrix tensor)
{
    if (!tensors_.emplace(Key(spec.layer, spec.kind), std::move(tensor)).second) {
        throw ModelError(name_ + ": tensor " + tensor_place(spec.kind, spec.layer) +
                         ": given twice, expected once");
    }
}

void ImageBuilder::add(levee_tensor_kind kind, std::uint32_t layer, std::span<const float> values)
{
    const TensorSpec& spec = spec_of(kind, layer);
    const WeightFormat format = spec.role == TensorRole::matrix ? weights_ : LEVEE_TYPE_FP32;
    put(spec, pack_matrix(values, spec.rows, spec.cols, format,
                          name_ + ": tensor " + tensor_place(kind, layer)));
}

void ImageBuilder::add_phases(std::span<const std::uint32_t> phases)
{
    const TensorSpec& spec = spec_of(LEVEE_TENSOR_ROPE_PHASE, LEVEE_NO_LAYER);
    if (phases.size() != spec.cols) {
        throw ModelError(name_ + ": tensor ROPE_PHASE: " + std::to_string(phases.size()) +
                         " values, expected " + std::to_string(spec.cols));
    }
    PackedMatrix tensor{LEVEE_TYPE_UINT32, 1, spec.cols, 4 * spec.cols, {}, {}};
    for (const std::uint32_t phase : phases) {
        append_object(tensor.data, phase);
    }
    put(spec, std::move(tensor));
}

const PackedMatrix& ImageBuilder::packed(const TensorSpec& spec) const
{
    const auto found = tensors_.find(Key(spec.layer, spec.kind));
    if (found == tensors_.end()) {
        throw ModelError(name_ + ": tensor " + tensor_place(spec.kind, spec.layer) +
                         ": absent, expected in a model of this shape");
    }
    return found->second;
}

std::vector<std::uint8_t> ImageBuilder::build(const Tokenizer& tokenizer) const
{
    if (tokenizer.vocab() != shape_.vocab) {
        throw ModelError(name_ + ": tokenizer of " + std::to_string(tokenizer.vocab()) +
                         " tokens, expected the model's vocabulary of " +
                         std::to_string(shape_.vocab));
    }
    const std::vector<std::uint8_t> section = tokenizer.serialize();
    ImageLayout layout = lay_out_image(shape_, weights_, name_, section.size());
    levee_model_header& header = layout.header;
    std::vector<std::uint8_t> image = layout.bytes();
    image.resize(header.image_bytes);
    size_t next = 0;
    for (const TensorGroup& group : groups_) {
        for (const TensorSpec& spec : group) {
            const PackedMatrix& tensor = packed(spec);
            const levee_tensor_entry& entry = layout.entries[next++];
            std::memcpy(image.data() + entry.data_offset, tensor.data.data(), tensor.data.size());
            put_floats(image, entry.scale_offset, tensor.scales);
        }
    }
    std::memcpy(image.data() + header.tokenizer_offset, section.data(), section.size());
    std::memcpy(image.data(), &header, sizeof header);
    header.crc32 = image_crc(image);
    std::memcpy(image.data(), &header, sizeof header);
    return image;
}

} // namespace levee
