// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/driver.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace levee::systolic_evictor {

namespace {

// Cycles without any handshake after which nothing is expected to come any more: more than any
// pattern of gates holds everything still.
constexpr std::uint64_t patience = 2000;

std::string hex(std::uint16_t value)
{
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "0x%04x", unsigned{value});
    return text.data();
}

std::string show(const Pair& pair)
{
    return pair.index == none ? "nobody may leave"
                              : hex(pair.least) + ", index " + std::to_string(pair.index);
}

/// The place of the next beat of a channel: a tile and a row of it.
struct Beat {
    std::size_t tile = 0, row = 0;

    void next(std::size_t rows)
    {
        if (++row == rows) {
            row = 0;
            ++tile;
        }
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
        for (const std::uint16_t score : tile.scores)
            chain.step(score);
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
    Beat load, score, update;
    unsigned offered = 0; // channels whose valid must stay
    std::uint64_t quiet = 0;
    std::uint64_t first_score = 0; // of the search under way: cycle

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
    void differ(std::optional<Difference>& difference, Difference::Kind kind, std::string signal,
                std::string place, std::string expected, std::string got) const
    {
        if (!difference)
            difference = Difference{kind,       std::move(signal),   std::move(place),
                                    run.cycles, std::move(expected), std::move(got)};
    }
};

Inputs Driver::inputs(Progress& progress) const
{
    constexpr unsigned all = 31;
    const unsigned gates =
        (progress.options.gates ? progress.options.gates() : all) | progress.offered;
    const std::span<const Tile> tiles = progress.tiles;
    Inputs in;
    in.cmd_valid = progress.cmd < tiles.size() && (gates & 1u) != 0;
    if (in.cmd_valid) {
        const Tile& tile = tiles[progress.cmd];
        in.cmd_rows = static_cast<std::uint8_t>(tile.importance.size());
        in.cmd_base = tile.first;
        in.cmd_signed = tile.format == LEVEE_SE_LOGIT;
        in.cmd_chain = tile.is_chained;
        in.cmd_found = tile.carried.index != none;
        in.cmd_min = tile.carried.least;
        in.cmd_index = static_cast<std::uint16_t>(tile.carried.index);
    }
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
    return in;
}

Run Driver::run(std::span<const Tile> tiles, const Options& options)
{
    Progress progress{tiles, options, {}, 0, 0, {}, {}, {}};
    progress.run.results.resize(tiles.size());
    while (!progress.done() && progress.run.cycles < options.most_cycles) {
        const Inputs in = inputs(progress);
        const Outputs out = pins_.settle(in);
        if (options.compare_cycles && boundary_follows_)
            compare_cycle(progress, in, out);
        if (progress.run.cycle && options.stop_at_cycle_difference)
            break;
        compare_values(progress, in, out);
        if (progress.run.value)
            break;
        observe(progress, in, out);
        pins_.edge();
        ++progress.run.cycles;
        if (progress.quiet > patience) {
            progress.run.value = nothing_came(progress);
            break;
        }
    }
    return std::move(progress.run);
}

void Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    if (boundary_follows_)
        boundary_.edge(in);
    ++progress.quiet;
    progress.offered = 0;
    const auto moved = [&](bool valid, bool ready, unsigned bit) {
        if (valid && ready)
            progress.quiet = 0;
        else if (valid)
            progress.offered |= bit;
        return valid && ready;
    };
    if (moved(in.cmd_valid, out.cmd_ready, 1))
        ++progress.cmd;
    if (moved(in.load_valid, out.load_ready, 2))
        progress.load.next(progress.tiles[progress.load.tile].importance.size());
    if (moved(in.score_valid, out.score_ready, 4))
        take_score(progress);
    if (out.result_valid && in.result_ready) {
        progress.quiet = 0;
        ++progress.result;
    }
    if (out.update_valid && in.update_ready) {
        progress.quiet = 0;
        progress.update.next(progress.tiles[progress.update.tile].importance.size());
    }
}

void Driver::take_score(Progress& progress)
{
    Run& run = progress.run;
    Beat& at = progress.score;
    if (at.row == 0 && !progress.tiles[at.tile].is_chained)
        progress.first_score = run.cycles;
    at.next(progress.tiles[at.tile].importance.size());
    const bool search_ends =
        at.row == 0 && (at.tile == progress.tiles.size() || !progress.tiles[at.tile].is_chained);
    if (search_ends)
        run.score_cycles += run.cycles - progress.first_score + 1;
}

void Driver::compare_cycle(Progress& progress, const Inputs& in, const Outputs& out)
{
    const Outputs expected = boundary_.settle(in);
    ++progress.run.comparisons;
    const auto compare = [&](bool want, bool have, const char* signal, const std::string& place) {
        if (want != have)
            progress.differ(progress.run.cycle, Difference::Kind::Cycle, signal, place,
                            want ? "1" : "0", have ? "1" : "0");
    };
    if (expected.cmd_ready == out.cmd_ready && expected.load_ready == out.load_ready &&
        expected.score_ready == out.score_ready && expected.result_valid == out.result_valid &&
        expected.update_valid == out.update_valid)
        return;
    compare(expected.result_valid, out.result_valid, "result_valid_o",
            "tile " + std::to_string(progress.result));
    compare(expected.update_valid, out.update_valid, "update_valid_o",
            progress.where(progress.update));
    compare(expected.score_ready, out.score_ready, "score_ready_o", progress.where(progress.score));
    compare(expected.load_ready, out.load_ready, "load_ready_o", progress.where(progress.load));
    compare(expected.cmd_ready, out.cmd_ready, "cmd_ready_o",
            "tile " + std::to_string(progress.cmd));
    boundary_follows_ = false;
}

/// What is valid is compared in each cycle, taken or not.
void Driver::compare_values(Progress& progress, const Inputs& in, const Outputs& out)
{
    Run& run = progress.run;
    const auto differ = [&](const char* signal, std::string place, std::string expected,
                            std::string got) {
        progress.differ(run.value, Difference::Kind::Value, signal, std::move(place),
                        std::move(expected), std::move(got));
    };
    const std::span<const TileResult> expected = progress.options.expected;
    if (out.result_valid && progress.result == progress.tiles.size())
        return differ("result_valid_o", "after the last tile", "0", "1");
    if (out.update_valid && progress.update.tile == progress.tiles.size())
        return differ("update_valid_o", "after the last tile", "0", "1");
    if (out.result_valid) {
        const Pair got = out.result_found ? Pair{out.result_min, out.result_index} : Pair{};
        if (in.result_ready)
            run.results[progress.result].pair = got;
        if (!expected.empty()) {
            ++run.comparisons;
            const Pair& want = expected[progress.result].pair;
            if (want.index != got.index || (want.index != none && want.least != got.least))
                return differ("result_*_o", "tile " + std::to_string(progress.result), show(want),
                              show(got));
        }
    }
    if (out.update_valid) {
        const Beat& at = progress.update;
        if (in.update_ready)
            run.results[at.tile].importance.push_back(out.update_score);
        const bool last = at.row + 1 == progress.tiles[at.tile].importance.size();
        if (last != out.update_last)
            return differ("update_last_o", progress.where(at), last ? "1" : "0",
                          out.update_last ? "1" : "0");
        if (!expected.empty()) {
            ++run.comparisons;
            const std::uint16_t want = expected[at.tile].importance[at.row];
            if (want != out.update_score)
                return differ("update_score_o", progress.where(at), hex(want),
                              hex(out.update_score));
        }
    }
}

Difference Driver::nothing_came(const Progress& progress)
{
    const bool result_missing = progress.result <= progress.update.tile;
    return {Difference::Kind::Value,
            result_missing ? "result_valid_o" : "update_valid_o",
            result_missing ? "tile " + std::to_string(progress.result)
                           : progress.where(progress.update),
            progress.run.cycles,
            "1 at some time",
            "nothing moved for " + std::to_string(patience) + " cycles"};
}

void Driver::reset()
{
    pins_.reset();
    boundary_.reset();
    boundary_follows_ = true;
}

std::optional<Difference> Driver::outstanding()
{
    constexpr std::uint64_t cycles = 4;
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
        const Inputs idle;
        const Outputs out = pins_.settle(idle);
        const char* signal = out.result_valid   ? "result_valid_o"
                             : out.update_valid ? "update_valid_o"
                             : out.load_ready   ? "load_ready_o"
                             : out.score_ready  ? "score_ready_o"
                                                : nullptr;
        if (signal != nullptr || !out.cmd_ready)
            return Difference{Difference::Kind::Value,
                              signal != nullptr ? signal : "cmd_ready_o",
                              "when idle",
                              cycle,
                              signal != nullptr ? "0" : "1",
                              signal != nullptr ? "1" : "0"};
        pins_.edge();
        if (boundary_follows_)
            boundary_.edge(idle);
    }
    return std::nullopt;
}

} // namespace levee::systolic_evictor
