// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/intake.hpp"
#include "ip/flash/placing.hpp"

namespace levee::flash {

/// Places all matrices and returns their places as records of type levee_flash_kept. Throws as
/// Placer::place() does.
[[nodiscard]] KeptMatrices keep(const Config& config, const PlacingConfig& placing,
                                std::span<const ModelMatrix> matrices, const StorageSink& sink);

/// Returns the cost of programming the matrices at the places that keep() chooses. `raw`, if not
/// null, receives every page with data, in the format of MatrixIntake::write_page().
[[nodiscard]] Intake take_in(const Config& config, const PlacingConfig& placing,
                             std::span<const ModelMatrix> matrices, const RawSink& raw);

} // namespace levee::flash
