// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/regs.h"
#include "ip/flash/timing/requests.hpp"

#include <cstdint>

namespace levee::flash {

/// Tiles, and parts of tiles, of an operation's matrix.
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
    /// Number of cores in all channels. Each has a part of every tile.
    [[nodiscard]] std::uint32_t parts() const { return matrix_.channels * matrix_.cores; }
    /// Number of partial sums per row: one from each channel in each tile.
    [[nodiscard]] std::uint64_t partial_sums() const
    {
        return (std::uint64_t{tiling_.columns} + tiling_.rest_columns) * matrix_.channels;
    }
    [[nodiscard]] levee_flash_place place(std::uint64_t tile) const
    {
        return levee_flash_place_of(&matrix_, &tiling_, tile);
    }
    /// A core's part of the tile at `place`.
    [[nodiscard]] levee_flash_part part(const levee_flash_place& place, std::uint32_t number) const
    {
        return levee_flash_part_of(&matrix_, &place, number);
    }

private:
    levee_flash_matrix matrix_;
    levee_flash_tiling tiling_;
};

} // namespace levee::flash
