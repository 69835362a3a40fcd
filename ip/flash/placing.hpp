// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/model_matrix.hpp"
#include "ip/flash/cells/cells.hpp"
#include "ip/flash/tiles.h"

#include <string>
#include <vector>

namespace levee::flash {

enum class TileRule {
    Fastest,      ///< Shortest time of the product; the last columns of the matrix may get a
                  ///< different tile shape.
    LeastTransfer ///< Least transfer (Cambricon-LLM, section V-A): one tile shape for all matrices
                  ///< that are wide enough.
};

struct PlacingConfig {
    flash_share share = FLASH_SHARE_BALANCED; ///< Rule for the cores' share of a matrix (section
                                              ///< V-B).
    std::uint32_t alpha = 0;                  ///< Share for FLASH_SHARE_FIXED; at most
                                              ///< FLASH_ALPHA_ONE.
    TileRule tile = TileRule::Fastest;
    /// Columns of a core's part in every tile; 0: chosen by the rule. The number of rows is the
    /// number of results that a core's buffer can hold. If the matrix has few columns, part of the
    /// page stays empty.
    std::uint32_t core_columns = 0;
    levee_flash_split split = LEVEE_FLASH_SPLIT_SHARED;
    std::uint32_t input_bytes = 1;  ///< Bytes of an input element: 1 or 2.
    std::uint32_t result_bytes = 4; ///< Bytes of a result element on the channel: 1, 2 or 4.
    std::uint32_t result_shift = 0; ///< Scale of results of fewer than 4 bytes: 2^result_shift.
};

/// Places matrices in a flash. The rows that the cores compute are in tiles in one plane, and the
/// rows that the NPU reads are in pages of the next plane. Reads for the NPU therefore use a plane
/// that does not compute. The planes change roles from matrix to matrix, so that they fill evenly.
class Placer {
public:
    /// `read_bytes` is the number of bytes on the channel for one page that the NPU reads.
    Placer(const Geometry& geometry, const TimingConfig& timing, std::uint32_t read_bytes,
           const PlacingConfig& config);

    /// Allocates pages for a matrix. Throws std::invalid_argument if the cores do not support its
    /// weights, or if a tile does not fit a page or a core's buffer. Throws std::length_error if
    /// too few pages are left.
    levee_flash_kept place(const ModelMatrix& matrix);
    /// Describes a matrix's division for the user: tiles, the cores' share and idle parts. Throws
    /// as place() does.
    [[nodiscard]] std::string describe(const ModelMatrix& matrix) const;
    /// Writes the pages of a matrix that has been placed. Unused parts of a page are zero.
    void write(const ModelMatrix& matrix, const levee_flash_kept& kept,
               const StorageSink& sink) const;
    /// Returns the number of bytes from the first page of the flash to the end of the last
    /// allocated page.
    [[nodiscard]] std::uint64_t bytes() const;

private:
    [[nodiscard]] flash_map divide(const ModelMatrix& matrix) const;
    [[nodiscard]] flash_request request_for(const ModelMatrix& matrix) const;
    [[nodiscard]] bool sums_fit(const flash_shape& shape, std::uint32_t core_columns) const;
    void check_tile(const flash_request& request, const flash_tile& tile) const;
    /// Allocates `numbers` consecutive page numbers of a plane in all dies. Returns the first
    /// number.
    std::uint32_t take(std::uint32_t plane, std::uint64_t numbers);

    Geometry geometry_;
    TimingConfig timing_;
    std::uint32_t read_bytes_;
    PlacingConfig config_;
    std::vector<std::uint32_t> next_; ///< Next free page number, by plane.
    std::uint32_t placed_ = 0;        ///< Number of matrices placed so far.
};

} // namespace levee::flash
