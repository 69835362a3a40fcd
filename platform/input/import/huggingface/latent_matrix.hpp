// SPDX-License-Identifier: Apache-2.0
// Matrices of heads that latent attention takes transposed.
#pragma once

#include "platform/input/import/huggingface/safetensors.hpp"
#include "platform/input/import/huggingface/tensor_place.hpp"
#include "platform/input/import/transposed_heads.hpp"

#include <memory>

namespace levee::hf {

/// Reads them of a stored tensor, plain or quantized, which must outlive it.
std::shared_ptr<QuantizedMatrix> transposed_heads(const StoredTensors& stored,
                                                  const TensorPlace& place, const HeadRows& heads);

} // namespace levee::hf
