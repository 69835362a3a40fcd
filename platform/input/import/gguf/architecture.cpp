// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/architecture.hpp"

#include "platform/input/import/gguf/arithmetic_keys.hpp"
#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/import/gguf/positions.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace levee::gguf {

namespace {

/// Refuses files that are no model, such as an adapter.
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

    /// A count of at least 1 that fits a shape's fields; check_shape() knows their limits.
    std::uint32_t count(const std::string& name, std::optional<std::uint32_t> otherwise = {}) const
    {
        return checked(name, file_.whole(prefix_ + "." + name), otherwise);
    }

    /// The same of a key that may have an array of a count for each layer.
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

const char* epsilon_key(const Family& family)
{
    return family.norm == LEVEE_NORM_LAYER ? "attention.layer_norm_epsilon"
                                           : "attention.layer_norm_rms_epsilon";
}

/// A number above 0; 0: there is none.
float cap_of(const File& file, const std::string& key, double without)
{
    const double cap = file.number(key).value_or(without);
    if (cap < 0.0) {
        file.fail_key(key, number_text(cap) + ", expected a number above 0, or 0 for none");
    }
    return static_cast<float>(cap);
}

void set_family(const File& file, const Keys& keys, const Family& family, ModelShape& shape)
{
    const auto has = [&](const char* tensor) { return file.tensors().contains(tensor); };
    const std::string prefix = std::string(family.name) + ".";
    shape.norm = family.norm;
    shape.norm_place = family.place;
    shape.head_norm = family.head_norm;
    shape.position = family.position;
    shape.activation = family.activation;
    shape.parallel = family.parallel || (family.maybe_parallel && !has("blk.0.ffn_norm.weight"));
    shape.biases = family.biases || (!shape.gated() && has("blk.0.ffn_up.bias"));
    shape.qkv_biases = !shape.biases && (family.qkv_biases || has("blk.0.attn_q.bias"));
    shape.norm_epsilon = keys.epsilon(epsilon_key(family));
    if (family.caps) {
        shape.score_cap = cap_of(file, prefix + "attn_logit_softcapping", family.score_cap);
        shape.logit_cap = cap_of(file, prefix + "final_logit_softcapping", family.logit_cap);
    }
}

/// The values of `expert_gating_func`.
enum class Gating { softmax = 1, sigmoid = 2, softmax_of_chosen = 3 };

/// A mixture of experts, where the file has one.
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
    const std::uint64_t kind =
        file.whole(gating).value_or(static_cast<std::uint64_t>(Gating::softmax));
    if (kind == static_cast<std::uint64_t>(Gating::softmax_of_chosen)) {
        shape.among_chosen = true;
    } else if (kind > static_cast<std::uint64_t>(Gating::softmax)) { // 0: the family's
        file.fail_key(gating, std::to_string(kind) + ", expected 1 or 3, a softmax");
    }
    const std::string scale = prefix + "expert_weights_scale";
    if (const double factor = file.number(scale).value_or(0.0); factor != 0.0 && factor != 1.0) {
        file.fail_key(scale, number_text(factor) + ", expected none, or 1");
    }
}

bool is_nth(std::uint32_t layer, std::uint32_t n)
{
    return n != 0 && (layer + 1) % n == 0;
}

/// Which layers attend locally where there is a window: as an array says, or all but the last of
/// each period.
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

/// Which layers attend locally, and which are not rotated.
void set_layers(const File& file, const Keys& keys, const Family& family, ModelShape& shape,
                std::vector<std::string>& notes)
{
    const std::string key = std::string(family.name) + ".attention.sliding_window";
    const std::uint64_t window = file.whole(key).value_or(family.window);
    const std::vector<bool> local = local_layers(file, keys, family, shape.layers);
    const bool slides =
        window != 0 && window <= UINT32_MAX && (window < shape.max_context || family.local_base);
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
        const bool rotated =
            !is_nth(i, family.unrotated_every) && (local[i] || !family.global_unrotated);
        shape.layer_flags.push_back((slides && local[i] ? std::uint32_t{LEVEE_LAYER_LOCAL} : 0U) |
                                    (rotated ? 0U : std::uint32_t{LEVEE_LAYER_UNROTATED}));
        all |= shape.layer_flags.back();
    }
    if (all == 0) {
        shape.layer_flags.clear();
    }
    shape.window = (all & LEVEE_LAYER_LOCAL) == 0 ? 0 : static_cast<std::uint32_t>(window);
    shape.local_phases = shape.window != 0 && family.local_base;
    if (shape.window != 0 && window < shape.max_context) {
        notes.push_back(key + " is " + std::to_string(window) +
                        ": up to that many tokens the image is the model; beyond, it attends to "
                        "all tokens where the model would not");
    }
}

/// A factor above 0; 1 where there is none, or 0.
double factor_of(const File& file, const std::string& key)
{
    const double factor = file.number(key).value_or(0.0);
    if (factor < 0.0) {
        file.fail_key(key, number_text(factor) + ", expected a number above 0, or 0 for none");
    }
    return factor == 0.0 ? 1.0 : factor;
}

/// By how much more scores are multiplied than by the inverse root of a head's length.
double score_factor(const File& file, const Family& family, const ModelShape& shape)
{
    const std::string key = std::string(family.name) + ".attention.scale";
    const double root = std::sqrt(static_cast<double>(shape.head_dim));
    if (family.scales && file.number(key).value_or(0.0) != 0.0) {
        return factor_of(file, key) * root;
    }
    const bool is_narrow = family.narrow_layers == shape.layers;
    return is_narrow ? root / std::sqrt(static_cast<double>(shape.dim) / shape.heads) : 1.0;
}

/// Constants by which the model multiplies.
Folds read_folds(const File& file, const Family& family, const ModelShape& shape)
{
    const std::string prefix = std::string(family.name) + ".";
    Folds folds;
    const double scores = score_factor(file, family, shape);
    if (std::abs(scores - 1.0) > 1e-6) { // as a file writes an inverse root
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
    const double logits =
        family.logit_scale == LogitScale::none ? 1.0 : factor_of(file, prefix + "logit_scale");
    if (logits != 1.0) {
        folds.multiply_logits(family.logit_scale == LogitScale::divisor ? 1.0 / logits : logits);
    }
    return folds;
}

/// Turns per position, and a context for which they hold.
void set_positions(const File& file, const Family& family, Architecture& model,
                   std::vector<std::string>& notes)
{
    const Positions positions = read_positions(file, family, model.shape);
    model.phases = positions.phases;
    model.local_phases = positions.local_phases;
    if (positions.factor != 1.0) {
        model.folds.multiply_rotated(model.shape, positions.factor);
    }
    if (positions.local_factor != 1.0 && model.shape.local_phases) {
        model.folds.multiply_rotated(model.shape, positions.local_factor, true);
    }
    if (positions.longest != 0 && positions.longest < model.shape.max_context) {
        notes.push_back("its positions are scaled for texts of up to " +
                        std::to_string(positions.longest) +
                        " tokens (rope_factors_short.weight); longer ones are not carried out");
        model.shape.max_context = positions.longest;
    }
}

/// What the file calls a shape's fields.
ShapeKeys shape_keys(const File& file, const Family& family)
{
    const std::string name = family.name;
    const auto key = [&](const char* behind) { return "key " + name + "." + behind; };
    return {{"dim", key("embedding_length")},
            {"hidden", key("feed_forward_length")},
            {"layers", key("block_count")},
            {"heads", key("attention.head_count")},
            {"kv_heads", key("attention.head_count_kv")},
            {"head_dim", key(file.has(name + ".attention.key_length")
                                 ? "attention.key_length"
                                 : "embedding_length / attention.head_count")},
            {"vocab", "rows of tensor token_embd.weight"},
            {"max_context", key("context_length")},
            {"window", key("attention.sliding_window")},
            {"norm_epsilon", key(epsilon_key(family))}};
}

} // namespace

Architecture read_architecture(const File& file, std::vector<std::string>& notes)
{
    const Family& family = family_of(file);
    const std::string name = family.name;
    refuse_other_files(file);
    refuse_other_arithmetic(file, family);
    const Keys keys(file, name);
    Architecture model{.name = name, .family = &family};
    ModelShape& shape = model.shape;
    shape.dim = keys.count("embedding_length");
    shape.layers = keys.count("block_count");
    shape.hidden = keys.count_of_layers("feed_forward_length", shape.layers);
    shape.heads = keys.count_of_layers("attention.head_count", shape.layers);
    shape.kv_heads = keys.count_of_layers("attention.head_count_kv", shape.layers, shape.heads);
    shape.head_dim = head_dim(file, keys, name, shape);
    shape.max_context = keys.count("context_length");
    shape.vocab = vocabulary(file, name);
    shape.tied = !file.tensors().contains("output.weight");
    set_experts(file, keys, family, shape);
    set_family(file, keys, family, shape);
    check_shape(shape, file.source(), shape_keys(file, family));
    set_layers(file, keys, family, shape, notes);
    if (shape.rotated()) {
        shape.rotary_dim = read_rotary(file, name, shape.head_dim);
    }
    check_shape(shape, file.source(), shape_keys(file, family));
    model.folds = read_folds(file, family, shape);
    set_positions(file, family, model, notes);
    note_unknown_keys(file, family, notes);
    return model;
}

} // namespace levee::gguf
