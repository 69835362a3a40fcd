// SPDX-License-Identifier: Apache-2.0
// A transformer composed of the blocks' references, vector by vector. The platform must equal it
// bit for bit. It uses neither SystemC nor firmware and has no schedule. The only effect of tiling
// that it models: a prefill's key tile changes a token's sums.
#pragma once

#include "test/reference/transformer_parts.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee::test {

// Runs one sequence. The image must outlive it.
class ComposedTransformer {
public:
    // Inputs of products with weights have 16 or 8 bits; keys and values have 16, 8 or 4. Throws
    // std::invalid_argument for weights that the array does not support (FP16, FP32).
    explicit ComposedTransformer(const ModelImage& image, unsigned input_bits = 16,
                                 unsigned kv_bits = 16, bool hadamard = false);

    // Takes the next token and returns the logits [vocab] of its successor. For a token of a
    // prefill, `key_tile` is the run's metric prefill.key_tile; 0 means a decode step. Throws
    // std::out_of_range for a token beyond the vocabulary or a position beyond max_context.
    std::vector<float> step(std::uint32_t token, std::size_t key_tile = 0);
    // Tokens of a prefill's tiles that start together (metric prefill.query_tile).
    std::uint32_t query_tile = 1;
    // Returns to position 0 with an empty cache.
    void reset();

    // Returns the slots, in order, to which the heads of a KV head attend in a decode step. The
    // function gets all keys, the token's own key last. If not set, heads attend to all slots.
    std::function<std::vector<std::uint32_t>(std::uint32_t layer, std::uint32_t kv_head,
                                             std::span<const QuantisedVector> queries,
                                             const CacheSlice& keys)>
        attended;

    // Changes a layer's keys and values [kv_head] after a decode step's attention has read them
    // (the token's own last), and after a whole prompt. If not set, they stay unchanged.
    std::function<void(std::uint32_t layer, std::span<CacheSlice> keys,
                       std::span<CacheSlice> values)>
        kept;
    // Ends a prefill by calling `kept` for all layers.
    void end_prefill();

    std::uint32_t position() const { return position_; }
    // Returns the current cache of a layer [kv_head].
    const CacheSlice& keys(std::uint32_t layer, std::uint32_t kv_head) const;
    const CacheSlice& values(std::uint32_t layer, std::uint32_t kv_head) const;

private:
    // Stores the token and returns the heads' results [heads * head_dim].
    std::vector<float> attention(const QuantisedVector& x, std::uint32_t layer,
                                 std::size_t key_tile);

    // Appends the mixed values for the queries of a KV head, one query after another.
    void mix(std::span<const QuantisedVector> queries, std::uint32_t layer, std::size_t key_tile,
             std::uint32_t kv_head, std::vector<float>& out) const;

    void keep(std::uint32_t layer);

    TransformerParts parts_;
    std::uint32_t position_ = 0;
    std::uint32_t prefilled_ = 0;
    std::vector<CacheSlice> keys_;   // indexed by [layer][kv_head]
    std::vector<CacheSlice> values_; // indexed by [layer][kv_head]
};

// Returns the logits after each token, starting at position 0.
std::vector<std::vector<float>> logits_of_all(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens);

} // namespace levee::test
