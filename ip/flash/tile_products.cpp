// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/tile_products.hpp"

#include "ip/flash/product.hpp"

#include <algorithm>

namespace levee::flash {

/// Calls visit(page) for each page of the tile with weights. Counts idle cores and channels.
void TileProducts::for_each_busy(const PageAccesses::Tile& tile, auto visit)
{
    busy_.assign(config_.cells.geometry.channels, false);
    for (std::uint32_t i = 0; i < tile.parts(); ++i) {
        const PageAccess page = tile.page(i);
        if (page.is_empty()) {
            ++idle_cores_;
            continue;
        }
        busy_[page.place.channel] = true;
        visit(page);
    }
    idle_channels_ += static_cast<std::uint64_t>(std::count(busy_.begin(), busy_.end(), false));
}

void TileProducts::multiply(const levee_flash_operation& op, const PageAccesses& pages,
                            std::span<const std::uint8_t> input, std::vector<std::int64_t>& sums)
{
    const Geometry& g = config_.cells.geometry;
    const ProductFormat format{op.weight_bits, op.input_bytes};
    const std::uint64_t in_page = std::uint64_t{g.page_bytes} * 8 / op.weight_bits;
    std::vector<std::uint8_t> content(g.page_bytes);
    std::vector<std::int64_t> partial;
    const auto read = [&](const PageAccess& page) {
        const levee_flash_part& part = page.part;
        if (!page.is_lost())
            padding_weights_ += in_page - std::uint64_t{part.rows} * part.columns;
        reader_.read(page, content, config_.die_ecc);
        if (sums.empty() || page.is_lost())
            return;
        partial.assign(part.rows, 0);
        multiply_page(format, content, part.stride, input, part.column, part.columns, partial);
        add_partial(op, part.row, partial, sums);
    };
    tiles_ += pages.tiles();
    for (std::uint64_t tile = 0; tile < pages.tiles(); ++tile)
        for_each_busy(pages.tile(tile), read);
}

/// Adds a core's sums to the result, rounded as they are sent on the channel.
void TileProducts::add_partial(const levee_flash_operation& op, std::uint32_t first,
                               std::span<const std::int64_t> partial,
                               std::vector<std::int64_t>& sums)
{
    for (std::size_t row = 0; row < partial.size(); ++row) {
        const Requantised sent = op.result_bytes < 4
                                     ? requantise(partial[row], op.result_shift, op.result_bytes)
                                     : Requantised{partial[row], false};
        saturated_ += sent.saturated;
        sums[first + row] += sent.value;
    }
}

void TileProducts::report(Stats& stats) const
{
    stats.add("padding_weights", padding_weights_);
    stats.add("tiles", tiles_);
    stats.add("idle_channels", idle_channels_);
    stats.add("idle_cores", idle_cores_);
    stats.add("saturated_results", saturated_);
}

} // namespace levee::flash
