// SPDX-License-Identifier: Apache-2.0
#include "test/reference/family_transformer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

namespace levee::test {
namespace {

using Json = nlohmann::json;
using Vector = std::vector<double>;

/// Returns the value of a key; null counts as absent.
double real(const Json& keys, const std::string& key, double otherwise)
{
    return keys.contains(key) && !keys[key].is_null() ? keys[key].get<double>() : otherwise;
}

bool is_one_of(const std::string& text, const std::set<std::string>& words)
{
    return words.contains(text);
}

bool slides(const FamilyCheckpoint& model, std::uint32_t layer)
{
    if (model.config.contains("layer_types"))
        return model.config["layer_types"][layer] == "sliding_attention";
    const double period = real(model.config, "sliding_window_pattern",
                               is_one_of(model.type(), {"cohere2", "olmo3", "exaone4"}) ? 4 : 6);
    return (layer + 1) % static_cast<std::uint32_t>(period) != 0;
}

/// Returns how many tokens a layer's attention covers, including the token itself. Without a value,
/// it covers all tokens.
std::optional<std::size_t> window_of(const FamilyCheckpoint& model, std::uint32_t layer)
{
    const bool by_layer = is_one_of(model.type(), {"gemma3_text", "cohere2", "olmo3", "exaone4"}) ||
                          model.config.contains("layer_types");
    const bool others = model.type() == "gemma2"
                            ? layer % 2 == 0
                            : is_one_of(model.type(), {"mistral", "phi3", "starcoder2"});
    const double window = real(model.config, "sliding_window", 0);
    if (window == 0 || !(by_layer ? slides(model, layer) : others))
        return {};
    return static_cast<std::size_t>(window);
}

bool rotates(const FamilyCheckpoint& model, std::uint32_t layer)
{
    if (model.type() == "cohere2")
        return slides(model, layer);
    if (model.type() == "granitemoehybrid")
        return model.config["position_embedding_type"] == "rope";
    if (model.type() == "exaone4")
        return real(model.config, "sliding_window", 0) == 0 || slides(model, layer);
    if (model.type() != "smollm3")
        return true;
    if (model.config.contains("no_rope_layers"))
        return model.config["no_rope_layers"][layer] != 0;
    const double interval = real(model.config, "no_rope_layer_interval", 4);
    return (layer + 1) % static_cast<std::uint32_t>(interval) != 0;
}

std::uint32_t rotated_elements(const FamilyCheckpoint& model)
{
    const std::map<std::string, double> shares{
        {"nemotron", 0.5}, {"stablelm", 0.25}, {"glm", 0.5}, {"glm4", 0.5}, {"glm4_moe", 0.5}};
    const auto found = shares.find(model.type());
    if (model.is_latent())
        return model.count("qk_rope_head_dim");
    const double share =
        real(model.config, "partial_rotary_factor", found == shares.end() ? 1.0 : found->second);
    return static_cast<std::uint32_t>(model.head_dim() * share);
}

Vector yarn(Vector f, const Json& keys, double base, double old)
{
    const double d = 2.0 * static_cast<double>(f.size()), s = keys.at("factor");
    const auto dim = [&](double r) {
        return d * std::log(old / (2 * std::numbers::pi * r)) / (2 * std::log(base));
    };
    double lo = dim(real(keys, "beta_fast", 32)), hi = dim(real(keys, "beta_slow", 1));
    if (keys.value("truncate", true)) {
        lo = std::floor(lo);
        hi = std::ceil(hi);
    }
    lo = std::max(lo, 0.0);
    hi = std::min(hi, d - 1);
    hi += lo == hi ? 0.001 : 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double ramp = std::clamp((static_cast<double>(i) - lo) / (hi - lo), 0.0, 1.0);
        f[i] = f[i] / s * ramp + f[i] * (1 - ramp);
    }
    return f;
}

double yarn_factor(const Json& keys)
{
    const double s = keys.at("factor");
    const auto g = [s](double k) { return s <= 1 ? 1.0 : 0.1 * k * std::log(s) + 1; };
    const double one = real(keys, "mscale", 0), all = real(keys, "mscale_all_dim", 0);
    return real(keys, "attention_factor", one != 0 && all != 0 ? g(one) / g(all) : g(1));
}

Vector llama3(Vector f, const Json& keys)
{
    const double s = keys.at("factor"), low = keys.at("low_freq_factor");
    const double high = keys.at("high_freq_factor");
    const double old = keys.at("original_max_position_embeddings");
    for (double& value : f) {
        const double length = 2 * std::numbers::pi / value;
        const double t = (old / length - low) / (high - low);
        value = length < old / high  ? value
                : length > old / low ? value / s
                                     : (1 - t) * value / s + t * value;
    }
    return f;
}

/// Returns the base of a layer's rotation and the keys of its scaling.
std::pair<double, Json> rotation_keys(const FamilyCheckpoint& model, std::uint32_t layer)
{
    const Json& config = model.config;
    const bool local = model.type() == "gemma3_text" && slides(model, layer);
    Json keys = config.value("rope_parameters", Json::object());
    if (keys.contains("full_attention"))
        keys = keys[local ? "sliding_attention" : "full_attention"];
    else if (local)
        return {real(config, "rope_local_base_freq", 1e4), Json::object()};
    if (config.contains("rope_scaling"))
        keys = config["rope_scaling"];
    if (model.type() == "olmo3" && slides(model, layer))
        return {real(keys, "rope_theta", real(config, "rope_theta", 1e4)), Json::object()};
    const double otherwise = model.type() == "gemma3_text" ? 1e6 : 1e4;
    return {real(keys, "rope_theta", real(config, "rope_theta", otherwise)), keys};
}

class FamilyTransformer {
public:
    explicit FamilyTransformer(const FamilyCheckpoint& model)
        : model_(model), config_(model.config), type_(model.type()),
          heads_(model.count("num_attention_heads")), kv_heads_(model.count("num_key_value_heads")),
          width_(model.head_dim()), keys_(model.count("num_hidden_layers")), values_(keys_.size())
    {
        for (std::uint32_t layer = 0; layer < keys_.size(); ++layer)
            rotations_.push_back(rotation_of(model, layer));
    }

    Vector step(std::uint32_t token)
    {
        const std::size_t dim = model_.count("hidden_size");
        const auto& table = tensor("model.embed_tokens.weight");
        Vector x(table.begin() + static_cast<std::ptrdiff_t>(token * dim),
                 table.begin() + static_cast<std::ptrdiff_t>((token + 1) * dim));
        x = scaled(x, is_gemma() ? std::sqrt(static_cast<double>(dim))
                                 : real(config_, "embedding_multiplier", 1));
        for (std::uint32_t layer = 0; layer < keys_.size(); ++layer)
            run_layer(x, layer);
        ++position_;
        x = norm("model.norm", x);
        const bool tied = config_.at("tie_word_embeddings");
        x = times(tied ? "model.embed_tokens" : "lm_head", x);
        return logits(x);
    }

private:
    bool is_gemma() const { return type_.starts_with("gemma"); }
    bool is_granite_mixture() const { return type_.starts_with("granitemoe"); }

    Vector logits(Vector x) const
    {
        if (is_one_of(type_, {"cohere", "cohere2"}))
            x = scaled(x, real(config_, "logit_scale", 0.0625));
        x = scaled(x, 1 / real(config_, "logits_scaling", 1));
        const bool silent = !config_.contains("final_logit_softcapping");
        const double cap =
            silent && type_ == "gemma2" ? 30.0 : real(config_, "final_logit_softcapping", 0);
        for (double& value : x)
            value = cap == 0 ? value : cap * std::tanh(value / cap);
        return x;
    }

    static Vector scaled(Vector x, double factor)
    {
        for (double& value : x)
            value *= factor;
        return x;
    }

    static void add(Vector& x, const Vector& y, double factor = 1.0)
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += factor * y[i];
    }

    const std::vector<float>& tensor(const std::string& name) const
    {
        return model_.tensors.at(name).values;
    }

    Vector times(const std::string& name, const Vector& x) const
    {
        const auto& matrix = tensor(name + ".weight");
        Vector y(matrix.size() / x.size());
        for (std::size_t row = 0; row < y.size(); ++row)
            for (std::size_t col = 0; col < x.size(); ++col)
                y[row] += static_cast<double>(matrix[row * x.size() + col]) * x[col];
        if (const auto bias = model_.tensors.find(name + ".bias"); bias != model_.tensors.end())
            for (std::size_t row = 0; row < y.size(); ++row)
                y[row] += static_cast<double>(bias->second.values[row]);
        return y;
    }

    double epsilon() const
    {
        const std::map<std::string, std::string> keys{{"starcoder2", "norm_epsilon"},
                                                      {"nemotron", "norm_eps"},
                                                      {"stablelm", "layer_norm_eps"},
                                                      {"cohere", "layer_norm_eps"},
                                                      {"cohere2", "layer_norm_eps"}};
        const auto found = keys.find(type_);
        return type_ == "olmo"       ? 1e-5
               : found == keys.end() ? config_.at("rms_norm_eps").get<double>()
                                     : config_.at(found->second).get<double>();
    }

    static void normalise(std::span<double> x, bool centred, double epsilon)
    {
        const auto size = static_cast<double>(x.size());
        double mean = 0, square = 0;
        for (const double value : x)
            mean += centred ? value / size : 0;
        for (const double value : x)
            square += (value - mean) * (value - mean) / size;
        for (double& value : x)
            value = (value - mean) / std::sqrt(square + epsilon);
    }

    double gain(const std::string& name, std::size_t i) const
    {
        const double offset = is_gemma() || type_ == "nemotron" ? 1.0 : 0.0;
        return offset + static_cast<double>(tensor(name + ".weight")[i]);
    }

    Vector norm(const std::string& name, Vector x) const
    {
        const bool centred =
            is_one_of(type_, {"olmo", "starcoder2", "nemotron", "stablelm", "cohere", "cohere2"});
        normalise(x, centred, epsilon());
        if (type_ == "olmo")
            return x;
        const bool biased = is_one_of(type_, {"starcoder2", "nemotron", "stablelm"});
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = x[i] * gain(name, i) +
                   (biased ? static_cast<double>(tensor(name + ".bias")[i]) : 0.0);
        return x;
    }

    void run_layer(Vector& x, std::uint32_t layer)
    {
        const std::string at = "model.layers." + std::to_string(layer) + ".";
        const auto named = [&](const char* name, const Vector& v) { return norm(at + name, v); };
        if (is_one_of(type_, {"gemma2", "gemma3_text"})) {
            add(x, named("post_attention_layernorm", attend(layer, named("input_layernorm", x))));
            add(x, named("post_feedforward_layernorm",
                         network(at, named("pre_feedforward_layernorm", x))));
        } else if (is_one_of(type_, {"olmo2", "olmo3", "exaone4"})) {
            add(x, named("post_attention_layernorm", attend(layer, x)));
            add(x, named("post_feedforward_layernorm", network(at, x)));
        } else if (type_ == "glm4") {
            add(x, named("post_self_attn_layernorm", attend(layer, named("input_layernorm", x))));
            add(x, named("post_mlp_layernorm", network(at, named("post_attention_layernorm", x))));
        } else if (is_one_of(type_, {"cohere", "cohere2"}) ||
                   config_.value("use_parallel_residual", false)) {
            const Vector input = named("input_layernorm", x);
            add(x, attend(layer, input));
            add(x, network(at, input));
        } else {
            const double share = real(config_, "residual_multiplier", 1);
            add(x, attend(layer, named("input_layernorm", x)), share);
            add(x, network(at, named("post_attention_layernorm", x)), share);
        }
    }

    void norm_heads(const std::string& name, Vector& x) const
    {
        const std::size_t size = is_one_of(type_, {"olmo2", "olmo3", "olmoe"}) ? x.size() : width_;
        for (std::size_t first = 0; first < x.size(); first += size) {
            normalise(std::span(x).subspan(first, size), false, epsilon());
            for (std::size_t i = 0; i < size; ++i)
                x[first + i] *= gain(name, i);
        }
    }

    void rotate(Vector& x, std::uint32_t layer) const
    {
        if (!rotates(model_, layer))
            return;
        const bool neighbours = is_one_of(
            type_, {"cohere", "cohere2", "glm", "glm4", "ernie4_5", "ernie4_5_moe", "helium"});
        for (std::size_t head = 0; head < x.size(); head += width_)
            turn(std::span(x).subspan(head, width_), rotations_[layer], neighbours);
    }

    /// Rotates the vector of a head.
    void turn(std::span<double> x, const Rotation& rotation, bool neighbours) const
    {
        const std::size_t pairs = rotation.radians.size();
        for (std::size_t i = 0; i < pairs; ++i) {
            const double angle = rotation.radians[i] * static_cast<double>(position_);
            const double c = std::cos(angle) * rotation.factor;
            const double s = std::sin(angle) * rotation.factor;
            double& a = x[neighbours ? 2 * i : i];
            double& b = x[neighbours ? 2 * i + 1 : i + pairs];
            const double turned = a * c - b * s;
            b = b * c + a * s;
            a = turned;
        }
    }

    double score_scale() const
    {
        if (is_one_of(type_, {"gemma2", "gemma3_text"}))
            return 1 / std::sqrt(real(config_, "query_pre_attn_scalar", 256));
        if (type_.starts_with("granite"))
            return real(config_, "attention_multiplier", 1);
        return 1 / std::sqrt(static_cast<double>(width_));
    }

    /// Latent attention as DeepSeek defines it: when a token arrives, the heads' keys and values
    /// are computed from its latent vector.
    Vector attend_latent(std::uint32_t layer, const std::string& at, const Vector& x)
    {
        const std::size_t rope = model_.count("qk_rope_head_dim"), nope = width_ - rope;
        const std::size_t latent = model_.count("kv_lora_rank");
        Vector q =
            config_.at("q_lora_rank").is_null()
                ? times(at + "q_proj", x)
                : times(at + "q_b_proj", norm(at + "q_a_layernorm", times(at + "q_a_proj", x)));
        const Vector both = times(at + "kv_a_proj_with_mqa", x);
        const auto end = both.begin() + static_cast<std::ptrdiff_t>(latent);
        Vector turned(end, both.end());
        turn(std::span(turned), rotations_[layer], true);
        const Vector kv = times(at + "kv_b_proj", norm(at + "kv_a_layernorm", {both.begin(), end}));
        const std::size_t of_head = kv.size() / heads_, value = of_head - nope;
        Vector k, v;
        for (std::uint32_t head = 0; head < heads_; ++head) {
            const auto own = kv.begin() + static_cast<std::ptrdiff_t>(head * of_head);
            k.insert(k.end(), own, own + static_cast<std::ptrdiff_t>(nope));
            k.insert(k.end(), turned.begin(), turned.end());
            v.insert(v.end(), own + static_cast<std::ptrdiff_t>(nope),
                     own + static_cast<std::ptrdiff_t>(of_head));
            turn(std::span(q).subspan(head * width_ + nope, rope), rotations_[layer], true);
        }
        keys_[layer].push_back(k);
        values_[layer].push_back(v);
        Vector out(v.size());
        for (std::uint32_t head = 0; head < heads_; ++head)
            mix_latent(layer, head, value, q, out);
        return times(at + "o_proj", out);
    }

    /// Returns the scale of scores. It includes the square of YaRN's magnitude for all dimensions
    /// (mscale_all_dim).
    double latent_scale() const
    {
        const Json keys = config_.value("rope_scaling", Json::object());
        const double all = real(keys, "mscale_all_dim", 0), s = real(keys, "factor", 1);
        const double magnitude = s > 1 ? 0.1 * all * std::log(s) + 1 : 1;
        return magnitude * magnitude / std::sqrt(static_cast<double>(width_));
    }

    void mix_latent(std::uint32_t layer, std::uint32_t head, std::size_t value, const Vector& q,
                    Vector& out) const
    {
        Vector weights;
        double sum = 0;
        for (const Vector& key : keys_[layer]) {
            double score = 0;
            for (std::size_t i = head * width_; i < (head + 1) * width_; ++i)
                score += q[i] * key[i];
            weights.push_back(std::exp(score * latent_scale()));
            sum += weights.back();
        }
        for (std::size_t token = 0; token < weights.size(); ++token)
            for (std::size_t i = head * value; i < (head + 1) * value; ++i)
                out[i] += weights[token] / sum * values_[layer][token][i];
    }

    Vector attend(std::uint32_t layer, const Vector& x)
    {
        const std::string at = "model.layers." + std::to_string(layer) + ".self_attn.";
        if (model_.is_latent())
            return attend_latent(layer, at, x);
        Vector q, k, v;
        if (type_ == "phi3") {
            const Vector all = times(at + "qkv_proj", x);
            const auto kv = all.begin() + heads_ * width_;
            q.assign(all.begin(), kv);
            k.assign(kv, kv + kv_heads_ * width_);
            v.assign(kv + kv_heads_ * width_, all.end());
        } else {
            q = times(at + "q_proj", x);
            k = times(at + "k_proj", x);
            v = times(at + "v_proj", x);
        }
        if (is_one_of(type_, {"qwen3", "qwen3_moe", "gemma3_text", "olmo2", "olmo3", "olmoe",
                              "exaone4"}) ||
            config_.value("use_qk_norm", false)) {
            norm_heads(at + "q_norm", q);
            norm_heads(at + "k_norm", k);
        }
        rotate(q, layer);
        rotate(k, layer);
        keys_[layer].push_back(k);
        values_[layer].push_back(v);
        Vector out(q.size());
        for (std::uint32_t head = 0; head < heads_; ++head)
            mix(layer, head, q, out);
        return times(at + "o_proj", out);
    }

    double score_cap() const
    {
        const bool silent = !config_.contains("attn_logit_softcapping");
        return silent && type_ == "gemma2" ? 50.0 : real(config_, "attn_logit_softcapping", 0);
    }

    void mix(std::uint32_t layer, std::uint32_t head, const Vector& q, Vector& out) const
    {
        const std::size_t own = head * width_;
        const std::size_t shared = head / (heads_ / kv_heads_) * width_;
        const double cap = score_cap();
        const std::size_t all = keys_[layer].size();
        const std::size_t window = std::min(window_of(model_, layer).value_or(all), all);
        Vector weights(all - window);
        double sum = 0;
        for (const Vector& key : std::span(keys_[layer]).subspan(all - window)) {
            double score = 0;
            for (std::size_t i = 0; i < width_; ++i)
                score += q[own + i] * key[shared + i];
            score *= score_scale();
            weights.push_back(std::exp(cap == 0 ? score : cap * std::tanh(score / cap)));
            sum += weights.back();
        }
        if (type_ == "gpt_oss")
            sum += std::exp(static_cast<double>(
                tensor("model.layers." + std::to_string(layer) + ".self_attn.sinks")[head]));
        for (std::size_t token = 0; token < weights.size(); ++token)
            for (std::size_t i = 0; i < width_; ++i)
                out[own + i] += weights[token] / sum * values_[layer][token][shared + i];
    }

    double activation(double x) const
    {
        const double tanh_gelu =
            0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
        if (is_gemma() || type_ == "starcoder2")
            return tanh_gelu;
        if (is_one_of(type_, {"nemotron", "arcee"}))
            return std::pow(std::max(x, 0.0), 2);
        return x / (1 + std::exp(-x));
    }

    /// Converts the router's results to a share for each expert.
    Vector shares(Vector results) const
    {
        const bool sigmoid = is_one_of(type_, {"glm4_moe", "deepseek_v3"}) ||
                             config_.value("scoring_func", "softmax") == "sigmoid";
        double all = 0;
        for (double& share : results)
            all += share = sigmoid ? 1 / (1 + std::exp(-share)) : std::exp(share);
        for (double& share : results)
            share /= sigmoid ? 1.0 : all;
        return results;
    }

    /// Chooses the experts with the largest corrected shares. Weights them by their uncorrected
    /// shares, which may be normalised to a sum of 1. Then adds the shared expert.
    Vector mixture(const std::string& layer, const Vector& x) const
    {
        const bool sparse = type_ == "mixtral" || is_granite_mixture();
        const std::string at = layer + (sparse ? "block_sparse_moe." : "mlp.");
        const char* const router = is_granite_mixture() ? "router.layer"
                                   : type_ == "gpt_oss" ? "router"
                                                        : "gate";
        const Vector weights = shares(times(at + router, x));
        Vector compared = weights;
        for (const char* name :
             {"gate.e_score_correction_bias", "moe_statics.e_score_correction_bias"})
            if (model_.tensors.contains(at + name))
                for (std::size_t i = 0; i < compared.size(); ++i)
                    compared[i] += static_cast<double>(tensor(at + name)[i]);
        std::vector<bool> taken(compared.size());
        std::vector<std::size_t> order;
        double sum = 0;
        for (std::uint32_t j = 0; j < model_.chosen(); ++j) {
            std::size_t best = compared.size();
            for (std::size_t i = 0; i < compared.size(); ++i)
                if (!taken[i] && (best == compared.size() || compared[i] > compared[best]))
                    best = i;
            taken[best] = true;
            order.push_back(best);
            sum += weights[best];
        }
        const bool among = sparse || is_one_of(type_, {"ernie4_5_moe", "gpt_oss"}) ||
                           config_.value("norm_topk_prob", false);
        const double scale = real(config_, "routed_scaling_factor", 1);
        Vector out(x.size());
        for (const std::size_t i : order)
            add(out, expert(at, i, x), scale * (among ? weights[i] / sum : weights[i]));
        if (model_.shared_width() != 0)
            add_shared(at, x, out);
        return out;
    }

    void add_shared(const std::string& at, const Vector& x, Vector& out) const
    {
        const bool qwen = type_ == "qwen2_moe";
        const Vector made = gated(at + (qwen ? "shared_expert." : "shared_experts."), x);
        const double gate = qwen ? times(at + "shared_expert_gate", x)[0] : 0;
        add(out, made, qwen ? 1 / (1 + std::exp(-gate)) : 1);
    }

    Vector gated(const std::string& at, const Vector& x) const
    {
        Vector gate = times(at + "gate_proj", x);
        const Vector up = times(at + "up_proj", x);
        for (std::size_t i = 0; i < gate.size(); ++i)
            gate[i] = activation(gate[i]) * up[i];
        return times(at + "down_proj", gate);
    }

    /// Multiplies x by an expert's matrix [inputs, outputs] and adds its bias.
    Vector turned(const std::string& name, std::size_t number, const Vector& x) const
    {
        const auto& biases = tensor(name + "_bias");
        const std::size_t outputs = biases.size() / model_.experts();
        const auto& matrix = tensor(name);
        Vector out(outputs);
        for (std::size_t i = 0; i < outputs; ++i) {
            out[i] = static_cast<double>(biases[number * outputs + i]);
            for (std::size_t j = 0; j < x.size(); ++j)
                out[i] += static_cast<double>(matrix[(number * x.size() + j) * outputs + i]) * x[j];
        }
        return out;
    }

    Vector turned_expert(const std::string& at, std::size_t number, const Vector& x) const
    {
        const double limit = config_.at("swiglu_limit");
        const Vector both = turned(at + "experts.gate_up_proj", number, x);
        Vector inner(both.size() / 2);
        for (std::size_t i = 0; i < inner.size(); ++i) {
            const double gate = std::min(both[2 * i], limit);
            const double up = std::clamp(both[2 * i + 1], -limit, limit);
            inner[i] = (up + 1) * gate / (1 + std::exp(-1.702 * gate));
        }
        return turned(at + "experts.down_proj", number, inner);
    }

    Vector expert(const std::string& at, std::size_t number, const Vector& x) const
    {
        if (type_ == "gpt_oss")
            return turned_expert(at, number, x);
        const std::string own = at + "experts." + std::to_string(number) + ".";
        Vector gate, up, down;
        if (is_granite_mixture()) {
            const std::size_t width = model_.expert_width();
            gate = rows(at + "input_linear.weight", number * 2 * width, width, x);
            up = rows(at + "input_linear.weight", (number * 2 + 1) * width, width, x);
        } else {
            const bool mixtral = type_ == "mixtral";
            gate = times(own + (mixtral ? "w1" : "gate_proj"), x);
            up = times(own + (mixtral ? "w3" : "up_proj"), x);
        }
        for (std::size_t i = 0; i < gate.size(); ++i)
            gate[i] = activation(gate[i]) * up[i];
        if (is_granite_mixture())
            return rows(at + "output_linear.weight", number * x.size(), x.size(), gate);
        return times(own + (type_ == "mixtral" ? "w2" : "down_proj"), gate);
    }

    Vector rows(const std::string& name, std::size_t first, std::size_t count,
                const Vector& x) const
    {
        const auto& values = tensor(name);
        Vector out(count);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < x.size(); ++j)
                out[i] += static_cast<double>(values[(first + i) * x.size() + j]) * x[j];
        return out;
    }

    bool is_mixture(std::uint32_t layer) const
    {
        return is_one_of(type_, {"mixtral", "qwen2_moe", "qwen3_moe", "olmoe", "granitemoe",
                                 "granitemoeshared", "granitemoehybrid", "deepseek", "deepseek_v2",
                                 "deepseek_v3", "glm4_moe", "ernie4_5_moe", "gpt_oss"}) &&
               model_.is_sparse(layer);
    }

    /// Computes Granite's shared network, which all tokens use, with gate and up in one matrix.
    Vector shared_network(const std::string& at, const Vector& x) const
    {
        Vector both = times(at + "input_linear", x);
        const std::size_t half = both.size() / 2;
        for (std::size_t i = 0; i < half; ++i)
            both[i] = activation(both[i]) * both[half + i];
        both.resize(half);
        return times(at + "output_linear", both);
    }

    Vector network(const std::string& layer, const Vector& x) const
    {
        const std::string before = "model.layers.";
        const bool sparse =
            is_mixture(static_cast<std::uint32_t>(std::stoul(layer.substr(before.size()))));
        if (config_.contains("shared_intermediate_size")) {
            Vector out = sparse ? mixture(layer, x) : Vector(x.size());
            add(out, shared_network(layer + "shared_mlp.", x));
            return out;
        }
        if (sparse)
            return mixture(layer, x);
        const std::string at = layer + "mlp.";
        const bool fc = type_ == "starcoder2";
        Vector gate, up;
        if (is_one_of(type_, {"phi3", "glm", "glm4"})) {
            const Vector both = times(at + "gate_up_proj", x);
            const auto half = both.begin() + static_cast<std::ptrdiff_t>(both.size() / 2);
            gate.assign(both.begin(), half);
            up.assign(half, both.end());
        } else if (fc || is_one_of(type_, {"nemotron", "arcee"})) {
            gate = times(at + (fc ? "c_fc" : "up_proj"), x);
            up.assign(gate.size(), 1.0);
        } else {
            gate = times(at + "gate_proj", x);
            up = times(at + "up_proj", x);
        }
        for (std::size_t i = 0; i < gate.size(); ++i)
            gate[i] = activation(gate[i]) * up[i];
        return times(at + (fc ? "c_proj" : "down_proj"), gate);
    }

    const FamilyCheckpoint& model_;
    const Json& config_;
    std::string type_;
    std::uint32_t heads_, kv_heads_, width_;
    std::uint32_t position_ = 0;
    std::vector<Rotation> rotations_;                // The rotation of each layer.
    std::vector<std::vector<Vector>> keys_, values_; // [layer][token]
};

} // namespace

Rotation rotation_of(const FamilyCheckpoint& model, std::uint32_t layer)
{
    const auto [base, keys] = rotation_keys(model, layer);
    const std::uint32_t elements = rotated_elements(model);
    Rotation rotation;
    for (std::uint32_t i = 0; i < elements / 2; ++i)
        rotation.radians.push_back(std::pow(base, -2.0 * i / elements));
    const std::string type =
        keys.is_object() ? keys.value("rope_type", keys.value("type", "default")) : "default";
    const double longest = model.config.at("max_position_embeddings");
    if (type == "linear") {
        for (double& radians : rotation.radians)
            radians /= keys.at("factor").get<double>();
    } else if (type == "llama3") {
        rotation.radians = llama3(rotation.radians, keys);
    } else if (type == "yarn") {
        const double old = real(keys, "original_max_position_embeddings", longest);
        rotation = {yarn(rotation.radians, keys, base, old), yarn_factor(keys)};
    } else if (type == "longrope") {
        const double old = model.config.at("original_max_position_embeddings");
        for (std::size_t i = 0; i < rotation.radians.size(); ++i)
            rotation.radians[i] /= keys.at("short_factor").at(i).get<double>();
        rotation.factor = std::sqrt(1 + std::log(longest / old) / std::log(old));
    }
    return rotation;
}

std::vector<std::vector<double>> family_logits(const FamilyCheckpoint& model,
                                               std::span<const std::uint32_t> tokens)
{
    FamilyTransformer transformer(model);
    std::vector<Vector> logits;
    for (const std::uint32_t token : tokens)
        logits.push_back(transformer.step(token));
    return logits;
}

} // namespace levee::test
