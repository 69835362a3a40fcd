// SPDX-License-Identifier: Apache-2.0
#include "test/reference/named_families.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace levee::test {
namespace {

using Json = nlohmann::json;
using Vector = std::vector<double>;

/// Names of a family's tensors, and the config's keys for their sizes.
struct Names {
    std::string top, layer; ///< Prefixes of tensor names.
    std::string embedding, norm, classifier;
    std::string first_norm, second_norm; ///< Norms of a layer; the second may be absent.
    /// The fused tensor, ordered by groups of heads; empty if there is none.
    std::string qkv;
    std::string q, k, v, out;
    std::string gate, up, down; ///< Empty if there is no gate.
    bool layer_norms = false, biases = false;
};

Names names_of(const FamilyCheckpoint& model)
{
    const std::string type = model.type();
    if (type == "gpt_neox")
        return {"gpt_neox.",
                "layers.",
                "embed_in",
                "final_layer_norm",
                "embed_out",
                "input_layernorm",
                "post_attention_layernorm",
                "attention.query_key_value",
                "",
                "",
                "",
                "attention.dense",
                "",
                "mlp.dense_h_to_4h",
                "mlp.dense_4h_to_h",
                true,
                true};
    if (type == "falcon")
        return {"transformer.",
                "h.",
                "word_embeddings",
                "ln_f",
                "lm_head",
                "input_layernorm",
                "",
                "self_attention.query_key_value",
                "",
                "",
                "",
                "self_attention.dense",
                "",
                "mlp.dense_h_to_4h",
                "mlp.dense_4h_to_h",
                true,
                false};
    if (type == "exaone")
        return {"transformer.",
                "h.",
                "wte",
                "ln_f",
                "lm_head",
                "ln_1",
                "ln_2",
                "",
                "attn.attention.q_proj",
                "attn.attention.k_proj",
                "attn.attention.v_proj",
                "attn.attention.out_proj",
                "mlp.c_fc_0",
                "mlp.c_fc_1",
                "mlp.c_proj"};
    if (type == "internlm2")
        return {"model.",
                "layers.",
                "tok_embeddings",
                "norm",
                "output",
                "attention_norm",
                "ffn_norm",
                "attention.wqkv",
                "",
                "",
                "",
                "attention.wo",
                "feed_forward.w1",
                "feed_forward.w3",
                "feed_forward.w2"};
    return {"model.",
            "layers.",
            "embed_tokens",
            "norm",
            "lm_head",
            "input_layernorm",
            "post_attention_layernorm",
            "",
            "self_attn.q_proj",
            "self_attn.k_proj",
            "self_attn.v_proj",
            "self_attn.o_proj",
            "mlp.gate_proj",
            "mlp.up_proj",
            "mlp.down_proj"};
}

struct Sizes {
    std::size_t dim, inner, layers, heads, kv_heads, width, vocab;
};

Sizes sizes_of(const FamilyCheckpoint& model)
{
    const Json& config = model.config;
    const std::size_t dim = model.count("hidden_size"), heads = model.count("num_attention_heads");
    const bool falcon = model.type() == "falcon";
    return {dim,
            config.value(falcon ? "ffn_hidden_size" : "intermediate_size", 4 * dim),
            config.contains("num_layers") ? model.count("num_layers")
                                          : model.count("num_hidden_layers"),
            heads,
            falcon ? 1 : config.value("num_key_value_heads", heads),
            model.head_dim(),
            model.count("vocab_size")};
}

class NamedDrawer {
public:
    explicit NamedDrawer(FamilyCheckpoint& model)
        : model_(model), names_(names_of(model)), sizes_(sizes_of(model))
    {
    }

    void draw()
    {
        const Sizes& s = sizes_;
        add(names_.top + names_.embedding + ".weight", {s.vocab, s.dim}, 0.0, 1.0);
        for (std::size_t i = 0; i < s.layers; ++i)
            draw_layer(names_.top + names_.layer + std::to_string(i) + ".");
        norm(names_.top + names_.norm);
        if (!model_.config.value("tie_word_embeddings", true))
            add(names_.classifier + ".weight", {s.vocab, s.dim}, 0.0,
                std::sqrt(6.0 / static_cast<double>(s.dim)));
    }

private:
    void draw_layer(const std::string& at)
    {
        const Sizes& s = sizes_;
        norm(at + names_.first_norm);
        if (!names_.second_norm.empty())
            norm(at + names_.second_norm);
        if (names_.qkv.empty()) {
            matrix(at + names_.q, s.heads * s.width, s.dim);
            matrix(at + names_.k, s.kv_heads * s.width, s.dim);
            matrix(at + names_.v, s.kv_heads * s.width, s.dim);
        } else {
            matrix(at + names_.qkv, (s.heads + 2 * s.kv_heads) * s.width, s.dim);
        }
        matrix(at + names_.out, s.dim, s.heads * s.width);
        if (!names_.gate.empty())
            matrix(at + names_.gate, s.inner, s.dim);
        matrix(at + names_.up, s.inner, s.dim);
        matrix(at + names_.down, s.dim, s.inner);
    }

    void norm(const std::string& name)
    {
        add(name + ".weight", {sizes_.dim}, 1.0, 0.4);
        if (names_.layer_norms)
            add(name + ".bias", {sizes_.dim}, 0.0, 0.4);
    }

    void matrix(const std::string& name, std::size_t rows, std::size_t cols)
    {
        add(name + ".weight", {rows, cols}, 0.0, std::sqrt(6.0 / static_cast<double>(cols)));
        if (names_.biases)
            add(name + ".bias", {rows}, 0.0, 0.5);
    }

    void add(const std::string& name, std::vector<std::uint64_t> shape, double centre, double width)
    {
        FamilyTensor tensor{std::move(shape), {}};
        std::uint64_t size = 1;
        for (const std::uint64_t side : tensor.shape)
            size *= side;
        for (std::uint64_t i = 0; i < size; ++i) {
            state_ = state_ * 6364136223846793005U + 1442695040888963407U;
            const double drawn = static_cast<double>(state_ >> 40) * 0x1p-23 - 1.0;
            tensor.values.push_back(static_cast<float>(centre + width * drawn));
        }
        model_.tensors.emplace(name, std::move(tensor));
    }

    FamilyCheckpoint& model_;
    Names names_;
    Sizes sizes_;
    std::uint64_t state_ = 11;
};

class NamedTransformer {
public:
    explicit NamedTransformer(const FamilyCheckpoint& model)
        : model_(model), names_(names_of(model)), sizes_(sizes_of(model)),
          rotation_(named_rotation(model)), keys_(sizes_.layers), values_(sizes_.layers)
    {
    }

    Vector step(std::uint32_t token)
    {
        const auto& table = tensor(names_.top + names_.embedding + ".weight");
        Vector x;
        for (std::size_t i = 0; i < sizes_.dim; ++i)
            x.push_back(table[token * sizes_.dim + i] * factor("scale_emb"));
        for (std::size_t layer = 0; layer < sizes_.layers; ++layer)
            run_layer(x, layer);
        ++position_;
        x = norm(names_.top + names_.norm, x);
        const bool tied = model_.config.value("tie_word_embeddings", true);
        x = times(tied ? names_.top + names_.embedding : names_.classifier, x);
        if (model_.type() == "minicpm")
            for (double& logit : x)
                logit /= static_cast<double>(sizes_.dim) / factor("dim_model_base");
        return x;
    }

private:
    double factor(const char* key) const { return model_.config.value(key, 1.0); }

    const std::vector<float>& tensor(const std::string& name) const
    {
        return model_.tensors.at(name).values;
    }

    Vector times(const std::string& name, const Vector& x) const
    {
        const auto& matrix = tensor(name + ".weight");
        Vector y(matrix.size() / x.size());
        for (std::size_t i = 0; i < y.size(); ++i)
            for (std::size_t j = 0; j < x.size(); ++j)
                y[i] += static_cast<double>(matrix[i * x.size() + j]) * x[j];
        if (const auto bias = model_.tensors.find(name + ".bias"); bias != model_.tensors.end())
            for (std::size_t i = 0; i < y.size(); ++i)
                y[i] += static_cast<double>(bias->second.values[i]);
        return y;
    }

    double epsilon() const
    {
        for (const char* key : {"layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps"})
            if (model_.config.contains(key))
                return model_.config[key];
        return model_.type() == "minicpm" || model_.type() == "internlm2" ? 1e-6 : 1e-5;
    }

    Vector norm(const std::string& name, Vector x) const
    {
        const auto n = static_cast<double>(x.size());
        double mean = 0, square = 0;
        for (const double value : x)
            mean += names_.layer_norms ? value / n : 0;
        for (const double value : x)
            square += (value - mean) * (value - mean) / n;
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = (x[i] - mean) / std::sqrt(square + epsilon()) *
                       static_cast<double>(tensor(name + ".weight")[i]) +
                   (names_.layer_norms ? static_cast<double>(tensor(name + ".bias")[i]) : 0.0);
        return x;
    }

    void run_layer(Vector& x, std::size_t layer)
    {
        const std::string at = names_.top + names_.layer + std::to_string(layer) + ".";
        const Vector input = norm(at + names_.first_norm, x);
        const bool parallel =
            model_.type() == "falcon" ||
            (model_.type() == "gpt_neox" && model_.config.value("use_parallel_residual", true));
        const double share =
            factor("scale_depth") /
            (model_.type() == "minicpm" ? std::sqrt(static_cast<double>(sizes_.layers)) : 1.0);
        const Vector before = x;
        add(x, attend(at, layer, input), share);
        const Vector read = names_.second_norm.empty()
                                ? input
                                : norm(at + names_.second_norm, parallel ? before : x);
        add(x, network(at, read), share);
    }

    static void add(Vector& x, const Vector& y, double share)
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += share * y[i];
    }

    Vector network(const std::string& at, const Vector& x) const
    {
        Vector up = times(at + names_.up, x);
        if (names_.gate.empty()) {
            for (double& value : up)
                value *= 0.5 * std::erfc(-value / std::numbers::sqrt2);
        } else {
            const Vector gate = times(at + names_.gate, x);
            for (std::size_t i = 0; i < up.size(); ++i)
                up[i] *= gate[i] / (1 + std::exp(-gate[i]));
        }
        return times(at + names_.down, up);
    }

    /// Computes queries, keys and values. In a fused tensor they alternate group by group.
    void project(const std::string& at, const Vector& x, Vector& q, Vector& k, Vector& v) const
    {
        if (names_.qkv.empty()) {
            q = times(at + names_.q, x);
            k = times(at + names_.k, x);
            v = times(at + names_.v, x);
            return;
        }
        const Vector all = times(at + names_.qkv, x);
        auto next = all.begin();
        const auto take = [&](Vector& to, std::size_t heads) {
            const auto end = next + static_cast<std::ptrdiff_t>(heads * sizes_.width);
            to.insert(to.end(), next, end);
            next = end;
        };
        for (std::size_t group = 0; group < sizes_.kv_heads; ++group) {
            take(q, sizes_.heads / sizes_.kv_heads);
            take(k, 1);
            take(v, 1);
        }
    }

    void rotate(Vector& x) const
    {
        const std::size_t pairs = rotation_.size();
        for (std::size_t head = 0; head < x.size(); head += sizes_.width)
            for (std::size_t i = 0; i < pairs; ++i) {
                const double angle = rotation_[i] * static_cast<double>(position_);
                double& a = x[head + i];
                double& b = x[head + pairs + i];
                const double turned = a * std::cos(angle) - b * std::sin(angle);
                b = b * std::cos(angle) + a * std::sin(angle);
                a = turned;
            }
    }

    Vector attend(const std::string& at, std::size_t layer, const Vector& x)
    {
        Vector q, k, v;
        project(at, x, q, k, v);
        rotate(q);
        rotate(k);
        keys_[layer].push_back(k);
        values_[layer].push_back(v);
        Vector out(q.size());
        for (std::size_t head = 0; head < sizes_.heads; ++head) {
            const std::size_t own = head * sizes_.width;
            const std::size_t shared = head / (sizes_.heads / sizes_.kv_heads) * sizes_.width;
            Vector weights;
            double sum = 0;
            for (const Vector& key : keys_[layer]) {
                double score = 0;
                for (std::size_t i = 0; i < sizes_.width; ++i)
                    score += q[own + i] * key[shared + i];
                weights.push_back(std::exp(score / std::sqrt(static_cast<double>(sizes_.width))));
                sum += weights.back();
            }
            for (std::size_t t = 0; t < weights.size(); ++t)
                for (std::size_t i = 0; i < sizes_.width; ++i)
                    out[own + i] += weights[t] / sum * values_[layer][t][shared + i];
        }
        return times(at + names_.out, out);
    }

    const FamilyCheckpoint& model_;
    Names names_;
    Sizes sizes_;
    Vector rotation_;
    std::uint32_t position_ = 0;
    std::vector<std::vector<Vector>> keys_, values_; // [layer][token]
};

/// Returns the form that newer versions of transformers write for all families.
Json rope_parameters(const FamilyCheckpoint& model)
{
    return model.config.value("rope_parameters", Json::object());
}

struct NamedFamily {
    std::string title;
    Json config;
    std::vector<std::pair<std::string, Json>> variants;
};

std::vector<NamedFamily> families()
{
    const Json sizes{
        {"hidden_size", 32}, {"intermediate_size", 40},       {"num_hidden_layers", 3},
        {"vocab_size", 50},  {"max_position_embeddings", 64}, {"num_attention_heads", 4}};
    const auto with = [&](const Json& keys) {
        Json config = sizes;
        config.update(keys);
        return config;
    };
    Json falcon = with({{"architectures", {"FalconForCausalLM"}},
                        {"model_type", "falcon"},
                        {"alibi", false},
                        {"bias", false},
                        {"multi_query", true},
                        {"new_decoder_architecture", false},
                        {"parallel_attn", true}});
    falcon.erase("intermediate_size");
    Json exaone = with({{"architectures", {"ExaoneForCausalLM"}},
                        {"model_type", "exaone"},
                        {"activation_function", "silu"},
                        {"num_layers", 3},
                        {"num_key_value_heads", 2},
                        {"head_dim", 12},
                        {"rope_theta", 500.0},
                        {"layer_norm_epsilon", 1e-4},
                        {"tie_word_embeddings", true}});
    exaone.erase("num_hidden_layers");
    return {
        {"GPT-NeoX",
         with({{"architectures", {"GPTNeoXForCausalLM"}},
               {"model_type", "gpt_neox"},
               {"layer_norm_eps", 1e-4},
               {"rotary_pct", 0.5},
               {"rotary_emb_base", 500},
               {"hidden_act", "gelu"},
               {"tie_word_embeddings", false}}),
         {{"one half after the other", {{"use_parallel_residual", false}}},
          {"rotated a quarter", {{"rotary_pct", 0.25}}},
          {"rope_parameters",
           {{"rotary_pct", nullptr},
            {"rotary_emb_base", nullptr},
            {"rope_parameters",
             {{"rope_type", "default"}, {"rope_theta", 2000.0}, {"partial_rotary_factor", 0.75}}}}},
          {"base not given", {{"rotary_emb_base", nullptr}}}}},
        {"Falcon", falcon, {{"width", {{"ffn_hidden_size", 40}}}}},
        {"EXAONE", exaone, {{"own classifier", {{"tie_word_embeddings", false}}}}},
        {"InternLM 2",
         with({{"architectures", {"InternLM2ForCausalLM"}},
               {"model_type", "internlm2"},
               {"bias", false},
               {"hidden_act", "silu"},
               {"num_key_value_heads", 2},
               {"rope_scaling", {{"type", "dynamic"}, {"factor", 2.0}}},
               {"rope_theta", 1000.0},
               {"rms_norm_eps", 1e-5},
               {"tie_word_embeddings", false}}),
         {{"a key for each head", {{"num_key_value_heads", 4}}}}},
        {"MiniCPM",
         with({{"architectures", {"MiniCPMForCausalLM"}},
               {"model_type", "minicpm"},
               {"hidden_act", "silu"},
               {"scale_emb", 12},
               {"scale_depth", 1.4},
               {"dim_model_base", 8},
               {"num_key_value_heads", 4},
               {"rms_norm_eps", 1e-5}}),
         {{"no depth", {{"scale_depth", nullptr}}}, {"no base", {{"dim_model_base", 32}}}}}};
}

} // namespace

double named_base(const FamilyCheckpoint& model)
{
    if (rope_parameters(model).contains("rope_theta"))
        return rope_parameters(model)["rope_theta"];
    return model.config.value(model.type() == "gpt_neox" ? "rotary_emb_base" : "rope_theta", 1e4);
}

std::vector<double> named_rotation(const FamilyCheckpoint& model)
{
    const double otherwise =
        model.type() == "gpt_neox" ? model.config.value("rotary_pct", 0.25) : 1.0;
    const double share = rope_parameters(model).value("partial_rotary_factor", otherwise);
    const auto elements = static_cast<std::size_t>(model.head_dim() * share);
    std::vector<double> radians;
    for (std::size_t i = 0; i < elements / 2; ++i)
        radians.push_back(std::pow(named_base(model),
                                   -2.0 * static_cast<double>(i) / static_cast<double>(elements)));
    return radians;
}

std::vector<FamilyCheckpoint> named_checkpoints()
{
    std::vector<FamilyCheckpoint> models;
    for (const NamedFamily& family : families()) {
        models.push_back({family.title, family.config});
        for (const auto& [name, patch] : family.variants) {
            Json config = family.config;
            config.merge_patch(patch); // A null removes the key.
            models.push_back({family.title + ": " + name, config});
        }
    }
    for (FamilyCheckpoint& model : models)
        NamedDrawer(model).draw();
    return models;
}

std::vector<std::vector<double>> named_logits(const FamilyCheckpoint& model,
                                              std::span<const std::uint32_t> tokens)
{
    NamedTransformer transformer(model);
    std::vector<Vector> logits;
    for (const std::uint32_t token : tokens)
        logits.push_back(transformer.step(token));
    return logits;
}

} // namespace levee::test
