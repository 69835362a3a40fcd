// SPDX-License-Identifier: Apache-2.0
// A model's matrices in the cores' macros.
#pragma once

#include "ip/cim/module.hpp"
#include "ip/common/model_matrix.hpp"

namespace levee::cim {

/// Gives each layer's matrices to its core and says so in records of type levee_cim_kept. Throws
/// std::invalid_argument, saying which matrix, for what a core's macros do not take.
[[nodiscard]] KeptMatrices keep(const Config& config, std::span<const ModelMatrix> matrices,
                                const StorageSink& sink);

} // namespace levee::cim
