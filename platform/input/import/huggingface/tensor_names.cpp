// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tensor_names.hpp"

#include "platform/input/import/stored_values.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace levee::hf {

namespace {

constexpr std::size_t most_named = 5;

/// Tensors in which those of a group of an image lie one after another.
struct FusedName {
    levee_tensor_kind first; // of the group
    const char* name;
};
constexpr FusedName fused_names[] = {{LEVEE_TENSOR_WQ, "self_attn.qkv_proj.weight"},
                                     {LEVEE_TENSOR_WQ, "self_attn.Wqkv.weight"},
                                     {LEVEE_TENSOR_BQ, "self_attn.qkv_proj.bias"},
                                     {LEVEE_TENSOR_BQ, "self_attn.Wqkv.bias"},
                                     {LEVEE_TENSOR_W_GATE, "mlp.gate_up_proj.weight"}};

/// What the names begin with; checkpoints of the model without its head lack the first part.
std::string prefix_of(const Family& family, const StoredTensors& stored)
{
    const std::string whole = is_opt(family) ? "model.decoder." : "model.";
    const std::string shorter = is_opt(family) ? "decoder." : "";
    return !stored.contains(whole + "embed_tokens.weight") &&
                   stored.contains(shorter + "embed_tokens.weight")
               ? shorter
               : whole;
}

std::string in_layer(const std::string& prefix, std::uint32_t layer, const std::string& name)
{
    return prefix +
           (layer == LEVEE_NO_LAYER ? name : "layers." + std::to_string(layer) + "." + name);
}

std::string full_name(const Family& family, const std::string& prefix, const TensorSpec& spec)
{
    if (spec.kind == LEVEE_TENSOR_CLASSIFIER)
        return "lm_head.weight";
    return in_layer(prefix, spec.layer, name_of_kind(family, spec.kind));
}

bool is_matrix(const TensorSpec& spec)
{
    return spec.role != TensorRole::vector || spec.kind == LEVEE_TENSOR_POSITION;
}

bool is_of_experts(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_W_EXPERTS_UP || kind == LEVEE_TENSOR_W_EXPERTS_DOWN;
}

/// Tells gains from biases, where a checkpoint lacks both.
bool is_gain(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_NORM_ATTENTION || kind == LEVEE_TENSOR_NORM_FFN ||
           kind == LEVEE_TENSOR_NORM_FINAL;
}

/// Places a model's tensors one after another.
class Placer {
public:
    Placer(const Config& config, const StoredTensors& stored, const std::string& source)
        : config_(config), stored_(stored), source_(source), family_(*config.family),
          prefix_(prefix_of(*config.family, stored))
    {
    }

    void place(const TensorGroup& group)
    {
        if (const auto fused = fused_name(group))
            place_parts(group, *fused);
        else
            for (const TensorSpec& spec : group)
                if (spec.role != TensorRole::words)
                    place(spec);
    }

    TensorPlaces places;
    std::set<std::string> used;

private:
    /// Of a group that has none of its tensors alone.
    std::optional<std::string> fused_name(const TensorGroup& group) const
    {
        const TensorSpec& first = group.front();
        if (is_opt(family_) || group.size() < 2 || has(full_name(family_, prefix_, first)))
            return std::nullopt;
        for (const FusedName& fused : fused_names) {
            const std::string name = in_layer(prefix_, first.layer, fused.name);
            if (fused.first == first.kind && has(name))
                return name;
        }
        return std::nullopt;
    }

    void place(const TensorSpec& spec)
    {
        if (spec.kind != LEVEE_TENSOR_CLASSIFIER && name_of_kind(family_, spec.kind) == nullptr) {
            places[{spec.layer, spec.kind}].constant = is_gain(spec.kind) ? 1.0F : 0.0F;
            return;
        }
        if (is_of_experts(spec.kind) && family_.experts.before != nullptr)
            return place_experts(spec);
        const std::string name = full_name(family_, prefix_, spec);
        if (!has(name))
            throw ModelError(source_ + ": has no tensor " + name + ", expected one by config.json");
        const bool is_padded = is_opt(family_) && spec.kind == LEVEE_TENSOR_POSITION;
        const std::uint64_t before = is_padded ? opt_padding_rows : 0;
        places[{spec.layer, spec.kind}] = checked(name, before + spec.rows, spec);
        places[{spec.layer, spec.kind}].rows_before = before;
    }

    /// Experts' matrices: of each its gate and up, or down.
    void place_experts(const TensorSpec& spec)
    {
        const ExpertNames& names = family_.experts;
        std::vector<const char*> behind{names.down};
        if (spec.kind == LEVEE_TENSOR_W_EXPERTS_UP)
            behind = {names.gate, names.up};
        TensorPlace place;
        place.part_rows =
            spec.rows / (config_.shape.experts * static_cast<std::uint32_t>(behind.size()));
        for (std::uint32_t expert = 0; expert < config_.shape.experts; ++expert)
            for (const char* const end : behind) {
                const std::string name =
                    in_layer(prefix_, spec.layer, names.before + std::to_string(expert) + end);
                if (!has(name))
                    throw ModelError(source_ + ": has no tensor " + name +
                                     ", expected one by config.json");
                place.parts.push_back(checked(name, place.part_rows, spec));
            }
        place.name = place.parts.front().name;
        places[{spec.layer, spec.kind}] = std::move(place);
    }

    void place_parts(const TensorGroup& group, const std::string& name)
    {
        // A bias is a row in an image, and a value for each row of its matrix in a checkpoint.
        std::uint64_t rows = 0;
        for (const TensorSpec& spec : group)
            rows += is_matrix(spec) ? spec.rows : spec.cols;
        TensorSpec whole = group.front();
        whole.cols = is_matrix(whole) ? whole.cols : static_cast<std::uint32_t>(rows);
        TensorPlace place = checked(name, rows, whole);
        for (const TensorSpec& spec : group) {
            places[{spec.layer, spec.kind}] = place;
            place.rows_before += is_matrix(spec) ? spec.rows : spec.cols;
        }
    }

    /// Whether a tensor is there, as it is or quantized.
    bool has(const std::string& name) const
    {
        return stored_.contains(name) ||
               !names_of_quantized(stored_, config_.quantization, name).empty();
    }

    TensorPlace checked(const std::string& name, std::uint64_t rows, const TensorSpec& spec)
    {
        const auto names = names_of_quantized(stored_, config_.quantization, name);
        if (is_matrix(spec) && !names.empty()) {
            used.insert(names.begin(), names.end());
            TensorPlace place;
            place.name = names.front();
            place.matrix = quantized_matrix(stored_, config_.quantization, {name, rows, spec.cols});
            return place;
        }
        const StoredTensor& tensor = stored_.at(name);
        std::vector<std::uint64_t> expected{spec.cols};
        if (is_matrix(spec))
            expected.insert(expected.begin(), rows);
        if (is_of_experts(spec.kind) && tensor.shape.size() == 3) // an expert after another
            expected = {config_.shape.experts, rows / config_.shape.experts, spec.cols};
        if (tensor.shape != expected)
            throw ModelError(tensor_title(tensor, name) + ": shape " + shape_text(tensor.shape) +
                             ", expected " + shape_text(expected) + " by config.json");
        if (!is_readable(tensor))
            throw ModelError(tensor_title(tensor, name) + ": type " + tensor.type +
                             ", expected F32, F16 or BF16");
        used.insert(name);
        TensorPlace place;
        place.name = name;
        return place;
    }

    const Config& config_;
    const StoredTensors& stored_;
    const std::string& source_;
    const Family& family_;
    std::string prefix_;
};

/// A bias of zeros, as some writers of GPTQ put one beside each matrix.
bool is_idle_bias(const StoredTensors& stored, const std::string& name, const StoredTensor& tensor)
{
    const std::string end = ".bias";
    if (!name.ends_with(end) || !is_readable(tensor) ||
        !stored.contains(name.substr(0, name.size() - end.size()) + ".qweight"))
        return false;
    std::vector<float> values;
    for (std::uint64_t first = 0; first < tensor.values; first += values.size()) {
        constexpr std::uint64_t at_once = 65536;
        values.resize(std::min(at_once, tensor.values - first));
        read_values(tensor, first, values);
        if (std::ranges::any_of(values, [](float value) { return value != 0; }))
            return false;
    }
    return true;
}

/// Tensors that the model does not have: what they would do to results is not known.
void refuse_unknown(const Config& config, const StoredTensors& stored,
                    const std::set<std::string>& used, const std::string& source,
                    std::vector<std::string>& notes)
{
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, tensor] : stored) {
        if (used.contains(name) || name.ends_with(".rotary_emb.inv_freq") ||
            is_idle_bias(stored, name, tensor))
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

TensorPlaces place_tensors(const Config& config, const StoredTensors& stored,
                           const std::string& source, std::vector<std::string>& notes)
{
    Placer placer(config, stored, source);
    for (const TensorGroup& group : required_tensors(config.shape))
        placer.place(group);
    refuse_unknown(config, stored, placer.used, source, notes);
    return std::move(placer.places);
}

} // namespace levee::hf
