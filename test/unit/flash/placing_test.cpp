// SPDX-License-Identifier: Apache-2.0
// Reads placed matrices back from their pages, by the firmware's rules (layout.h, regs.h).
#include "ip/flash/placing.hpp"
#include "test/unit/flash/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>

using namespace levee;
using namespace levee::flash;
using levee::flash::test::Random;

namespace {

TimingConfig timing_of_s(std::uint32_t buffer_bytes = 2048)
{
    TimingConfig timing;
    timing.read = 30'000'000;
    timing.channel_bytes_per_second = 1'000'000'000;
    timing.core_macs_per_second = 546'133'334;
    timing.buffer_bytes = buffer_bytes;
    return timing;
}

/// A matrix with its data.
struct Drawn {
    std::vector<std::uint8_t> bytes;
    ModelMatrix matrix;

    Drawn(levee_type type, std::uint32_t rows, std::uint32_t columns, Random& random)
    {
        const std::uint32_t row_bytes = type == LEVEE_TYPE_INT8 ? columns : (columns + 1) / 2;
        for (std::uint64_t i = 0; i < std::uint64_t{rows} * row_bytes; ++i)
            bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
        matrix = {1, 0, type, rows, columns, row_bytes, bytes};
    }
    [[nodiscard]] int at(std::uint64_t row, std::uint64_t column) const
    {
        const std::uint64_t begin = row * matrix.row_bytes;
        if (matrix.type == LEVEE_TYPE_INT8)
            return bytes[begin + column];
        return bytes[begin + column / 2] >> column % 2 * 4 & 15;
    }
};

/// Placed pages by their number.
struct Placed {
    Geometry geometry;
    std::map<std::uint64_t, std::vector<std::uint8_t>> pages;

    StorageSink sink()
    {
        return [this](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
            REQUIRE(offset % geometry.page_bytes == 0);
            REQUIRE(bytes.size() == geometry.page_bytes);
            const bool is_new =
                pages.emplace(offset / geometry.page_bytes, std::vector(bytes.begin(), bytes.end()))
                    .second;
            REQUIRE(is_new);
        };
    }
};

/// Removes a matrix's pages from `placed` and counts how often each weight occurs. Fails if a
/// weight has the wrong value.
class Reader {
public:
    Reader(const Drawn& drawn, const levee_flash_kept& kept, Placed& placed)
        : drawn_(drawn), kept_(kept), placed_(placed),
          found_(std::size_t{drawn.matrix.rows} * drawn.matrix.columns, 0)
    {
    }
    void tiles()
    {
        const Geometry& g = placed_.geometry;
        const levee_flash_matrix layout{.channels = g.channels,
                                        .cores = g.dies_per_channel(),
                                        .split = kept_.split,
                                        .core_rows = kept_.core_rows,
                                        .core_columns = kept_.core_columns,
                                        .rows = kept_.flash_rows,
                                        .columns = kept_.columns,
                                        .rest_shift = kept_.rest_shift};
        const levee_flash_tiling tiling = levee_flash_tiling_of(&layout);
        for (std::uint32_t tile = 0; tile < levee_flash_tile_count(&tiling); ++tile) {
            const levee_flash_place place = levee_flash_place_of(&layout, &tiling, tile);
            for (std::uint32_t i = 0; i < g.channels * layout.cores; ++i)
                part(levee_flash_part_of(&layout, &place, i), tile);
        }
    }
    void rest()
    {
        const Geometry& g = placed_.geometry;
        std::vector<std::uint8_t> bytes;
        for (std::uint32_t k = 0; k < kept_.data_pages; ++k) {
            const std::uint32_t in_channel = k / g.channels;
            const auto page =
                take({k % g.channels, in_channel % g.dies_per_channel(), kept_.data_plane,
                      kept_.data_page + in_channel / g.dies_per_channel()});
            bytes.insert(bytes.end(), page.begin(), page.end());
        }
        for (std::uint32_t row = kept_.flash_rows; row < kept_.rows; ++row)
            for (std::uint32_t column = 0; column < kept_.columns; ++column)
                see(row, column, bytes,
                    (row - kept_.flash_rows) * 8ull * kept_.row_bytes +
                        std::uint64_t{column} * kept_.weight_bits);
    }
    [[nodiscard]] bool all_once() const
    {
        return std::all_of(found_.begin(), found_.end(), [](int times) { return times == 1; });
    }

private:
    std::vector<std::uint8_t> take(const PagePlace& place)
    {
        const auto page = placed_.pages.extract(number_of(placed_.geometry, place));
        REQUIRE(!page.empty());
        return page.mapped();
    }
    void part(const levee_flash_part& part, std::uint32_t tile)
    {
        if (part.rows == 0 || part.columns == 0)
            return;
        const auto page = take({part.channel, part.core, kept_.plane, kept_.page + tile});
        for (std::uint32_t r = 0; r < part.rows; ++r)
            for (std::uint32_t c = 0; c < part.columns; ++c)
                see(part.row + r, part.column + c, page,
                    (std::uint64_t{r} * part.stride + c) * kept_.weight_bits);
    }
    void see(std::uint32_t row, std::uint32_t column, const std::vector<std::uint8_t>& bytes,
             std::uint64_t bit)
    {
        const int code =
            kept_.weight_bits == 8 ? bytes.at(bit / 8) : bytes.at(bit / 8) >> bit % 8 & 15;
        ++found_.at(std::size_t{row} * kept_.columns + column);
        REQUIRE(code == drawn_.at(row, column));
    }

    const Drawn& drawn_;
    const levee_flash_kept& kept_;
    Placed& placed_;
    std::vector<int> found_;
};

std::string refusal(const Geometry& geometry, const PlacingConfig& config, const Drawn& drawn,
                    int times = 1)
{
    Placer placer(geometry, timing_of_s(), geometry.page_bytes, config);
    try {
        while (times-- > 0)
            (void)placer.place(drawn.matrix);
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "none";
}

} // namespace

TEST_CASE("every weight of every matrix is in exactly one page, where the record says")
{
    Random random(11);
    const auto draw = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random.below(most));
    };
    for (int round = 0; round < 200; ++round) {
        const Geometry geometry{draw(5), draw(2), draw(2), draw(3), 200, 64, 64u << draw(3), 0};
        PlacingConfig config;
        config.share = static_cast<flash_share>(random.below(3));
        config.tile = static_cast<TileRule>(random.below(2));
        config.alpha = static_cast<std::uint32_t>(random.below(FLASH_ALPHA_ONE + 1));
        config.core_columns = round % 3 == 0 ? draw(64) : 0;
        config.split = static_cast<levee_flash_split>(random.below(2));
        // A buffer of 160 B also limits the size of tiles.
        const std::uint32_t buffer = config.core_columns == 0 ? 160 : 8192;
        Placer placer(geometry, timing_of_s(buffer), geometry.page_bytes, config);
        Placed placed{geometry, {}};
        std::vector<Drawn> drawn;
        std::vector<levee_flash_kept> kept;
        for (int i = 0; i < 4; ++i) {
            drawn.emplace_back(i % 2 == 0 ? LEVEE_TYPE_INT8 : LEVEE_TYPE_INT4, draw(150), draw(150),
                               random);
            drawn.back().matrix.data = drawn.back().bytes;
            kept.push_back(placer.place(drawn.back().matrix));
            placer.write(drawn.back().matrix, kept.back(), placed.sink());
        }
        if (!placed.pages.empty())
            REQUIRE((placed.pages.rbegin()->first + 1) * geometry.page_bytes <= placer.bytes());
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            Reader reader(drawn[i], kept[i], placed);
            reader.tiles();
            reader.rest();
            REQUIRE(reader.all_once());
        }
        REQUIRE(placed.pages.empty()); // No other pages were written.
    }
}

TEST_CASE(
    "4096 x 4096 on S: cores get 12 of 16 tile rows, and 32 pages per channel are read meanwhile")
{
    // alpha = 4 x 16.669 / (4 x 16.669 + 30.256) = 0.688, which is 11.01 rows of tiles with 256
    // rows each, rounded up to 12.
    const Geometry s{8, 2, 2, 2, 512, 128, 16384, 1664};
    PlacingConfig config;
    config.tile = TileRule::LeastTransfer;
    config.result_bytes = 1;
    Placer placer(s, timing_of_s(), 16384, config);
    const ModelMatrix matrix{1, 0, LEVEE_TYPE_INT8, 4096, 4096, 4096, {}};
    const levee_flash_kept first = placer.place(matrix), second = placer.place(matrix);
    CHECK(first.flash_rows == 12 * 256);
    CHECK(first.core_rows == 64);
    CHECK(first.core_columns == 256);
    CHECK(first.data_pages == 1024 * 4096 / 16384);
    // The 24 tiles take 24 page numbers of a plane. The 256 pages that are read take 8 numbers on
    // 32 dies. Tiles and read pages use different planes, which exchange their roles with each
    // matrix.
    CHECK(first.plane == 0);
    CHECK(first.data_plane == 1);
    CHECK(second.plane == 1);
    CHECK(second.page == 8);
    CHECK(second.data_page == 24);
    CHECK(placer.bytes() == 32 * 64 * std::uint64_t{16384});
}

TEST_CASE("a narrow matrix has as many rows in a page as the buffer holds results")
{
    const Geometry s{8, 2, 2, 2, 512, 128, 16384, 0};
    PlacingConfig config;
    config.tile = TileRule::LeastTransfer;
    Placer placer(s, timing_of_s(), 16384, config);
    const levee_flash_kept kept = placer.place({1, 0, LEVEE_TYPE_INT8, 3000, 64, 64, {}});
    CHECK(kept.core_columns == 8);
    CHECK(kept.core_rows == (2048 - 8) / 4);
}

TEST_CASE("a wide matrix on many cores has tiles whose input fits in the buffer")
{
    // With 256 cores per channel, the best tile has sqrt(256 x 16384) = 2048 columns, which just
    // fill the buffer. 1024 columns fill half of it.
    const Geometry many{8, 128, 2, 2, 32, 128, 16384, 0};
    PlacingConfig config;
    config.tile = TileRule::LeastTransfer;
    config.result_bytes = 1;
    Placer placer(many, timing_of_s(), 16384, config);
    const levee_flash_kept kept = placer.place({1, 0, LEVEE_TYPE_INT8, 4096, 16384, 16384, {}});
    CHECK(kept.core_columns == 1024);
    CHECK(kept.core_rows == 16);
}

TEST_CASE("sums of sixteen-bit inputs are INT32: 512 x 128 x 32768 is one too large")
{
    const Geometry l{32, 8, 2, 2, 128, 128, 16384, 0};
    PlacingConfig config;
    config.tile = TileRule::LeastTransfer;
    config.input_bytes = 2;
    Placer placer(l, timing_of_s(), 16384, config);
    CHECK(placer.place({1, 0, LEVEE_TYPE_INT8, 4096, 16384, 16384, {}}).core_columns == 256);
    config.core_columns = 512;
    Random random(5);
    CHECK_THAT(refusal(l, config, Drawn(LEVEE_TYPE_INT8, 64, 64, random)),
               Catch::Contains("their sums do not fit in INT32"));
}

TEST_CASE("with a slow array the cores keep their share: 12 ms at 10 MB/s")
{
    // A page takes 1.65 ms on the channel, but four dies sense only one every 3 ms: 4 t_r / (4 t_r
    // + 12.0256 ms)
    TimingConfig slow = timing_of_s();
    slow.read = 12'000'000'000;
    slow.channel_bytes_per_second = 10'000'000;
    PlacingConfig config;
    config.tile = TileRule::LeastTransfer;
    config.result_bytes = 1;
    Placer placer({8, 2, 2, 2, 512, 128, 16384, 0}, slow, 16384, config);
    const levee_flash_kept kept = placer.place({1, 0, LEVEE_TYPE_INT8, 16384, 4096, 4096, {}});
    CHECK(kept.flash_rows == 32 * 256); // The share is 0.499, which is 31.97 tile rows of 16384
                                        // rows.
}

TEST_CASE("5120 inputs on S: by time no channel idles, by least transfer three of 24 do")
{
    const Geometry s{8, 2, 2, 2, 2048, 128, 16384, 1664};
    PlacingConfig config;
    config.result_bytes = 1;
    const ModelMatrix matrix{1, 0, LEVEE_TYPE_INT8, 15360, 5120, 5120, {}};
    Placer fastest(s, timing_of_s(), 16384, config);
    CHECK_THAT(fastest.describe(matrix),
               Catch::StartsWith("15360 x 5120: tile ") &&
                   Catch::Contains("0.0 % of their channels without weights"));
    config.tile = TileRule::LeastTransfer;
    Placer least(s, timing_of_s(), 16384, config);
    // With tiles of 2048 columns, the third tile has 1024, which is enough for only four channels.
    CHECK_THAT(least.describe(matrix),
               Catch::StartsWith("15360 x 5120: tile 256 x 2048; ") &&
                   Catch::Contains("16.7 % of their channels without weights"));
    config.share = FLASH_SHARE_FIXED; // The share is 0.
    Placer none(s, timing_of_s(), 16384, config);
    CHECK(none.describe(matrix) == "15360 x 5120: all rows for the NPU");
}

TEST_CASE("matrices that do not fit the cores or the pages are refused with numbers")
{
    Random random(5);
    const Geometry small{2, 1, 2, 2, 4, 4, 256, 0};
    const Drawn matrix(LEVEE_TYPE_INT8, 64, 64, random);
    CHECK(refusal(small, {}, matrix) == "none");
    CHECK_THAT(refusal(small, {}, matrix, 20), Catch::Contains("has 16 pages per plane"));
    Drawn halves(LEVEE_TYPE_INT8, 8, 8, random);
    halves.matrix.type = LEVEE_TYPE_FP16;
    CHECK_THAT(refusal(small, {}, halves), Catch::Contains("INT8 and INT4"));
    PlacingConfig wide;
    wide.core_columns = 257;
    CHECK_THAT(refusal(small, wide, matrix), Catch::Contains("a page has 256 weights"));
    TimingConfig without_cores = timing_of_s();
    without_cores.core_macs_per_second = 0;
    Placer placer(small, without_cores, 256, {});
    CHECK_THROWS_WITH(placer.place(matrix.matrix), Catch::Contains("'macs' is 0"));
    const Geometry s{8, 2, 2, 2, 512, 128, 16384, 0};
    PlacingConfig tall;
    tall.core_columns = 16; // There are 1024 results of 4 bytes.
    CHECK_THAT(refusal(s, tall, matrix),
               Catch::Contains("1024 x 16") &&
                   Catch::Contains("take 4112 bytes; bytes in a core's 'buffer': 2048"));
}
