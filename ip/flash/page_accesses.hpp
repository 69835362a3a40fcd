// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/cells/cells.hpp"
#include "ip/flash/failures.hpp"
#include "ip/flash/tiling.hpp"

#include <cstdint>
#include <optional>

namespace levee::flash {

/// A page that an operation accesses.
struct PageAccess {
    PagePlace place;      ///< Place before pages are moved to other dies.
    std::uint64_t number; ///< Number of that place.
    /// Die of the channel that has the page now and serves its requests; empty: the page is lost.
    std::optional<std::uint32_t> die;
    levee_flash_part part{}; ///< For a tile's page: its part of the matrix.

    [[nodiscard]] bool is_lost() const { return !die; }
    /// Whether a tile's page holds no weight of the matrix.
    [[nodiscard]] bool is_empty() const { return part.rows == 0 || part.columns == 0; }
};

/// The access at a time, and by then the die that has the page.
[[nodiscard]] inline PageAccess access_of(const Geometry& geometry, const Failures& failures,
                                          const PagePlace& place, Time now,
                                          const levee_flash_part& part = {})
{
    return {place, number_of(geometry, place), failures.serving(place.channel, place.die, now),
            part};
}

/// All pages of an operation that begins at some time: pages of tiles and data pages. Both bits and
/// time are computed from this order.
class PageAccesses {
public:
    /// `geometry` and `failures` must outlive it.
    PageAccesses(const Geometry& geometry, const Failures& failures,
                 const levee_flash_operation& op, Time now)
        : geometry_(geometry), failures_(failures), now_(now), plane_(op.plane), page_(op.page),
          data_plane_(op.data_plane), data_page_(op.data_page), data_pages_(op.data_pages)
    {
        if (op.rows != 0)
            tiles_.emplace(geometry, op);
    }
    /// The same for a matrix that the flash keeps.
    PageAccesses(const Geometry& geometry, const Failures& failures, const levee_flash_kept& kept,
                 Time now)
        : geometry_(geometry), failures_(failures), now_(now), plane_(kept.plane), page_(kept.page),
          data_plane_(kept.data_plane), data_page_(kept.data_page), data_pages_(kept.data_pages)
    {
        if (kept.flash_rows != 0)
            tiles_.emplace(
                levee_flash_matrix_of_kept(&kept, geometry.channels, geometry.dies_per_channel()));
    }

    [[nodiscard]] std::uint64_t tiles() const { return tiles_ ? tiles_->count() : 0; }
    /// Cores of all channels, each with a page of every tile.
    [[nodiscard]] std::uint32_t parts() const { return tiles_->parts(); }
    [[nodiscard]] PageAccess tile_page(std::uint64_t tile, std::uint32_t part) const
    {
        const levee_flash_part its = tiles_->part(tile, part);
        return access({its.channel, its.core, plane_, page_ + static_cast<std::uint32_t>(tile)},
                      its);
    }
    /// Calls visit(page) for each page of the tiles that has weights.
    template <typename Visit> void for_each_tile_page(Visit visit) const
    {
        for (std::uint64_t tile = 0; tile < tiles(); ++tile)
            for (std::uint32_t part = 0; part < parts(); ++part)
                if (const PageAccess page = tile_page(tile, part); !page.is_empty())
                    visit(page);
    }

    [[nodiscard]] std::uint32_t data_pages() const { return data_pages_; }
    /// Data pages are distributed over channels first, then over dies.
    [[nodiscard]] PageAccess data_page(std::uint32_t k) const
    {
        const std::uint32_t in_channel = k / geometry_.channels;
        const std::uint32_t dies = geometry_.dies_per_channel();
        return access({k % geometry_.channels, in_channel % dies, data_plane_,
                       data_page_ + in_channel / dies});
    }

private:
    [[nodiscard]] PageAccess access(const PagePlace& place, const levee_flash_part& part = {}) const
    {
        return access_of(geometry_, failures_, place, now_, part);
    }

    const Geometry& geometry_;
    const Failures& failures_;
    Time now_;
    std::optional<Tiles> tiles_;
    std::uint32_t plane_, page_, data_plane_, data_page_, data_pages_;
};

} // namespace levee::flash
