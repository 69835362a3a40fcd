// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/folds.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace levee {

void Folds::multiply_scores(const ModelShape& shape, double factor)
{
    if (shape.head_norm != HeadNorm::none)
        return multiply(LEVEE_TENSOR_NORM_QUERY, factor);
    multiply(LEVEE_TENSOR_WQ, factor);
    multiply(LEVEE_TENSOR_BQ, factor);
}

void Folds::multiply_rotated(const ModelShape& shape, double factor, bool local)
{
    const auto multiply_kinds = [&](std::initializer_list<levee_tensor_kind> kinds) {
        for (const levee_tensor_kind kind : kinds)
            folds_.push_back({kind, 0.0F, factor, true, local});
    };
    if (shape.head_norm != HeadNorm::none)
        multiply_kinds({LEVEE_TENSOR_NORM_QUERY, LEVEE_TENSOR_NORM_KEY});
    else
        multiply_kinds({LEVEE_TENSOR_WQ, LEVEE_TENSOR_BQ, LEVEE_TENSOR_WK, LEVEE_TENSOR_BK,
                        LEVEE_TENSOR_W_KV_LATENT});
}

void Folds::multiply_embedding(const ModelShape& shape, double factor)
{
    multiply(LEVEE_TENSOR_EMBEDDING, factor);
    if (shape.tied)
        multiply_logits(1.0 / factor);
}

void Folds::multiply_logits(double factor)
{
    multiply(LEVEE_TENSOR_NORM_FINAL, factor);
    multiply(LEVEE_TENSOR_NORM_FINAL_BIAS, factor);
}

void Folds::multiply_experts(double factor)
{
    multiply(LEVEE_TENSOR_W_EXPERTS_DOWN, factor);
    multiply(LEVEE_TENSOR_B_EXPERTS_DOWN, factor);
}

void Folds::multiply_sums(double factor)
{
    for (const levee_tensor_kind kind :
         {LEVEE_TENSOR_WO, LEVEE_TENSOR_BO, LEVEE_TENSOR_W_DOWN, LEVEE_TENSOR_B_DOWN})
        multiply(kind, factor);
    multiply_experts(factor);
}

bool Folds::is_of_layer(const Fold& fold, const ModelShape& shape, std::uint32_t layer)
{
    if (!fold.rotated_only)
        return true;
    const std::uint32_t flags = shape.flags_of(layer);
    const bool is_local = shape.local_phases && (flags & LEVEE_LAYER_LOCAL) != 0;
    return (flags & LEVEE_LAYER_UNROTATED) == 0 && is_local == fold.local;
}

void Folds::apply(const ModelShape& shape, const TensorSpec& spec, std::uint32_t first,
                  std::span<float> values) const
{
    // A head's elements are rows of a matrix, but single elements of a vector.
    const bool is_matrix = spec.role == TensorRole::matrix;
    const auto is_rotated = [&](std::size_t index) {
        const std::size_t element = is_matrix ? first + index / spec.cols : index;
        if (spec.kind == LEVEE_TENSOR_WQ && shape.kv_latent != 0) // rotated elements come
                                                                  // last
            return element % shape.raw_query() >= shape.nope_dim;
        return element % shape.head_dim < shape.rotary();
    };
    std::vector<Fold> own;
    std::ranges::copy_if(folds_, std::back_inserter(own), [&](const Fold& fold) {
        return fold.kind == spec.kind && is_of_layer(fold, shape, spec.layer);
    });
    for (std::size_t i = 0; i < values.size() && !own.empty(); ++i) {
        double value = values[i];
        for (const Fold& fold : own)
            value += fold.offset;
        for (const Fold& fold : own)
            value *= !fold.rotated_only || is_rotated(i) ? fold.factor : 1.0;
        values[i] = static_cast<float>(value);
    }
}

} // namespace levee
