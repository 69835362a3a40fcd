// A transformer composed of the blocks' references, vector by vector: what the platform must equal
// in every bit. It knows neither SystemC nor firmware, and has no schedule and no tiles.
#pragma once

#include "platform/model/model_image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::test {

// INT16 codes and the scale they share.
struct QuantisedVector {
    std::vector<std::int16_t> codes;
    float scale = 0.0f;
};

// Keys or values of one layer and one KV head: a row of codes and a scale for each token so far.
struct CacheSlice {
    std::vector<std::int16_t> codes; // [token][head_dim]
    std::vector<float> scales;       // [token]
    void append(const QuantisedVector& row);
};

// One sequence. The image outlives it.
class ComposedTransformer {
public:
    // Throws std::invalid_argument for weights the array does not take (FP16, FP32).
    explicit ComposedTransformer(const ModelImage& image);

    // Takes the next token and returns the logits [vocab] of what follows it. Throws
    // std::out_of_range for a token beyond the vocabulary or a position beyond max_context.
    std::vector<float> step(std::uint32_t token);
    // Back to position 0 with an empty cache.
    void reset();

    std::uint32_t position() const { return m_position; }
    // The cache as it stands: [kv_head] of a layer.
    const CacheSlice& keys(std::uint32_t layer, std::uint32_t kv_head) const;
    const CacheSlice& values(std::uint32_t layer, std::uint32_t kv_head) const;

private:
    using Vector = std::vector<float>;
    Vector embed(std::uint32_t token) const;
    QuantisedVector norm(const Vector& x, levee_tensor_kind gain, levee_tensor_kind bias,
                         std::uint32_t layer) const;
    Vector multiply(const QuantisedVector& x, levee_tensor_kind weights, std::uint32_t layer,
                    std::optional<levee_tensor_kind> bias = {}) const;
    // Of each head's part of x apart; `rotate` turns it to the current position first.
    std::vector<QuantisedVector> quantise_heads(const Vector& x, bool rotate) const;
    Vector attend(const QuantisedVector& query, const CacheSlice& keys,
                  const CacheSlice& values) const;
    Vector attention(const QuantisedVector& x, std::uint32_t layer);
    Vector feed_forward(const QuantisedVector& x, std::uint32_t layer) const;

    const ModelImage& m_image;
    levee_model_header m_shape;
    std::uint32_t m_position = 0;
    std::vector<CacheSlice> m_keys;   // [layer][kv_head]
    std::vector<CacheSlice> m_values; // [layer][kv_head]
};

// The logits after each of the tokens, fed from position 0.
std::vector<std::vector<float>> logits_of_all(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens);

} // namespace levee::test
