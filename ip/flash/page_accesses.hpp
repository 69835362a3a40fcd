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
    PagePlace place;      ///< Original place, before a failure moved the page to another die.
    std::uint64_t number; ///< Page number of `place`.
    /// Die of the channel that holds the page and serves its requests. Empty if the page is lost.
    std::optional<std::uint32_t> die;
    levee_flash_part part{}; ///< For a page of a tile: its part of the matrix.

    [[nodiscard]] bool is_lost() const { return !die; }
    /// For a page of a tile: whether it contains no weight of the matrix.
    [[nodiscard]] bool is_empty() const { return part.rows == 0 || part.columns == 0; }
};

/// Returns the access to a page, with the die that holds it at time `now`.
[[nodiscard]] inline PageAccess access_of(const Geometry& geometry, const Failures& failures,
                                          const PagePlace& place, Time now,
                                          const levee_flash_part& part = {})
{
    return {place, number_of(geometry, place), failures.serving(place.channel, place.die, now),
            part};
}

class PageAccesses {
public:
    /// `geometry` and `failures` must outlive this object.
    PageAccesses(const Geometry& geometry, const Failures& failures,
                 const levee_flash_operation& op, Time now)
        : geometry_(geometry), failures_(failures), now_(now), plane_(op.plane), page_(op.page),
          data_plane_(op.data_plane), data_page_(op.data_page), data_pages_(op.data_pages)
    {
        if (op.rows != 0)
            tiles_.emplace(geometry, op);
    }
    /// The pages of a matrix that is stored in the flash.
    PageAccesses(const Geometry& geometry, const Failures& failures, const levee_flash_kept& kept,
                 Time now)
        : geometry_(geometry), failures_(failures), now_(now), plane_(kept.plane), page_(kept.page),
          data_plane_(kept.data_plane), data_page_(kept.data_page), data_pages_(kept.data_pages)
    {
        if (kept.flash_rows != 0)
            tiles_.emplace(
                levee_flash_matrix_of_kept(&kept, geometry.channels, geometry.dies_per_channel()));
    }

    /// A tile of the matrix. The PageAccesses object must outlive the tile.
    class Tile {
    public:
        Tile(const PageAccesses& pages, std::uint64_t number)
            : pages_(pages), place_(pages.tiles_->place(number)),
              page_(pages.page_ + static_cast<std::uint32_t>(number))
        {
        }
        /// Number of cores in all channels. Each has a page of every tile.
        [[nodiscard]] std::uint32_t parts() const { return pages_.tiles_->parts(); }
        [[nodiscard]] PageAccess page(std::uint32_t part) const
        {
            const levee_flash_part its = pages_.tiles_->part(place_, part);
            return pages_.access({its.channel, its.core, pages_.plane_, page_}, its);
        }

    private:
        const PageAccesses& pages_;
        levee_flash_place place_;
        std::uint32_t page_;
    };

    [[nodiscard]] std::uint64_t tiles() const { return tiles_ ? tiles_->count() : 0; }
    [[nodiscard]] Tile tile(std::uint64_t number) const { return {*this, number}; }
    /// Calls visit(page) for each page of the tiles that has weights.
    template <typename Visit> void for_each_tile_page(Visit visit) const
    {
        for (std::uint64_t number = 0; number < tiles(); ++number) {
            const Tile its = tile(number);
            for (std::uint32_t part = 0; part < its.parts(); ++part)
                if (const PageAccess page = its.page(part); !page.is_empty())
                    visit(page);
        }
    }

    [[nodiscard]] std::uint32_t data_pages() const { return data_pages_; }
    /// Returns data page `k`. Consecutive data pages are in consecutive channels, then in the next
    /// die.
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
