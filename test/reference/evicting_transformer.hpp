// SPDX-License-Identifier: Apache-2.0
// The composed transformer with a cache of limited size. The systolic evictor's reference selects
// victims, some tokens are stored as layer inputs and recomputed, and stored codes may decay.
// Tokens have the same slots as in the platform's firmware, so float results have the same bits.
#pragma once

#include "test/reference/cache_rule.hpp"
#include "test/reference/transformer_parts.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee::test {

// The cache of one layer for one sequence. A local layer's cache is in order of position.
struct LayerCache : CacheTables {
    std::vector<CacheSlice> keys, values; // by [kv_head], then by slot
    std::vector<QuantisedVector> inputs;  // Inputs by row of x.
};

// The rules of the cache.
struct Eviction : CacheRule {
    bool all_layers = false;  // The policy also applies to local layers, where it keeps fewer
                              // tokens.
    std::uint32_t chunk = 64; // Tokens of a prefill pass.
    std::uint32_t query_tile = 0, key_tile = 0; // Rows of a prefill's tiles; 0: no tiles.
    std::uint32_t input_rows =
        0; // Tokens of a layer that may be stored as inputs; 0: no recomputation.
    std::uint32_t kv_bits = 16;    // Bits of an element of keys and values: 16, 8 or 4.
    bool hadamard = false;         // Heads' vectors are multiplied by a Hadamard matrix.
    std::uint32_t input_bits = 16; // Bits of the inputs of products with weights: 16 or 8.
    std::uint32_t entry = 0;       // Number of the sequence in the batch, for the draws of policy
                                   // random.
    // Called for each layer of each pass, after the new data are stored and before anything is
    // read. May change stored codes.
    std::function<void(std::uint32_t layer, LayerCache&)> decay;
    // Returns the slots, in order, to which the heads of a KV head attend in a decode step. The
    // token's own key is in the slot `arrival`. If not set, heads attend to all slots.
    std::function<std::vector<std::uint32_t>(std::uint32_t layer, std::uint32_t kv_head,
                                             std::span<const QuantisedVector> queries,
                                             const CacheSlice& keys, std::uint32_t arrival)>
        attended;
    // Changes a layer's keys and values in these slots of all heads, after a decode step's
    // attention has read them and after the selection of a prompt's tokens. If not set, keys and
    // values stay unchanged.
    std::function<void(std::uint32_t layer, LayerCache&, std::span<const std::uint32_t> slots)>
        kept;
};

// Runs one sequence. The image must outlive it.
class EvictingTransformer {
public:
    // Throws std::invalid_argument like TransformerParts, and for stored inputs with grouped
    // queries.
    EvictingTransformer(const ModelImage& image, Eviction eviction);

    // Processes the first tokens with full attention among them. Then the policy selects the tokens
    // to keep. Returns the logits after each token, [token][vocab].
    std::vector<std::vector<float>> prefill(std::span<const std::uint32_t> tokens);
    // Takes the next token and returns the logits [vocab] of its successor.
    std::vector<float> step(std::uint32_t token);

    std::uint32_t position() const { return position_; }
    LayerCache& layer(std::uint32_t number) { return layers_.at(number); }

private:
    using Vector = std::vector<float>;
    using Rows = std::vector<Vector>;
    LayerCache empty_cache(std::size_t inputs) const;
    Rows prefill_chunk(std::span<const std::uint32_t> tokens, std::vector<LayerCache>& caches);
    void prefill_layer(Rows& x, std::uint32_t layer, LayerCache& cache);
    Rows attend_chunk(std::span<const Projections> tokens, std::uint32_t layer,
                      LayerCache& cache) const;
    // Returns whether a layer's cache is a ring as large as its window.
    bool keeps_window(std::uint32_t layer) const;
    // Like attend_chunk, for a layer with a ring.
    Rows attend_window(std::span<const Projections> tokens, std::uint32_t layer) const;
    // Returns the importance that one query's scores add to the tokens.
    Vector what_counts(const Vector& scores, std::size_t key_tile, sfu::Running before,
                       std::size_t lead = 0) const;
    void keep(std::uint32_t layer, const LayerCache& staged);
    // Stores the token in each head's next slot and returns these slots by head.
    std::vector<std::uint32_t> store(const Projections& token, LayerCache& cache) const;
    // Recomputes keys and values of tokens stored as inputs, and writes them to their slots.
    void restore(std::uint32_t layer, LayerCache& cache) const;
    // Appends to `mixed` the weighted sums of values for the queries of a KV head. Returns the
    // weights of all slots, query by query.
    Vector attend(const Projections& token, std::uint32_t layer, std::uint32_t kv_head,
                  std::uint32_t arrival, Vector& mixed) const;
    Vector step_layer(const QuantisedVector& input, std::uint32_t layer);

    TransformerParts parts_;
    Eviction eviction_;
    std::uint32_t position_ = 0;
    std::uint32_t prefilled_ = 0;
    std::vector<LayerCache> layers_;
};

} // namespace levee::test
