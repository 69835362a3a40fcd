// SPDX-License-Identifier: Apache-2.0
// Matrices of heads that latent attention needs in transposed form.
#pragma once

#include "platform/input/import/huggingface/safetensors.hpp"
#include "platform/input/import/huggingface/tensor_place.hpp"
#include "platform/input/import/transposed_heads.hpp"

#include <memory>

namespace levee::hf {

/// Reads the transposed heads of a stored tensor, which may be plain or quantised. The stored
/// tensor must outlive the result.
std::shared_ptr<QuantizedMatrix> transposed_heads(const StoredTensors& stored,
                                                  const TensorPlace& place, const HeadRows& heads);

} // namespace levee::hf
