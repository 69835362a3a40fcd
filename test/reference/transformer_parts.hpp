// SPDX-License-Identifier: Apache-2.0
// The steps of a composed transformer on one vector, each a call of a block's reference. The plain
// and the evicting transformer share them.
#pragma once

#include "ip/sfu/model.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/layer_structure.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::test {

// Codes of at most 16 bits, and the scale that they share.
struct QuantisedVector {
    std::vector<std::int16_t> codes;
    float scale = 0.0f;
};

// Keys or values of one layer and one KV head, with a row of codes and a scale for each slot.
struct CacheSlice {
    std::vector<std::int16_t> codes; // [slot][head_dim], or [slot][elements of a latent vector].
    std::vector<float> scales;       // indexed by [slot]

    void append(const QuantisedVector& row);
    // Overwrites a slot, or appends one if `slot` is one past the last.
    void put(std::size_t slot, const QuantisedVector& row);
    QuantisedVector row(std::size_t slot) const;
    // Returns the rows of these slots, in this order.
    CacheSlice listed(std::span<const std::uint32_t> slots) const;
};

// Query, keys and values of one token: [heads] and [kv_heads].
struct Projections {
    std::vector<QuantisedVector> queries, keys, values;
};

// The image must outlive this object.
class TransformerParts {
public:
    using Vector = std::vector<float>;

    // Inputs of products with weights have 16 or 8 bits; keys and values have 16, 8 or 4. With
    // `hadamard`, each head's query, key and value is multiplied by a Hadamard matrix, and the
    // results of attention are multiplied by it again. Throws std::invalid_argument for weights
    // that the array does not support (FP16, FP32).
    explicit TransformerParts(const ModelImage& image, unsigned input_bits = 16,
                              unsigned kv_bits = 16, bool hadamard = false);

    const levee_model_header& shape() const { return shape_; }

    // Throws std::out_of_range for a token beyond the vocabulary or a position beyond max_context.
    Vector embed(std::uint32_t token, std::uint32_t position) const;
    QuantisedVector attention_input(const Vector& x, std::uint32_t layer) const;
    Projections project(const QuantisedVector& input, std::uint32_t layer,
                        std::uint32_t position) const;
    // Returns the results of Q's, K's or V's product, before normalisation and rotation.
    Vector raw_projection(const QuantisedVector& input, levee_tensor_kind weights,
                          levee_tensor_kind bias, std::uint32_t layer) const
    {
        return multiply(input, weights, layer, bias);
    }
    // Computes only keys and values, as in a recomputation; queries stay empty.
    Projections recompute(const QuantisedVector& input, std::uint32_t layer,
                          std::uint32_t position) const;
    // Returns q K^T / sqrt(head_dim) for the first `tokens` slots.
    Vector scores(const QuantisedVector& query, const CacheSlice& keys, std::size_t tokens) const;
    // Returns the initial state of a query head's softmax: its sink, or nothing.
    sfu::Running before(std::uint32_t layer, std::size_t head) const;
    // Returns the probabilities that a prefill with this key tile has after all tiles; 0: not
    // tiled.
    Vector probabilities(const Vector& scores, std::size_t key_tile = 0, sfu::Running before = {},
                         std::size_t lead = 0) const;
    // Returns softmax(scores) V over as many slots as there are scores. V's scales are multiplied
    // into the probabilities before these become codes. With a key tile, the sum is computed in
    // parts of this many slots, and the first part is `lead` slots shorter.
    Vector mix(const Vector& scores, const CacheSlice& values, std::size_t key_tile = 0,
               std::size_t lead = 0, sfu::Running before = {}) const;
    // Returns the layer's window, or 0 if the layer attends to all tokens.
    std::uint32_t window_of(std::uint32_t layer) const;
    // Adds the result of attention to x: x + W_O [heads' results].
    void add_attention(Vector& x, const Vector& heads, std::uint32_t layer) const;
    void add_feed_forward(Vector& x, std::uint32_t layer) const;
    Vector logits(const Vector& x) const;

private:
    // Computes out = out * keep + probabilities * values, for slots from `first` on.
    void add_part(const QuantisedVector& probabilities, const CacheSlice& values, std::size_t first,
                  float keep, Vector& out) const;
    // Normalises with the gain of this tensor kind, and the bias whose kind follows it. Returns x
    // itself if there is no norm.
    Vector normalised(const Vector& x, levee_tensor_kind gain, std::uint32_t layer) const;
    // Returns the scores as passed to the softmax.
    Vector capped(const Vector& scores) const;
    // Quantises the input of a product with weights.
    QuantisedVector quantise_input(const Vector& x) const;
    Vector multiply(const QuantisedVector& x, levee_tensor_kind weights, std::uint32_t layer,
                    std::optional<levee_tensor_kind> bias = {}) const;
    // Selects the matrices of one expert, or of a layer's whole feed-forward network.
    struct Rows {
        std::uint32_t number, count; // Number of the expert, and of all experts.
    };
    // Multiplies by an expert's rows.
    Vector multiply_rows(const QuantisedVector& x, levee_tensor_kind weights, std::uint32_t layer,
                         std::optional<levee_tensor_kind> bias, Rows rows) const;
    // Latent attention: returns a token's key, whose end is its value; the heads' queries of the
    // same length; and the heads' results from the mixed values.
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
    // Quantises each head's part of x separately, after the steps for queries and keys.
    std::vector<QuantisedVector> quantise_heads(Vector x, unsigned bits,
                                                std::optional<Positioned> positioned) const;

    const ModelImage& image_;
    // The input of a layer whose attention and network run in parallel; add_attention() stores it
    // for add_feed_forward().
    mutable QuantisedVector shared_input_;
    unsigned input_bits_, kv_bits_;
    bool hadamard_;
    levee_model_header shape_;
};

} // namespace levee::test
