#include "test/reference/composed_transformer.hpp"

#include "ip/rsa/model.hpp"
#include "ip/sfu/model.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace levee::test {
namespace {

QuantisedVector quantise(std::span<const float> x)
{
    QuantisedVector result{std::vector<std::int16_t>(x.size()), 0.0f};
    result.scale = sfu::quantise(x, result.codes);
    return result;
}

rsa::Operand operand(std::span<const std::int16_t> codes, std::size_t row_elements)
{
    return {std::as_bytes(codes), row_elements * sizeof(std::int16_t), LEVEE_TYPE_INT16};
}

} // namespace

void CacheSlice::append(const QuantisedVector& row)
{
    codes.insert(codes.end(), row.codes.begin(), row.codes.end());
    scales.push_back(row.scale);
}

ComposedTransformer::ComposedTransformer(const ModelImage& image)
    : m_image(image), m_shape(image.header())
{
    if (rsa::passes(LEVEE_TYPE_INT16, image.weight_type()) == 0)
        throw std::invalid_argument(image.name() + ": weights of type " +
                                    type_name(m_shape.weight_type) +
                                    ", the array takes INT8 or INT4");
    reset();
}

void ComposedTransformer::reset()
{
    m_position = 0;
    const std::size_t slices = std::size_t{m_shape.layers} * m_shape.kv_heads;
    m_keys.assign(slices, {});
    m_values.assign(slices, {});
}

const CacheSlice& ComposedTransformer::keys(std::uint32_t layer, std::uint32_t kv_head) const
{
    return m_keys.at(std::size_t{layer} * m_shape.kv_heads + kv_head);
}

const CacheSlice& ComposedTransformer::values(std::uint32_t layer, std::uint32_t kv_head) const
{
    return m_values.at(std::size_t{layer} * m_shape.kv_heads + kv_head);
}

std::vector<float> ComposedTransformer::embed(std::uint32_t token) const
{
    const TensorView table = m_image.tensor(LEVEE_TENSOR_EMBEDDING);
    const float scale = table.scales.empty() ? 1.0f : table.scales[token];
    TensorView learned{};
    std::span<const float> position_row;
    if (m_shape.position == LEVEE_POSITION_LEARNED) {
        learned = m_image.tensor(LEVEE_TENSOR_POSITION);
        const auto row = learned.row(m_position);
        position_row = {reinterpret_cast<const float*>(row.data()), m_shape.dim};
    }
    Vector x(m_shape.dim);
    sfu::embed(std::as_bytes(table.row(token)), table.type(), scale, position_row, x);
    return x;
}

QuantisedVector ComposedTransformer::norm(const Vector& x, levee_tensor_kind gain,
                                          levee_tensor_kind bias, std::uint32_t layer) const
{
    const auto gains = m_image.tensor(gain, layer).floats();
    Vector result(x.size());
    if (m_shape.norm == LEVEE_NORM_RMS)
        sfu::rms_norm(x, gains, m_shape.norm_epsilon, result);
    else
        sfu::layer_norm(x, gains, m_image.tensor(bias, layer).floats(), m_shape.norm_epsilon,
                        result);
    return quantise(result);
}

std::vector<float> ComposedTransformer::multiply(const QuantisedVector& x,
                                                 levee_tensor_kind weights, std::uint32_t layer,
                                                 std::optional<levee_tensor_kind> bias) const
{
    const TensorView matrix = m_image.tensor(weights, layer);
    Vector out(matrix.rows());
    rsa::Gemm gemm;
    gemm.m = 1;
    gemm.n = matrix.rows();
    gemm.k = matrix.cols();
    gemm.a = operand(x.codes, x.codes.size());
    gemm.a_scale = {{&x.scale, 1}, 1};
    gemm.b = {std::as_bytes(matrix.data), matrix.entry.row_bytes, matrix.type()};
    gemm.b_transposed = true;
    gemm.b_scale = {matrix.scales, 1};
    if (bias && m_image.has(*bias, layer))
        gemm.bias = m_image.tensor(*bias, layer).floats();
    gemm.out = out;
    gemm.out_pitch = out.size();
    rsa::gemm(gemm);
    return out;
}

std::vector<QuantisedVector> ComposedTransformer::quantise_heads(const Vector& x, bool rotate) const
{
    std::vector<QuantisedVector> heads;
    Vector part(m_shape.head_dim);
    for (std::size_t first = 0; first < x.size(); first += part.size()) {
        const auto head = std::span(x).subspan(first, part.size());
        if (rotate) {
            const bool halves = m_shape.position == LEVEE_POSITION_ROPE_HALVES;
            const auto phases = m_image.tensor(LEVEE_TENSOR_ROPE_PHASE);
            sfu::rope(head, phases.words(), m_position, halves, part);
            heads.push_back(quantise(part));
        } else {
            heads.push_back(quantise(head));
        }
    }
    return heads;
}

std::vector<float> ComposedTransformer::attend(const QuantisedVector& query, const CacheSlice& keys,
                                               const CacheSlice& values) const
{
    const std::size_t tokens = keys.scales.size();
    Vector scores(tokens);
    rsa::Gemm score;
    score.m = 1;
    score.n = static_cast<std::uint32_t>(tokens);
    score.k = m_shape.head_dim;
    score.a = operand(query.codes, m_shape.head_dim);
    score.a_scale = {{&query.scale, 1}, 1};
    score.b = operand(keys.codes, m_shape.head_dim);
    score.b_transposed = true;
    score.b_scale = {keys.scales, 1};
    score.alpha = 1.0f / std::sqrt(static_cast<float>(m_shape.head_dim));
    score.out = scores;
    score.out_pitch = tokens;
    rsa::gemm(score);

    sfu::softmax(scores, tokens, {values.scales, 1}, scores);
    const QuantisedVector probabilities = quantise(scores);

    Vector out(m_shape.head_dim);
    rsa::Gemm mix;
    mix.m = 1;
    mix.n = m_shape.head_dim;
    mix.k = static_cast<std::uint32_t>(tokens);
    mix.a = operand(probabilities.codes, tokens);
    mix.a_scale = {{&probabilities.scale, 1}, 1};
    mix.b = operand(values.codes, m_shape.head_dim);
    mix.out = out;
    mix.out_pitch = out.size();
    rsa::gemm(mix);
    return out;
}

std::vector<float> ComposedTransformer::attention(const QuantisedVector& x, std::uint32_t layer)
{
    const bool rotate = m_shape.position != LEVEE_POSITION_LEARNED;
    const auto queries =
        quantise_heads(multiply(x, LEVEE_TENSOR_WQ, layer, LEVEE_TENSOR_BQ), rotate);
    const auto keys = quantise_heads(multiply(x, LEVEE_TENSOR_WK, layer, LEVEE_TENSOR_BK), rotate);
    const auto values = quantise_heads(multiply(x, LEVEE_TENSOR_WV, layer, LEVEE_TENSOR_BV), false);
    const std::size_t slice = std::size_t{layer} * m_shape.kv_heads;
    for (std::size_t head = 0; head < m_shape.kv_heads; ++head) {
        m_keys[slice + head].append(keys[head]);
        m_values[slice + head].append(values[head]);
    }
    const std::size_t group = m_shape.heads / m_shape.kv_heads;
    Vector out;
    for (std::size_t head = 0; head < m_shape.heads; ++head) {
        const std::size_t shared = slice + head / group;
        const Vector part = attend(queries[head], m_keys[shared], m_values[shared]);
        out.insert(out.end(), part.begin(), part.end());
    }
    return multiply(quantise(out), LEVEE_TENSOR_WO, layer, LEVEE_TENSOR_BO);
}

std::vector<float> ComposedTransformer::feed_forward(const QuantisedVector& x,
                                                     std::uint32_t layer) const
{
    Vector hidden = multiply(x, LEVEE_TENSOR_W_UP, layer, LEVEE_TENSOR_B_UP);
    switch (m_shape.activation) {
    case LEVEE_ACTIVATION_SILU_GLU: {
        const Vector gate = multiply(x, LEVEE_TENSOR_W_GATE, layer);
        sfu::silu_mul(gate, hidden, hidden);
        break;
    }
    case LEVEE_ACTIVATION_GELU:
        sfu::gelu(hidden, hidden);
        break;
    default:
        sfu::relu(hidden, hidden);
        break;
    }
    return multiply(quantise(hidden), LEVEE_TENSOR_W_DOWN, layer, LEVEE_TENSOR_B_DOWN);
}

std::vector<float> ComposedTransformer::step(std::uint32_t token)
{
    if (token >= m_shape.vocab)
        throw std::out_of_range("token " + std::to_string(token) + ", vocabulary of " +
                                std::to_string(m_shape.vocab));
    if (m_position >= m_shape.max_context)
        throw std::out_of_range("position " + std::to_string(m_position) + ", context of " +
                                std::to_string(m_shape.max_context));
    Vector x = embed(token);
    for (std::uint32_t layer = 0; layer < m_shape.layers; ++layer) {
        const QuantisedVector attention_in =
            norm(x, LEVEE_TENSOR_NORM_ATTENTION, LEVEE_TENSOR_NORM_ATTENTION_BIAS, layer);
        sfu::add(x, attention(attention_in, layer), x);
        const QuantisedVector ffn_in =
            norm(x, LEVEE_TENSOR_NORM_FFN, LEVEE_TENSOR_NORM_FFN_BIAS, layer);
        sfu::add(x, feed_forward(ffn_in, layer), x);
    }
    const QuantisedVector last =
        norm(x, LEVEE_TENSOR_NORM_FINAL, LEVEE_TENSOR_NORM_FINAL_BIAS, LEVEE_NO_LAYER);
    ++m_position;
    const bool tied = !m_image.has(LEVEE_TENSOR_CLASSIFIER);
    const auto classifier = tied ? LEVEE_TENSOR_EMBEDDING : LEVEE_TENSOR_CLASSIFIER;
    return multiply(last, classifier, LEVEE_NO_LAYER);
}

std::vector<std::vector<float>> logits_of_all(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens)
{
    ComposedTransformer transformer(image);
    std::vector<std::vector<float>> logits;
    for (const std::uint32_t token : tokens)
        logits.push_back(transformer.step(token));
    return logits;
}

} // namespace levee::test
