// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/architecture.hpp"

#include "platform/input/import/gguf/arithmetic_keys.hpp"
#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/import/gguf/positions.hpp"
#include "platform/input/model/most_layers.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace levee::gguf {

namespace {

/// Refuses GGUF files that are not models, such as adapters.
void refuse_other_files(const File& file)
{
    const std::string type = file.text("general.type").value_or("model");
    if (type != "model") {
        file.fail_key("general.type", "'" + printable(type) + "', expected 'model'");
    }
}

const Family& family_of(const File& file)
{
    const std::string key = "general.architecture";
    const auto name = file.text(key);
    const Family* const family = name ? find_family(*name) : nullptr;
    if (family == nullptr) {
        file.fail_key(key, (name ? "'" + printable(*name) + "': not supported" : "absent") +
                               ", expected " + architecture_names(" or "));
    }
    return *family;
}

class Keys {
public:
    Keys(const File& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

    /// Returns a count of at least 1 that fits into a field of a shape. check_shape() checks
    /// further limits later.
    std::uint32_t count(const std::string& name, std::optional<std::uint32_t> otherwise = {}) const
    {
        return checked(name, file_.whole(prefix_ + "." + name), otherwise);
    }

    /// Does the same as count(), for a key that may also be an array with one count per layer.
    std::uint32_t count_of_layers(const std::string& name, std::uint32_t layers,
                                  std::optional<std::uint32_t> otherwise = {}) const
    {
        return checked(name, file_.whole_of_layers(prefix_ + "." + name, layers), otherwise);
    }

    float epsilon(const std::string& name) const
    {
        const std::string key = prefix_ + "." + name;
        const auto value = file_.number(key);
        if (!value) {
            file_.fail_key(key, "absent, expected in a model of architecture " + prefix_);
        }
        return static_cast<float>(*value);
    }

private:
    std::uint32_t checked(const std::string& name, std::optional<std::uint64_t> value,
                          std::optional<std::uint32_t> otherwise) const
    {
        const std::string key = prefix_ + "." + name;
        if (!value && !otherwise) {
            file_.fail_key(key, "absent, expected in a model of architecture " + prefix_);
        }
        const std::uint64_t number = value.value_or(otherwise.value_or(0));
        if (number < 1 || number > UINT32_MAX) {
            file_.fail_key(key, std::to_string(number) + ", expected 1 to " +
                                    std::to_string(UINT32_MAX));
        }
        return static_cast<std::uint32_t>(number);
    }

    const File& file_;
    std::string prefix_;
};

std::uint32_t vocabulary(const File& file, const std::string& architecture)
{
    const std::string name = "token_embd.weight";
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) {
        file.fail_tensor(name, "absent, expected the embedding");
    }
    const auto& dimensions = found->second.dimensions;
    if (dimensions.size() < 2 || dimensions[1] > UINT32_MAX) {
        file.fail_tensor(name, "dimensions " + found->second.dimensions_text() +
                                   ", expected a row for each token");
    }
    const auto stated = file.whole(architecture + ".vocab_size");
    if (stated && *stated != dimensions[1]) {
        file.fail_key(architecture + ".vocab_size", std::to_string(*stated) + ", expected " +
                                                        std::to_string(dimensions[1]) +
                                                        ", the rows of " + name);
    }
    return static_cast<std::uint32_t>(dimensions[1]);
}

std::uint32_t head_dim(const File& file, const Keys& keys, const std::string& name,
                       const ModelShape& shape)
{
    if (!file.has(name + ".attention.key_length") && shape.dim % shape.heads != 0) {
        file.fail_key(name + ".attention.head_count",
                      std::to_string(shape.heads) + ", expected a divisor of " + name +
                          ".embedding_length, " + std::to_string(shape.dim));
    }
    const std::uint32_t length = keys.count("attention.key_length", shape.dim / shape.heads);
    const std::uint32_t values = keys.count("attention.value_length", length);
    if (values != length) {
        file.fail_key(name + ".attention.value_length", std::to_string(values) + ", expected " +
                                                            std::to_string(length) +
                                                            ", the length of keys");
    }
    return length;
}

/// Throws if the file states a number that equals neither of the two `expected` numbers.
void check_number(const File& file, const std::string& key, std::optional<std::uint64_t> number,
                  const std::pair<std::uint64_t, std::uint64_t>& expected, const std::string& what)
{
    if (number && *number != expected.first && *number != expected.second) {
        file.fail_key(key, std::to_string(*number) + ", expected " + what);
    }
}

/// Returns a count of elements that are rotated or cached in pairs, and must therefore be even.
std::uint32_t even_count(const File& file, const Keys& keys, const std::string& name,
                         const char* key)
{
    const std::uint32_t count = keys.count(key);
    if (count % 2 != 0) {
        file.fail_key(name + "." + key, std::to_string(count) + ", expected an even number");
    }
    return count;
}

/// Returns whether a file's key_length and value_length are the lengths of cached vectors. In such
/// files, keys with the suffix _mla give the lengths for heads. Older converters write only the
/// lengths for heads.
bool has_cached_lengths(const File& file, const std::string& name)
{
    const std::string key = name + ".attention.key_length_mla";
    const std::string value = name + ".attention.value_length_mla";
    if (file.has(key) != file.has(value)) {
        file.fail_key(file.has(key) ? value : key,
                      "absent, expected together with " + (file.has(key) ? key : value));
    }
    return file.has(key);
}

/// Throws if other keys contradict the keys of latent attention.
void check_latent(const File& file, const std::string& name, const ModelShape& shape, bool cached)
{
    const std::string attention = name + ".attention.", factor = name + ".rope.scaling.attn_factor";
    const std::uint64_t both = std::uint64_t{shape.kv_latent} + shape.rotary_dim;
    const auto check = [&](const std::string& key, std::uint64_t expected,
                           const std::string& what) {
        check_number(file, key, file.whole(key), {expected, expected},
                     std::to_string(expected) + ", " + what);
    };
    if (cached) {
        check(attention + "key_length", both, "kv_lora_rank and rope.dimension_count");
        check(attention + "value_length", shape.kv_latent, "kv_lora_rank");
    }
    const std::string heads = attention + "head_count_kv";
    check_number(file, heads, file.whole_of_layers(heads, shape.layers), {1, shape.heads},
                 "1, or head_count, " + std::to_string(shape.heads));
    if (const double number = file.number(factor).value_or(1.0); number != 1.0) {
        file.fail_key(factor, number_text(number) + ", expected none, or 1, with latent attention");
    }
}

/// Reads the keys of latent attention.
void set_latent(const File& file, const Keys& keys, const std::string& name, ModelShape& shape)
{
    const bool cached = has_cached_lengths(file, name);
    const std::string end = cached ? "_mla" : "";
    const std::uint32_t key = keys.count("attention.key_length" + end);
    const std::string queries = name + ".attention.q_lora_rank";
    const std::uint64_t query_latent = file.whole(queries).value_or(0);
    if (query_latent > UINT32_MAX) {
        file.fail_key(queries, std::to_string(query_latent) + ", expected at most " +
                                   std::to_string(UINT32_MAX));
    }
    shape.query_latent = static_cast<std::uint32_t>(query_latent);
    shape.kv_latent = even_count(file, keys, name, "attention.kv_lora_rank");
    shape.rotary_dim = even_count(file, keys, name, "rope.dimension_count");
    shape.value_dim = keys.count("attention.value_length" + end);
    if (key <= shape.rotary_dim) {
        file.fail_key(name + ".attention.key_length" + end,
                      std::to_string(key) + ", expected more than rope.dimension_count, " +
                          std::to_string(shape.rotary_dim));
    }
    check_latent(file, name, shape, cached);
    shape.nope_dim = key - shape.rotary_dim;
    shape.kv_heads = 1;
    shape.head_dim = shape.kv_latent + shape.rotary_dim;
}

/// Returns the number of layers. Blocks that predict more than the next token are not counted.
std::uint32_t layers_of(const File& file, const Keys& keys, const Family& family,
                        std::vector<std::string>& notes)
{
    const std::uint32_t blocks = keys.count("block_count");
    if (blocks > most_layers) {
        file.fail_key(std::string(family.name) + ".block_count",
                      std::to_string(blocks) + ", expected 1 to " + std::to_string(most_layers));
    }
    const std::string key = std::string(family.name) + ".nextn_predict_layers";
    const std::uint64_t further = family.predicts ? file.whole(key).value_or(0) : 0;
    if (further == 0) {
        return blocks;
    }
    if (further >= blocks) {
        file.fail_key(key, std::to_string(further) + ", expected less than the number of blocks, " +
                               std::to_string(blocks));
    }
    notes.push_back(key + " is " + std::to_string(further) +
                    ": blocks that predict further tokens are left out");
    return blocks - static_cast<std::uint32_t>(further);
}

const char* epsilon_key(const Family& family)
{
    return family.norm == LEVEE_NORM_LAYER ? "attention.layer_norm_epsilon"
                                           : "attention.layer_norm_rms_epsilon";
}

/// Reads a cap: a number above 0, or 0 for no cap. Without this key, the cap is `without`.
float cap_of(const File& file, const std::string& key, double without)
{
    const double cap = file.number(key).value_or(without);
    if (cap < 0.0) {
        file.fail_key(key, number_text(cap) + ", expected a number above 0, or 0 for none");
    }
    return static_cast<float>(cap);
}

/// Constants of gpt-oss, from the model's own code.
constexpr float clamped_limit = 7.0F, clamped_alpha = 1.702F;

void set_family(const File& file, const Keys& keys, const Family& family, ModelShape& shape)
{
    const auto has = [&](const char* tensor) { return file.tensors().contains(tensor); };
    const std::string prefix = std::string(family.name) + ".";
    shape.norm = family.norm;
    shape.norm_place = family.place;
    shape.head_norm = family.head_norm;
    shape.position = family.position;
    shape.activation = family.activation;
    shape.parallel =
        family.parallel || (family.maybe_parallel && !has("blk.0.ffn_norm.weight")) ||
        (family.own_norms && file.flag(prefix + "use_parallel_residual").value_or(true));
    shape.biases = family.biases || (!shape.gated() && has("blk.0.ffn_up.bias"));
    shape.attention_biases = !shape.biases && has("blk.0.attn_output.bias");
    shape.qkv_biases =
        !shape.biases && !shape.attention_biases && (family.qkv_biases || has("blk.0.attn_q.bias"));
    shape.sinks = family.sinks || has("blk.0.attn_sinks.weight");
    if (family.clamped) {
        shape.glu_limit = clamped_limit;
        shape.glu_alpha = clamped_alpha;
    }
    if (family.maybe_head_norm && has("blk.0.attn_q_norm.weight")) {
        shape.head_norm = HeadNorm::head;
    }
    shape.norm_epsilon = keys.epsilon(epsilon_key(family));
    if (family.caps) {
        shape.score_cap = cap_of(file, prefix + "attn_logit_softcapping", family.score_cap);
        shape.logit_cap = cap_of(file, prefix + "final_logit_softcapping", family.logit_cap);
    }
}

/// The values of `expert_gating_func`.
enum class Gating { softmax = 1, sigmoid = 2, softmax_of_chosen = 3 };

/// The layers with experts: from `first` on, the last layer of each period of `every` layers.
struct Sparse {
    std::uint64_t first, every;
    [[nodiscard]] bool has_experts(std::uint32_t layer) const
    {
        return layer >= first && (layer + 1) % every == 0;
    }
};

Sparse sparse_layers(const File& file, const Family& family)
{
    const std::string prefix = std::string(family.name) + ".";
    if (!family.shared) {
        return {0, 1};
    }
    const std::uint64_t every = file.whole(prefix + "interleave_moe_layer_step").value_or(1);
    return {file.whole(prefix + "leading_dense_block_count").value_or(0), every == 0 ? 1 : every};
}

/// Sets whether the model has a shared expert and biases of experts. The tensors of the first layer
/// with experts decide this.
void set_beside_experts(const File& file, const Family& family, ModelShape& shape)
{
    const Sparse sparse = sparse_layers(file, family);
    std::uint32_t layer = 0;
    while (layer + 1 < shape.layers && !sparse.has_experts(layer)) {
        ++layer;
    }
    const auto find = [&](const char* name) {
        return file.tensors().find("blk." + std::to_string(layer) + "." + name);
    };
    const auto has = [&](const char* name) { return find(name) != file.tensors().end(); };
    shape.router_bias = has("ffn_gate_inp.bias");
    shape.choice_bias = has("exp_probs_b.bias");
    shape.expert_biases = has("ffn_down_exps.bias");
    if (const auto shared = find("ffn_up_shexp.weight"); shared != file.tensors().end()) {
        const auto& dimensions = shared->second.dimensions;
        const std::uint64_t rows = dimensions.size() < 2 ? 0 : dimensions[1];
        if (rows < 1 || rows > UINT32_MAX) {
            file.fail_tensor(shared->first, "dimensions " + shared->second.dimensions_text() +
                                                ", expected a row for each element");
        }
        shape.shared_hidden = static_cast<std::uint32_t>(rows);
        shape.shared_gate = has("ffn_gate_inp_shexp.weight");
    }
}

/// Reads a mixture of experts, if the file has one.
void set_experts(const File& file, const Keys& keys, const Family& family, ModelShape& shape)
{
    const std::string prefix = std::string(family.name) + ".";
    if (!family.experts || file.whole(prefix + "expert_count").value_or(0) == 0) {
        return;
    }
    shape.experts = keys.count("expert_count");
    shape.chosen = keys.count("expert_used_count");
    shape.hidden = keys.count("expert_feed_forward_length", shape.hidden);
    shape.among_chosen = file.flag(prefix + "expert_weights_norm").value_or(family.among_chosen);
    const std::string gating = prefix + "expert_gating_func";
    const std::uint64_t kind = file.whole(gating).value_or(0); // 0: the family's default
    shape.sigmoid =
        kind == 0 ? family.sigmoid : kind == static_cast<std::uint64_t>(Gating::sigmoid);
    if (kind == static_cast<std::uint64_t>(Gating::softmax_of_chosen)) {
        shape.among_chosen = true;
    } else if (kind > static_cast<std::uint64_t>(Gating::sigmoid)) {
        file.fail_key(gating, std::to_string(kind) + ", expected 1 or 3 (softmax), or 2 (sigmoid)");
    }
    set_beside_experts(file, family, shape);
    const std::string width = prefix + "expert_shared_feed_forward_length";
    check_number(file, width, file.whole(width), {0, shape.shared_hidden},
                 "the width that its tensors have, " + std::to_string(shape.shared_hidden));
    const std::string count = prefix + "expert_shared_count";
    const std::uint64_t shared = file.whole(count).value_or(0);
    if (shared != 0 && shared * shape.hidden != shape.shared_hidden) {
        file.fail_key(count, std::to_string(shared) +
                                 ", expected the number in its tensors, which have " +
                                 std::to_string(shape.shared_hidden) + " rows of " +
                                 std::to_string(shape.hidden) + " per expert");
    }
}

bool is_nth(std::uint32_t layer, std::uint32_t n)
{
    return n != 0 && (layer + 1) % n == 0;
}

/// Returns the layers with a local window: those that an array lists, or all layers except the last
/// of each period. Without a period, they are all layers.
std::vector<bool> local_layers(const File& file, const Keys& keys, const Family& family,
                               std::uint32_t layers)
{
    if (family.global_every == 0) {
        return std::vector<bool>(layers, true);
    }
    const std::string name = "attention.sliding_window_pattern";
    std::vector<bool> local = file.flags_of_layers(std::string(family.name) + "." + name, layers);
    if (!local.empty()) {
        return local;
    }
    const std::uint32_t every = keys.count(name, family.global_every);
    for (std::uint32_t i = 0; i < layers; ++i) {
        local.push_back(!is_nth(i, every));
    }
    return local;
}

/// Determines the layers with local attention and those without rotation.
void set_layers(const File& file, const Keys& keys, const Family& family, ModelShape& shape)
{
    const std::string key = std::string(family.name) + ".attention.sliding_window";
    const std::uint64_t window = family.needs_window ? keys.count("attention.sliding_window")
                                                     : file.whole(key).value_or(family.window);
    const std::vector<bool> local = local_layers(file, keys, family, shape.layers);
    const bool has_local_rope = family.local_base || family.local_unscaled;
    const bool slides =
        window != 0 && window <= UINT32_MAX && (window < shape.max_context || has_local_rope);
    const bool global_rotated = !family.global_unrotated || (family.rotated_alone && window == 0);
    std::uint32_t all = 0;
    const Sparse sparse = sparse_layers(file, family);
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
        const bool dense = shape.experts != 0 && !sparse.has_experts(i);
        const bool rotated = !is_nth(i, family.unrotated_every) && (local[i] || global_rotated);
        shape.layer_flags.push_back((slides && local[i] ? std::uint32_t{LEVEE_LAYER_LOCAL} : 0U) |
                                    (rotated ? 0U : std::uint32_t{LEVEE_LAYER_UNROTATED}) |
                                    (dense ? std::uint32_t{LEVEE_LAYER_DENSE} : 0U));
        all |= shape.layer_flags.back();
    }
    if (all == 0) {
        shape.layer_flags.clear();
    }
    if ((all & LEVEE_LAYER_DENSE) != 0) {
        shape.dense_hidden = keys.count_of_layers("feed_forward_length", shape.layers);
    }
    shape.window = (all & LEVEE_LAYER_LOCAL) == 0 ? 0 : static_cast<std::uint32_t>(window);
    shape.local_phases = shape.window != 0 && has_local_rope;
}

/// Returns a factor, which must be above 0; 1 if it is missing or 0.
double factor_of(const File& file, const std::string& key)
{
    const double factor = file.number(key).value_or(0.0);
    if (factor < 0.0) {
        file.fail_key(key, number_text(factor) + ", expected a number above 0, or 0 for none");
    }
    return factor == 0.0 ? 1.0 : factor;
}

/// Returns the factor by which scores are multiplied in addition to the inverse square root of a
/// head's length.
double score_factor(const File& file, const Family& family, const ModelShape& shape)
{
    const std::string key = std::string(family.name) + ".attention.scale";
    const double root = std::sqrt(static_cast<double>(shape.head_dim));
    if (family.latent) { // factor for the keys of latent attention: YaRN's magnitude without the
                         // magnitude of rotated values
        const std::string rope = std::string(family.name) + ".rope.scaling.";
        const double factor = file.text(rope + "type").value_or("") == "yarn"
                                  ? std::max(file.number(rope + "factor").value_or(1.0), 1.0)
                                  : 1.0;
        const double magnitude =
            1.0 + file.number(rope + "yarn_log_multiplier").value_or(0.0) * std::log(factor);
        return magnitude * magnitude * root / std::sqrt(static_cast<double>(shape.raw_query()));
    }
    if (family.scales && file.number(key).value_or(0.0) != 0.0) {
        return factor_of(file, key) * root;
    }
    const bool is_narrow = family.narrow_layers == shape.layers;
    return is_narrow ? root / std::sqrt(static_cast<double>(shape.dim) / shape.heads) : 1.0;
}

/// Reads the constants by which the model multiplies.
Folds read_folds(const File& file, const Family& family, const ModelShape& shape)
{
    const std::string prefix = std::string(family.name) + ".";
    for (const char* const key : {"embedding_scale", "residual_scale", "logit_scale"}) {
        if (family.needs_scales && !file.has(prefix + key)) {
            file.fail_key(prefix + key, "absent, expected in a model of architecture " +
                                            std::string(family.name));
        }
    }
    Folds folds;
    const double scores = score_factor(file, family, shape);
    if (std::abs(scores - 1.0) > 1e-6) { // tolerance for an inverse root that a file states as a
                                         // rounded number
        folds.multiply_scores(shape, scores);
    }
    const double embedding = family.root_embedding ? std::sqrt(static_cast<double>(shape.dim))
                             : family.scales       ? factor_of(file, prefix + "embedding_scale")
                                                   : 1.0;
    if (embedding != 1.0) {
        folds.multiply_embedding(shape, embedding);
    }
    const double sums = family.scales ? factor_of(file, prefix + "residual_scale") : 1.0;
    if (sums != 1.0) {
        folds.multiply_sums(sums);
    }
    const double experts =
        shape.experts != 0 ? factor_of(file, prefix + "expert_weights_scale") : 1.0;
    if (experts != 1.0) {
        folds.multiply_experts(experts);
    }
    const double logits =
        family.logit_scale == LogitScale::none ? 1.0 : factor_of(file, prefix + "logit_scale");
    if (logits != 1.0) {
        folds.multiply_logits(family.logit_scale == LogitScale::divisor ? 1.0 / logits : logits);
    }
    return folds;
}

/// Sets the rotation angles per position, and the greatest context for which these angles are
/// valid.
void set_positions(const File& file, const Family& family, Architecture& model,
                   std::vector<std::string>& notes)
{
    const Positions positions = read_positions(file, family, model.shape);
    model.phases = positions.phases;
    model.local_phases = positions.local_phases;
    model.shape.local_phases = !positions.local_phases.empty();
    if (positions.factor != 1.0 && !family.latent) { // in latent attention the factor is applied
                                                     // only to scores
        model.folds.multiply_rotated(model.shape, positions.factor);
    }
    if (positions.local_factor != 1.0 && model.shape.local_phases) {
        model.folds.multiply_rotated(model.shape, positions.local_factor, true);
    }
    if (positions.longest != 0 && positions.longest < model.shape.max_context) {
        notes.push_back("its positions are scaled for up to " + std::to_string(positions.longest) +
                        " tokens (" + positions.limit + "); longer contexts are not supported");
        model.shape.max_context = positions.longest;
    }
}

/// Returns the names that the file uses for a shape's fields.
ShapeKeys shape_keys(const File& file, const Family& family)
{
    const std::string name = family.name;
    const auto key = [&](const char* behind) { return "key " + name + "." + behind; };
    const bool cached = file.has(name + ".attention.key_length_mla");
    return {{"dim", key("embedding_length")},
            {"hidden", key("feed_forward_length")},
            {"layers", key("block_count")},
            {"heads", key("attention.head_count")},
            {"kv_heads", key("attention.head_count_kv")},
            {"head_dim", key(family.latent ? "attention.kv_lora_rank + rope.dimension_count"
                             : file.has(name + ".attention.key_length")
                                 ? "attention.key_length"
                                 : "embedding_length / attention.head_count")},
            {"vocab", "rows of tensor token_embd.weight"},
            {"max_context", key("context_length")},
            {"kv_latent", key("attention.kv_lora_rank")},
            {"query_latent", key("attention.q_lora_rank")},
            {"rotary_dim", key("rope.dimension_count")},
            {"nope_dim", key(cached ? "attention.key_length_mla - rope.dimension_count"
                                    : "attention.key_length - rope.dimension_count")},
            {"value_dim", key(cached ? "attention.value_length_mla" : "attention.value_length")},
            {"window", key("attention.sliding_window")},
            {"experts", key("expert_count")},
            {"chosen", key("expert_used_count")},
            {"shared_hidden", key("expert_shared_feed_forward_length")},
            {"dense_hidden", key("feed_forward_length")},
            {"norm_epsilon", key(epsilon_key(family))}};
}

} // namespace

Architecture read_architecture(const File& file, const std::vector<std::string>& ignored_keys,
                               std::vector<std::string>& notes)
{
    const Family& family = family_of(file);
    const std::string name = family.name;
    refuse_other_files(file);
    refuse_other_arithmetic(file, family);
    const Keys keys(file, name);
    Architecture model{.name = name, .family = &family};
    ModelShape& shape = model.shape;
    shape.dim = keys.count("embedding_length");
    shape.layers = layers_of(file, keys, family, notes);
    shape.hidden = keys.count_of_layers("feed_forward_length", shape.layers);
    shape.heads = keys.count_of_layers("attention.head_count", shape.layers);
    if (family.latent) {
        set_latent(file, keys, name, shape);
    } else {
        shape.kv_heads = keys.count_of_layers("attention.head_count_kv", shape.layers, shape.heads);
        shape.head_dim = head_dim(file, keys, name, shape);
    }
    shape.max_context = keys.count("context_length");
    shape.vocab = vocabulary(file, name);
    shape.tied = !file.tensors().contains("output.weight");
    set_experts(file, keys, family, shape);
    set_family(file, keys, family, shape);
    model.merges_norms = family.own_norms && shape.parallel;
    check_shape(shape, file.source(), shape_keys(file, family));
    set_layers(file, keys, family, shape);
    if (shape.rotated() && !family.latent) {
        shape.rotary_dim = read_rotary(file, name, shape.head_dim);
    }
    check_shape(shape, file.source(), shape_keys(file, family));
    model.folds = read_folds(file, family, shape);
    set_positions(file, family, model, notes);
    refuse_unknown_keys(file, family, ignored_keys, notes);
    return model;
}

} // namespace levee::gguf
