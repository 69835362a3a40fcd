// SPDX-License-Identifier: Apache-2.0
#include "test/unit/huggingface/checkpoint.hpp"

#include "core/numerics/numerics.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace levee::test {

namespace {

using Sizes = std::vector<std::uint64_t>;

std::uint32_t drawn_word(std::uint32_t seed, std::uint64_t stream, std::uint64_t index)
{
    std::uint64_t value = (seed * 0x9E3779B97F4A7C15U) ^ (stream << 40) ^ index;
    for (int round = 0; round < 3; ++round) {
        value ^= value >> 29;
        value *= 0xBF58476D1CE4E5B9U;
    }
    return static_cast<std::uint32_t>(value >> 32);
}

class Drawer {
public:
    Drawer(RawModel& model, std::uint32_t seed) : model_(model), seed_(seed) {}

    void matrix(const std::string& name, std::uint64_t rows, std::uint64_t cols, float unit)
    {
        RawTensor tensor{name, {rows, cols}, {}};
        for (std::uint64_t i = 0; i < rows * cols; ++i) {
            const auto code = i % cols == 0 ? 127 : static_cast<int>(word(i) % 255) - 127;
            tensor.values.push_back(static_cast<float>(code) * unit);
        }
        push(tensor);
    }

    void vector(const std::string& name, std::uint64_t size, float centre)
    {
        RawTensor tensor{name, {size}, {}};
        for (std::uint64_t i = 0; i < size; ++i)
            tensor.values.push_back(centre +
                                    static_cast<float>(static_cast<int>(word(i) % 31) - 15) / 128);
        push(tensor);
    }

private:
    std::uint32_t word(std::uint64_t index) const
    {
        return drawn_word(seed_, model_.tensors.size(), index);
    }
    void push(const RawTensor& tensor) { model_.tensors.push_back(tensor); }

    RawModel& model_;
    std::uint32_t seed_;
};

constexpr float unit = 0x1p-9F;

void draw_llama(RawModel& model, Drawer& draw)
{
    const std::uint64_t q = model.heads * model.head_dim, kv = model.kv_heads * model.head_dim;
    draw.matrix("model.embed_tokens.weight", model.vocab, model.dim, 4 * unit);
    for (std::uint32_t layer = 0; layer < model.layers; ++layer) {
        const std::string at = "model.layers." + std::to_string(layer) + ".";
        draw.vector(at + "input_layernorm.weight", model.dim, 1.0F);
        draw.matrix(at + "self_attn.q_proj.weight", q, model.dim, unit);
        draw.matrix(at + "self_attn.k_proj.weight", kv, model.dim, unit);
        draw.matrix(at + "self_attn.v_proj.weight", kv, model.dim, unit);
        draw.matrix(at + "self_attn.o_proj.weight", model.dim, q, unit);
        if (model.has_qkv_biases()) {
            draw.vector(at + "self_attn.q_proj.bias", q, 0.0F);
            draw.vector(at + "self_attn.k_proj.bias", kv, 0.0F);
            draw.vector(at + "self_attn.v_proj.bias", kv, 0.0F);
        }
        draw.vector(at + "post_attention_layernorm.weight", model.dim, 1.0F);
        draw.matrix(at + "mlp.gate_proj.weight", model.hidden, model.dim, unit);
        draw.matrix(at + "mlp.up_proj.weight", model.hidden, model.dim, unit);
        draw.matrix(at + "mlp.down_proj.weight", model.dim, model.hidden, unit);
    }
    draw.vector("model.norm.weight", model.dim, 1.0F);
    if (!model.tied)
        draw.matrix("lm_head.weight", model.vocab, model.dim, unit);
}

void draw_opt(RawModel& model, Drawer& draw)
{
    const auto both = [&](const std::string& name, std::uint64_t rows, std::uint64_t cols) {
        draw.matrix(name + ".weight", rows, cols, unit);
        draw.vector(name + ".bias", rows, 0.0F);
    };
    const auto norm = [&](const std::string& name) {
        draw.vector(name + ".weight", model.dim, 1.0F);
        draw.vector(name + ".bias", model.dim, 0.0F);
    };
    draw.matrix("model.decoder.embed_tokens.weight", model.vocab, model.dim, 4 * unit);
    draw.matrix("model.decoder.embed_positions.weight", model.context + 2, model.dim, 2 * unit);
    norm("model.decoder.final_layer_norm");
    for (std::uint32_t layer = 0; layer < model.layers; ++layer) {
        const std::string at = "model.decoder.layers." + std::to_string(layer) + ".";
        for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"})
            both(at + "self_attn." + part, model.dim, model.dim);
        norm(at + "self_attn_layer_norm");
        both(at + "fc1", model.hidden, model.dim);
        both(at + "fc2", model.dim, model.hidden);
        norm(at + "final_layer_norm");
    }
}

std::string bytes_of(float value, const std::string& type)
{
    if (type == "F32") {
        std::string raw(4, '\0');
        std::memcpy(raw.data(), &value, 4);
        return raw;
    }
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint16_t half =
        type == "F16" ? fp32_to_fp16(value) : static_cast<std::uint16_t>(bits >> 16);
    return {static_cast<char>(half & 0xFF), static_cast<char>(half >> 8)};
}

using Vector = std::vector<double>;

Vector times(const std::vector<float>& matrix, const Vector& x)
{
    Vector y(matrix.size() / x.size());
    for (std::size_t row = 0; row < y.size(); ++row)
        for (std::size_t col = 0; col < x.size(); ++col)
            y[row] += matrix[row * x.size() + col] * x[col];
    return y;
}

/// The forward pass as in modeling_llama.py, modeling_qwen2.py and modeling_opt.py.
class Transformer {
public:
    explicit Transformer(const RawModel& model)
        : m_(model), keys_(model.layers), values_(model.layers)
    {
    }

    Vector step(std::uint32_t token)
    {
        const std::size_t position = keys_[0].size();
        const std::string root = m_.is_opt() ? "model.decoder." : "model.";
        const auto& embedding = m_.values(root + "embed_tokens.weight");
        Vector x(m_.dim);
        for (std::size_t i = 0; i < m_.dim; ++i)
            x[i] = embedding[token * m_.dim + i];
        for (std::size_t i = 0; m_.is_opt() && i < m_.dim; ++i)
            x[i] += m_.values(root + "embed_positions.weight")[(position + 2) * m_.dim + i];
        for (std::uint32_t layer = 0; layer < m_.layers; ++layer) {
            const std::string at = root + "layers." + std::to_string(layer) + ".";
            add(x,
                attend(layer, at,
                       norm(x, at + (m_.is_opt() ? "self_attn_layer_norm" : "input_layernorm"))));
            add(x, feed(at, norm(x, at + (m_.is_opt() ? "final_layer_norm"
                                                      : "post_attention_layernorm"))));
        }
        x = norm(x, root + (m_.is_opt() ? "final_layer_norm" : "norm"));
        return times(m_.tied ? embedding : m_.values("lm_head.weight"), x);
    }

private:
    static void add(Vector& x, const Vector& y)
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += y[i];
    }

    Vector linear(const std::string& name, const Vector& x, bool biased) const
    {
        Vector y = times(m_.values(name + ".weight"), x);
        for (std::size_t i = 0; biased && i < y.size(); ++i)
            y[i] += m_.values(name + ".bias")[i];
        return y;
    }

    Vector norm(Vector x, const std::string& name) const
    {
        double mean = 0, square = 0;
        for (const double value : x)
            mean += m_.is_opt() ? value / static_cast<double>(x.size()) : 0;
        for (const double value : x)
            square += (value - mean) * (value - mean) / static_cast<double>(x.size());
        const auto& weight = m_.values(name + ".weight");
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = (x[i] - mean) / std::sqrt(square + m_.epsilon) * weight[i];
            if (m_.is_opt())
                x[i] += m_.values(name + ".bias")[i];
        }
        return x;
    }

    /// Computes x * cos + rotate_half(x) * sin for each head.
    void rotate(Vector& x, std::size_t position) const
    {
        const std::size_t half = m_.head_dim / 2;
        for (std::size_t head = 0; head < x.size(); head += m_.head_dim)
            for (std::size_t i = 0; i < half; ++i) {
                const double angle =
                    static_cast<double>(position) *
                    std::pow(m_.theta, -2.0 * static_cast<double>(i) / m_.head_dim);
                const double a = x[head + i], b = x[head + half + i];
                x[head + i] = a * std::cos(angle) - b * std::sin(angle);
                x[head + half + i] = b * std::cos(angle) + a * std::sin(angle);
            }
    }

    Vector attend(std::uint32_t layer, const std::string& at, const Vector& x)
    {
        const bool biased = m_.has_qkv_biases();
        Vector q = linear(at + "self_attn.q_proj", x, biased);
        Vector k = linear(at + "self_attn.k_proj", x, biased);
        if (!m_.is_opt()) {
            rotate(q, keys_[layer].size());
            rotate(k, keys_[layer].size());
        }
        keys_[layer].push_back(k);
        values_[layer].push_back(linear(at + "self_attn.v_proj", x, biased));
        Vector mixed(q.size());
        for (std::uint32_t head = 0; head < m_.heads; ++head)
            mix(layer, head, q, mixed);
        return linear(at + (m_.is_opt() ? "self_attn.out_proj" : "self_attn.o_proj"), mixed,
                      m_.is_opt());
    }

    void mix(std::uint32_t layer, std::uint32_t head, const Vector& q, Vector& mixed) const
    {
        const std::size_t of_q = head * m_.head_dim;
        const std::size_t of_kv = head / (m_.heads / m_.kv_heads) * m_.head_dim;
        Vector weights;
        double sum = 0;
        for (const Vector& key : keys_[layer]) {
            double score = 0;
            for (std::size_t i = 0; i < m_.head_dim; ++i)
                score += q[of_q + i] * key[of_kv + i];
            weights.push_back(std::exp(score / std::sqrt(m_.head_dim)));
            sum += weights.back();
        }
        for (std::size_t token = 0; token < weights.size(); ++token)
            for (std::size_t i = 0; i < m_.head_dim; ++i)
                mixed[of_q + i] += weights[token] / sum * values_[layer][token][of_kv + i];
    }

    Vector feed(const std::string& at, const Vector& x) const
    {
        if (m_.is_opt()) {
            Vector inner = linear(at + "fc1", x, true);
            for (double& value : inner)
                value = std::max(value, 0.0);
            return linear(at + "fc2", inner, true);
        }
        Vector gate = linear(at + "mlp.gate_proj", x, false);
        const Vector up = linear(at + "mlp.up_proj", x, false);
        for (std::size_t i = 0; i < gate.size(); ++i)
            gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
        return linear(at + "mlp.down_proj", gate, false);
    }

    const RawModel& m_;
    std::vector<std::vector<Vector>> keys_, values_; // Vectors by layer and position.
};

} // namespace

const std::vector<float>& RawModel::values(const std::string& name) const
{
    for (const RawTensor& tensor : tensors)
        if (tensor.name == name)
            return tensor.values;
    throw std::out_of_range(name);
}

std::string RawModel::config() const
{
    const auto number = [](auto value) { return std::to_string(value); };
    const std::string common =
        "{\n  \"architectures\": [\"" + architecture + "\"],\n  \"hidden_size\": " + number(dim) +
        ",\n  \"num_hidden_layers\": " + number(layers) +
        ",\n  \"num_attention_heads\": " + number(heads) + ",\n  \"vocab_size\": " + number(vocab) +
        ",\n  \"max_position_embeddings\": " + number(context) +
        ",\n  \"tie_word_embeddings\": " + (tied ? "true" : "false");
    if (is_opt())
        return common + ",\n  \"ffn_dim\": " + number(hidden) +
               ",\n  \"activation_function\": \"relu\",\n  \"word_embed_proj_dim\": " +
               number(dim) + "\n}\n";
    return common + ",\n  \"intermediate_size\": " + number(hidden) +
           ",\n  \"num_key_value_heads\": " + number(kv_heads) +
           ",\n  \"head_dim\": " + number(head_dim) +
           ",\n  \"hidden_act\": \"silu\",\n  \"rms_norm_eps\": " + number(epsilon) +
           ",\n  \"rope_theta\": " + number(theta) + "\n}\n";
}

RawModel drawn_model(RawModel sizes, std::uint32_t seed)
{
    Drawer draw(sizes, seed);
    if (sizes.is_opt())
        draw_opt(sizes, draw);
    else
        draw_llama(sizes, draw);
    return sizes;
}

std::string safetensors(const std::string& header, const std::string& data)
{
    std::string bytes;
    for (int i = 0; i < 8; ++i)
        bytes += static_cast<char>(std::uint64_t{header.size()} >> 8 * i);
    return bytes + header + data;
}

std::string safetensors(std::span<const RawTensor> tensors, const SafetensorsStyle& style)
{
    std::string data, table;
    for (const RawTensor& tensor : tensors) {
        const std::size_t begin = data.size();
        for (const float value : tensor.values)
            data += bytes_of(value, style.type);
        std::string shape;
        for (const std::uint64_t size : tensor.shape)
            shape += (shape.empty() ? "" : ",") + std::to_string(size);
        const std::string entry = "\"" + tensor.name + "\":{\"dtype\":\"" + style.type +
                                  "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
                                  std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
        if (table.empty())
            table = entry;
        else
            table = style.table_backwards ? entry + "," + table : table + "," + entry;
    }
    return safetensors("{" + style.more + table + "}" + std::string(style.padding, ' '), data);
}

void write_model(const std::filesystem::path& folder, const RawModel& model,
                 const SafetensorsStyle& style)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << model.config();
    std::ofstream(folder / "model.safetensors", std::ios::binary)
        << safetensors(model.tensors, style);
}

std::vector<std::vector<double>> transformers_logits(const RawModel& model,
                                                     std::span<const std::uint32_t> tokens)
{
    Transformer transformer(model);
    std::vector<std::vector<double>> logits;
    for (const std::uint32_t token : tokens)
        logits.push_back(transformer.step(token));
    return logits;
}

std::vector<std::uint32_t> greedy(const RawModel& model, std::vector<std::uint32_t> tokens,
                                  std::size_t count, double& margin)
{
    Transformer transformer(model);
    std::vector<std::uint32_t> generated;
    std::vector<double> logits;
    for (const std::uint32_t token : tokens)
        logits = transformer.step(token);
    margin = 1;
    while (true) {
        std::size_t best = 0;
        double largest = 0, next = -INFINITY;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            best = logits[i] > logits[best] ? i : best;
            largest = std::max(largest, std::abs(logits[i]));
        }
        for (std::size_t i = 0; i < logits.size(); ++i)
            next = i == best ? next : std::max(next, logits[i]);
        margin = std::min(margin, (logits[best] - next) / largest);
        generated.push_back(static_cast<std::uint32_t>(best));
        if (generated.size() == count)
            return generated;
        logits = transformer.step(generated.back());
    }
}

} // namespace levee::test
