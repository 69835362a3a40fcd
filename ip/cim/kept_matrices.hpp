// SPDX-License-Identifier: Apache-2.0
// A model's matrices in the cores' macros.
#pragma once

#include "core/command/intake.hpp"
#include "core/memory/model_matrix.hpp"
#include "ip/cim/module.hpp"

namespace levee::cim {

/// Gives each layer's matrices to its core and records that in entries of type levee_cim_kept.
/// Throws std::invalid_argument, with the matrix, for matrices that a core's macros cannot take.
[[nodiscard]] KeptMatrices keep(const Config& config, std::span<const ModelMatrix> matrices,
                                const StorageSink& sink);

/// The cost of reading the matrices from the memory outside and writing them into their macros
/// once. `raw`, unless it is null, gets all written bytes, row by row. Throws as `keep`.
[[nodiscard]] Intake take_in(const Config& config, std::span<const ModelMatrix> matrices,
                             const RawSink& raw);

} // namespace levee::cim
