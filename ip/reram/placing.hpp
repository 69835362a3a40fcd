// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/intake.hpp"
#include "core/memory/model_matrix.hpp"
#include "ip/reram/module.hpp"

namespace levee::reram {

/// Places all matrices one after another, from unit 0 on, and returns records of type
/// levee_reram_kept. Throws std::invalid_argument if cells cannot hold the weights, and
/// std::length_error if there are too few units.
[[nodiscard]] KeptMatrices keep(const Config& config, std::span<const ModelMatrix> matrices,
                                const StorageSink& sink);

/// Returns the cost of programming the matrices: bit line by bit line, all crossbars in parallel.
/// `raw`, if not null, receives every unit with data: its number (8 bytes, little endian) and its
/// bytes. Throws as keep() does.
[[nodiscard]] Intake take_in(const Config& config, std::span<const ModelMatrix> matrices,
                             const RawSink& raw);

} // namespace levee::reram
