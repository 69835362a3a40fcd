// SPDX-License-Identifier: Apache-2.0
// Kelle, figures 11 c and d: connects the array and the systolic evictor pin to pin on one clock.
// The array's rows output the scores of queries with keys, which are in their stored order. Row i
// of the evictor takes the scores from row i of the array in the cycle in which they leave.
#include "core/numerics/numerics.hpp"
#include "ip/rsa/folds.hpp"
#include "ip/rsa/pins.hpp"
#include "ip/systolic_evictor/driver.hpp"
#include "ip/systolic_evictor/pins.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

namespace {

using namespace levee;

constexpr std::uint32_t rows = 32;

/// The logic between array and evictor. It adds up the sums of the byte passes and converts the
/// result to a score in Q8.8.
class Scores {
public:
    explicit Scores(const rsa::Product& product) : product_(product) {}

    /// Returns the score that lane `lane` completes with this sum, in the cycle in which the sum
    /// leaves.
    struct Score {
        bool is_complete = false, is_last = false; ///< flags of the tile
        std::uint16_t value = 0;
    };
    Score add(std::uint32_t lane, std::int32_t sum)
    {
        // Waves leave in the order of tiles, then passes, then queries.
        const std::uint32_t at = next_[lane]++ % (product_.passes() * product_.m);
        const std::uint32_t pass = at / product_.m, query = at % product_.m;
        const unsigned shift = 8 * (2 - pass / 2 - pass % 2);
        std::int64_t& total = totals_[lane][query];
        total = (pass == 0 ? 0 : total) + sum * (std::int64_t{1} << shift);
        return {pass + 1 == product_.passes(), query + 1 == product_.m, fixed(total)};
    }
    static std::uint16_t fixed(std::int64_t total)
    {
        return static_cast<std::uint16_t>(
            std::clamp<std::int64_t>(total >> 20, INT16_MIN, INT16_MAX));
    }

private:
    const rsa::Product& product_;
    std::array<std::uint32_t, rows> next_{};
    std::array<std::array<std::int64_t, 64>, rows> totals_{};
};

/// Feeds the array with all rows and waves of a product, as fast as it takes them.
class Feed {
public:
    Feed(const rsa::Shape& shape, const rsa::Product& product)
    {
        for (const rsa::Fold& fold : rsa::folds_of(shape, {&product, 1}, UINT32_MAX)) {
            for (std::uint32_t row = 0; row < fold.rows(true); ++row)
                rows_.push_back(rsa::stored_row(shape, product, fold, row));
            for (std::uint32_t wave = 0; wave < fold.m * product.a_bytes(); ++wave)
                waves_.push_back(rsa::wave_of(product, fold, wave, product.m));
        }
    }
    [[nodiscard]] rsa::Inputs inputs() const
    {
        return {row_ < rows_.size() ? &rows_[row_] : nullptr,
                wave_ < waves_.size() ? &waves_[wave_] : nullptr, true};
    }
    void take(const rsa::Inputs& in, const rsa::Outputs& out)
    {
        row_ += in.load != nullptr && out.load_ready ? 1 : 0;
        wave_ += in.wave != nullptr && out.in_ready ? 1 : 0;
    }

private:
    std::vector<rsa::StoredRow> rows_;
    std::vector<rsa::Wave> waves_;
    std::size_t row_ = 0, wave_ = 0;
};

rsa::Product queries_with_keys(std::uint32_t queries, std::uint32_t tokens, std::uint32_t dimension)
{
    rsa::Product product{queries,          tokens, dimension, LEVEE_TYPE_INT16,
                         LEVEE_TYPE_INT16, true,   {},        {}};
    for (std::uint32_t i = 0; i < 2 * queries * dimension; ++i)
        product.a.push_back(static_cast<std::uint8_t>(random_word(1, 0, i)));
    for (std::uint32_t i = 0; i < 2 * tokens * dimension; ++i)
        product.b.push_back(static_cast<std::uint8_t>(random_word(1, 1, i)));
    return product;
}

/// Returns the evictor's tiles, which cover all tokens, with the reference's scores.
std::vector<systolic_evictor::Tile> tiles_of(const rsa::Product& product)
{
    const std::vector<std::int64_t> sums = rsa::combine(product, rsa::pass_sums(product));
    std::vector<systolic_evictor::Tile> tiles;
    for (std::uint32_t first = 0; first < product.n; first += rows) {
        systolic_evictor::Tile& tile = tiles.emplace_back();
        const std::uint32_t count = std::min(rows, product.n - first);
        tile.format = LEVEE_SE_LOGIT;
        tile.is_streamed = true;
        tile.is_protected.assign(count, 0);
        for (std::uint32_t i = 0; i < count; ++i)
            tile.importance.push_back(static_cast<std::uint16_t>(random_word(1, 2, first + i)));
        for (std::uint32_t query = 0; query < product.m; ++query)
            for (std::uint32_t i = 0; i < count; ++i)
                tile.scores.push_back(Scores::fixed(sums[query * product.n + first + i]));
    }
    return tiles;
}

/// Offers the evictor's commands and old importances, and collects the new ones.
class Importances {
public:
    explicit Importances(std::span<const systolic_evictor::Tile> tiles) : tiles_(tiles) {}

    std::vector<std::uint16_t> updated;

    void offer(systolic_evictor::Inputs& in) const
    {
        in.update_ready = true;
        in.cmd_valid = command_ < tiles_.size();
        if (in.cmd_valid) {
            in.cmd_rows = static_cast<std::uint8_t>(tiles_[command_].rows());
            in.cmd_stream = in.cmd_signed = true;
        }
        in.load_valid = tile_ < tiles_.size();
        if (in.load_valid)
            in.load_score = tiles_[tile_].importance[row_];
    }
    void take(const systolic_evictor::Inputs& in, const systolic_evictor::Outputs& out)
    {
        command_ += in.cmd_valid && out.cmd_ready ? 1 : 0;
        if (in.load_valid && out.load_ready && ++row_ == tiles_[tile_].rows()) {
            ++tile_;
            row_ = 0;
        }
        if (out.update_valid)
            updated.push_back(out.update_score);
    }

private:
    std::span<const systolic_evictor::Tile> tiles_;
    std::size_t command_ = 0, tile_ = 0, row_ = 0;
};

/// Runs both designs on one clock until all importances have been updated, and returns these.
std::vector<std::uint16_t> accumulate(const rsa::Product& product,
                                      std::span<const systolic_evictor::Tile> tiles)
{
    const auto array = rsa::designs()[0].make({});
    const auto evictor = systolic_evictor::designs()[0].make({});
    REQUIRE(array->size().rows == rows);
    REQUIRE(evictor->size() == rows);
    Feed feed(array->size(), product);
    Scores scores(product);
    Importances importances(tiles);
    for (unsigned cycle = 0; importances.updated.size() < product.n && cycle < 5000; ++cycle) {
        const rsa::Inputs in = feed.inputs();
        const rsa::Outputs out = array->settle(in);
        systolic_evictor::Inputs to;
        importances.offer(to);
        for (std::uint32_t lane = 0; lane < rows; ++lane) {
            if ((out.lanes >> lane & 1) == 0)
                continue;
            const Scores::Score score = scores.add(lane, out.sums[lane]);
            to.row_score[lane] = score.value;
            if (lane == 0 && score.is_complete) {
                to.wave_valid = true;
                to.wave_last = score.is_last;
            }
        }
        const systolic_evictor::Outputs from = evictor->settle(to);
        REQUIRE((!to.wave_valid || from.wave_ready));
        feed.take(in, out);
        importances.take(to, from);
        array->edge();
        evictor->edge();
    }
    return importances.updated;
}

} // namespace

TEST_CASE("the evictor's rows take their scores from the rows of the array, in the same cycle")
{
    for (const std::uint32_t queries : {1u, 7u, 40u}) {
        INFO(queries << " queries");
        const rsa::Product product = queries_with_keys(queries, 75, 40);
        const std::vector<systolic_evictor::Tile> tiles = tiles_of(product);
        std::vector<std::uint16_t> expected;
        for (const systolic_evictor::TileResult& tile : systolic_evictor::expected_of(tiles))
            expected.insert(expected.end(), tile.importance.begin(), tile.importance.end());
        CHECK(accumulate(product, tiles) == expected);
    }
}
