// SPDX-License-Identifier: Apache-2.0
// A transformer composed of the blocks' references, vector by vector. The platform must equal it in
// every bit. It knows neither SystemC nor firmware, and has no schedule; of tiles it knows only the
// effect of a prefill's key tile on a token's sums.
#pragma once

#include "test/reference/transformer_parts.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee::test {

// One sequence. The image outlives it.
class ComposedTransformer {
public:
    // Bits of the inputs of products with weights: 16 or 8; of keys and values: 16, 8 or 4. Throws
    // std::invalid_argument for weights that the array does not support (FP16, FP32).
    explicit ComposedTransformer(const ModelImage& image, unsigned input_bits = 16,
                                 unsigned kv_bits = 16);

    // Takes the next token and returns the logits [vocab] of its successor. Throws
    // std::out_of_range for a token beyond the vocabulary or a position beyond max_context.
    // `key_tile`: for a prefill, metric prefill.key_tile; 0: a decode step.
    std::vector<float> step(std::uint32_t token, std::size_t key_tile = 0);
    // Tokens of the prefill's tiles that start together, metric prefill.query_tile.
    std::uint32_t query_tile = 1;
    // Back to position 0 with an empty cache.
    void reset();

    // Returns the slots, in order, to which the heads of a KV head attend in a decode step, for all
    // keys, the token's own last; not set: all.
    std::function<std::vector<std::uint32_t>(std::uint32_t layer, std::uint32_t kv_head,
                                             std::span<const QuantisedVector> queries,
                                             const CacheSlice& keys)>
        attended;

    // Changes a layer's keys and values [kv_head] after a decode step's attention has read them
    // (the token's own last), and after a whole prompt; not set: unchanged.
    std::function<void(std::uint32_t layer, std::span<CacheSlice> keys,
                       std::span<CacheSlice> values)>
        kept;
    // Ends a prefill: calls `kept` for all layers.
    void end_prefill();

    std::uint32_t position() const { return position_; }
    // The current cache of a layer: [kv_head].
    const CacheSlice& keys(std::uint32_t layer, std::uint32_t kv_head) const;
    const CacheSlice& values(std::uint32_t layer, std::uint32_t kv_head) const;

private:
    // Stores the token and returns the heads' results, [heads * head_dim].
    std::vector<float> attention(const QuantisedVector& x, std::uint32_t layer,
                                 std::size_t key_tile);

    // The mixed values for the queries of a KV head, one after another.
    void mix(std::span<const QuantisedVector> queries, std::uint32_t layer, std::size_t key_tile,
             std::uint32_t kv_head, std::vector<float>& out) const;

    void keep(std::uint32_t layer);

    TransformerParts parts_;
    std::uint32_t position_ = 0;
    std::uint32_t prefilled_ = 0;
    std::vector<CacheSlice> keys_;   // [layer][kv_head]
    std::vector<CacheSlice> values_; // [layer][kv_head]
};

// The logits after each of the tokens, fed from position 0.
std::vector<std::vector<float>> logits_of_all(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens);

} // namespace levee::test
