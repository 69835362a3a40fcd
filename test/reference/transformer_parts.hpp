// SPDX-License-Identifier: Apache-2.0
// Steps of every composed transformer on one vector, each a call of a block's reference. The plain
// and the evicting cache share them.
#pragma once

#include "ip/sfu/model.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/layer_structure.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::test {

// Codes of 16 bits or less and the scale they share.
struct QuantisedVector {
    std::vector<std::int16_t> codes;
    float scale = 0.0f;
};

// Keys or values of one layer and one KV head: a row of codes and a scale for each slot.
struct CacheSlice {
    std::vector<std::int16_t> codes; // [slot][head_dim], or [slot][elements of a latent vector]
    std::vector<float> scales;       // [slot]

    void append(const QuantisedVector& row);
    // Overwrites the slot, which may be one past the last.
    void put(std::size_t slot, const QuantisedVector& row);
    QuantisedVector row(std::size_t slot) const;
    // The rows of these slots, in this order.
    CacheSlice listed(std::span<const std::uint32_t> slots) const;
};

// Query, keys and values of one token: [heads] and [kv_heads].
struct Projections {
    std::vector<QuantisedVector> queries, keys, values;
};

// The image outlives it.
class TransformerParts {
public:
    using Vector = std::vector<float>;

    // Bits of the inputs of products with weights: 16 or 8; of keys and values: 16, 8 or 4. Throws
    // std::invalid_argument for weights that the array does not support (FP16, FP32).
    explicit TransformerParts(const ModelImage& image, unsigned input_bits = 16,
                              unsigned kv_bits = 16);

    const levee_model_header& shape() const { return shape_; }

    // Throws std::out_of_range for a token beyond the vocabulary or a position beyond max_context.
    Vector embed(std::uint32_t token, std::uint32_t position) const;
    QuantisedVector attention_input(const Vector& x, std::uint32_t layer) const;
    Projections project(const QuantisedVector& input, std::uint32_t layer,
                        std::uint32_t position) const;
    // Results of one of the three products, before further steps.
    Vector raw_projection(const QuantisedVector& input, levee_tensor_kind weights,
                          levee_tensor_kind bias, std::uint32_t layer) const
    {
        return multiply(input, weights, layer, bias);
    }
    // Only keys and values, as in a recomputation: queries stay empty.
    Projections recompute(const QuantisedVector& input, std::uint32_t layer,
                          std::uint32_t position) const;
    // q K^T / sqrt(head_dim) with the first `tokens` slots.
    Vector scores(const QuantisedVector& query, const CacheSlice& keys, std::size_t tokens) const;
    // The initial values of a query head's softmax: its sink, or none.
    sfu::Running before(std::uint32_t layer, std::size_t head) const;
    // Probabilities as a prefill with this key tile computes them, after all tiles; 0: not tiled.
    Vector probabilities(const Vector& scores, std::size_t key_tile = 0, sfu::Running before = {},
                         std::size_t lead = 0) const;
    // softmax(scores) V over as many slots as there are scores. V's scales are multiplied into the
    // probabilities before these become codes. With a key tile, in parts of this many slots; the
    // first part has `lead` fewer.
    Vector mix(const Vector& scores, const CacheSlice& values, std::size_t key_tile = 0,
               std::size_t lead = 0, sfu::Running before = {}) const;
    // Tokens that the layer attends to, if these are the last ones and possibly not all; otherwise
    // 0.
    std::uint32_t window_of(std::uint32_t layer) const;
    // x after attention: x + W_O [heads' results].
    void add_attention(Vector& x, const Vector& heads, std::uint32_t layer) const;
    void add_feed_forward(Vector& x, std::uint32_t layer) const;
    Vector logits(const Vector& x) const;

private:
    // out = out * keep + probabilities * values, of slots from `first` on.
    void add_part(const QuantisedVector& probabilities, const CacheSlice& values, std::size_t first,
                  float keep, Vector& out) const;
    // Normalises with this gain and the bias of the next kind; returns x itself if there is no
    // norm.
    Vector normalised(const Vector& x, levee_tensor_kind gain, std::uint32_t layer) const;
    // Scores as passed to the softmax.
    Vector capped(const Vector& scores) const;
    // Quantises the input of a product with weights.
    QuantisedVector quantise_input(const Vector& x) const;
    Vector multiply(const QuantisedVector& x, levee_tensor_kind weights, std::uint32_t layer,
                    std::optional<levee_tensor_kind> bias = {}) const;
    // The matrices of an expert, or the whole of a layer's network.
    struct Rows {
        std::uint32_t number, count; // number of the expert, and of all experts
    };
    // Multiplies by an expert's rows.
    Vector multiply_rows(const QuantisedVector& x, levee_tensor_kind weights, std::uint32_t layer,
                         std::optional<levee_tensor_kind> bias, Rows rows) const;
    // Latent attention: a token's key, whose end is its value; the heads' queries of the same
    // length; and their results from the mixed values.
    Projections latent_key(const QuantisedVector& input, std::uint32_t layer,
                           std::uint32_t position) const;
    std::vector<QuantisedVector> latent_queries(const QuantisedVector& input, std::uint32_t layer,
                                                std::uint32_t position) const;
    Vector latent_results(const Vector& heads, std::uint32_t layer) const;
    Vector normalised_latent(std::span<const float> x, levee_tensor_kind gain,
                             std::uint32_t layer) const;
    std::uint32_t cached_value() const;
    Vector network(const QuantisedVector& input, std::uint32_t layer) const;
    Vector expert(const QuantisedVector& input, std::uint32_t layer, std::uint32_t number) const;
    Vector mixture_of_experts(const QuantisedVector& input, std::uint32_t layer) const;
    // Quantises each head's part of x separately, after the steps of queries and keys.
    std::vector<QuantisedVector> quantise_heads(Vector x, unsigned bits,
                                                std::optional<Positioned> positioned) const;

    const ModelImage& image_;
    // The input of a parallel layer, from add_attention() to add_feed_forward().
    mutable QuantisedVector shared_input_;
    unsigned input_bits_, kv_bits_;
    levee_model_header shape_;
};

} // namespace levee::test
