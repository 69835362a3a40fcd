// SPDX-License-Identifier: Apache-2.0
// Checks the tiles and shares of Cambricon-LLM, section V, by counting.
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

// Table II gives the channels, the compute cores per channel (chips x 2 dies), and the weights of 8
// bits per page.
const flash_shape s{8, 4, 16384}, m{16, 8, 16384}, l{32, 16, 16384};
const flash_pace pace{.read_ps = 30'000'000,
                      .channel_bytes_per_second = 1'000'000'000,
                      .core_macs_per_second = 546'133'334,
                      .page_bytes = 16384,
                      .slice_bytes = 2048,
                      .buffer_bytes = 2048,
                      .input_bytes = 1,
                      .result_bytes = 1,
                      .in_flight = 2,
                      .input_ahead = 0,
                      .reads_beside = 1};

double as_double(std::uint32_t alpha)
{
    return static_cast<double>(alpha) / FLASH_ALPHA_ONE;
}

levee_flash_part part_of(const flash_map& map, std::uint64_t tile, std::uint32_t part)
{
    const levee_flash_matrix matrix = flash_matrix_of(&map);
    const levee_flash_tiling tiling = levee_flash_tiling_of(&matrix);
    const levee_flash_place place = levee_flash_place_of(&matrix, &tiling, tile);
    return levee_flash_part_of(&matrix, &place, part);
}

/// Counts a tile's bytes core by core: all data that each channel must send. Data that cores share
/// count once.
std::uint64_t counted_transfer(const flash_shape& shape, const flash_tile& tile,
                               levee_flash_split split)
{
    const flash_map map =
        flash_divide(&shape, &tile, split, tile.rows, tile.columns, FLASH_ALPHA_ONE);
    // The parts of the input that a channel sends, by their first column.
    std::set<std::pair<std::uint32_t, std::uint32_t>> sent;
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < shape.channels * shape.cores; ++i) {
        const levee_flash_part part = part_of(map, 0, i);
        if (sent.emplace(part.channel, part.column).second)
            bytes += part.columns;
        bytes += part.rows;
    }
    return bytes;
}

struct Counted {
    std::uint64_t pages = 0, idle_channels = 0;
};

/// Counts how often each weight is in a core, the pages with weights, and the channels without
/// weights.
Counted cover_tiles(const flash_map& map, std::vector<int>& covered)
{
    const flash_shape& shape = map.shape;
    Counted counted;
    for (std::uint64_t tile = 0; tile < map.tiles; ++tile) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> cores;
        std::set<std::uint32_t> busy;
        for (std::uint32_t k = 0; k < shape.channels * shape.cores; ++k) {
            const levee_flash_part part = part_of(map, tile, k);
            REQUIRE(cores.emplace(part.channel, part.core).second);
            REQUIRE(part.channel < shape.channels);
            REQUIRE(std::uint64_t{part.rows} * part.stride <= shape.page_values);
            REQUIRE(part.columns <= part.stride);
            if (part.rows == 0 || part.columns == 0)
                continue;
            ++counted.pages;
            busy.insert(part.channel);
            for (std::uint32_t r = part.row; r < part.row + part.rows; ++r)
                for (std::uint32_t c = part.column; c < part.column + part.columns; ++c)
                    ++covered.at(std::size_t{r} * map.columns + c);
        }
        REQUIRE(!busy.empty());
        counted.idle_channels += shape.channels - busy.size();
    }
    return counted;
}

/// Returns the time of a matrix of `rows` x `columns` in tiles of one page per core.
double microseconds(const flash_request& request, const flash_tile& tile)
{
    const flash_map map = flash_divide(&request.shape, &tile, request.split, request.rows,
                                       request.columns, flash_alpha(&request, &tile));
    return static_cast<double>(flash_time_ps(&map, &request.pace)) * 1e-6;
}

flash_request request_of(const flash_shape& shape, std::uint32_t rows, std::uint32_t columns)
{
    return {.shape = shape,
            .pace = pace,
            .split = LEVEE_FLASH_SPLIT_SHARED,
            .share = FLASH_SHARE_BALANCED,
            .alpha = 0,
            .rows = rows,
            .columns = columns,
            .most_columns = 16384};
}

} // namespace

TEST_CASE("the best tile of S is 256 x 2048, of M 512 x 4096, of L 512 x 16384")
{
    const auto shape_of = [](const flash_shape& shape, std::uint32_t columns) {
        const flash_tile tile = flash_best_tile(&shape, columns);
        return std::pair(tile.rows, tile.columns);
    };
    CHECK(shape_of(s, 4096) == std::pair(256ul, 2048ul));
    CHECK(shape_of(m, 8192) == std::pair(512ul, 4096ul));
    CHECK(shape_of(l, 28672) == std::pair(512ul, 16384ul));
    // A matrix of 8192 inputs is narrower than L's best tile.
    CHECK(shape_of(l, 8192) == std::pair(1024ul, 8192ul));
    CHECK(shape_of(l, 5000) == std::pair(1024ul, 8192ul));
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
    CHECK(as_double(flash_alpha_balanced(&s, &tile, &pace, 4096)) ==
          Approx(4 * t_r / (4 * t_r + t_rc)).epsilon(1e-6));
    CHECK(as_double(flash_alpha_printed(&s, &tile, &pace)) ==
          Approx(t_r / (t_r + t_rc)).epsilon(1e-6));
    // Vectors saturate the channel and leave no bandwidth for the NPU.
    const flash_tile wide = flash_tile_of(&l, 16384);
    flash_pace wide_elements = pace;
    wide_elements.input_bytes = 2;
    CHECK(flash_alpha_balanced(&l, &wide, &wide_elements, 1u << 19) == FLASH_ALPHA_ONE);
}

TEST_CASE("the balanced alpha minimises the longer of flash and reads, to within a tile row")
{
    for (const flash_shape& shape : {s, m, l}) {
        const flash_tile tile = flash_best_tile(&shape, 8192);
        const auto rows = static_cast<std::uint32_t>(64 * tile.rows);
        const double t_rc = 30 + tile.core_columns * 1e-3;
        const double t_r =
            16.384 / (1 - static_cast<double>(tile.rows + tile.core_columns) / 30000);
        const auto longer = [&](std::uint32_t tile_rows) {
            const double tiles = tile_rows * 8192.0 / static_cast<double>(tile.columns);
            const double pages =
                (64.0 - tile_rows) * static_cast<double>(tile.rows) / 2 / shape.channels;
            return std::max(tiles * t_rc, pages * t_r);
        };
        std::uint32_t best = 0;
        for (std::uint32_t i = 0; i <= 64; ++i)
            best = longer(i) < longer(best) ? i : best;
        const flash_map map = flash_divide(&shape, &tile, LEVEE_FLASH_SPLIT_SHARED, rows, 8192,
                                           flash_alpha_balanced(&shape, &tile, &pace, 8192));
        CHECK(map.flash_rows >= best * tile.rows);
        CHECK(map.flash_rows <= (best + 1) * tile.rows);
        const flash_map printed = flash_divide(&shape, &tile, LEVEE_FLASH_SPLIT_SHARED, rows, 8192,
                                               flash_alpha_printed(&shape, &tile, &pace));
        CHECK(longer(static_cast<std::uint32_t>(printed.flash_rows / tile.rows)) >
              1.9 * longer(best));
    }
}

TEST_CASE("every weight is in one page of one core, or in one page for the NPU, with any shape")
{
    Random random(3);
    const auto draw = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random.below(most));
    };
    for (int round = 0; round < 400; ++round) {
        const flash_shape shape{draw(9), draw(9), 1u << random.below(9)};
        const std::uint32_t rows = draw(200), columns = draw(200);
        flash_tile tile = round % 2 == 0 ? flash_best_tile(&shape, columns)
                                         : flash_tile_of(&shape, draw(shape.page_values));
        while (tile.core_columns >> tile.rest_shift << tile.rest_shift == tile.core_columns &&
               random.below(2) == 0)
            ++tile.rest_shift;
        while (tile.core_columns % (1u << tile.rest_shift) != 0)
            --tile.rest_shift;
        const auto alpha = static_cast<std::uint32_t>(random.below(FLASH_ALPHA_ONE + 1));
        const flash_map map = flash_divide(
            &shape, &tile, static_cast<levee_flash_split>(random.below(2)), rows, columns, alpha);
        std::vector<int> covered(std::size_t{rows} * columns, 0);
        const Counted counted = cover_tiles(map, covered);
        REQUIRE(counted.pages == map.flash_pages);
        if (map.split == LEVEE_FLASH_SPLIT_SHARED)
            REQUIRE(counted.idle_channels == map.idle_channels);
        for (std::uint64_t page = 0; page < map.npu_pages; ++page) {
            const flash_run run = flash_npu_page(&map, page);
            for (std::uint64_t i = run.first; i < run.first + run.count; ++i)
                ++covered.at(i);
        }
        REQUIRE(std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; }));
        REQUIRE(map.padding ==
                (map.flash_pages + map.npu_pages) * shape.page_values - covered.size());
        // The cores have the smallest number of whole tile rows that is at least alpha.
        REQUIRE(map.flash_rows >= std::floor(as_double(alpha) * rows));
        REQUIRE((map.flash_rows == rows || map.flash_rows % tile.rows == 0));
    }
}

TEST_CASE("time of 4096 x 4096 on S by hand: 24 tiles, their slices, the last tile's computation")
{
    // The cores have 12 of 16 tile rows. Each channel reads 32 pages, in 524.3 of 726.1 us.
    const flash_request request = request_of(s, 4096, 4096);
    const flash_tile tile = flash_best_tile(&s, 4096);
    const double waits = 24 * 1.024 * 524.288 / (24 * 30.256);
    CHECK(microseconds(request, tile) ==
          Approx(24 * 30.256 + waits + 30 + 4 * 0.064).epsilon(1e-4));
}

TEST_CASE("the balance for a ragged width includes the last tile's idle channels")
{
    // 5120 columns are two and a half tiles of 2048, and take as long as three.
    const flash_tile tile = flash_best_tile(&s, 5120);
    const double t_rc = 30.256 * 3 / 2.5, t_r = 16.384 / (1 - 512.0 / 30000);
    CHECK(as_double(flash_alpha_balanced(&s, &tile, &pace, 5120)) ==
          Approx(4 * t_r / (4 * t_r + t_rc)).epsilon(1e-6));
    // The last columns can use tiles of half the width at almost no cost, because the vectors
    // hardly change.
    flash_tile two = tile;
    two.rest_shift = 1;
    CHECK(as_double(flash_alpha_balanced(&s, &two, &pace, 5120)) ==
          Approx(4 * t_r / (4 * t_r + 30.256)).epsilon(2e-3));
}

TEST_CASE("the fastest division is no slower than any tile's, for any device and matrix")
{
    Random random(29);
    const auto draw = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random.below(most));
    };
    for (int round = 0; round < 300; ++round) {
        const flash_shape shape{draw(40), draw(40), 1u << (8 + random.below(8))};
        flash_request request = request_of(shape, draw(40000), draw(40000));
        request.pace.page_bytes = shape.page_values;
        request.pace.read_ps = draw(100) * 1'000'000;
        request.pace.core_macs_per_second = draw(1000) * 1'000'000ull;
        request.pace.result_bytes = 1u << random.below(3);
        request.pace.buffer_bytes = 512u << random.below(4);
        request.most_columns = shape.page_values;
        const flash_map best = flash_fastest(&request);
        REQUIRE(flash_tile_fits(&shape, &best.tile, &request.pace));
        const double time = static_cast<double>(flash_time_ps(&best, &request.pace)) * 1e-6;
        const flash_tile least = flash_least_transfer(&request);
        REQUIRE(time <= microseconds(request, least));
        for (std::uint32_t columns = 1; columns <= shape.page_values; columns *= 2) {
            const flash_tile tile = flash_tile_of(&shape, columns);
            if (flash_tile_fits(&shape, &tile, &request.pace))
                REQUIRE(time <= microseconds(request, tile));
        }
    }
}

TEST_CASE("if the width fits the tile all rules are close, otherwise the rule by time is fastest")
{
    const auto gain = [](const flash_shape& shape, std::uint32_t rows, std::uint32_t columns) {
        const flash_request request = request_of(shape, rows, columns);
        const flash_map best = flash_fastest(&request);
        return microseconds(request, flash_least_transfer(&request)) /
               (static_cast<double>(flash_time_ps(&best, &pace)) * 1e-6);
    };
    CHECK(gain(s, 12288, 4096) < 1.06);
    CHECK(gain(l, 4096, 16384) < 1.06);
    CHECK(gain(s, 15360, 5120) > 1.08); // Llama2-13B on S gains more than 8 %.
    CHECK(gain(m, 15360, 5120) > 1.25); // On M, 5120 columns are a tile and a quarter of 4096.
    CHECK(gain(l, 27648, 9216) > 1.4);  // OPT-66B on L fills 9/16 of a tile of 16384.
}
