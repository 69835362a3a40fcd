// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/optional_keys.hpp"

#include <cstdint>
#include <vector>

namespace levee::hf {

/// Turns per position in units of 2^-32, [head_dim / 2], by rope_theta and rope_scaling (or
/// rope_parameters) of a config.json: none, linear or llama3. Throws ModelError naming any other.
std::vector<std::uint32_t> read_rope(const JsonView& config, std::uint32_t head_dim,
                                     OptionalKeys& optional);

} // namespace levee::hf
