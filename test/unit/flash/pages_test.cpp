// SPDX-License-Identifier: Apache-2.0
// Tests the places, numbers and dies of an operation's pages.
#include "ip/flash/page_accesses.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

using namespace levee::flash;

namespace {

constexpr Geometry geometry{3, 1, 2, 2, 8, 4, 256, 0};

levee_flash_operation operation(std::uint8_t split)
{
    levee_flash_operation op{};
    op.rows = 50;
    op.columns = 70;
    op.core_rows = op.core_columns = 16;
    op.weight_bits = 8;
    op.split = split;
    op.page = 5;
    op.data_plane = 1;
    op.data_page = 3;
    op.data_pages = 17;
    return op;
}

} // namespace

TEST_CASE("every page of an operation has a separate place, and parts of tiles cover all weights")
{
    const Failures none({});
    for (std::uint8_t split = 0; split <= LEVEE_FLASH_SPLIT_DIAGONAL; ++split) {
        const PageAccesses pages(geometry, none, operation(split), 0);
        std::set<std::uint64_t> numbers;
        std::uint64_t weights = 0;
        const auto check = [&](const PageAccess& page, std::uint32_t plane, std::uint32_t first) {
            const PagePlace place = place_of(geometry, page.number);
            CHECK(numbers.insert(page.number).second);
            CHECK(place.channel == page.place.channel);
            CHECK(place.die == page.place.die);
            CHECK(place.plane == plane);
            CHECK(place.page >= first);
            CHECK(page.die == page.place.die);
        };
        pages.for_each_tile_page([&](const PageAccess& page) {
            check(page, 0, 5);
            weights += std::uint64_t{page.part.rows} * page.part.columns;
        });
        CHECK(weights == 50 * 70);
        for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
            check(pages.data_page(k), 1, 3);
        CHECK(pages.data_page(3).place.channel == 0);
        CHECK(pages.data_page(3).place.die == 1);
        CHECK(pages.data_page(16).place.page == 5); // This page is in the third row of pages.
    }
}

TEST_CASE("when a die fails, its pages are lost or move to another die")
{
    const Failures failures({{1, 0, 5, {}}, {0, 1, 5, 0}});
    for (const Time now : {Time{4}, Time{5}}) {
        const PageAccesses pages(geometry, failures, operation(0), now);
        const auto check = [now](const PageAccess& page) {
            const bool fails = now == 5 && page.place.channel == 1 && page.place.die == 0;
            const bool moved = now == 5 && page.place.channel == 0 && page.place.die == 1;
            CHECK(page.is_lost() == fails);
            CHECK((fails || page.die == (moved ? 0 : page.place.die)));
        };
        pages.for_each_tile_page(check);
        for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
            check(pages.data_page(k));
    }
}

TEST_CASE("the pages of a kept matrix are the pages of the operation that computes with it")
{
    const Failures none({});
    const levee_flash_operation op = operation(0);
    levee_flash_kept kept{};
    kept.flash_rows = op.rows;
    kept.columns = op.columns;
    kept.core_rows = kept.core_columns = op.core_rows;
    kept.page = op.page;
    kept.data_plane = op.data_plane;
    kept.data_page = op.data_page;
    kept.data_pages = op.data_pages;
    std::vector<std::uint64_t> numbers[2];
    const PageAccesses all[] = {{geometry, none, op, 0}, {geometry, none, kept, 0}};
    for (std::size_t i = 0; i < 2; ++i) {
        all[i].for_each_tile_page(
            [&](const PageAccess& page) { numbers[i].push_back(page.number); });
        for (std::uint32_t k = 0; k < all[i].data_pages(); ++k)
            numbers[i].push_back(all[i].data_page(k).number);
    }
    CHECK(numbers[0].size() > 17);
    CHECK(numbers[0] == numbers[1]);
}
