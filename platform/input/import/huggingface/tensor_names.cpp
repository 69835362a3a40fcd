// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tensor_names.hpp"

#include "platform/input/import/stored_values.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace levee::hf {

namespace {

constexpr std::size_t most_named = 5;

struct KindName {
    levee_tensor_kind kind;
    const char* name; // behind the prefix; of a layer, behind "layers.N."
};

constexpr KindName llama_names[] = {{LEVEE_TENSOR_EMBEDDING, "embed_tokens.weight"},
                                    {LEVEE_TENSOR_NORM_ATTENTION, "input_layernorm.weight"},
                                    {LEVEE_TENSOR_WQ, "self_attn.q_proj.weight"},
                                    {LEVEE_TENSOR_WK, "self_attn.k_proj.weight"},
                                    {LEVEE_TENSOR_WV, "self_attn.v_proj.weight"},
                                    {LEVEE_TENSOR_WO, "self_attn.o_proj.weight"},
                                    {LEVEE_TENSOR_BQ, "self_attn.q_proj.bias"},
                                    {LEVEE_TENSOR_BK, "self_attn.k_proj.bias"},
                                    {LEVEE_TENSOR_BV, "self_attn.v_proj.bias"},
                                    {LEVEE_TENSOR_NORM_FFN, "post_attention_layernorm.weight"},
                                    {LEVEE_TENSOR_W_GATE, "mlp.gate_proj.weight"},
                                    {LEVEE_TENSOR_W_UP, "mlp.up_proj.weight"},
                                    {LEVEE_TENSOR_W_DOWN, "mlp.down_proj.weight"},
                                    {LEVEE_TENSOR_NORM_FINAL, "norm.weight"}};

constexpr KindName opt_names[] = {{LEVEE_TENSOR_EMBEDDING, "embed_tokens.weight"},
                                  {LEVEE_TENSOR_POSITION, "embed_positions.weight"},
                                  {LEVEE_TENSOR_NORM_ATTENTION, "self_attn_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_ATTENTION_BIAS, "self_attn_layer_norm.bias"},
                                  {LEVEE_TENSOR_WQ, "self_attn.q_proj.weight"},
                                  {LEVEE_TENSOR_WK, "self_attn.k_proj.weight"},
                                  {LEVEE_TENSOR_WV, "self_attn.v_proj.weight"},
                                  {LEVEE_TENSOR_WO, "self_attn.out_proj.weight"},
                                  {LEVEE_TENSOR_BQ, "self_attn.q_proj.bias"},
                                  {LEVEE_TENSOR_BK, "self_attn.k_proj.bias"},
                                  {LEVEE_TENSOR_BV, "self_attn.v_proj.bias"},
                                  {LEVEE_TENSOR_BO, "self_attn.out_proj.bias"},
                                  {LEVEE_TENSOR_NORM_FFN, "final_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_FFN_BIAS, "final_layer_norm.bias"},
                                  {LEVEE_TENSOR_W_UP, "fc1.weight"},
                                  {LEVEE_TENSOR_W_DOWN, "fc2.weight"},
                                  {LEVEE_TENSOR_B_UP, "fc1.bias"},
                                  {LEVEE_TENSOR_B_DOWN, "fc2.bias"},
                                  {LEVEE_TENSOR_NORM_FINAL, "final_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_FINAL_BIAS, "final_layer_norm.bias"}};

const char* name_of_kind(Family family, levee_tensor_kind kind)
{
    const auto search = [kind](const auto& names) {
        return std::find_if(std::begin(names), std::end(names),
                            [kind](const KindName& known) { return known.kind == kind; });
    };
    return family == Family::opt ? search(opt_names)->name : search(llama_names)->name;
}

/// What the names begin with; checkpoints of the model without its head lack the first part.
std::string prefix_of(Family family, const StoredTensors& stored)
{
    const std::string whole = family == Family::opt ? "model.decoder." : "model.";
    const std::string shorter = family == Family::opt ? "decoder." : "";
    return !stored.contains(whole + "embed_tokens.weight") &&
                   stored.contains(shorter + "embed_tokens.weight")
               ? shorter
               : whole;
}

std::string full_name(Family family, const std::string& prefix, const TensorSpec& spec)
{
    if (spec.kind == LEVEE_TENSOR_CLASSIFIER)
        return "lm_head.weight";
    const std::string name = name_of_kind(family, spec.kind);
    return prefix + (spec.layer == LEVEE_NO_LAYER
                         ? name
                         : "layers." + std::to_string(spec.layer) + "." + name);
}

std::string shape_text(const std::vector<std::uint64_t>& shape)
{
    std::string text;
    for (const std::uint64_t size : shape)
        text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "[" + text + "]";
}

void check_stored(const Config& config, const TensorSpec& spec, const StoredTensor& tensor,
                  const std::string& name)
{
    const bool is_vector = spec.role == TensorRole::vector && spec.kind != LEVEE_TENSOR_POSITION;
    std::vector<std::uint64_t> expected{spec.cols};
    if (!is_vector)
        expected.insert(expected.begin(), spec.rows + rows_before(config, spec));
    if (tensor.shape != expected)
        throw ModelError(tensor_title(tensor, name) + ": shape " + shape_text(tensor.shape) +
                         ", expected " + shape_text(expected) + " by config.json");
    if (!is_readable(tensor))
        throw ModelError(tensor_title(tensor, name) + ": type " + tensor.type +
                         ", expected F32, F16 or BF16");
}

/// Tensors that the model does not have: what they would do to results is not known.
void refuse_unknown(const Config& config, const StoredTensors& stored,
                    const std::set<std::string>& used, const std::string& source,
                    std::vector<std::string>& notes)
{
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, tensor] : stored) {
        if (used.contains(name) || name.ends_with(".rotary_emb.inv_freq"))
            continue;
        if (name == "lm_head.weight" && config.shape.tied) {
            notes.push_back(
                "lm_head.weight is passed over: tie_word_embeddings makes the embedding "
                "the classifier");
            continue;
        }
        if (++count <= most_named)
            names += (names.empty() ? "" : ", ") + name;
    }
    if (count != 0)
        throw ModelError(source + ": " + std::to_string(count) +
                         " tensors that a model of this config.json does not have: " + names +
                         (count > most_named ? ", ..." : "") + "; expected none");
}

} // namespace

std::uint32_t rows_before(const Config& config, const TensorSpec& spec)
{
    return config.family == Family::opt && spec.kind == LEVEE_TENSOR_POSITION ? opt_padding_rows
                                                                              : 0;
}

TensorPlaces place_tensors(const Config& config, const StoredTensors& stored,
                           const std::string& source, std::vector<std::string>& notes)
{
    const std::string prefix = prefix_of(config.family, stored);
    TensorPlaces places;
    std::set<std::string> used;
    for (const TensorGroup& group : required_tensors(config.shape))
        for (const TensorSpec& spec : group) {
            if (spec.role == TensorRole::phases)
                continue;
            const std::string name = full_name(config.family, prefix, spec);
            const auto found = stored.find(name);
            if (found == stored.end())
                throw ModelError(source + ": has no tensor " + name +
                                 ", expected one by config.json");
            check_stored(config, spec, found->second, name);
            places[{spec.layer, spec.kind}] = name;
            used.insert(name);
        }
    refuse_unknown(config, stored, used, source, notes);
    return places;
}

} // namespace levee::hf
