// SPDX-License-Identifier: Apache-2.0
#include "test/reference/composed_transformer.hpp"

#include "test/reference/window_order.hpp"

#include <numeric>

namespace levee::test {

ComposedTransformer::ComposedTransformer(const ModelImage& image, unsigned input_bits,
                                         unsigned kv_bits, bool hadamard)
    : parts_(image, input_bits, kv_bits, hadamard)
{
    reset();
}

void ComposedTransformer::reset()
{
    position_ = prefilled_ = 0;
    const std::size_t slices = std::size_t{parts_.shape().layers} * parts_.shape().kv_heads;
    keys_.assign(slices, {});
    values_.assign(slices, {});
}

const CacheSlice& ComposedTransformer::keys(std::uint32_t layer, std::uint32_t kv_head) const
{
    return keys_.at(std::size_t{layer} * parts_.shape().kv_heads + kv_head);
}

const CacheSlice& ComposedTransformer::values(std::uint32_t layer, std::uint32_t kv_head) const
{
    return values_.at(std::size_t{layer} * parts_.shape().kv_heads + kv_head);
}

std::vector<float> ComposedTransformer::attention(const QuantisedVector& x, std::uint32_t layer,
                                                  std::size_t key_tile)
{
    const levee_model_header& shape = parts_.shape();
    const Projections token = parts_.project(x, layer, position_);
    const std::size_t slice = std::size_t{layer} * shape.kv_heads;
    for (std::size_t head = 0; head < shape.kv_heads; ++head) {
        keys_[slice + head].append(token.keys[head]);
        values_[slice + head].append(token.values[head]);
    }
    const std::size_t group = shape.heads / shape.kv_heads;
    std::vector<float> out;
    for (std::uint32_t kv_head = 0; kv_head < shape.kv_heads; ++kv_head)
        mix(std::span(token.queries).subspan(kv_head * group, group), layer, key_tile, kv_head,
            out);
    if (key_tile == 0)
        keep(layer);
    return out;
}

void ComposedTransformer::mix(std::span<const QuantisedVector> queries, std::uint32_t layer,
                              std::size_t key_tile, std::uint32_t kv_head,
                              std::vector<float>& out) const
{
    CacheSlice keys = this->keys(layer, kv_head), values = this->values(layer, kv_head);
    const WindowOrder window{parts_.window_of(layer), prefilled_};
    std::size_t lead = 0;
    std::vector<std::uint32_t> seen(keys.scales.size());
    std::iota(seen.begin(), seen.end(), 0U);
    if (window.window != 0) {
        seen = key_tile != 0 ? window.by_position(position_) : window.by_slot(position_);
        lead = window.lead(position_, position_ / query_tile * query_tile);
    } else if (attended && key_tile == 0) {
        seen = attended(layer, kv_head, queries, keys);
    }
    keys = keys.listed(seen);
    values = values.listed(seen);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const auto scores = parts_.scores(queries[i], keys, keys.scales.size());
        const auto part = parts_.mix(scores, values, key_tile, key_tile != 0 ? lead : 0,
                                     parts_.before(layer, kv_head * queries.size() + i));
        out.insert(out.end(), part.begin(), part.end());
    }
}

void ComposedTransformer::end_prefill()
{
    for (std::uint32_t layer = 0; layer < parts_.shape().layers; ++layer)
        keep(layer);
}

void ComposedTransformer::keep(std::uint32_t layer)
{
    const std::size_t heads = parts_.shape().kv_heads;
    if (kept)
        kept(layer, std::span(keys_).subspan(layer * heads, heads),
             std::span(values_).subspan(layer * heads, heads));
}

std::vector<float> ComposedTransformer::step(std::uint32_t token, std::size_t key_tile)
{
    std::vector<float> x = parts_.embed(token, position_);
    for (std::uint32_t layer = 0; layer < parts_.shape().layers; ++layer) {
        parts_.add_attention(x, attention(parts_.attention_input(x, layer), layer, key_tile),
                             layer);
        parts_.add_feed_forward(x, layer);
    }
    ++position_;
    if (key_tile != 0)
        prefilled_ = position_;
    return parts_.logits(x);
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
