#include "platform/model/image_builder.hpp"

#include "platform/model/file.hpp"
#include "platform/model/image_check.hpp"

#include <zlib.h>

#include <cstring>

namespace levee {

namespace {

void align(std::vector<uint8_t>& image)
{
    image.resize((image.size() + section_alignment - 1) / section_alignment * section_alignment);
}

void append_floats(std::vector<uint8_t>& image, const std::vector<float>& values)
{
    const auto* raw = reinterpret_cast<const uint8_t*>(values.data());
    image.insert(image.end(), raw, raw + values.size() * sizeof(float));
}

} // namespace

ImageBuilder::ImageBuilder(const ModelShape& shape, levee_type weights, const std::string& name)
    : m_shape(shape), m_weights(weights), m_name(name)
{
    check_shape(shape, name);
    if (packed_row_bytes(weights, 1) == 0) {
        throw ModelError(name + ": weights of type " + type_name(weights) +
                         ", expected INT4, INT8, FP16 or FP32");
    }
    if (name.size() >= sizeof levee_model_header::name) {
        throw ModelError("model name '" + name + "': " + std::to_string(name.size()) +
                         " bytes, expected at most 31");
    }
    m_groups = required_tensors(shape);
}

const TensorSpec& ImageBuilder::spec_of(levee_tensor_kind kind, uint32_t layer) const
{
    for (const TensorGroup& group : m_groups) {
        for (const TensorSpec& spec : group) {
            if (spec.kind == kind && spec.layer == layer) {
                return spec;
            }
        }
    }
    throw ModelError(m_name + ": tensor " + tensor_place(kind, layer) +
                     ": given, expected none in a model of this shape");
}

void ImageBuilder::put(const TensorSpec& spec, PackedMatrix tensor)
{
    if (!m_tensors.emplace(Key(spec.layer, spec.kind), std::move(tensor)).second) {
        throw ModelError(m_name + ": tensor " + tensor_place(spec.kind, spec.layer) +
                         ": given twice, expected once");
    }
}

void ImageBuilder::add(levee_tensor_kind kind, uint32_t layer, std::span<const float> values)
{
    const TensorSpec& spec = spec_of(kind, layer);
    const levee_type type = spec.role == TensorRole::matrix ? m_weights : LEVEE_TYPE_FP32;
    put(spec, pack_matrix(values, spec.rows, spec.cols, type,
                          m_name + ": tensor " + tensor_place(kind, layer)));
}

void ImageBuilder::add_phases(std::span<const uint32_t> phases)
{
    const TensorSpec& spec = spec_of(LEVEE_TENSOR_ROPE_PHASE, LEVEE_NO_LAYER);
    if (phases.size() != spec.cols) {
        throw ModelError(m_name + ": tensor ROPE_PHASE: " + std::to_string(phases.size()) +
                         " values, expected " + std::to_string(spec.cols));
    }
    PackedMatrix tensor{LEVEE_TYPE_UINT32, 1, spec.cols, 4 * spec.cols, {}, {}};
    for (const uint32_t phase : phases) {
        append_object(tensor.data, phase);
    }
    put(spec, std::move(tensor));
}

const PackedMatrix& ImageBuilder::packed(const TensorSpec& spec) const
{
    const auto found = m_tensors.find(Key(spec.layer, spec.kind));
    if (found == m_tensors.end()) {
        throw ModelError(m_name + ": tensor " + tensor_place(spec.kind, spec.layer) +
                         ": absent, expected in a model of this shape");
    }
    return found->second;
}

void ImageBuilder::place_group(const TensorGroup& group, std::vector<uint8_t>& image,
                               std::vector<levee_tensor_entry>& entries) const
{
    const size_t first = entries.size();
    align(image);
    for (const TensorSpec& spec : group) {
        const PackedMatrix& tensor = packed(spec);
        entries.push_back({spec.kind, spec.layer, tensor.type, tensor.rows, tensor.cols,
                           tensor.row_bytes, image.size(), 0});
        image.insert(image.end(), tensor.data.begin(), tensor.data.end());
    }
    if (packed(group.front()).scales.empty()) {
        return;
    }
    align(image);
    for (size_t i = 0; i < group.size(); ++i) {
        entries[first + i].scale_offset = image.size();
        append_floats(image, packed(group[i]).scales);
    }
}

levee_model_header ImageBuilder::header() const
{
    levee_model_header header{};
    header.magic = LEVEE_MODEL_MAGIC;
    header.version = LEVEE_MODEL_VERSION;
    header.header_bytes = sizeof header;
    header.dim = m_shape.dim;
    header.hidden = m_shape.hidden;
    header.layers = m_shape.layers;
    header.heads = m_shape.heads;
    header.kv_heads = m_shape.kv_heads;
    header.head_dim = m_shape.head_dim;
    header.vocab = m_shape.vocab;
    header.max_context = m_shape.max_context;
    header.norm = m_shape.norm;
    header.activation = m_shape.activation;
    header.position = m_shape.position;
    header.norm_epsilon = m_shape.norm_epsilon;
    header.weight_type = m_weights;
    std::memcpy(header.name, m_name.data(), m_name.size());
    return header;
}

std::vector<uint8_t> ImageBuilder::build(const Tokenizer& tokenizer) const
{
    if (tokenizer.vocab() != m_shape.vocab) {
        throw ModelError(m_name + ": tokenizer of " + std::to_string(tokenizer.vocab()) +
                         " tokens, expected the model's vocabulary of " +
                         std::to_string(m_shape.vocab));
    }
    size_t count = 0;
    for (const TensorGroup& group : m_groups) {
        count += group.size();
    }
    levee_model_header head = header();
    head.tensor_count = static_cast<uint32_t>(count);
    head.tensor_offset = sizeof head;
    std::vector<uint8_t> image(sizeof head + count * sizeof(levee_tensor_entry));
    std::vector<levee_tensor_entry> entries;
    for (const TensorGroup& group : m_groups) {
        place_group(group, image, entries);
    }
    align(image);
    const std::vector<uint8_t> section = tokenizer.serialize();
    head.tokenizer_offset = image.size();
    head.tokenizer_bytes = section.size();
    image.insert(image.end(), section.begin(), section.end());
    align(image);
    head.image_bytes = image.size();
    std::memcpy(image.data() + sizeof head, entries.data(), count * sizeof entries[0]);
    head.crc32 = static_cast<uint32_t>(
        crc32_z(crc32_z(0, nullptr, 0), image.data() + sizeof head, image.size() - sizeof head));
    std::memcpy(image.data(), &head, sizeof head);
    return image;
}

} // namespace levee
