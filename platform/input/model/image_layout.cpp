// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/image_layout.hpp"

#include "platform/input/model/image_check.hpp"
#include "platform/input/model/model_name.hpp"
#include "platform/input/model/quantize.hpp"

#include <cstring>

namespace levee {

namespace {

std::uint64_t aligned(std::uint64_t offset)
{
    return (offset + section_alignment - 1) / section_alignment * section_alignment;
}

levee_tensor_entry entry_of(const TensorSpec& spec, levee_type weights)
{
    const levee_type type = spec.role == TensorRole::matrix  ? weights
                            : spec.role == TensorRole::words ? LEVEE_TYPE_UINT32
                                                             : LEVEE_TYPE_FP32;
    const std::uint32_t row_bytes =
        type == LEVEE_TYPE_UINT32 ? 4 * spec.cols : packed_row_bytes(type, spec.cols);
    return {spec.kind, spec.layer, type, spec.rows, spec.cols, row_bytes, 0, 0};
}

/// Places a group at `end`, and advances `end` past it. If a component keeps the group, only its
/// scales are placed.
void place_group(const TensorGroup& group, const WeightFormat& weights, bool kept,
                 std::uint64_t& end, std::vector<levee_tensor_entry>& entries)
{
    const size_t first = entries.size();
    end = aligned(end);
    for (const TensorSpec& spec : group) {
        levee_tensor_entry entry = entry_of(spec, weights.type);
        if (!kept) {
            entry.data_offset = end;
            end += std::uint64_t{entry.rows} * entry.row_bytes;
        }
        entries.push_back(entry);
    }
    if (group.front().role != TensorRole::matrix || !weights.has_scales()) {
        return;
    }
    end = aligned(end);
    for (size_t i = first; i < entries.size(); ++i) {
        entries[i].scale_offset = end;
        end +=
            std::uint64_t{entries[i].rows} * weights.scales_of_row(entries[i].cols) * sizeof(float);
    }
}

levee_model_structure structure_of(const ModelShape& shape)
{
    return {shape.rotary_dim,
            shape.window,
            shape.score_cap,
            shape.logit_cap,
            (shape.parallel ? std::uint32_t{LEVEE_STRUCTURE_PARALLEL} : 0U) |
                (shape.among_chosen ? std::uint32_t{LEVEE_STRUCTURE_AMONG_CHOSEN} : 0U) |
                (shape.sigmoid ? std::uint32_t{LEVEE_STRUCTURE_SIGMOID} : 0U),
            shape.experts,
            shape.chosen,
            shape.shared_hidden,
            shape.dense_hidden,
            shape.glu_limit,
            shape.glu_alpha,
            shape.kv_latent,
            shape.query_latent,
            shape.nope_dim,
            shape.value_dim};
}

/// Returns whether older readers would misread the image. If so, the image needs a newer version.
bool is_structured(const ModelShape& shape)
{
    return shape.rotary_dim != 0 || shape.window != 0 || shape.score_cap != 0.0F ||
           shape.logit_cap != 0.0F || shape.parallel || !shape.layer_flags.empty() ||
           shape.head_norm != HeadNorm::none || shape.norm_place != NormPlace::before ||
           shape.experts != 0 || shape.sinks || shape.attention_biases ||
           shape.activation > LEVEE_ACTIVATION_GELU;
}

levee_model_header header_of(const ModelShape& shape, const WeightFormat& weights,
                             const std::string& name)
{
    levee_model_header header{};
    header.magic = LEVEE_MODEL_MAGIC;
    header.structure = structure_of(shape);
    header.version = is_structured(shape) ? LEVEE_MODEL_VERSION_STRUCTURED
                     : weights.group == 0 ? LEVEE_MODEL_VERSION
                                          : LEVEE_MODEL_VERSION_GROUPED;
    header.format = LEVEE_MODEL_FORMAT;
    header.header_bytes = sizeof header;
    header.dim = shape.dim;
    header.hidden = shape.hidden;
    header.layers = shape.layers;
    header.heads = shape.heads;
    header.kv_heads = shape.kv_heads;
    header.head_dim = shape.head_dim;
    header.vocab = shape.vocab;
    header.max_context = shape.max_context;
    header.norm = shape.norm;
    header.activation = shape.activation;
    header.position = shape.position;
    header.norm_epsilon = shape.norm_epsilon;
    header.weight_type = weights.type;
    header.weight_group = weights.group;
    std::memcpy(header.name, name.data(), name.size());
    return header;
}

} // namespace

std::vector<std::uint8_t> ImageLayout::bytes() const
{
    std::vector<std::uint8_t> bytes(sizeof header + entries.size() * sizeof entries[0]);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, entries.data(), entries.size() * sizeof entries[0]);
    return bytes;
}

void check_image_options(const WeightFormat& weights, const std::string& name)
{
    check_format(weights, name);
    check_model_name(name, "model name '" + name + "'");
}

void append_layer_flags(const ModelShape& shape, const ImageLayout& layout,
                        std::vector<std::uint8_t>& bytes)
{
    if (shape.layer_flags.empty())
        return;
    const levee_tensor_entry& entry = layout.entries.front();
    bytes.resize(entry.data_offset + entry.row_bytes);
    std::memcpy(bytes.data() + entry.data_offset, shape.layer_flags.data(), entry.row_bytes);
}

bool is_layer_matrix(const TensorGroup& group)
{
    return group.front().role == TensorRole::matrix && group.front().layer != LEVEE_NO_LAYER;
}

bool is_experts_matrix(const TensorGroup& group)
{
    const levee_tensor_kind kind = group.front().kind;
    return kind == LEVEE_TENSOR_W_EXPERTS_UP || kind == LEVEE_TENSOR_W_EXPERTS_DOWN;
}

std::uint64_t experts_offset(std::uint64_t end)
{
    return aligned(end);
}

ImageLayout lay_out_image(const ModelShape& shape, const WeightFormat& weights,
                          const std::string& name, std::uint64_t tokenizer_bytes,
                          const KeptRecords& kept)
{
    ImageLayout layout;
    layout.header = header_of(shape, weights, name);
    const std::vector<TensorGroup> groups = required_tensors(shape);
    size_t count = 0;
    for (const TensorGroup& group : groups) {
        count += group.size();
    }
    std::uint64_t end = sizeof layout.header + count * sizeof(levee_tensor_entry);
    if (kept.count != 0) {
        layout.header.version = LEVEE_MODEL_VERSION_KEPT;
        layout.header.kept_offset = aligned(end);
        layout.header.kept_count = kept.count;
        layout.header.kept_bytes = kept.bytes;
        end = layout.header.kept_offset + std::uint64_t{kept.count} * kept.bytes;
    }
    std::uint64_t experts_end = 0;
    for (const TensorGroup& group : groups) {
        const bool apart = kept.experts_apart && is_experts_matrix(group);
        place_group(group, weights, apart || (kept.count != 0 && is_layer_matrix(group)), end,
                    layout.entries);
        levee_tensor_entry& last = layout.entries.back();
        if (apart) {
            last.data_offset = experts_offset(experts_end);
            experts_end = last.data_offset + std::uint64_t{last.rows} * last.row_bytes;
        }
    }
    layout.header.tensor_count = static_cast<std::uint32_t>(count);
    layout.header.tensor_offset = sizeof layout.header;
    layout.header.tokenizer_offset = aligned(end);
    layout.header.tokenizer_bytes = tokenizer_bytes;
    layout.header.image_bytes = aligned(layout.header.tokenizer_offset + tokenizer_bytes);
    return layout;
}

} // namespace levee
