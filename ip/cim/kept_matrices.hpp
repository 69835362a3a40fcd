// SPDX-License-Identifier: Apache-2.0
// A model's matrices in the cores' macros.
#pragma once

#include "core/command/intake.hpp"
#include "core/memory/model_matrix.hpp"
#include "ip/cim/module.hpp"

namespace levee::cim {

/// Assigns each layer's matrices to its core and returns entries of type levee_cim_kept. Throws
/// std::invalid_argument, naming the matrix, if a core's macros cannot hold it.
[[nodiscard]] KeptMatrices keep(const Config& config, std::span<const ModelMatrix> matrices,
                                const StorageSink& sink);

/// Cost of reading the matrices from off-chip memory and writing them to their macros once. `raw`,
/// if not null, receives all written bytes, row by row. Throws as keep() does.
[[nodiscard]] Intake take_in(const Config& config, std::span<const ModelMatrix> matrices,
                             const RawSink& raw);

} // namespace levee::cim
