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
    Fastest,      ///< with the least time of the product, and maybe another for the last columns
    LeastTransfer ///< of all matrices wide enough the same (Cambricon-LLM, section V-A)
};

struct PlacingConfig {
    flash_share share = FLASH_SHARE_BALANCED; ///< section V-B
    std::uint32_t alpha = 0;                  ///< of FLASH_SHARE_FIXED, up to FLASH_ALPHA_ONE
    TileRule tile = TileRule::Fastest;
    /// Columns of a core's page in every tile; 0: by the rule. A core's page has as many rows as
    /// its buffer holds results (a narrow matrix leaves the rest of the page empty), by the rule
    /// only.
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
    /// How a matrix is divided, in words: tiles, the share of the cores, what lies idle. Throws as
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
    /// Takes as many numbers of a plane, in all dies; returns the first.
    std::uint32_t take(std::uint32_t plane, std::uint64_t numbers);

    Geometry geometry_;
    TimingConfig timing_;
    std::uint32_t read_bytes_;
    PlacingConfig config_;
    std::vector<std::uint32_t> next_; ///< free page number, by plane
    std::uint32_t placed_ = 0;        ///< matrices
};

} // namespace levee::flash
