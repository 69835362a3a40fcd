// SPDX-License-Identifier: Apache-2.0
#include "test/reference/transformer_parts.hpp"

#include "ip/rsa/model.hpp"
#include "ip/sfu/model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

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

TransformerParts::TransformerParts(const ModelImage& image, unsigned input_bits, unsigned kv_bits)
    : image_(image), input_bits_(input_bits), kv_bits_(kv_bits), shape_(image.header())
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
    std::vector<QuantisedVector> heads;
    for (std::size_t first = 0; first < x.size(); first += shape_.head_dim)
        heads.push_back(quantise(std::span(x).subspan(first, shape_.head_dim), bits));
    return heads;
}

QuantisedVector TransformerParts::attention_input(const Vector& x, std::uint32_t layer) const
{
    return quantise_input(normalised(x, LEVEE_TENSOR_NORM_ATTENTION, layer));
}

Projections TransformerParts::recompute(const QuantisedVector& input, std::uint32_t layer,
                                        std::uint32_t position) const
{
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

// [first, end) of the parts of `count` slots.
template <typename Visit> void for_each_part(std::size_t count, std::size_t part, Visit visit)
{
    const std::size_t step = part == 0 ? count : part;
    for (std::size_t first = 0; first < count; first += step)
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

std::vector<float> TransformerParts::probabilities(const Vector& raw, std::size_t key_tile) const
{
    const Vector scores = capped(raw);
    Vector result(scores.size());
    sfu::Running running;
    const std::span<const float> all(scores);
    for_each_part(scores.size(), key_tile, [&](std::size_t first, std::size_t count) {
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
    mix.n = shape_.head_dim;
    mix.k = static_cast<std::uint32_t>(tokens);
    mix.a = operand(probabilities.codes, tokens);
    mix.a_scale = {{&probabilities.scale, 1}, 1};
    mix.b = operand(std::span(values.codes).subspan(first * shape_.head_dim), shape_.head_dim);
    mix.accumulate = first != 0;
    mix.keep = {{&keep, 1}, 1};
    mix.out = out;
    mix.out_pitch = out.size();
    rsa::gemm(mix);
}

std::vector<float> TransformerParts::mix(const Vector& raw, const CacheSlice& values,
                                         std::size_t key_tile) const
{
    const Vector scores = capped(raw);
    Vector out(shape_.head_dim);
    sfu::Running running;
    for_each_part(scores.size(), key_tile, [&](std::size_t first, std::size_t count) {
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
    const Vector added = multiply(quantise_input(heads), LEVEE_TENSOR_WO, layer, LEVEE_TENSOR_BO);
    if (image_.shape().parallel)
        shared_input_ = attention_input(x, layer);
    sfu::add(x, normalised(added, LEVEE_TENSOR_NORM_ATTENTION_AFTER, layer), x);
}

std::vector<float> TransformerParts::multiply_rows(const QuantisedVector& x,
                                                   const TensorView& matrix, std::uint32_t first,
                                                   std::uint32_t rows) const
{
    Vector out(rows);
    rsa::Gemm gemm;
    gemm.m = 1;
    gemm.n = rows;
    gemm.k = matrix.cols();
    gemm.a = operand(x.codes, x.codes.size());
    gemm.a_scale = {{&x.scale, 1}, 1};
    const std::size_t row_bytes = matrix.entry.row_bytes;
    gemm.b = {std::as_bytes(matrix.data).subspan(first * row_bytes, rows * row_bytes), row_bytes,
              matrix.type()};
    gemm.b_transposed = true;
    gemm.group = matrix.group;
    const std::size_t scales = matrix.scales_a_row();
    gemm.b_scale = {matrix.scales.subspan(first * scales, rows * scales), scales};
    gemm.out = out;
    gemm.out_pitch = out.size();
    rsa::gemm(gemm);
    return out;
}

std::vector<float> TransformerParts::mixture_of_experts(const QuantisedVector& input,
                                                        std::uint32_t layer) const
{
    const ModelShape& shape = image_.shape();
    const TensorView ups = image_.tensor(LEVEE_TENSOR_W_EXPERTS_UP, layer);
    const TensorView downs = image_.tensor(LEVEE_TENSOR_W_EXPERTS_DOWN, layer);
    const std::uint32_t rows = shape.hidden * (shape.gated() ? 2 : 1);
    std::vector<sfu::Choice> choices(shape.chosen);
    sfu::choose(multiply(input, LEVEE_TENSOR_W_ROUTER, layer), shape.among_chosen, choices);
    Vector sum(shape.dim);
    for (std::size_t j = 0; j < choices.size(); ++j) {
        const std::uint32_t expert = choices[j].index;
        const Vector both = multiply_rows(input, ups, expert * rows, rows);
        const std::span<const float> up = std::span(both).last(shape.hidden);
        Vector hidden(shape.hidden);
        activate(shape, std::span(both).first(shape.hidden), up, hidden);
        sfu::accumulate(multiply_rows(quantise_input(hidden), downs, expert * shape.dim, shape.dim),
                        choices[j].weight, j == 0, sum);
    }
    return sum;
}

void TransformerParts::add_feed_forward(Vector& x, std::uint32_t layer) const
{
    const QuantisedVector input = image_.shape().parallel
                                      ? shared_input_
                                      : quantise_input(normalised(x, LEVEE_TENSOR_NORM_FFN, layer));
    if (image_.shape().experts != 0) {
        sfu::add(
            x, normalised(mixture_of_experts(input, layer), LEVEE_TENSOR_NORM_FFN_AFTER, layer), x);
        return;
    }
    Vector hidden = multiply(input, LEVEE_TENSOR_W_UP, layer, LEVEE_TENSOR_B_UP);
    if (image_.shape().gated())
        activate(image_.shape(), multiply(input, LEVEE_TENSOR_W_GATE, layer), hidden, hidden);
    else
        activate(image_.shape(), hidden, {}, hidden);
    const Vector added =
        multiply(quantise_input(hidden), LEVEE_TENSOR_W_DOWN, layer, LEVEE_TENSOR_B_DOWN);
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
