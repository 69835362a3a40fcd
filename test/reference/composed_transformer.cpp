// SPDX-License-Identifier: Apache-2.0
#include "test/reference/composed_transformer.hpp"

namespace levee::test {

ComposedTransformer::ComposedTransformer(const ModelImage& image) : m_parts(image)
{
    reset();
}

void ComposedTransformer::reset()
{
    m_position = 0;
    const std::size_t slices = std::size_t{m_parts.shape().layers} * m_parts.shape().kv_heads;
    m_keys.assign(slices, {});
    m_values.assign(slices, {});
}

const CacheSlice& ComposedTransformer::keys(std::uint32_t layer, std::uint32_t kv_head) const
{
    return m_keys.at(std::size_t{layer} * m_parts.shape().kv_heads + kv_head);
}

const CacheSlice& ComposedTransformer::values(std::uint32_t layer, std::uint32_t kv_head) const
{
    return m_values.at(std::size_t{layer} * m_parts.shape().kv_heads + kv_head);
}

std::vector<float> ComposedTransformer::attention(const QuantisedVector& x, std::uint32_t layer)
{
    const levee_model_header& shape = m_parts.shape();
    const Projections token = m_parts.project(x, layer, m_position);
    const std::size_t slice = std::size_t{layer} * shape.kv_heads;
    for (std::size_t head = 0; head < shape.kv_heads; ++head) {
        m_keys[slice + head].append(token.keys[head]);
        m_values[slice + head].append(token.values[head]);
    }
    const std::size_t group = shape.heads / shape.kv_heads;
    std::vector<float> out;
    for (std::size_t head = 0; head < shape.heads; ++head) {
        const std::size_t shared = slice + head / group;
        const auto scores = m_parts.scores(token.queries[head], m_keys[shared], m_position + 1);
        const auto part = m_parts.mix(scores, m_values[shared]);
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

std::vector<float> ComposedTransformer::step(std::uint32_t token)
{
    std::vector<float> x = m_parts.embed(token, m_position);
    for (std::uint32_t layer = 0; layer < m_parts.shape().layers; ++layer) {
        m_parts.add_attention(x, attention(m_parts.attention_input(x, layer), layer), layer);
        m_parts.add_feed_forward(x, layer);
    }
    ++m_position;
    return m_parts.logits(x);
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
