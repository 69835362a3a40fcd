// SPDX-License-Identifier: Apache-2.0
// A model's matrices in crossbars: their places, and the cost of bringing them there.
#pragma once

#include "core/command/intake.hpp"
#include "core/memory/model_matrix.hpp"
#include "ip/reram/module.hpp"

namespace levee::reram {

/// Places all matrices one after another from unit 0 on, and records their places in entries of
/// type levee_reram_kept. Throws std::invalid_argument for weights that cells cannot hold,
/// std::length_error if there are too few units.
[[nodiscard]] KeptMatrices keep(const Config& config, std::span<const ModelMatrix> matrices,
                                const StorageSink& sink);

/// The cost of programming them in this placement: bit line by bit line, all crossbars at once.
/// `raw`, unless it is null, gets every unit of matrices with data: its number (8 bytes, little
/// endian) and its bytes.
[[nodiscard]] Intake take_in(const Config& config, std::span<const ModelMatrix> matrices,
                             const RawSink& raw);

} // namespace levee::reram
