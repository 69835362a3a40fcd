// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/model_matrix.hpp"
#include "ip/flash/cells/cells.hpp"
#include "ip/flash/tiles.h"

#include <vector>

namespace levee::flash {

/// Rule for the share of a matrix that the cores compute (Cambricon-LLM, section V-B).
enum class Share {
    Balanced, ///< cores and reads of the rest end together
    Printed,  ///< by the formula as printed, without the number of cores
    Fixed
};

struct PlacingConfig {
    Share share = Share::Balanced;
    std::uint32_t alpha = 0; ///< of Share::Fixed, up to FLASH_ALPHA_ONE
    /// Columns of a core's page; 0: those of the tile with the least transfer whose input its
    /// buffer holds, with as many rows as it holds results (a narrow matrix leaves the rest of the
    /// page empty).
    std::uint32_t core_columns = 0;
    levee_flash_split split = LEVEE_FLASH_SPLIT_SHARED;
    std::uint32_t input_bytes = 1;  ///< of an element: 1 or 2
    std::uint32_t result_bytes = 4; ///< of an element on the channel: 1, 2 or 4
    std::uint32_t result_shift = 0; ///< of fewer than 4 bytes: in units of 2^result_shift
};

/// Where matrices lie: the cores' share in tiles in one plane, the NPU's in pages of the next, so
/// that reads use the plane that does not compute. Matrix by matrix the planes take turns: none
/// fills before the others.
class Placer {
public:
    /// `read_bytes`: of a page on the channel that is read for the NPU.
    Placer(const Geometry& geometry, const TimingConfig& timing, std::uint32_t read_bytes,
           const PlacingConfig& config);

    /// Takes pages for a matrix. Throws std::invalid_argument for weights that cores do not take,
    /// or a tile that a page or a core's buffer does not hold; std::length_error if there are too
    /// few pages.
    levee_flash_kept place(const ModelMatrix& matrix);
    /// Writes a placed matrix, page by page, each with zeroes where the matrix ends.
    void write(const ModelMatrix& matrix, const levee_flash_kept& kept,
               const StorageSink& sink) const;
    /// Bytes from the first page to the end of the last that has been taken.
    [[nodiscard]] std::uint64_t bytes() const;

private:
    [[nodiscard]] std::uint64_t vector_bytes(std::uint64_t core_columns,
                                             std::uint64_t core_rows) const;
    [[nodiscard]] flash_tile tile_for(const flash_shape& shape, std::uint32_t columns) const;
    [[nodiscard]] std::uint32_t alpha_for(const flash_shape& shape, const flash_tile& tile) const;
    [[nodiscard]] bool sums_fit(const flash_shape& shape, std::uint32_t core_columns) const;
    void check_tile(const flash_shape& shape, const flash_tile& tile) const;
    /// Takes as many numbers of a plane, in all dies; returns the first.
    std::uint32_t take(std::uint32_t plane, std::uint64_t numbers);
    void write_tiles(const ModelMatrix& matrix, const levee_flash_kept& kept,
                     const StorageSink& sink) const;
    void write_rest(const ModelMatrix& matrix, const levee_flash_kept& kept,
                    const StorageSink& sink) const;

    Geometry geometry_;
    TimingConfig timing_;
    std::uint32_t read_bytes_;
    PlacingConfig config_;
    std::vector<std::uint32_t> next_; ///< free page number, by plane
    std::uint32_t placed_ = 0;        ///< matrices
};

} // namespace levee::flash
