// SPDX-License-Identifier: Apache-2.0
// Folds constant factors of a model into its weights.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <span>
#include <vector>

namespace levee {

/// Factors that are multiplied into tensors when the tensors are read. Some models multiply
/// embeddings, sums, scores or logits by constants. With the constants in the weights, the model
/// stays the same and no machine needs an operation for them. Each product is rounded to FP32
/// once.
class Folds {
public:
    /// Adds a constant to the values of a tensor kind, before any factor.
    void add_offset(levee_tensor_kind kind, float offset) { folds_.push_back({kind, offset, 1.0}); }
    void multiply(levee_tensor_kind kind, double factor) { folds_.push_back({kind, 0.0F, factor}); }

    /// Multiplies attention scores. The factor goes into the queries' weights or, if queries have a
    /// norm, into the norm's gain.
    void multiply_scores(const ModelShape& shape, double factor);
    /// Multiplies rotated queries and keys, as scalings of positions require. With `local`, this
    /// applies to layers that have the phases of local layers; otherwise to all other rotated
    /// layers.
    void multiply_rotated(const ModelShape& shape, double factor, bool local = false);
    /// multiply_embedding() scales embeddings, and multiply_logits() scales logits. If classifier
    /// and embedding share a matrix, each function still changes only one of the two.
    void multiply_embedding(const ModelShape& shape, double factor);
    void multiply_logits(double factor);
    /// Multiplies the outputs of all experts except the shared expert.
    void multiply_experts(double factor);
    /// Multiplies the outputs of attention and of the feed-forward network, before they are added.
    void multiply_sums(double factor);

    /// Applies the factors to `values`, which are rows of the tensor, beginning with row `first`.
    void apply(const ModelShape& shape, const TensorSpec& spec, std::uint32_t first,
               std::span<float> values) const;

private:
    struct Fold {
        levee_tensor_kind kind;
        float offset;
        double factor;
        bool rotated_only = false; ///< multiply only a head's rotated elements
        bool local = false;        ///< only in layers with their own phases
    };
    static bool is_of_layer(const Fold& fold, const ModelShape& shape, std::uint32_t layer);

    std::vector<Fold> folds_;
};

} // namespace levee
