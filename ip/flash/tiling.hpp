// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/regs.h"
#include "ip/flash/timing/requests.hpp"

#include <cstdint>

namespace levee::flash {

/// Tiles and parts of a matrix in the flash, as an operation describes it.
class Tiles {
public:
    Tiles(const Geometry& geometry, const levee_flash_operation& op)
        : Tiles(levee_flash_matrix{.channels = geometry.channels,
                                   .cores = geometry.dies_per_channel(),
                                   .split = op.split,
                                   .core_rows = op.core_rows,
                                   .core_columns = op.core_columns,
                                   .rows = op.rows,
                                   .columns = op.columns,
                                   .rest_shift = op.rest_shift})
    {
    }
    explicit Tiles(const levee_flash_matrix& matrix)
        : matrix_(matrix), tiling_(levee_flash_tiling_of(&matrix))
    {
    }
    [[nodiscard]] const levee_flash_matrix& matrix() const { return matrix_; }
    [[nodiscard]] std::uint64_t count() const { return levee_flash_tile_count(&tiling_); }
    /// Cores of all channels, each with a part of every tile.
    [[nodiscard]] std::uint32_t parts() const { return matrix_.channels * matrix_.cores; }
    /// Partial sums of a row: one a channel in each tile.
    [[nodiscard]] std::uint64_t partial_sums() const
    {
        return (std::uint64_t{tiling_.columns} + tiling_.rest_columns) * matrix_.channels;
    }
    [[nodiscard]] levee_flash_part part(std::uint64_t tile, std::uint32_t number) const
    {
        const levee_flash_place place = levee_flash_place_of(&matrix_, &tiling_, tile);
        return levee_flash_part_of(&matrix_, &place, number);
    }

private:
    levee_flash_matrix matrix_;
    levee_flash_tiling tiling_;
};

} // namespace levee::flash
