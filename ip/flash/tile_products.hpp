// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/stats.hpp"
#include "ip/flash/page_reader.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::flash {

class TileProducts {
public:
    TileProducts(const Config& config, PageReader& reader) : config_(config), reader_(reader) {}

    /// Adds every core's partial sums to the rows of the result. `sums` is empty in timing-only
    /// runs.
    void multiply(const levee_flash_operation& op, const PageAccesses& pages,
                  std::span<const std::uint8_t> input, std::vector<std::int64_t>& sums);

    [[nodiscard]] std::uint64_t saturated() const { return saturated_; } ///< partial sums
    void report(Stats& stats) const;

private:
    void add_partial(const levee_flash_operation& op, std::uint32_t first,
                     std::span<const std::int64_t> partial, std::vector<std::int64_t>& sums);
    void for_each_busy(const PageAccesses::Tile& tile, auto visit);

    const Config& config_;
    PageReader& reader_;
    std::uint64_t saturated_ = 0;
    std::uint64_t padding_weights_ = 0;
    std::uint64_t tiles_ = 0;         ///< Number of tiles computed.
    std::uint64_t idle_channels_ = 0; ///< Channels without a weight, summed over all tiles.
    std::uint64_t idle_cores_ = 0;    ///< Cores without a weight, summed over all tiles. Cores of
                                      ///< idle channels count, too.
    std::vector<bool> busy_;          ///< Channels with a weight in a tile.
};

} // namespace levee::flash
