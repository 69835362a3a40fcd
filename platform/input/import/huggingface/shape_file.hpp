// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/config.hpp"

#include <cstdint>
#include <string>

namespace levee::hf {

/// A model's shape and its notes as a YAML file of 'model.shape' (docs/models.md). weights: INT8,
/// INT4 or INT3.
std::string shape_yaml(const Config& config, const WeightFormat& weights);

/// Number of values in all matrices and vectors, the usual count of a model's parameters.
std::uint64_t parameters_of(const Config& config);

} // namespace levee::hf
