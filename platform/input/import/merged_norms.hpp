// SPDX-License-Identifier: Apache-2.0
// Merges norms of parallel halves into the matrices that read them.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee {

/// Merges the two norms of a model whose parallel halves have separate layer norms. Both normalise
/// the same values and differ only in gain and bias, so the image has one norm without either. The
/// gain g moves into the columns of the matrices that read the norm, and the bias b into their
/// biases: W (g n + b) + c = (W g) n + (W b + c). Each product is rounded to FP32 once.

/// Reads values of a tensor in the model's form, from its row `first` on.
using TensorReader =
    std::function<void(const TensorSpec& spec, std::uint32_t first, std::span<float> out)>;

/// Converts values of a tensor as the model stores it to the values that the image stores.
void merge_norms(const ModelShape& shape, const TensorSpec& spec, std::span<float> values,
                 const TensorReader& read);

/// Returns the norms of the feed-forward networks, which a shape with parallel halves does not
/// have.
std::vector<TensorSpec> second_norms(const ModelShape& shape);

} // namespace levee
