// SPDX-License-Identifier: Apache-2.0
// A model's matrices in a flash: where they lie, and what it takes to get them there.
#pragma once

#include "ip/flash/intake.hpp"
#include "ip/flash/placing.hpp"

namespace levee::flash {

/// Places all matrices and writes down where, in records of type levee_flash_kept. Throws as
/// Placer::place, as the other.
[[nodiscard]] KeptMatrices keep(const Config& config, const PlacingConfig& placing,
                                std::span<const ModelMatrix> matrices, const StorageSink& sink);

/// What it takes to program matrices in these places. `raw`, unless it is null, gets every page of
/// those with data (MatrixIntake::write_page).
[[nodiscard]] Intake take_in(const Config& config, const PlacingConfig& placing,
                             std::span<const ModelMatrix> matrices, const RawSink& raw);

} // namespace levee::flash
