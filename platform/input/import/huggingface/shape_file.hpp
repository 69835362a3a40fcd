// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/config.hpp"

#include <string>

namespace levee::hf {

/// Returns a model's shape and its notes, as a YAML file for 'model.shape' (docs/models.md).
/// `weights` is INT8, INT4 or INT3.
std::string shape_yaml(const Config& config, const WeightFormat& weights);

} // namespace levee::hf
