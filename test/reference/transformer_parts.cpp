// SPDX-License-Identifier: Apache-2.0
#include "test/reference/transformer_parts.hpp"

#include "ip/rsa/model.hpp"
#include "ip/sfu/model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace levee::test {
namespace {

QuantisedVector quantise(std::span<const float> x, unsigned bits = 16)
{
    QuantisedVector result{std::vector<std::int16_t>(x.size()), 0.0f};
    if (bits == 16) {
        result.scale = sfu::quantise(x, result.codes);
        return result;
    }
    std::vector<std::int8_t> codes(x.size());
    result.scale = bits == 8 ? sfu::quantise8(x, codes) : sfu::quantise4(x, codes);
    std::copy(codes.begin(), codes.end(), result.codes.begin());
    return result;
}

rsa::Operand operand(std::span<const std::int16_t> codes, std::size_t row_elements)
{
    return {std::as_bytes(codes), row_elements * sizeof(std::int16_t), LEVEE_TYPE_INT16};
}

} // namespace

void CacheSlice::append(const QuantisedVector& row)
{
    put(scales.size(), row);
}

void CacheSlice::put(std::size_t slot, const QuantisedVector& row)
{
    if (slot >= scales.size()) {
        codes.resize((slot + 1) * row.codes.size());
        scales.resize(slot + 1);
    }
    std::copy(row.codes.begin(), row.codes.end(), codes.begin() + slot * row.codes.size());
    scales[slot] = row.scale;
}

QuantisedVector CacheSlice::row(std::size_t slot) const
{
    const std::size_t width = codes.size() / scales.size();
    const auto first = codes.begin() + slot * width;
    return {{first, first + width}, scales.at(slot)};
}

CacheSlice CacheSlice::listed(std::span<const std::uint32_t> slots) const
{
    CacheSlice some;
    for (const std::uint32_t slot : slots)
        some.append(row(slot));
    return some;
}

TransformerParts::TransformerParts(const ModelImage& image, unsigned input_bits, unsigned kv_bits,
                                   bool hadamard)
    : image_(image), input_bits_(input_bits), kv_bits_(kv_bits), hadamard_(hadamard),
      shape_(image.header())
{
    if (rsa::passes(LEVEE_TYPE_INT16, image.weight_type()) == 0)
        throw std::invalid_argument(image.name() + ": weights of type " +
                                    type_name(shape_.weight_type) +
                                    ", the array takes INT8, INT4 or INT3");
}

std::vector<float> TransformerParts::embed(std::uint32_t token, std::uint32_t position) const
{
    if (token >= shape_.vocab)
        throw std::out_of_range("token " + std::to_string(token) + ", vocabulary of " +
                                std::to_string(shape_.vocab));
    if (position >= shape_.max_context)
        throw std::out_of_range("position " + std::to_string(position) + ", context of " +
                                std::to_string(shape_.max_context));
    const TensorView table = image_.tensor(LEVEE_TENSOR_EMBEDDING);
    TensorView learned{};
    std::span<const float> position_row;
    if (shape_.position == LEVEE_POSITION_LEARNED) {
        learned = image_.tensor(LEVEE_TENSOR_POSITION);
        const auto row = learned.row(position);
        position_row = {reinterpret_cast<const float*>(row.data()), shape_.dim};
    }
    Vector x(shape_.dim);
    sfu::embed(std::as_bytes(table.row(token)), table.type(), table.row_scales(token), table.group,
               position_row, x);
    return x;
}

std::vector<float> TransformerParts::normalised(const Vector& x, levee_tensor_kind gain,
                                                std::uint32_t layer) const
{
    if (!image_.has(gain, layer))
        return x;
    const auto gains = image_.tensor(gain, layer).floats();
    Vector result(x.size());
    if (shape_.norm == LEVEE_NORM_RMS)
        sfu::rms_norm(x, gains, shape_.norm_epsilon, result);
    else
        sfu::layer_norm(x, gains,
                        image_.tensor(static_cast<levee_tensor_kind>(gain + 1), layer).floats(),
                        shape_.norm_epsilon, result);
    return result;
}

QuantisedVector TransformerParts::quantise_input(const Vector& x) const
{
    return quantise(x, input_bits_);
}

std::vector<float> TransformerParts::multiply(const QuantisedVector& x, levee_tensor_kind weights,
                                              std::uint32_t layer,
                                              std::optional<levee_tensor_kind> bias) const
{
    const TensorView matrix = image_.tensor(weights, layer);
    Vector out(matrix.rows());
    rsa::Gemm gemm;
    gemm.m = 1;
    gemm.n = matrix.rows();
    gemm.k = matrix.cols();
    gemm.a = operand(x.codes, x.codes.size());
    gemm.a_scale = {{&x.scale, 1}, 1};
    gemm.b = {std::as_bytes(matrix.data), matrix.entry.row_bytes, matrix.type()};
    gemm.b_transposed = true;
    gemm.group = matrix.group;
    gemm.b_scale = {matrix.scales, matrix.scales_a_row()};
    if (bias && image_.has(*bias, layer))
        gemm.bias = image_.tensor(*bias, layer).floats();
    gemm.out = out;
    gemm.out_pitch = out.size();
    rsa::gemm(gemm);
    return out;
}

std::vector<QuantisedVector>
TransformerParts::quantise_heads(Vector x, unsigned bits,
                                 std::optional<Positioned> positioned) const
{
    if (positioned)
        place_heads(image_, *positioned, x);
    if (hadamard_)
        sfu::hadamard(x, shape_.head_dim);
    std::vector<QuantisedVector> heads;
    for (std::size_t first = 0; first < x.size(); first += shape_.head_dim)
        heads.push_back(quantise(std::span(x).subspan(first, shape_.head_dim), bits));
    return heads;
}

QuantisedVector TransformerParts::attention_input(const Vector& x, std::uint32_t layer) const
{
    return quantise_input(normalised(x, LEVEE_TENSOR_NORM_ATTENTION, layer));
}

std::uint32_t TransformerParts::cached_value() const
{
    const std::uint32_t latent = image_.shape().kv_latent;
    return latent != 0 ? latent : shape_.head_dim;
}

std::vector<float> TransformerParts::normalised_latent(std::span<const float> x,
                                                       levee_tensor_kind gain,
                                                       std::uint32_t layer) const
{
    Vector result(x.size());
    sfu::rms_norm(x, image_.tensor(gain, layer).floats(), shape_.norm_epsilon, result);
    return result;
}

Projections TransformerParts::latent_key(const QuantisedVector& input, std::uint32_t layer,
                                         std::uint32_t position) const
{
    const std::uint32_t latent = image_.shape().kv_latent;
    Vector raw = multiply(input, LEVEE_TENSOR_W_KV_LATENT, layer);
    const Vector value =
        normalised_latent(std::span(raw).last(latent), LEVEE_TENSOR_NORM_KV_LATENT, layer);
    std::copy(value.begin(), value.end(), raw.end() - latent);
    Projections result;
    result.keys = quantise_heads(raw, kv_bits_, Positioned{LEVEE_TENSOR_NORM_KEY, layer, position});
    const QuantisedVector& key = result.keys.front();
    result.values.push_back({{key.codes.end() - latent, key.codes.end()}, key.scale});
    return result;
}

std::vector<QuantisedVector> TransformerParts::latent_queries(const QuantisedVector& input,
                                                              std::uint32_t layer,
                                                              std::uint32_t position) const
{
    const ModelShape& shape = image_.shape();
    const Vector raw = shape.query_latent == 0
                           ? multiply(input, LEVEE_TENSOR_WQ, layer)
                           : multiply(quantise_input(normalised_latent(
                                          multiply(input, LEVEE_TENSOR_W_QUERY_LATENT, layer),
                                          LEVEE_TENSOR_NORM_QUERY_LATENT, layer)),
                                      LEVEE_TENSOR_WQ, layer);
    Vector queries;
    for (std::uint32_t head = 0; head < shape.heads; ++head) {
        const auto own =
            std::span(raw).subspan(std::size_t{head} * shape.raw_query(), shape.raw_query());
        const auto rotated = own.last(shape.rotary_dim);
        const Vector absorbed =
            multiply_rows(quantise(own.first(shape.nope_dim), input_bits_), LEVEE_TENSOR_W_KEY_UP,
                          layer, {}, {head, shape.heads});
        queries.insert(queries.end(), rotated.begin(), rotated.end());
        queries.insert(queries.end(), absorbed.begin(), absorbed.end());
    }
    return quantise_heads(queries, 16, Positioned{LEVEE_TENSOR_NORM_QUERY, layer, position});
}

std::vector<float> TransformerParts::latent_results(const Vector& heads, std::uint32_t layer) const
{
    const ModelShape& shape = image_.shape();
    Vector results;
    for (std::uint32_t head = 0; head < shape.heads; ++head) {
        const auto own =
            std::span(heads).subspan(std::size_t{head} * shape.kv_latent, shape.kv_latent);
        const Vector result = multiply_rows(quantise(own, input_bits_), LEVEE_TENSOR_W_VALUE_UP,
                                            layer, {}, {head, shape.heads});
        results.insert(results.end(), result.begin(), result.end());
    }
    return results;
}

Projections TransformerParts::recompute(const QuantisedVector& input, std::uint32_t layer,
                                        std::uint32_t position) const
{
    if (image_.shape().kv_latent != 0)
        return latent_key(input, layer, position);
    Projections result;
    result.keys = quantise_heads(multiply(input, LEVEE_TENSOR_WK, layer, LEVEE_TENSOR_BK), kv_bits_,
                                 Positioned{LEVEE_TENSOR_NORM_KEY, layer, position});
    result.values =
        quantise_heads(multiply(input, LEVEE_TENSOR_WV, layer, LEVEE_TENSOR_BV), kv_bits_, {});
    return result;
}

Projections TransformerParts::project(const QuantisedVector& input, std::uint32_t layer,
                                      std::uint32_t position) const
{
    Projections result = recompute(input, layer, position);
    if (image_.shape().kv_latent != 0) {
        result.queries = latent_queries(input, layer, position);
        return result;
    }
    result.queries = quantise_heads(multiply(input, LEVEE_TENSOR_WQ, layer, LEVEE_TENSOR_BQ), 16,
                                    Positioned{LEVEE_TENSOR_NORM_QUERY, layer, position});
    return result;
}

std::vector<float> TransformerParts::scores(const QuantisedVector& query, const CacheSlice& keys,
                                            std::size_t tokens) const
{
    Vector scores(tokens);
    rsa::Gemm score;
    score.m = 1;
    score.n = static_cast<std::uint32_t>(tokens);
    score.k = shape_.head_dim;
    score.a = operand(query.codes, shape_.head_dim);
    score.a_scale = {{&query.scale, 1}, 1};
    score.b = operand(keys.codes, shape_.head_dim);
    score.b_transposed = true;
    score.b_scale = {keys.scales, 1};
    score.alpha = 1.0f / std::sqrt(static_cast<float>(shape_.head_dim));
    score.out = scores;
    score.out_pitch = tokens;
    rsa::gemm(score);
    return scores;
}

namespace {

// Calls `visit` with [first, end) of each part of `count` slots. The first part is `lead` slots
// shorter.
template <typename Visit>
void for_each_part(std::size_t count, std::size_t part, std::size_t lead, Visit visit)
{
    std::size_t step = part == 0 ? count : part - lead;
    for (std::size_t first = 0; first < count; first += std::exchange(step, part))
        visit(first, std::min(step, count - first));
}

} // namespace

std::vector<float> TransformerParts::capped(const Vector& scores) const
{
    Vector result = scores;
    if (image_.shape().score_cap != 0.0f)
        sfu::soft_cap(result, image_.shape().score_cap, result);
    return result;
}

sfu::Running TransformerParts::before(std::uint32_t layer, std::size_t head) const
{
    if (!image_.shape().sinks)
        return {};
    return sfu::running_of_sink(image_.tensor(LEVEE_TENSOR_ATTENTION_SINKS, layer).floats()[head]);
}

std::vector<float> TransformerParts::probabilities(const Vector& raw, std::size_t key_tile,
                                                   sfu::Running running, std::size_t lead) const
{
    const Vector scores = capped(raw);
    Vector result(scores.size());
    const std::span<const float> all(scores);
    for_each_part(scores.size(), key_tile, lead, [&](std::size_t first, std::size_t count) {
        sfu::softmax_part(all.subspan(first, count), count, running, {},
                          std::span(result).subspan(first, count));
    });
    sfu::softmax_known(scores, scores.size(), running, {}, result);
    return result;
}

void TransformerParts::add_part(const QuantisedVector& probabilities, const CacheSlice& values,
                                std::size_t first, float keep, Vector& out) const
{
    const std::size_t tokens = probabilities.codes.size();
    rsa::Gemm mix;
    mix.m = 1;
    mix.n = cached_value();
    mix.k = static_cast<std::uint32_t>(tokens);
    mix.a = operand(probabilities.codes, tokens);
    mix.a_scale = {{&probabilities.scale, 1}, 1};
    mix.b = operand(std::span(values.codes).subspan(first * cached_value()), cached_value());
    mix.accumulate = first != 0;
    mix.keep = {{&keep, 1}, 1};
    mix.out = out;
    mix.out_pitch = out.size();
    rsa::gemm(mix);
}

std::uint32_t TransformerParts::window_of(std::uint32_t layer) const
{
    const ModelShape& shape = image_.shape();
    const bool local = (shape.flags_of(layer) & LEVEE_LAYER_LOCAL) != 0;
    return local && shape.window < shape.max_context ? shape.window : 0;
}

std::vector<float> TransformerParts::mix(const Vector& raw, const CacheSlice& values,
                                         std::size_t key_tile, std::size_t lead,
                                         sfu::Running running) const
{
    const Vector scores = capped(raw);
    Vector out(cached_value());
    for_each_part(scores.size(), key_tile, lead, [&](std::size_t first, std::size_t count) {
        Vector weights(count);
        const float keep =
            sfu::softmax_part(std::span(scores).subspan(first, count), count, running,
                              {std::span(values.scales).subspan(first), 1}, weights);
        add_part(quantise(weights), values, first, keep, out);
    });
    return out;
}

void TransformerParts::add_attention(Vector& x, const Vector& heads, std::uint32_t layer) const
{
    const bool latent = image_.shape().kv_latent != 0;
    Vector results = latent ? latent_results(heads, layer) : heads;
    if (hadamard_)
        sfu::hadamard(results, shape_.head_dim);
    const Vector added = multiply(quantise_input(results), LEVEE_TENSOR_WO, layer, LEVEE_TENSOR_BO);
    if (image_.shape().parallel)
        shared_input_ = attention_input(x, layer);
    sfu::add(x, normalised(added, LEVEE_TENSOR_NORM_ATTENTION_AFTER, layer), x);
}

std::vector<float> TransformerParts::multiply_rows(const QuantisedVector& x,
                                                   levee_tensor_kind weights, std::uint32_t layer,
                                                   std::optional<levee_tensor_kind> bias,
                                                   Rows rows) const
{
    const TensorView matrix = image_.tensor(weights, layer);
    const std::uint32_t count = matrix.rows() / rows.count, first = rows.number * count;
    Vector out(count);
    rsa::Gemm gemm;
    gemm.m = 1;
    gemm.n = count;
    gemm.k = matrix.cols();
    gemm.a = operand(x.codes, x.codes.size());
    gemm.a_scale = {{&x.scale, 1}, 1};
    const std::size_t row_bytes = matrix.entry.row_bytes;
    gemm.b = {std::as_bytes(matrix.data).subspan(first * row_bytes, count * row_bytes), row_bytes,
              matrix.type()};
    gemm.b_transposed = true;
    gemm.group = matrix.group;
    const std::size_t scales = matrix.scales_a_row();
    gemm.b_scale = {matrix.scales.subspan(first * scales, count * scales), scales};
    if (bias && image_.has(*bias, layer))
        gemm.bias = image_.tensor(*bias, layer).floats().subspan(first, count);
    gemm.out = out;
    gemm.out_pitch = out.size();
    rsa::gemm(gemm);
    return out;
}

std::vector<float> TransformerParts::expert(const QuantisedVector& input, std::uint32_t layer,
                                            std::uint32_t number) const
{
    const ModelShape& shape = image_.shape();
    const Rows rows{number, shape.experts};
    const Vector both =
        multiply_rows(input, LEVEE_TENSOR_W_EXPERTS_UP, layer, LEVEE_TENSOR_B_EXPERTS_UP, rows);
    Vector hidden(shape.hidden);
    activate(shape, std::span(both).first(shape.hidden), std::span(both).last(shape.hidden),
             hidden);
    return multiply_rows(quantise_input(hidden), LEVEE_TENSOR_W_EXPERTS_DOWN, layer,
                         LEVEE_TENSOR_B_EXPERTS_DOWN, rows);
}

std::vector<float> TransformerParts::mixture_of_experts(const QuantisedVector& input,
                                                        std::uint32_t layer) const
{
    const ModelShape& shape = image_.shape();
    sfu::Routing routing{shape.among_chosen, shape.sigmoid};
    if (shape.choice_bias)
        routing.bias = image_.tensor(LEVEE_TENSOR_ROUTER_CHOICE_BIAS, layer).floats();
    std::vector<sfu::Choice> choices(shape.chosen);
    sfu::choose(multiply(input, LEVEE_TENSOR_W_ROUTER, layer, LEVEE_TENSOR_B_ROUTER), routing,
                choices);
    Vector sum(shape.dim);
    for (std::size_t j = 0; j < choices.size(); ++j)
        sfu::accumulate(expert(input, layer, choices[j].index), choices[j].weight, j == 0, sum);
    if (shape.shared_hidden != 0) {
        const float gate =
            shape.shared_gate
                ? sigmoid_fp32(multiply(input, LEVEE_TENSOR_W_SHARED_GATE, layer).front())
                : 1.0f;
        sfu::accumulate(network(input, layer), gate, false, sum);
    }
    return sum;
}

std::vector<float> TransformerParts::network(const QuantisedVector& input,
                                             std::uint32_t layer) const
{
    Vector hidden = multiply(input, LEVEE_TENSOR_W_UP, layer, LEVEE_TENSOR_B_UP);
    if (image_.shape().gated())
        activate(image_.shape(), multiply(input, LEVEE_TENSOR_W_GATE, layer), hidden, hidden);
    else
        activate(image_.shape(), hidden, {}, hidden);
    return multiply(quantise_input(hidden), LEVEE_TENSOR_W_DOWN, layer, LEVEE_TENSOR_B_DOWN);
}

void TransformerParts::add_feed_forward(Vector& x, std::uint32_t layer) const
{
    const QuantisedVector input = image_.shape().parallel
                                      ? shared_input_
                                      : quantise_input(normalised(x, LEVEE_TENSOR_NORM_FFN, layer));
    const Vector added = image_.shape().has_experts(layer) ? mixture_of_experts(input, layer)
                                                           : network(input, layer);
    sfu::add(x, normalised(added, LEVEE_TENSOR_NORM_FFN_AFTER, layer), x);
}

std::vector<float> TransformerParts::logits(const Vector& x) const
{
    const QuantisedVector last =
        quantise_input(normalised(x, LEVEE_TENSOR_NORM_FINAL, LEVEE_NO_LAYER));
    const bool tied = !image_.has(LEVEE_TENSOR_CLASSIFIER);
    const auto classifier = tied ? LEVEE_TENSOR_EMBEDDING : LEVEE_TENSOR_CLASSIFIER;
    Vector logits = multiply(last, classifier, LEVEE_NO_LAYER);
    if (image_.shape().logit_cap != 0.0f)
        sfu::soft_cap(logits, image_.shape().logit_cap, logits);
    return logits;
}

} // namespace levee::test
