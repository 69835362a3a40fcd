// SPDX-License-Identifier: Apache-2.0
#include "test/reference/decomposed_transformer.hpp"

#include "ip/rsa/model.hpp"
#include "ip/sfu/model.hpp"
#include "test/reference/window_order.hpp"

#include <cmath>
#include <numeric>

namespace levee::test {

namespace {

using Vector = std::vector<float>;

QuantisedVector quantise(std::span<const float> x)
{
    QuantisedVector result{std::vector<std::int16_t>(x.size()), 0.0f};
    result.scale = sfu::quantise(x, result.codes);
    return result;
}

rsa::Gemm product_of(const QuantisedVector& a, Vector& out)
{
    rsa::Gemm gemm;
    gemm.m = 1;
    gemm.n = static_cast<std::uint32_t>(out.size());
    gemm.k = static_cast<std::uint32_t>(a.codes.size());
    gemm.a = {std::as_bytes(std::span(a.codes)), a.codes.size() * 2, LEVEE_TYPE_INT16};
    gemm.a_scale = {{&a.scale, 1}, 1};
    gemm.out = out;
    gemm.out_pitch = out.size();
    return gemm;
}

} // namespace

DecomposedTransformer::DecomposedTransformer(const ModelImage& image)
    : image_(image), parts_(image), inputs_(image.header().layers),
      keys_(std::size_t{image.header().layers} * image.header().kv_heads)
{
}

std::vector<QuantisedVector> DecomposedTransformer::queries(const QuantisedVector& x,
                                                            std::uint32_t layer) const
{
    const levee_model_header& shape = parts_.shape();
    const TensorView w_q = image_.tensor(LEVEE_TENSOR_WQ, layer);
    const TensorView w_k = image_.tensor(LEVEE_TENSOR_WK, layer);
    Vector scales(w_q.rows()), bias;
    const std::size_t group = shape.heads / shape.kv_heads;
    const auto factor = [&](std::size_t i) {
        return w_k.scales[i / shape.head_dim / group * shape.head_dim + i % shape.head_dim];
    };
    for (std::size_t i = 0; i < scales.size(); ++i)
        scales[i] = w_q.scales[i] * factor(i);
    if (image_.has(LEVEE_TENSOR_BQ, layer))
        for (const float value : image_.tensor(LEVEE_TENSOR_BQ, layer).floats())
            bias.push_back(value * factor(bias.size()));
    Vector out(w_q.rows());
    rsa::Gemm gemm = product_of(x, out);
    gemm.b = {std::as_bytes(w_q.data), w_q.entry.row_bytes, w_q.type()};
    gemm.b_transposed = true;
    gemm.b_scale = {scales, 1};
    gemm.bias = bias;
    rsa::gemm(gemm);
    std::vector<QuantisedVector> heads;
    for (std::size_t head = 0; head < shape.heads; ++head)
        heads.push_back(quantise(std::span(out).subspan(head * shape.head_dim, shape.head_dim)));
    return heads;
}

QuantisedVector DecomposedTransformer::through_keys(const QuantisedVector& query,
                                                    std::uint32_t layer,
                                                    std::uint32_t kv_head) const
{
    const TensorView w_k = image_.tensor(LEVEE_TENSOR_WK, layer);
    Vector out(parts_.shape().dim);
    rsa::Gemm gemm = product_of(query, out);
    const std::size_t first = std::size_t{kv_head} * parts_.shape().head_dim;
    gemm.b = {std::as_bytes(w_k.data.subspan(first * w_k.entry.row_bytes)), w_k.entry.row_bytes,
              w_k.type()};
    rsa::gemm(gemm);
    return quantise(out);
}

/// If `transposed`, returns a X^T, multiplied by each token's scale and the scale of scores.
/// Otherwise returns a X.
Vector DecomposedTransformer::multiply_inputs(const QuantisedVector& a, const CacheSlice& x,
                                              bool transposed) const
{
    const std::size_t dim = parts_.shape().dim;
    Vector out(transposed ? x.scales.size() : dim);
    rsa::Gemm gemm = product_of(a, out);
    gemm.b = {std::as_bytes(std::span(x.codes)), dim * 2, LEVEE_TYPE_INT16};
    gemm.b_transposed = transposed;
    if (transposed) {
        gemm.b_scale = {x.scales, 1};
        gemm.alpha = 1.0f / std::sqrt(static_cast<float>(parts_.shape().head_dim));
    }
    rsa::gemm(gemm);
    return out;
}

Vector DecomposedTransformer::mix(const Vector& scores, const CacheSlice& x, std::uint32_t layer,
                                  std::uint32_t head) const
{
    const std::uint32_t kv_head = head / (parts_.shape().heads / parts_.shape().kv_heads);
    Vector weights(scores.size());
    sfu::Running running = parts_.before(layer, head);
    (void)sfu::softmax_part(scores, scores.size(), running, {x.scales, 1}, weights);
    const QuantisedVector p = quantise(multiply_inputs(quantise(weights), x, false));
    const TensorView w_v = image_.tensor(LEVEE_TENSOR_WV, layer);
    const std::size_t dim = parts_.shape().head_dim, first = kv_head * dim;
    Vector out(dim);
    rsa::Gemm gemm = product_of(p, out);
    gemm.b = {std::as_bytes(w_v.data.subspan(first * w_v.entry.row_bytes)), w_v.entry.row_bytes,
              w_v.type()};
    gemm.b_transposed = true;
    gemm.b_scale = {w_v.scales.subspan(first, dim), 1};
    if (image_.has(LEVEE_TENSOR_BV, layer))
        gemm.bias = image_.tensor(LEVEE_TENSOR_BV, layer).floats().subspan(first, dim);
    rsa::gemm(gemm);
    return out;
}

Vector DecomposedTransformer::attention(const QuantisedVector& x, std::uint32_t layer)
{
    const levee_model_header& shape = parts_.shape();
    const bool rotated = shape.position != LEVEE_POSITION_LEARNED;
    inputs_[layer].append(x);
    Projections token;
    if (rotated) {
        token = parts_.project(x, layer, position_);
        for (std::size_t head = 0; head < shape.kv_heads; ++head)
            keys_[std::size_t{layer} * shape.kv_heads + head].append(token.keys[head]);
    } else {
        token.queries = queries(x, layer);
    }
    const std::uint32_t group = shape.heads / shape.kv_heads;
    const WindowOrder window{parts_.window_of(layer), 0};
    std::vector<std::uint32_t> seen(position_ + 1);
    std::iota(seen.begin(), seen.end(), 0U);
    if (window.window != 0)
        seen = window.by_slot(position_);
    const CacheSlice inputs = inputs_[layer].listed(seen);
    Vector out;
    for (std::uint32_t head = 0; head < shape.heads; ++head) {
        const std::uint32_t kv_head = head / group;
        const Vector scores =
            rotated
                ? parts_.scores(token.queries[head],
                                keys_[std::size_t{layer} * shape.kv_heads + kv_head].listed(seen),
                                seen.size())
                : multiply_inputs(through_keys(token.queries[head], layer, kv_head), inputs, true);
        const Vector part = mix(scores, inputs, layer, head);
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

std::vector<float> DecomposedTransformer::step(std::uint32_t token)
{
    Vector x = parts_.embed(token, position_);
    for (std::uint32_t layer = 0; layer < parts_.shape().layers; ++layer) {
        parts_.add_attention(x, attention(parts_.attention_input(x, layer), layer), layer);
        parts_.add_feed_forward(x, layer);
    }
    ++position_;
    return parts_.logits(x);
}

} // namespace levee::test
