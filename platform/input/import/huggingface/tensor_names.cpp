// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tensor_names.hpp"

#include "platform/input/import/huggingface/expert_matrix.hpp"
#include "platform/input/import/huggingface/latent_matrix.hpp"
#include "platform/input/import/merged_norms.hpp"
#include "platform/input/import/stored_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace levee::hf {

namespace {

using Shape = std::vector<std::uint64_t>;

constexpr std::size_t most_named = 5;

/// A stored tensor that contains all tensors of an image's group in sequence.
struct FusedName {
    levee_tensor_kind first; // first kind of the group
    const char* name;
};
constexpr FusedName fused_names[] = {{LEVEE_TENSOR_WQ, "self_attn.qkv_proj.weight"},
                                     {LEVEE_TENSOR_WQ, "self_attn.Wqkv.weight"},
                                     {LEVEE_TENSOR_BQ, "self_attn.qkv_proj.bias"},
                                     {LEVEE_TENSOR_BQ, "self_attn.Wqkv.bias"},
                                     {LEVEE_TENSOR_W_GATE, "mlp.gate_up_proj.weight"},
                                     {LEVEE_TENSOR_W_GATE, "shared_mlp.input_linear.weight"}};

/// Prefixes of tensor names in a checkpoint.
struct Prefixes {
    std::string model;      ///< prefix of the model's tensors, except its head's
    std::string classifier; ///< prefix of other tensors, such as the classifier
};

/// Returns the prefixes. If a checkpoint has the model without its head, names lack their first
/// part. In a model of texts and images, names of the text part have an additional prefix, which
/// transformers has changed once.
Prefixes prefixes_of(const Config& config, const StoredTensors& stored)
{
    const Family& family = *config.family;
    const std::string embedding = name_of_kind(family, LEVEE_TENSOR_EMBEDDING);
    const std::string part = "language_model.";
    const Prefixes whole{family.prefix, ""}, headless{family.headless_prefix, ""};
    const Prefixes within{part + family.prefix, part};
    const Prefixes before{family.prefix + part + family.headless_prefix, ""};
    for (const Prefixes& known : config.is_text_part ? std::vector{within, before, whole, headless}
                                                     : std::vector{whole, headless})
        if (stored.contains(known.model + embedding))
            return known;
    return config.is_text_part ? within : whole;
}

std::string in_layer(const Family& family, const std::string& prefix, std::uint32_t layer,
                     const std::string& name)
{
    return prefix + (layer == LEVEE_NO_LAYER
                         ? name
                         : family.layer_prefix + std::to_string(layer) + "." + name);
}

std::string full_name(const Config& config, const Prefixes& prefixes, const TensorSpec& spec)
{
    const std::string& prefix = prefixes.model;
    if (spec.kind == LEVEE_TENSOR_CLASSIFIER)
        return prefixes.classifier + config.family->classifier;
    if (spec.kind == LEVEE_TENSOR_WQ && config.shape.query_latent != 0)
        return in_layer(*config.family, prefix, spec.layer, name_of_query_from_latent);
    const bool beside_experts =
        spec.layer != LEVEE_NO_LAYER && config.shape.has_experts(spec.layer);
    const std::string shared =
        beside_experts ? name_of_shared(*config.family, spec.kind) : std::string();
    return in_layer(*config.family, prefix, spec.layer,
                    shared.empty() ? name_of_kind(*config.family, spec.kind) : shared);
}

bool is_matrix(const TensorSpec& spec)
{
    return spec.role != TensorRole::vector || spec.kind == LEVEE_TENSOR_POSITION;
}

bool is_of_experts(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_W_EXPERTS_UP || kind == LEVEE_TENSOR_W_EXPERTS_DOWN;
}

bool is_of_experts_biases(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_B_EXPERTS_UP || kind == LEVEE_TENSOR_B_EXPERTS_DOWN;
}

/// Returns whether a vector that the checkpoint lacks is a gain; otherwise it is a bias.
bool is_gain(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_NORM_ATTENTION || kind == LEVEE_TENSOR_NORM_FFN ||
           kind == LEVEE_TENSOR_NORM_FINAL;
}

/// Determines, one tensor after another, where a model's tensors are stored.
class Placer {
public:
    Placer(const Config& config, const StoredTensors& stored, const std::string& source)
        : config_(config), stored_(stored), source_(source), family_(*config.family),
          prefixes_(prefixes_of(config, stored))
    {
    }

    void place(const TensorGroup& group)
    {
        if (is_grouped(group))
            place_groups(group);
        else if (const auto fused = fused_name(group))
            place_parts(group, *fused);
        else
            for (const TensorSpec& spec : group)
                if (spec.role != TensorRole::words)
                    place(spec);
    }

    void place(const TensorSpec& spec)
    {
        if (spec.kind != LEVEE_TENSOR_CLASSIFIER && name_of_kind(family_, spec.kind) == nullptr) {
            places[{spec.layer, spec.kind}].constant = is_gain(spec.kind) ? 1.0F : 0.0F;
            return;
        }
        if (is_of_experts(spec.kind) && family_.experts.before != nullptr)
            return place_experts(spec);
        const std::string name = full_name(config_, prefixes_, spec);
        if (spec.kind == LEVEE_TENSOR_W_KV_LATENT)
            return place_latent(spec, name);
        if (spec.kind == LEVEE_TENSOR_W_KEY_UP || spec.kind == LEVEE_TENSOR_W_VALUE_UP)
            return place_up(spec, name);
        const bool in_one = is_of_experts(spec.kind) || is_of_experts_biases(spec.kind);
        if (in_one && family_.order == ExpertOrder::columns_in_turn)
            return place_columns(spec, name);
        if (!has(name))
            throw ModelError(source_ + ": has no tensor " + name + ", which config.json requires");
        const bool is_padded = is_opt(family_) && spec.kind == LEVEE_TENSOR_POSITION;
        const std::uint64_t before = is_padded ? opt_padding_rows : 0;
        places[{spec.layer, spec.kind}] = checked(name, before + spec.rows, spec);
        places[{spec.layer, spec.kind}].rows_before = before;
    }

    TensorPlaces places;
    std::set<std::string> used;

private:
    bool is_grouped(const TensorGroup& group) const
    {
        return family_.grouped_qkv != nullptr &&
               (group.front().kind == LEVEE_TENSOR_WQ || group.front().kind == LEVEE_TENSOR_BQ);
    }

    /// Places Q, K and V, or their biases, if they are in one tensor. For each group of heads, this
    /// tensor has the group's queries, keys and values.
    void place_groups(const TensorGroup& group)
    {
        const ModelShape& shape = config_.shape;
        const TensorSpec& first = group.front();
        const std::string name =
            in_layer(family_, prefixes_.model, first.layer, family_.grouped_qkv) +
            (is_matrix(first) ? ".weight" : ".bias");
        if (!has(name))
            throw ModelError(source_ + ": has no tensor " + name + ", which config.json requires");
        const std::uint32_t queries = shape.heads / shape.kv_heads;
        const std::uint64_t rows = std::uint64_t{shape.kv_heads} * (queries + 2) * shape.head_dim;
        TensorSpec whole = first;
        whole.cols = is_matrix(first) ? first.cols : static_cast<std::uint32_t>(rows);
        TensorPlace part = checked(name, rows, whole);
        std::uint32_t heads_before = 0;
        for (const TensorSpec& spec : group) {
            const std::uint32_t heads = spec.kind == first.kind ? queries : 1;
            TensorPlace place;
            place.name = part.name;
            place.part_rows = heads * shape.head_dim;
            for (std::uint32_t i = 0; i < shape.kv_heads; ++i) {
                part.rows_before =
                    (std::uint64_t{i} * (queries + 2) + heads_before) * shape.head_dim;
                place.parts.push_back(part);
            }
            places[{spec.layer, spec.kind}] = std::move(place);
            heads_before += heads;
        }
    }

    /// Returns the name of the tensor that has a whole group, if the group's tensors do not exist
    /// separately.
    std::optional<std::string> fused_name(const TensorGroup& group) const
    {
        const TensorSpec& first = group.front();
        if (is_opt(family_) || group.size() < 2 || has(full_name(config_, prefixes_, first)))
            return std::nullopt;
        for (const FusedName& fused : fused_names) {
            const std::string name = in_layer(family_, prefixes_.model, first.layer, fused.name);
            if (fused.first == first.kind && has(name))
                return name;
        }
        return std::nullopt;
    }

    /// Places experts' matrices or biases in the layout of gpt-oss.
    void place_columns(const TensorSpec& spec, const std::string& name)
    {
        const std::vector<std::string> names = names_of_experts(stored_, name);
        if (names.empty())
            throw ModelError(source_ + ": has no tensor " + name + ", which config.json requires");
        used.insert(names.begin(), names.end());
        const bool biases = is_of_experts_biases(spec.kind);
        const bool in_turn =
            spec.kind == LEVEE_TENSOR_W_EXPERTS_UP || spec.kind == LEVEE_TENSOR_B_EXPERTS_UP;
        const std::uint32_t experts = config_.shape.experts;
        const ExpertsPlace where{name, experts, (biases ? spec.cols : spec.rows) / experts,
                                 biases ? 1 : spec.cols, in_turn};
        TensorPlace& place = places[{spec.layer, spec.kind}];
        place.name = names.front();
        place.matrix = biases ? experts_biases(stored_, where) : experts_matrix(stored_, where);
    }

    /// Places the matrices of experts: each expert's gate and up matrices, or its down matrix.
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
                const std::string name = in_layer(family_, prefixes_.model, spec.layer,
                                                  names.before + std::to_string(expert) + end);
                if (!has(name))
                    throw ModelError(source_ + ": has no tensor " + name +
                                     ", which config.json requires");
                place.parts.push_back(checked(name, place.part_rows, spec));
            }
        place.name = place.parts.front().name;
        places[{spec.layer, spec.kind}] = std::move(place);
    }

    void need(const std::string& name) const
    {
        if (!has(name))
            throw ModelError(source_ + ": has no tensor " + name + ", which config.json requires");
    }

    /// Places latent vectors. A checkpoint stores their rotated part last, and an image stores it
    /// first.
    void place_latent(const TensorSpec& spec, const std::string& name)
    {
        const ModelShape& shape = config_.shape;
        need(name);
        TensorPlace part = checked(name, spec.rows, spec);
        TensorPlace place;
        place.name = part.name;
        place.part_rows = std::gcd(shape.rotary_dim, shape.kv_latent);
        for (std::uint32_t row = 0; row < spec.rows; row += place.part_rows) {
            part.rows_before = row < shape.rotary_dim ? shape.kv_latent : 0;
            part.rows_before += row < shape.rotary_dim ? row : row - shape.rotary_dim;
            place.parts.push_back(part);
        }
        places[{spec.layer, spec.kind}] = std::move(place);
    }

    /// Places a part of each head's matrix: the part that computes keys from latent vectors
    /// (transposed), or the part that computes values.
    void place_up(const TensorSpec& spec, const std::string& name)
    {
        const ModelShape& shape = config_.shape;
        const std::uint32_t of_head = shape.nope_dim + shape.value_dim;
        need(name);
        TensorSpec whole = spec;
        whole.cols = shape.kv_latent;
        TensorPlace part = checked(name, std::uint64_t{shape.heads} * of_head, whole);
        TensorPlace place;
        place.name = part.name;
        if (spec.kind == LEVEE_TENSOR_W_KEY_UP) {
            place.matrix =
                transposed_heads(stored_, part, {of_head, shape.nope_dim, shape.kv_latent});
        } else {
            place.part_rows = shape.value_dim;
            for (std::uint32_t head = 0; head < shape.heads; ++head) {
                part.rows_before = std::uint64_t{head} * of_head + shape.nope_dim;
                place.parts.push_back(part);
            }
        }
        places[{spec.layer, spec.kind}] = std::move(place);
    }

    void place_parts(const TensorGroup& group, const std::string& name)
    {
        // A bias is a single row in an image. A checkpoint has one row of one value for each row of
        // the matrix.
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

    /// Returns whether a tensor exists, plain or quantised.
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
        if (is_of_experts(spec.kind) && tensor.shape.size() == 3) // one expert after another
            expected = {config_.shape.experts, rows / config_.shape.experts, spec.cols};
        const bool is_row = spec.kind == LEVEE_TENSOR_ROUTER_CHOICE_BIAS && // Ernie's layout
                            tensor.shape == Shape{1, spec.cols};
        if (tensor.shape != expected && !is_row)
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
    Prefixes prefixes_;
};

bool is_idle(const Family& family, const std::string& name)
{
    return name.ends_with(".rotary_emb.inv_freq") ||
           std::ranges::any_of(family.idle, [&](const char* end) { return name.ends_with(end); });
}

/// Returns whether a bias is all zeros. Some writers of GPTQ add a zero bias to each matrix.
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

/// Returns whether a tensor belongs to a layer after the last one, which predicts more than the
/// next token.
bool is_of_further_layer(const Config& config, const std::string& name)
{
    const std::string before = "layers.";
    const std::size_t at = name.find(before);
    if (config.family->keys.further_layers == nullptr || at == std::string::npos)
        return false;
    std::uint32_t layer = 0;
    const char* const first = name.data() + at + before.size();
    const auto read = std::from_chars(first, name.data() + name.size(), layer);
    return read.ec == std::errc() && *read.ptr == '.' && layer >= config.shape.layers;
}

/// Returns whether a tensor belongs to the part for images, in a model of texts and images.
bool is_of_images(const Config& config, const std::string& name)
{
    constexpr std::array beginnings{"vision_tower.", "multi_modal_projector."};
    return config.is_text_part && std::ranges::any_of(beginnings, [&](const std::string& begin) {
               return name.starts_with(begin) || name.starts_with(config.family->prefix + begin);
           });
}

/// Returns whether a tensor is the classifier of the model, or of the text part of a larger one.
bool is_classifier(const Config& config, const std::string& name)
{
    const std::string classifier = config.family->classifier;
    return name == classifier || (config.is_text_part && name == "language_model." + classifier);
}

/// Refuses tensors that the model does not have, since their effect is unknown.
void refuse_unknown(const Config& config, const StoredTensors& stored,
                    const std::set<std::string>& used, const std::string& source,
                    std::vector<std::string>& notes)
{
    std::string names;
    std::size_t count = 0;
    std::size_t of_images = 0;
    for (const auto& [name, tensor] : stored) {
        if (is_of_images(config, name)) {
            ++of_images;
            continue;
        }
        if (used.contains(name) || is_idle(*config.family, name) ||
            is_idle_bias(stored, name, tensor) || is_of_further_layer(config, name))
            continue;
        if (config.shape.tied && is_classifier(config, name)) {
            notes.push_back(name + " is ignored: tie_word_embeddings makes the embedding "
                                   "the classifier");
            continue;
        }
        if (++count <= most_named)
            names += (names.empty() ? "" : ", ") + name;
    }
    if (of_images != 0)
        notes.push_back("left out: " + std::to_string(of_images) +
                        " tensors of the vision part; the model image contains only the text part");
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
    if (config.merges_norms)
        for (const TensorSpec& norm : second_norms(config.shape))
            placer.place(norm);
    refuse_unknown(config, stored, placer.used, source, notes);
    return std::move(placer.places);
}

} // namespace levee::hf
