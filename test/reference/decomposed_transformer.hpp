// SPDX-License-Identifier: Apache-2.0
// A transformer with decomposed attention (ReTransformer, section III-A), composed of the
// references of array and function unit. Scores are (q W_K^T) X^T and results (s X) W_V, so the
// inputs X replace keys and values. If keys are rotated (RoPE), scores are the plain products q
// K^T.
#pragma once

#include "test/reference/transformer_parts.hpp"

#include <cstdint>
#include <vector>

namespace levee::test {

// Runs one sequence. The image must outlive it.
class DecomposedTransformer {
public:
    explicit DecomposedTransformer(const ModelImage& image);

    // Takes the next token and returns the logits [vocab] of its successor.
    std::vector<float> step(std::uint32_t token);

private:
    using Vector = std::vector<float>;
    Vector attention(const QuantisedVector& x, std::uint32_t layer);
    // Returns the queries times the scales of W_K, by head.
    std::vector<QuantisedVector> queries(const QuantisedVector& x, std::uint32_t layer) const;
    QuantisedVector through_keys(const QuantisedVector& query, std::uint32_t layer,
                                 std::uint32_t kv_head) const;
    // `x` has the inputs of the attended tokens.
    Vector mix(const Vector& scores, const CacheSlice& x, std::uint32_t layer,
               std::uint32_t head) const;
    Vector multiply_inputs(const QuantisedVector& a, const CacheSlice& x, bool transposed) const;

    const ModelImage& image_;
    TransformerParts parts_;
    std::uint32_t position_ = 0;
    std::vector<CacheSlice> inputs_; // indexed by [layer]
    std::vector<CacheSlice> keys_;   // [layer][kv_head], if keys are rotated.
};

} // namespace levee::test
