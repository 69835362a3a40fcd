// SPDX-License-Identifier: Apache-2.0
// Random tests of the systolic evictor. Each operation has one to three searches or streams, back
// to back. A search has one to three tiles, which are chained and have the same format. A stream
// has one to four tiles.
#include "core/rtl/bench.hpp"

#include "ip/systolic_evictor/driver.hpp"

#include <algorithm>
#include <vector>

namespace levee::systolic_evictor {

namespace {

using namespace cosim;

enum class Values { Any, Corners, Few, Equal, Large };

std::uint16_t draw_value(Draw& draw, Values values)
{
    constexpr std::uint16_t corners[] = {0,      1,      2,      0x7FFE, 0x7FFF,
                                         0x8000, 0x8001, 0xFFFE, 0xFFFF, 0x4000};
    switch (values) {
    case Values::Corners:
        return corners[draw.below(std::size(corners))];
    case Values::Few:
        return static_cast<std::uint16_t>(draw.below(4) - 1);
    case Values::Equal:
        return draw.one_in(8) ? 1 : 0;
    case Values::Large:
        return static_cast<std::uint16_t>((draw.one_in(2) ? 0x7F00 : 0x8000) + draw.below(256));
    default:
        return static_cast<std::uint16_t>(draw.word() >> 8);
    }
}

/// Draws the average number of protected rows among 8 rows.
std::uint32_t draw_protection(Draw& draw)
{
    constexpr std::uint32_t shares[] = {0, 0, 1, 4, 7, 8};
    return shares[draw.below(std::size(shares))];
}

Tile draw_tile(Draw& draw, std::size_t most_rows, Values values, std::uint32_t protection)
{
    Tile tile;
    const bool is_full = draw.one_in(2);
    const std::size_t rows =
        is_full ? most_rows : 1 + draw.below(static_cast<std::uint32_t>(most_rows));
    for (std::size_t row = 0; row < rows; ++row) {
        tile.importance.push_back(draw_value(draw, values));
        tile.is_protected.push_back(draw.below(8) < protection ? 1 : 0);
        tile.scores.push_back(draw_value(draw, values));
    }
    return tile;
}

/// Draws the number of queries of a streamed tile: few, or up to slightly more than twice the
/// number of rows.
std::size_t draw_queries(Draw& draw, std::size_t most_rows)
{
    return 1 + draw.below(draw.one_in(2) ? 3 : 2 * static_cast<std::uint32_t>(most_rows) + 3);
}

void draw_scores(Draw& draw, Values values, std::size_t queries, Tile& tile)
{
    tile.scores.resize(queries * tile.rows());
    for (std::uint16_t& score : tile.scores)
        score = draw_value(draw, values);
}

void draw_stream(Draw& draw, std::size_t most_rows, std::vector<Tile>& tiles)
{
    const auto values = static_cast<Values>(draw.below(5));
    const std::uint32_t count = 1 + draw.below(4);
    const bool is_brief = draw.one_in(3); // Some tiles end before all of their rows are active.
    for (std::uint32_t i = 0; i < count; ++i) {
        Tile tile = draw_tile(draw, most_rows, values, draw_protection(draw));
        tile.format = draw.one_in(2) ? LEVEE_SE_LOGIT : LEVEE_SE_SOFTMAX;
        tile.is_streamed = true;
        tile.is_chained = draw.one_in(2); // is_chained has no meaning for streamed tiles.
        const std::size_t queries = is_brief ? 1 + draw.below(2) : draw_queries(draw, most_rows);
        draw_scores(draw, values, queries, tile);
        tiles.push_back(std::move(tile));
    }
}

/// Draws a tile with few queries, followed by a tile whose importance registers stay loaded for
/// hundreds of queries. Scores are small, so that sums do not saturate.
void draw_staying(Draw& draw, std::size_t most_rows, std::vector<Tile>& tiles)
{
    const bool is_signed = draw.one_in(2);
    for (const std::uint32_t queries : {1 + draw.below(3), draw_stay(draw)}) {
        Tile tile = draw_tile(draw, most_rows, Values::Equal, draw.one_in(2) ? 0 : 1);
        tile.format = is_signed ? LEVEE_SE_LOGIT : LEVEE_SE_SOFTMAX;
        tile.is_streamed = true;
        draw_scores(draw, is_signed ? Values::Few : Values::Equal, queries, tile);
        tiles.push_back(std::move(tile));
    }
}

void draw_search(Draw& draw, std::size_t most_rows, std::vector<Tile>& tiles)
{
    const auto values = static_cast<Values>(draw.below(5));
    const auto format = draw.one_in(2) ? LEVEE_SE_LOGIT : LEVEE_SE_SOFTMAX;
    const std::uint32_t protection = draw_protection(draw);
    const std::uint32_t count = 1 + draw.below(3);
    const std::uint32_t highest = 0x10000 - 3 * static_cast<std::uint32_t>(most_rows);
    std::uint32_t first = draw.one_in(2) ? 0 : draw.below(highest + 1);
    for (std::uint32_t i = 0; i < count; ++i) {
        Tile tile = draw_tile(draw, most_rows, values, protection);
        tile.format = format;
        tile.first = static_cast<std::uint16_t>(first);
        // The first tile may also continue from the previous search's result or, if not chained,
        // from a given pair.
        tile.is_chained = i != 0 || draw.one_in(4);
        if (!tile.is_chained && draw.one_in(3))
            tile.carried = {draw_value(draw, values), draw.below(0x10000)};
        first += static_cast<std::uint32_t>(tile.importance.size());
        tiles.push_back(std::move(tile));
    }
}

std::string describe(std::span<const Tile> tiles)
{
    std::string text = "tiles of";
    for (const Tile& tile : tiles) {
        text += tile.is_chained && !tile.is_streamed ? " + " : " | ";
        text += std::to_string(tile.rows());
        if (tile.is_streamed)
            text += " for " + std::to_string(tile.queries()) + " queries";
        text += tile.format == LEVEE_SE_LOGIT ? " signed" : " unsigned";
    }
    return text;
}

Drawn<std::vector<Tile>> draw_work(Draw& draw, std::uint64_t index, std::size_t most_rows)
{
    Drawn<std::vector<Tile>> drawn;
    const std::uint32_t searches = 1 + draw.below(3);
    for (std::uint32_t i = 0; i < searches; ++i) {
        const auto draw_tiles = draw.one_in(2) ? draw_stream : draw_search;
        draw_tiles(draw, most_rows, drawn.work);
    }
    drawn.draw_gates(draw);
    if (draw.one_in(8))
        drawn.most_cycles = 1 + draw.below(6 * static_cast<std::uint32_t>(most_rows));
    if (is_long_stay(index)) {
        drawn.work.clear();
        draw_staying(draw, most_rows, drawn.work);
        drawn.most_cycles = UINT64_MAX;
    }
    drawn.text = describe(drawn.work);
    return drawn;
}

class EvictorBench final : public WorkBench<Ports, Driver, draw_work> {
public:
    using WorkBench::WorkBench;

private:
    Results expected(const Operation& drawn) override
    {
        Results results = expected_of(drawn.work, before_);
        before_ = drawn.most_cycles == UINT64_MAX ? results.back().pair : Pair{};
        return results;
    }

    Pair before_; ///< Result of the last tile.
};

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<EvictorBench>(make, options);
}

} // namespace levee::systolic_evictor
