// SPDX-License-Identifier: Apache-2.0
// A model's matrices in a flash: their places, and the cost of bringing them there.
#pragma once

#include "ip/flash/intake.hpp"
#include "ip/flash/placing.hpp"

namespace levee::flash {

/// Places all matrices and records their places in entries of type levee_flash_kept. Throws like
/// Placer::place.
[[nodiscard]] KeptMatrices keep(const Config& config, const PlacingConfig& placing,
                                std::span<const ModelMatrix> matrices, const StorageSink& sink);

/// Cost of programming matrices at these places. `raw`, if not null, receives every page with data
/// (MatrixIntake::write_page).
[[nodiscard]] Intake take_in(const Config& config, const PlacingConfig& placing,
                             std::span<const ModelMatrix> matrices, const RawSink& raw);

} // namespace levee::flash
