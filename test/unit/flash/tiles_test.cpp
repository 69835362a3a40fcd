// SPDX-License-Identifier: Apache-2.0
// Tiles and shares of Cambricon-LLM, section V, counted.
#include "ip/flash/tiles.h"
#include "test/unit/flash/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

using levee::flash::test::Random;

namespace {

// Table II: channels, compute cores a channel (chips x 2 dies), weights a page at 8 bits.
const flash_shape s{8, 4, 16384}, m{16, 8, 16384}, l{32, 16, 16384};
const flash_pace pace{30'000'000, 1'000'000'000, 16384, 1, 1};

double as_double(std::uint32_t alpha)
{
    return static_cast<double>(alpha) / FLASH_ALPHA_ONE;
}

/// Bytes of a tile, counted core by core: what each channel must send, once where shared.
std::uint64_t counted_transfer(const flash_shape& shape, const flash_tile& tile,
                               levee_flash_split split)
{
    const flash_map map =
        flash_divide(&shape, &tile, split, tile.rows, tile.columns, FLASH_ALPHA_ONE);
    std::set<std::pair<std::uint32_t, std::uint32_t>> sent; // of a channel, from a column on
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < shape.channels * shape.cores; ++i) {
        const levee_flash_part part = flash_tile_part(&map, 0, 0, i);
        if (sent.emplace(part.channel, part.column).second)
            bytes += part.columns;
        bytes += part.rows;
    }
    return bytes;
}

/// Counts each weight that a core has, and returns how many pages have one.
std::uint64_t cover_tiles(const flash_map& map, std::vector<int>& covered)
{
    const flash_shape& shape = map.shape;
    std::uint64_t pages = 0;
    for (std::uint32_t tile = 0; tile < map.tile_rows * map.tile_columns; ++tile) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> cores;
        for (std::uint32_t k = 0; k < shape.channels * shape.cores; ++k) {
            const levee_flash_part part =
                flash_tile_part(&map, tile / map.tile_columns, tile % map.tile_columns, k);
            REQUIRE(cores.emplace(part.channel, part.core).second);
            REQUIRE(part.channel < shape.channels);
            REQUIRE(std::uint64_t{part.rows} * part.columns <= shape.page_values);
            pages += part.rows != 0 && part.columns != 0;
            for (std::uint32_t r = part.row; r < part.row + part.rows; ++r)
                for (std::uint32_t c = part.column; c < part.column + part.columns; ++c)
                    ++covered.at(std::size_t{r} * map.columns + c);
        }
    }
    return pages;
}

} // namespace

TEST_CASE("the best tile of S is 256 x 2048, of M 512 x 4096, of L 512 x 16384")
{
    const auto shape_of = [](const flash_shape& shape, std::uint32_t columns) {
        const flash_tile tile = flash_best_tile(&shape, columns);
        return std::pair(tile.rows, tile.columns);
    };
    CHECK(shape_of(s, 4096) == std::pair(256u, 2048u));
    CHECK(shape_of(m, 8192) == std::pair(512u, 4096u));
    CHECK(shape_of(l, 28672) == std::pair(512u, 16384u));
    // A matrix of 8192 inputs is narrower than L's best tile.
    CHECK(shape_of(l, 8192) == std::pair(1024u, 8192u));
    CHECK(shape_of(l, 5000) == std::pair(1024u, 8192u));
}

TEST_CASE("no other power of two transfers less, and the least is 2 ch sqrt(cc page)")
{
    for (const flash_shape& shape : {s, m, l, flash_shape{1, 1, 4096}, flash_shape{8, 64, 8192}}) {
        const flash_tile best = flash_best_tile(&shape, 1u << 30);
        const std::uint64_t bytes =
            flash_tile_transfer(&shape, &best, LEVEE_FLASH_SPLIT_SHARED, 1, 1);
        for (std::uint32_t columns = 1; columns <= shape.page_values; columns *= 2) {
            const flash_tile other = flash_tile_of(&shape, columns);
            CHECK(bytes <= flash_tile_transfer(&shape, &other, LEVEE_FLASH_SPLIT_SHARED, 1, 1));
        }
        const double least =
            2 * shape.channels * std::sqrt(static_cast<double>(shape.cores) * shape.page_values);
        CHECK(static_cast<double>(bytes) >= least - 1e-6);
        CHECK(static_cast<double>(bytes) < 1.07 * least);
    }
}

TEST_CASE("transfers are W + ch H, and cc W + ch H without a shared input, by counting bytes")
{
    for (const flash_shape& shape : {s, m, l})
        for (std::uint32_t columns : {128u, 256u, 512u}) {
            const flash_tile tile = flash_tile_of(&shape, columns);
            const std::uint64_t w = tile.columns, h = tile.rows;
            CHECK(counted_transfer(shape, tile, LEVEE_FLASH_SPLIT_SHARED) ==
                  w + shape.channels * h);
            CHECK(counted_transfer(shape, tile, LEVEE_FLASH_SPLIT_DIAGONAL) ==
                  shape.cores * w + shape.channels * h);
            CHECK(flash_tile_transfer(&shape, &tile, LEVEE_FLASH_SPLIT_SHARED, 2, 4) ==
                  2 * w + 4 * shape.channels * h);
            CHECK(flash_tile_transfer(&shape, &tile, LEVEE_FLASH_SPLIT_DIAGONAL, 1, 1) ==
                  counted_transfer(shape, tile, LEVEE_FLASH_SPLIT_DIAGONAL));
        }
}

TEST_CASE("alpha, by hand for S: t_rc = 30.256 us, t_r = 16.384 / (1 - 512/30000) us")
{
    const flash_tile tile = flash_best_tile(&s, 4096);
    const double t_rc = 30.256, t_r = 16.384 / (1 - 512.0 / 30000);
    CHECK(as_double(flash_alpha_balanced(&s, &tile, &pace)) ==
          Approx(4 * t_r / (4 * t_r + t_rc)).epsilon(1e-6));
    CHECK(as_double(flash_alpha_printed(&s, &tile, &pace)) ==
          Approx(t_r / (t_r + t_rc)).epsilon(1e-6));
    // Vectors that fill the channel leave the NPU nothing.
    const flash_tile wide = flash_tile_of(&l, 16384);
    flash_pace wide_elements = pace;
    wide_elements.input_bytes = 2;
    CHECK(flash_alpha_balanced(&l, &wide, &wide_elements) == FLASH_ALPHA_ONE);
}

TEST_CASE("the balanced alpha minimises the longer of flash and reads, to within a tile row")
{
    for (const flash_shape& shape : {s, m, l}) {
        const flash_tile tile = flash_best_tile(&shape, 8192);
        const std::uint32_t rows = 64 * tile.rows;
        const double t_rc = 30 + tile.core_columns * 1e-3;
        const double t_r = 16.384 / (1 - (tile.rows + tile.core_columns) / 30000.0);
        const auto longer = [&](std::uint32_t tile_rows) {
            const double tiles = static_cast<double>(tile_rows) * 8192 / tile.columns;
            const double pages = (64.0 - tile_rows) * tile.rows * 8192 / 16384 / shape.channels;
            return std::max(tiles * t_rc, pages * t_r);
        };
        std::uint32_t best = 0;
        for (std::uint32_t i = 0; i <= 64; ++i)
            best = longer(i) < longer(best) ? i : best;
        const flash_map map = flash_divide(&shape, &tile, LEVEE_FLASH_SPLIT_SHARED, rows, 8192,
                                           flash_alpha_balanced(&shape, &tile, &pace));
        CHECK(map.tile_rows >= best);
        CHECK(map.tile_rows <= best + 1);
        const flash_map printed = flash_divide(&shape, &tile, LEVEE_FLASH_SPLIT_SHARED, rows, 8192,
                                               flash_alpha_printed(&shape, &tile, &pace));
        CHECK(longer(printed.tile_rows) > 1.9 * longer(best));
    }
}

TEST_CASE(
    "every weight is in one page of one core, or in one page of the NPU's, whatever the shape")
{
    Random random(3);
    const auto draw = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random.below(most));
    };
    for (int round = 0; round < 400; ++round) {
        const flash_shape shape{draw(9), draw(9), 1u << random.below(9)};
        const std::uint32_t rows = draw(200), columns = draw(200);
        const flash_tile tile = round % 2 == 0 ? flash_best_tile(&shape, columns)
                                               : flash_tile_of(&shape, draw(shape.page_values));
        const auto alpha = static_cast<std::uint32_t>(random.below(FLASH_ALPHA_ONE + 1));
        const flash_map map = flash_divide(
            &shape, &tile, static_cast<levee_flash_split>(random.below(2)), rows, columns, alpha);
        std::vector<int> covered(std::size_t{rows} * columns, 0);
        REQUIRE(cover_tiles(map, covered) == map.flash_pages);
        for (std::uint64_t page = 0; page < map.npu_pages; ++page) {
            const flash_run run = flash_npu_page(&map, page);
            for (std::uint64_t i = run.first; i < run.first + run.count; ++i)
                ++covered.at(i);
        }
        REQUIRE(std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; }));
        REQUIRE(map.padding ==
                (map.flash_pages + map.npu_pages) * shape.page_values - covered.size());
        // Whole tile rows, of which there are as few as alpha needs.
        REQUIRE(map.flash_rows >= std::floor(as_double(alpha) * rows));
        REQUIRE((map.flash_rows == rows || map.flash_rows % tile.rows == 0));
    }
}
