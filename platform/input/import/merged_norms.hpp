// SPDX-License-Identifier: Apache-2.0
// Merges norms of parallel halves into the matrices that read them.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee {

/// Merges the two layer norms of a model whose attention and feed-forward network run in parallel.
/// Both normalise the same values and differ only in gain and bias, so the image has one norm
/// without them. Gain g moves into the columns of the matrices that read the norm, and bias b into
/// their biases: W (g n + b) + c = (W g) n + (W b + c). Each product is rounded to FP32 once.

/// Reads rows of a tensor as the model stores it, beginning with row `first`.
using TensorReader =
    std::function<void(const TensorSpec& spec, std::uint32_t first, std::span<float> out)>;

/// Converts values of a tensor as the model stores it to the values that the image stores.
void merge_norms(const ModelShape& shape, const TensorSpec& spec, std::span<float> values,
                 const TensorReader& read);

/// Returns the feed-forward networks' norms, which the shape does not have because they are
/// merged.
std::vector<TensorSpec> second_norms(const ModelShape& shape);

} // namespace levee
