// SPDX-License-Identifier: Apache-2.0
// Constant factors of a model that become part of its weights.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <span>
#include <vector>

namespace levee {

/// Factors that are multiplied into tensors as they are read. A model that multiplies embeddings,
/// sums, scores or logits by constants equals a model without them whose weights contain them, so
/// no machine needs an operation for it. The product is rounded to FP32 once.
class Folds {
public:
    /// Adds a constant to the values of a kind, before any factor.
    void add_offset(levee_tensor_kind kind, float offset) { folds_.push_back({kind, offset, 1.0}); }
    void multiply(levee_tensor_kind kind, double factor) { folds_.push_back({kind, 0.0F, factor}); }

    /// Multiplies scores: queries, or the gain of their norm.
    void multiply_scores(const ModelShape& shape, double factor);
    /// Multiplies rotated queries and keys, as scalings of positions do. It applies either to the
    /// layers with phases of local layers, or to all other rotated layers.
    void multiply_rotated(const ModelShape& shape, double factor, bool local = false);
    /// Multiplies embeddings, and logits. A tied classifier is not multiplied with its embedding.
    void multiply_embedding(const ModelShape& shape, double factor);
    void multiply_logits(double factor);
    /// Multiplies the output of experts, except that of a shared one.
    void multiply_experts(double factor);
    /// Multiplies the output of each half of a layer.
    void multiply_sums(double factor);

    /// Values of the tensor from its row `first` on.
    void apply(const ModelShape& shape, const TensorSpec& spec, std::uint32_t first,
               std::span<float> values) const;

private:
    struct Fold {
        levee_tensor_kind kind;
        float offset;
        double factor;
        bool rotated_only = false; ///< Multiply only the rotated elements of a head.
        bool local = false;        ///< Of these, only in layers with their own phases.
    };
    static bool is_of_layer(const Fold& fold, const ModelShape& shape, std::uint32_t layer);

    std::vector<Fold> folds_;
};

} // namespace levee
