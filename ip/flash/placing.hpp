// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/model_matrix.hpp"
#include "ip/flash/cells/cells.hpp"
#include "ip/flash/tiles.h"

#include <string>
#include <vector>

namespace levee::flash {

/// Rule for a matrix's tile.
enum class TileRule {
    Fastest,      ///< Least time of the product; the last columns may get another tile.
    LeastTransfer ///< Least transfer: the same tile for all matrices that are wide enough
                  ///< (Cambricon-LLM, section V-A).
};

struct PlacingConfig {
    flash_share share = FLASH_SHARE_BALANCED; ///< section V-B
    std::uint32_t alpha = 0;                  ///< For FLASH_SHARE_FIXED; at most FLASH_ALPHA_ONE.
    TileRule tile = TileRule::Fastest;
    /// Columns of a core's page in every tile; 0: by the rule. By the rule, a core's page has as
    /// many rows as its buffer has room for results; a narrow matrix leaves the rest of the page
    /// empty.
    std::uint32_t core_columns = 0;
    levee_flash_split split = LEVEE_FLASH_SPLIT_SHARED;
    std::uint32_t input_bytes = 1;  ///< Bytes of an input element: 1 or 2.
    std::uint32_t result_bytes = 4; ///< Bytes of a result element on the channel: 1, 2 or 4.
    std::uint32_t result_shift = 0; ///< Scale of results of fewer than 4 bytes: 2^result_shift.
};

/// Places matrices: the cores' share in tiles of one plane, the NPU's share in pages of the next
/// plane, so that reads use a plane that does not compute. Planes alternate from matrix to matrix,
/// so that they fill evenly.
class Placer {
public:
    /// `read_bytes`: bytes on the channel for a page that is read for the NPU.
    Placer(const Geometry& geometry, const TimingConfig& timing, std::uint32_t read_bytes,
           const PlacingConfig& config);

    /// Takes pages for a matrix. Throws std::invalid_argument for weights that cores cannot take,
    /// or for a tile that does not fit a page or a core's buffer; std::length_error if there are
    /// too few pages.
    levee_flash_kept place(const ModelMatrix& matrix);
    /// Describes the division of a matrix: tiles, the cores' share, idle parts. Throws like
    /// place().
    [[nodiscard]] std::string describe(const ModelMatrix& matrix) const;
    /// Writes a placed matrix, page by page, each with zeroes where the matrix ends.
    void write(const ModelMatrix& matrix, const levee_flash_kept& kept,
               const StorageSink& sink) const;
    /// Bytes from the first page to the end of the last that has been taken.
    [[nodiscard]] std::uint64_t bytes() const;

private:
    [[nodiscard]] flash_map divide(const ModelMatrix& matrix) const;
    [[nodiscard]] flash_request request_for(const ModelMatrix& matrix) const;
    [[nodiscard]] bool sums_fit(const flash_shape& shape, std::uint32_t core_columns) const;
    void check_tile(const flash_request& request, const flash_tile& tile) const;
    /// Takes this many page numbers of a plane, in all dies; returns the first.
    std::uint32_t take(std::uint32_t plane, std::uint64_t numbers);

    Geometry geometry_;
    TimingConfig timing_;
    std::uint32_t read_bytes_;
    PlacingConfig config_;
    std::vector<std::uint32_t> next_; ///< free page number, by plane
    std::uint32_t placed_ = 0;        ///< matrices
};

} // namespace levee::flash
