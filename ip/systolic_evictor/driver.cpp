// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/driver.hpp"

#include <algorithm>
#include <string>

namespace levee::systolic_evictor {

namespace {

std::string hex(std::uint16_t value)
{
    return levee::hex(value, 4);
}

std::string show(const Pair& pair)
{
    return pair.index == none ? "no token may leave"
                              : hex(pair.least) + ", index " + std::to_string(pair.index);
}

// Score at the ports of rows without a wave. If a design used this score, results would be wrong.
constexpr std::uint16_t nobodys_score = 0xA5A5;

/// Returns the index of the first tile from `at` on that is streamed (or is not streamed); the
/// number of tiles if there is none.
std::size_t next_tile(std::span<const Tile> tiles, std::size_t at, bool is_streamed)
{
    while (at < tiles.size() && tiles[at].is_streamed != is_streamed)
        ++at;
    return at;
}

/// The next beat that a channel transfers: its tile, and the row or query in the tile.
struct Beat {
    std::size_t tile = 0, row = 0;

    /// Advances to the next beat. Returns true at the end of a tile with `rows` rows.
    bool next(std::size_t rows)
    {
        if (++row < rows)
            return false;
        row = 0;
        ++tile;
        return true;
    }
};

} // namespace

std::vector<TileResult> expected_of(std::span<const Tile> tiles, Pair before)
{
    std::vector<TileResult> results;
    for (const Tile& tile : tiles) {
        Chain chain(tile.format, tile.importance.size());
        chain.preload(tile.importance, tile.is_protected, tile.first,
                      tile.is_chained ? before : tile.carried);
        for (std::size_t query = 0; tile.is_streamed && query < tile.queries(); ++query)
            chain.wave(std::span(tile.scores).subspan(query * tile.rows(), tile.rows()));
        for (std::size_t row = 0; !tile.is_streamed && row < tile.rows(); ++row)
            chain.step(tile.scores[row]);
        if (!tile.is_streamed)
            before = chain.result();
        results.push_back({before, {chain.importance().begin(), chain.importance().end()}});
    }
    return results;
}

struct Driver::Progress {
    std::span<const Tile> tiles;
    const Options& options;
    Run run;
    std::size_t cmd = 0, result = 0;
    Beat load, score, wave, update;
    unsigned offered = 0;          // Offered channels, which must keep valid asserted.
    std::uint64_t first_score = 0; // Cycle of the first score in the current search or stream.
    /// Scores of the query that reaches each row in this cycle. Row 0 is unused.
    std::array<std::span<const std::uint16_t>, most_rows> in_row{};
    bool has_streams = false;

    /// Whether a tile belongs to the same search or stream as the previous one.
    [[nodiscard]] bool continues(std::size_t tile) const
    {
        return tile > 0 && tile < tiles.size() &&
               tiles[tile].is_streamed == tiles[tile - 1].is_streamed &&
               (tiles[tile].is_streamed || tiles[tile].is_chained);
    }
    [[nodiscard]] bool done() const
    {
        return result == tiles.size() && update.tile == tiles.size();
    }
    [[nodiscard]] std::string where(const Beat& beat) const
    {
        if (beat.tile >= tiles.size())
            return "after the last tile";
        return "row " + std::to_string(beat.row) + " of tile " + std::to_string(beat.tile) +
               " (index " + std::to_string(tiles[beat.tile].first + beat.row) + ")";
    }
};

/// Returns the position of the oldest tile in the design.
RtlPlace Driver::place() const
{
    if (progress_ == nullptr)
        return {};
    const std::size_t tile = std::min(progress_->result, progress_->update.tile);
    return tile < progress_->tiles.size() ? progress_->tiles[tile].place : RtlPlace{};
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr)
        return;
    const std::span<const TileResult> known = progress_->options.known();
    if (out.result_valid && progress_->result < known.size()) {
        const Pair& pair = known[progress_->result].pair;
        out.result_found = pair.index != none;
        out.result_min = pair.least;
        out.result_index = static_cast<std::uint16_t>(pair.index);
    }
    const Beat& at = progress_->update;
    if (out.update_valid && at.tile < known.size())
        out.update_score = known[at.tile].importance[at.row];
}

Inputs Driver::inputs(Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1) | progress.offered;
    const std::span<const Tile> tiles = progress.tiles;
    Inputs in;
    in.cmd_valid = progress.cmd < tiles.size() && (gates & 1u) != 0;
    if (in.cmd_valid)
        offer_cmd(progress, in);
    in.load_valid = progress.load.tile < tiles.size() && (gates & 2u) != 0;
    if (in.load_valid) {
        const Tile& tile = tiles[progress.load.tile];
        in.load_score = tile.importance[progress.load.row];
        in.load_protected = tile.is_protected[progress.load.row] != 0;
    }
    in.score_valid = progress.score.tile < tiles.size() && (gates & 4u) != 0;
    if (in.score_valid)
        in.score = tiles[progress.score.tile].scores[progress.score.row];
    in.result_ready = (gates & 8u) != 0;
    in.update_ready = (gates & 16u) != 0;
    if (progress.has_streams)
        offer_wave(progress, (gates & 32u) != 0, in);
    return in;
}

void Driver::offer_cmd(const Progress& progress, Inputs& in) const
{
    const Tile& tile = progress.tiles[progress.cmd];
    in.cmd_rows = static_cast<std::uint8_t>(tile.rows());
    in.cmd_stream = tile.is_streamed;
    in.cmd_base = tile.first;
    in.cmd_signed = tile.format == LEVEE_SE_LOGIT;
    in.cmd_chain = tile.is_chained;
    in.cmd_found = tile.carried.index != none;
    in.cmd_min = tile.carried.least;
    in.cmd_index = static_cast<std::uint16_t>(tile.carried.index);
}

/// Drives the wave ports. The next query enters at row 0. Each query in the design supplies the
/// score of the row that it has reached.
void Driver::offer_wave(const Progress& progress, bool is_open, Inputs& in) const
{
    in.row_score.fill(nobodys_score);
    for (std::size_t row = 1; row < pins().size(); ++row)
        if (row < progress.in_row[row].size())
            in.row_score[row] = progress.in_row[row][row];
    in.wave_valid = progress.wave.tile < progress.tiles.size() && is_open;
    if (!in.wave_valid)
        return;
    const Tile& tile = progress.tiles[progress.wave.tile];
    in.wave_last = progress.wave.row + 1 == tile.queries();
    in.row_score[0] = tile.scores[progress.wave.row * tile.rows()];
}

Run Driver::run(std::span<const Tile> tiles, const Options& options)
{
    Progress progress{tiles, options, {}, 0, 0, {}, {}, {}, {}};
    progress.run.results.resize(tiles.size());
    progress.result = progress.score.tile = next_tile(tiles, 0, false);
    progress.wave.tile = next_tile(tiles, 0, true);
    progress.has_streams = progress.wave.tile < tiles.size();
    drive(*this, progress, options);
    return std::move(progress.run);
}

/// Returns true if any channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    bool any = false;
    progress.offered = 0;
    const auto moved = [&](bool valid, bool ready, unsigned bit) {
        any = any || (valid && ready);
        if (valid && !ready)
            progress.offered |= bit;
        return valid && ready;
    };
    if (moved(in.cmd_valid, out.cmd_ready, 1))
        ++progress.cmd;
    if (moved(in.load_valid, out.load_ready, 2))
        progress.load.next(progress.tiles[progress.load.tile].rows());
    if (moved(in.score_valid, out.score_ready, 4))
        take_score(progress);
    if (moved(out.result_valid, in.result_ready, 0))
        progress.result = next_tile(progress.tiles, progress.result + 1, false);
    if (moved(out.update_valid, in.update_ready, 0))
        progress.update.next(progress.tiles[progress.update.tile].rows());
    if (!progress.has_streams)
        return any;
    auto& in_row = progress.in_row;
    std::copy_backward(in_row.begin(), in_row.end() - 1, in_row.end());
    in_row[1] = {};
    if (moved(in.wave_valid, out.wave_ready, 32))
        take_wave(progress);
    return any;
}

void Driver::take_score(Progress& progress)
{
    Beat& at = progress.score;
    if (at.row == 0 && !progress.continues(at.tile))
        progress.first_score = operation_cycle();
    if (!at.next(progress.tiles[at.tile].rows()))
        return;
    if (!progress.continues(at.tile))
        progress.run.score_cycles += operation_cycle() - progress.first_score + 1;
    at.tile = next_tile(progress.tiles, at.tile, false);
}

void Driver::take_wave(Progress& progress)
{
    Beat& at = progress.wave;
    const Tile& tile = progress.tiles[at.tile];
    if (at.row == 0 && !progress.continues(at.tile))
        progress.first_score = operation_cycle();
    progress.in_row[1] = std::span(tile.scores).subspan(at.row * tile.rows(), tile.rows());
    if (!at.next(tile.queries()))
        return;
    if (!progress.continues(at.tile))
        progress.run.score_cycles += operation_cycle() - progress.first_score + tile.rows();
    at.tile = next_tile(progress.tiles, at.tile, true);
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const Progress& at = *progress_;
    compare_timing(want.result_valid, got.result_valid, "result_valid_o",
                   [&] { return "tile " + std::to_string(at.result); });
    compare_timing(want.update_valid, got.update_valid, "update_valid_o",
                   [&] { return at.where(at.update); });
    compare_timing(want.score_ready, got.score_ready, "score_ready_o",
                   [&] { return at.where(at.score); });
    compare_timing(want.wave_ready, got.wave_ready, "wave_ready_o", [&] {
        return "query " + std::to_string(at.wave.row) + " of tile " + std::to_string(at.wave.tile);
    });
    compare_timing(want.load_ready, got.load_ready, "load_ready_o",
                   [&] { return at.where(at.load); });
    compare_timing(want.cmd_ready, got.cmd_ready, "cmd_ready_o",
                   [&] { return "tile " + std::to_string(at.cmd); });
}

/// Compares valid outputs in every cycle, even if they are not taken.
void Driver::compare_values(Progress& progress, const Inputs& in, const Outputs& out)
{
    if (out.result_valid && progress.result == progress.tiles.size())
        return differ_in_value("result_valid_o", "after the last tile", "0", "1");
    if (out.update_valid && progress.update.tile == progress.tiles.size())
        return differ_in_value("update_valid_o", "after the last tile", "0", "1");
    if (out.result_valid)
        compare_result(progress, in, out);
    if (out.update_valid)
        compare_update(progress, in, out);
}

void Driver::compare_result(Progress& progress, const Inputs& in, const Outputs& out)
{
    const Pair got = out.result_found ? Pair{out.result_min, out.result_index} : Pair{};
    if (in.result_ready)
        progress.run.results[progress.result].pair = got;
    if (progress.options.expected.empty())
        return;
    count_comparison();
    const Pair& want = progress.options.expected[progress.result].pair;
    if (want.index != got.index || (want.index != none && want.least != got.least))
        differ_in_value("result_*_o", "tile " + std::to_string(progress.result), show(want),
                        show(got));
}

void Driver::compare_update(Progress& progress, const Inputs& in, const Outputs& out)
{
    const Beat& at = progress.update;
    if (in.update_ready)
        progress.run.results[at.tile].importance.push_back(out.update_score);
    const bool last = at.row + 1 == progress.tiles[at.tile].rows();
    if (last != out.update_last)
        return differ_in_value("update_last_o", progress.where(at), last ? "1" : "0",
                               out.update_last ? "1" : "0");
    if (progress.options.expected.empty())
        return;
    count_comparison();
    const std::uint16_t want = progress.options.expected[at.tile].importance[at.row];
    if (want != out.update_score)
        differ_in_value("update_score_o", progress.where(at), hex(want), hex(out.update_score));
}

void Driver::give_up(const Progress& progress)
{
    if (progress.result <= progress.update.tile)
        RtlDriver::give_up("result_valid_o", "tile " + std::to_string(progress.result));
    else
        RtlDriver::give_up("update_valid_o", progress.where(progress.update));
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.result_valid   ? "result_valid_o"
           : out.update_valid ? "update_valid_o"
           : out.load_ready   ? "load_ready_o"
           : out.score_ready  ? "score_ready_o"
           : out.wave_ready   ? "wave_ready_o"
           : !out.cmd_ready   ? "cmd_ready_o"
                              : nullptr;
}

} // namespace levee::systolic_evictor
