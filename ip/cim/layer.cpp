// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/layer.hpp"

#include "core/abi/model_image.h"
#include "ip/cim_macro/tiles.hpp"
#include "ip/rsa/model.hpp"
#include "ip/sfu/model.hpp"

#include <cstddef>

namespace levee::cim {

DecoderLayer::DecoderLayer(const levee_cim_model& model, const Parameters& parameters,
                           std::uint32_t input_bytes, cim_macro::Engine* macro)
    : model_(model), parameters_(parameters), input_bytes_(input_bytes), macro_(macro)
{
}

std::vector<float> DecoderLayer::linear(std::span<const float> x, levee_cim_matrix which) const
{
    const Matrix& matrix = parameters_.matrices[which];
    const std::size_t vectors = x.size() / matrix.columns;
    std::vector<std::int8_t> bytes(input_bytes_ == 1 ? x.size() : 0);
    std::vector<std::int16_t> words(input_bytes_ == 1 ? 0 : x.size());
    std::vector<float> scales(vectors), out(vectors * matrix.rows);
    for (std::size_t i = 0; i < vectors; ++i) {
        const auto from = x.subspan(i * matrix.columns, matrix.columns);
        scales[i] = input_bytes_ == 1
                        ? sfu::quantise8(from, std::span(bytes).subspan(i * matrix.columns))
                        : sfu::quantise(from, std::span(words).subspan(i * matrix.columns));
    }
    if (macro_ != nullptr) {
        if (input_bytes_ == 1)
            words.assign(bytes.begin(), bytes.end());
        return multiply_by_macro(words, scales, matrix);
    }
    rsa::Gemm gemm;
    gemm.m = static_cast<std::uint32_t>(vectors);
    gemm.n = matrix.rows;
    gemm.k = matrix.columns;
    gemm.a = {input_bytes_ == 1 ? std::as_bytes(std::span(bytes)) : std::as_bytes(std::span(words)),
              std::size_t{matrix.columns} * input_bytes_,
              input_bytes_ == 1 ? LEVEE_TYPE_INT8 : LEVEE_TYPE_INT16};
    gemm.a_scale = {scales, 1};
    gemm.b = {std::as_bytes(matrix.weights), matrix.row_bytes, LEVEE_TYPE_INT8};
    gemm.b_transposed = true;
    gemm.b_scale = {matrix.scales, 1};
    gemm.bias = matrix.biases;
    gemm.out = out;
    gemm.out_pitch = matrix.rows;
    rsa::gemm(gemm);
    return out;
}

/// Multiplies the codes of vectors by a matrix in the macros. Sums are exact; scale factors are
/// then applied in the same order as in ip/rsa.
std::vector<float> DecoderLayer::multiply_by_macro(std::span<const std::int16_t> codes,
                                                   std::span<const float> scales,
                                                   const Matrix& matrix) const
{
    const std::span<const std::int8_t> weights{
        reinterpret_cast<const std::int8_t*>(matrix.weights.data()), matrix.weights.size()};
    const std::vector<std::int64_t> sums = cim_macro::multiply_tiles(
        *macro_, {weights, matrix.rows, matrix.columns, matrix.row_bytes}, codes,
        input_bytes_ == 1 ? cim_macro::InputType::Int8 : cim_macro::InputType::Int16);
    std::vector<float> out(sums.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t row = i % matrix.rows;
        out[i] = static_cast<float>(sums[i]) * scales[i / matrix.rows] * matrix.scales[row];
        if (!matrix.biases.empty())
            out[i] += matrix.biases[row];
    }
    return out;
}

std::vector<float> DecoderLayer::normalise(std::span<const float> x, std::size_t which) const
{
    std::vector<float> out(x.size());
    for (std::size_t first = 0; first < x.size(); first += model_.dim) {
        const auto from = x.subspan(first, model_.dim);
        const auto to = std::span(out).subspan(first, model_.dim);
        if (model_.norm == LEVEE_NORM_RMS)
            sfu::rms_norm(from, parameters_.norm_gain[which], model_.norm_epsilon, to);
        else
            sfu::layer_norm(from, parameters_.norm_gain[which], parameters_.norm_bias[which],
                            model_.norm_epsilon, to);
    }
    return out;
}

void DecoderLayer::rotate(std::span<const float> x, std::size_t position,
                          std::span<float> out) const
{
    if (parameters_.rope_phase.empty())
        std::copy(x.begin(), x.end(), out.begin());
    else
        sfu::rope(x, parameters_.rope_phase, static_cast<std::uint32_t>(position),
                  model_.position == LEVEE_POSITION_ROPE_HALVES, out);
}

/// Stores a token's keys or values in its slot of each head. They start at element `first` of its
/// row.
void DecoderLayer::store(std::span<const float> row, std::size_t first, std::size_t slot,
                         bool rotated, Cached& cached) const
{
    const std::size_t slots = cached.scales.size() / model_.kv_heads, d = model_.head_dim;
    std::vector<float> vector(d);
    for (std::size_t head = 0; head < model_.kv_heads; ++head) {
        const auto from = row.subspan(first + head * d, d);
        std::copy(from.begin(), from.end(), vector.begin());
        if (rotated)
            rotate(from, slot, vector);
        cached.scales[head * slots + slot] =
            sfu::quantise(vector, std::span(cached.codes).subspan((head * slots + slot) * d, d));
    }
}

/// Attention of one head's query to the first `tokens` slots.
void DecoderLayer::attend(std::span<const float> query, std::size_t head, std::size_t tokens,
                          const Cached& keys, const Cached& values, std::span<float> out) const
{
    const std::size_t slots = keys.scales.size() / model_.kv_heads, d = model_.head_dim;
    const std::size_t first = head * slots;
    std::vector<std::int16_t> codes(d), weight_codes(tokens);
    std::vector<float> scores(tokens), weights(tokens);
    const float query_scale = sfu::quantise(query, codes);
    const auto operand = [](std::span<const std::int16_t> of, std::size_t pitch) {
        return rsa::Operand{std::as_bytes(of), pitch * sizeof(std::int16_t), LEVEE_TYPE_INT16};
    };
    rsa::Gemm score;
    score.m = 1;
    score.n = static_cast<std::uint32_t>(tokens);
    score.k = model_.head_dim;
    score.a = operand(codes, d);
    score.a_scale = {{&query_scale, 1}, 1};
    score.b = operand(std::span(keys.codes).subspan(first * d, tokens * d), d);
    score.b_transposed = true;
    score.b_scale = {std::span(keys.scales).subspan(first, tokens), 1};
    score.alpha = model_.score_scale;
    score.out = scores;
    score.out_pitch = tokens;
    rsa::gemm(score);
    sfu::softmax(scores, tokens, {std::span(values.scales).subspan(first, tokens), 1}, weights);
    const float weight_scale = sfu::quantise(weights, weight_codes);
    rsa::Gemm mix;
    mix.m = 1;
    mix.n = model_.head_dim;
    mix.k = static_cast<std::uint32_t>(tokens);
    mix.a = operand(weight_codes, tokens);
    mix.a_scale = {{&weight_scale, 1}, 1};
    mix.b = operand(std::span(values.codes).subspan(first * d, tokens * d), d);
    mix.out = out;
    mix.out_pitch = d;
    rsa::gemm(mix);
}

/// Attention of all heads for one token. Its query is at the beginning of `row`.
std::vector<float> DecoderLayer::attention(std::span<const float> row, std::size_t position,
                                           const Cached& keys, const Cached& values) const
{
    const std::size_t d = model_.head_dim, group = model_.heads / model_.kv_heads;
    std::vector<float> out(model_.heads * d), query(d);
    for (std::size_t head = 0; head < model_.heads; ++head) {
        rotate(row.subspan(head * d, d), position, query);
        attend(query, head / group, position + 1, keys, values,
               std::span(out).subspan(head * d, d));
    }
    return out;
}

std::vector<float> DecoderLayer::feed_forward(std::span<const float> x) const
{
    const std::vector<float> expanded = linear(normalise(x, 1), LEVEE_CIM_EXPAND);
    const std::size_t rows = parameters_.matrices[LEVEE_CIM_EXPAND].rows;
    const std::size_t inner = parameters_.matrices[LEVEE_CIM_CONTRACT].columns;
    std::vector<float> activated(expanded.size() / rows * inner);
    for (std::size_t i = 0; i < expanded.size() / rows; ++i) {
        const auto from = std::span(expanded).subspan(i * rows, rows);
        const auto to = std::span(activated).subspan(i * inner, inner);
        if (model_.activation == LEVEE_ACTIVATION_SILU_GLU)
            sfu::silu_mul(from.first(inner), from.subspan(inner), to);
        else if (model_.activation == LEVEE_ACTIVATION_GELU)
            sfu::gelu(from, to);
        else
            sfu::relu(from, to);
    }
    return linear(activated, LEVEE_CIM_CONTRACT);
}

void DecoderLayer::run(std::span<float> x, std::size_t before, Cached& keys, Cached& values) const
{
    const std::vector<float> projected = linear(normalise(x, 0), LEVEE_CIM_QKV);
    const std::size_t width = parameters_.matrices[LEVEE_CIM_QKV].rows;
    const std::size_t tokens = x.size() / model_.dim;
    const std::size_t query = std::size_t{model_.heads} * model_.head_dim;
    const std::size_t key = std::size_t{model_.kv_heads} * model_.head_dim;
    std::vector<float> mixed;
    for (std::size_t i = 0; i < tokens; ++i) {
        const auto row = std::span(projected).subspan(i * width, width);
        store(row, query, before + i, true, keys);
        store(row, query + key, before + i, false, values);
        const std::vector<float> one = attention(row, before + i, keys, values);
        mixed.insert(mixed.end(), one.begin(), one.end());
    }
    sfu::add(x, linear(mixed, LEVEE_CIM_OUTPUT), x);
    sfu::add(x, feed_forward(x), x);
}

} // namespace levee::cim
