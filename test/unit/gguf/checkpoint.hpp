// SPDX-License-Identifier: Apache-2.0
// Small models like Hugging Face's checkpoints: their transformer in double precision, and the GGUF
// file that a converter would write.
#pragma once

#include "test/support/gguf_writer.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace levee::test {

using Vector = std::vector<double>;

/// Weights under their names in the GGUF file, with rows in the checkpoint's order.
struct Checkpoint {
    std::string family = "llama"; ///< one of llama, qwen2 and opt
    std::uint32_t dim = 64, hidden = 96, layers = 2, heads = 4, kv_heads = 2, head_dim = 16;
    std::uint32_t vocab = 48, context = 40;
    double theta = 10000;
    std::vector<float> divisors; ///< Llama 3's divisor of each frequency.
    double linear = 1;           ///< Divisor of all positions.
    bool tied = true;
    std::map<std::string, std::vector<float>> weights{};

    bool opt() const { return family == "opt"; }
    void draw(std::uint32_t seed);
    GgufWriter gguf(GgmlType type = f32) const;
    std::vector<Vector> logits(const std::vector<std::uint32_t>& tokens) const;

private:
    void add(const std::string& name, std::uint32_t rows, std::uint32_t cols, float centre,
             float width);
    void add_matrix(const std::string& name, std::uint32_t rows, std::uint32_t cols);
    void add_norm(const std::string& name);
    void add_layer(const std::string& block);
    std::vector<float> as_converted(const std::string& name) const;
    Vector matrix(const std::string& name, const Vector& x) const;
    Vector norm(const std::string& name, const Vector& x) const;
    void rotate(Vector& x, std::size_t position) const;
    Vector attention(const std::string& block, const Vector& x, std::vector<Vector>& keys,
                     std::vector<Vector>& values) const;
    Vector feed_forward(const std::string& block, const Vector& x) const;

    std::uint64_t state_ = 1;
    std::map<std::string, std::vector<std::uint64_t>> dimensions_;
};

inline void Checkpoint::add(const std::string& name, std::uint32_t rows, std::uint32_t cols,
                            float centre, float width)
{
    auto& values = weights[name];
    for (std::uint32_t i = 0; i < rows * cols; ++i) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        values.push_back(centre + width * (static_cast<float>(state_ >> 40) * 0x1p-23F - 1));
    }
    dimensions_[name] =
        rows > 1 ? std::vector<std::uint64_t>{cols, rows} : std::vector<std::uint64_t>{cols};
}

inline void Checkpoint::add_matrix(const std::string& name, std::uint32_t rows, std::uint32_t cols)
{
    add(name + ".weight", rows, cols, 0, std::sqrt(3.0F / static_cast<float>(cols)));
}

inline void Checkpoint::add_norm(const std::string& name)
{
    add(name + ".weight", 1, dim, 1, 0.25F);
    if (opt())
        add(name + ".bias", 1, dim, 0, 0.5F);
}

inline void Checkpoint::add_layer(const std::string& block)
{
    add_norm(block + "attn_norm");
    add_matrix(block + "attn_q", heads * head_dim, dim);
    add_matrix(block + "attn_k", kv_heads * head_dim, dim);
    add_matrix(block + "attn_v", kv_heads * head_dim, dim);
    add_matrix(block + "attn_output", dim, heads * head_dim);
    add_norm(block + "ffn_norm");
    add_matrix(block + "ffn_up", hidden, dim);
    add_matrix(block + "ffn_down", dim, hidden);
    if (!opt())
        add_matrix(block + "ffn_gate", hidden, dim);
    for (const char* name : {"attn_q", "attn_k", "attn_v"})
        if (family != "llama")
            add(block + name + ".bias", 1, (name[5] == 'q' ? heads : kv_heads) * head_dim, 0, 0.5F);
    for (const char* name : {"attn_output", "ffn_up", "ffn_down"})
        if (opt())
            add(block + name + ".bias", 1, name == std::string("ffn_up") ? hidden : dim, 0, 0.5F);
}

inline void Checkpoint::draw(std::uint32_t seed)
{
    state_ = seed;
    add("token_embd.weight", vocab, dim, 0, 1);
    if (opt())
        add("position_embd.weight", context + 2, dim, 0, 0.5F);
    for (std::uint32_t layer = 0; layer < layers; ++layer)
        add_layer("blk." + std::to_string(layer) + ".");
    add_norm("output_norm");
    if (!tied)
        add_matrix("output", vocab, dim);
}

/// Reorders the rows of Q and K so that rotated pairs are neighbours, as converters do for the
/// architecture llama.
inline std::vector<float> Checkpoint::as_converted(const std::string& name) const
{
    const auto& values = weights.at(name);
    const bool q_or_k =
        name.find("attn_q.") != std::string::npos || name.find("attn_k.") != std::string::npos;
    if (family != "llama" || !q_or_k)
        return values;
    std::vector<float> result;
    const std::size_t cols = name.ends_with("bias") ? 1 : dim;
    for (std::size_t row = 0; row < values.size() / cols; ++row) {
        const std::size_t in_head = row % head_dim;
        const std::size_t from = row - in_head + in_head / 2 + in_head % 2 * (head_dim / 2);
        result.insert(result.end(), values.begin() + static_cast<std::ptrdiff_t>(from * cols),
                      values.begin() + static_cast<std::ptrdiff_t>((from + 1) * cols));
    }
    return result;
}

inline GgufWriter Checkpoint::gguf(GgmlType type) const
{
    GgufWriter writer;
    writer.text("general.architecture", family);
    writer.text("general.name", "Test model");
    writer.u32(family + ".context_length", context);
    writer.u32(family + ".embedding_length", dim);
    writer.u32(family + ".block_count", layers);
    writer.u32(family + ".feed_forward_length", hidden);
    writer.u32(family + ".attention.head_count", heads);
    if (kv_heads != heads)
        writer.u32(family + ".attention.head_count_kv", kv_heads);
    if (head_dim * heads != dim) {
        writer.u32(family + ".attention.key_length", head_dim);
        writer.u32(family + ".attention.value_length", head_dim);
    }
    writer.number(
        family + (opt() ? ".attention.layer_norm_epsilon" : ".attention.layer_norm_rms_epsilon"),
        1e-5F);
    if (theta != 10000)
        writer.number(family + ".rope.freq_base", static_cast<float>(theta));
    if (linear != 1) {
        writer.text(family + ".rope.scaling.type", "linear");
        writer.number(family + ".rope.scaling.factor", static_cast<float>(linear));
    }
    if (!divisors.empty())
        writer.tensor("rope_freqs.weight", {divisors.size()}, f32, encoded(divisors, f32));
    for (const auto& [name, dimensions] : dimensions_)
        writer.tensor(name, dimensions, dimensions.size() == 1 ? f32 : type,
                      encoded(as_converted(name), dimensions.size() == 1 ? f32 : type));
    return writer;
}

inline Vector Checkpoint::matrix(const std::string& name, const Vector& x) const
{
    const auto& m = weights.at(name + ".weight");
    Vector out(m.size() / x.size());
    const auto bias = weights.find(name + ".bias");
    for (std::size_t row = 0; row < out.size(); ++row) {
        out[row] = bias == weights.end() ? 0.0 : static_cast<double>(bias->second[row]);
        for (std::size_t i = 0; i < x.size(); ++i)
            out[row] += static_cast<double>(m[row * x.size() + i]) * x[i];
    }
    return out;
}

inline Vector Checkpoint::norm(const std::string& name, const Vector& x) const
{
    double mean = 0, square = 0;
    for (const double value : x)
        mean += opt() ? value / dim : 0;
    for (const double value : x)
        square += (value - mean) * (value - mean) / dim;
    Vector out;
    for (std::size_t i = 0; i < x.size(); ++i)
        out.push_back((x[i] - mean) / std::sqrt(square + 1e-5) *
                          static_cast<double>(weights.at(name + ".weight")[i]) +
                      (opt() ? static_cast<double>(weights.at(name + ".bias")[i]) : 0));
    return out;
}

/// Rotates as in the checkpoint, where value i is paired with value i + (half the head's width).
inline void Checkpoint::rotate(Vector& x, std::size_t position) const
{
    const std::size_t half = head_dim / 2;
    for (std::size_t head = 0; !opt() && head < x.size(); head += head_dim)
        for (std::size_t i = 0; i < half; ++i) {
            const double divisor =
                linear * (divisors.empty() ? 1 : static_cast<double>(divisors[i]));
            const double angle =
                static_cast<double>(position) / divisor *
                std::pow(theta, -static_cast<double>(i) / static_cast<double>(half));
            const double a = x[head + i], b = x[head + i + half];
            x[head + i] = a * std::cos(angle) - b * std::sin(angle);
            x[head + i + half] = a * std::sin(angle) + b * std::cos(angle);
        }
}

inline Vector Checkpoint::attention(const std::string& block, const Vector& x,
                                    std::vector<Vector>& keys, std::vector<Vector>& values) const
{
    Vector q = matrix(block + "attn_q", x), k = matrix(block + "attn_k", x);
    rotate(q, keys.size());
    rotate(k, keys.size());
    keys.push_back(k);
    values.push_back(matrix(block + "attn_v", x));
    Vector out(q.size(), 0.0);
    for (std::size_t head = 0; head < heads; ++head) {
        const std::size_t at = head * head_dim, shared = head / (heads / kv_heads) * head_dim;
        Vector p;
        double total = 0;
        for (const Vector& key : keys) {
            double score = 0;
            for (std::size_t i = 0; i < head_dim; ++i)
                score += q[at + i] * key[shared + i] / std::sqrt(static_cast<double>(head_dim));
            p.push_back(std::exp(score));
            total += p.back();
        }
        for (std::size_t token = 0; token < p.size(); ++token)
            for (std::size_t i = 0; i < head_dim; ++i)
                out[at + i] += p[token] / total * values[token][shared + i];
    }
    return matrix(block + "attn_output", out);
}

inline Vector Checkpoint::feed_forward(const std::string& block, const Vector& x) const
{
    Vector h = matrix(block + "ffn_up", x);
    const Vector gate = opt() ? h : matrix(block + "ffn_gate", x);
    for (std::size_t i = 0; i < h.size(); ++i)
        h[i] = opt() ? std::max(h[i], 0.0) : h[i] * gate[i] / (1 + std::exp(-gate[i]));
    return matrix(block + "ffn_down", h);
}

inline std::vector<Vector> Checkpoint::logits(const std::vector<std::uint32_t>& tokens) const
{
    std::vector<std::vector<Vector>> keys(layers), values(layers);
    std::vector<Vector> result;
    const auto add_to = [](Vector& x, const Vector& y) {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += y[i];
    };
    for (std::size_t position = 0; position < tokens.size(); ++position) {
        Vector x;
        for (std::size_t i = 0; i < dim; ++i)
            x.push_back(
                static_cast<double>(weights.at("token_embd.weight")[tokens[position] * dim + i]) +
                (opt() ? static_cast<double>(
                             weights.at("position_embd.weight")[(position + 2) * dim + i])
                       : 0));
        for (std::uint32_t layer = 0; layer < layers; ++layer) {
            const std::string b = "blk." + std::to_string(layer) + ".";
            add_to(x, attention(b, norm(b + "attn_norm", x), keys[layer], values[layer]));
            add_to(x, feed_forward(b, norm(b + "ffn_norm", x)));
        }
        result.push_back(matrix(tied ? "token_embd" : "output", norm("output_norm", x)));
    }
    return result;
}

} // namespace levee::test
