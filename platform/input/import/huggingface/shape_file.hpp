// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/config.hpp"

#include <cstdint>
#include <string>

namespace levee::hf {

/// A model's shape as a YAML file of 'model.shape' (docs/models.md). weights: INT8 or INT4.
std::string shape_yaml(const Config& config, levee_type weights);

/// Values of all matrices and vectors: what a model's parameters are counted as.
std::uint64_t parameters_of(const ModelShape& shape);

} // namespace levee::hf
