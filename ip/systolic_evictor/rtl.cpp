// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/rtl.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace levee::systolic_evictor {

namespace {

constexpr std::size_t most_tokens = 65536; // An index has 16 bits.

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode)
{
}

RtlEngine::~RtlEngine() = default;

RtlPlace RtlEngine::place_of(const kv_tables::Place& place, std::size_t first) const
{
    return {RtlPlace::index(place.o0), RtlPlace::index(place.o1), -1,
            RtlPlace::index(first / size())};
}

std::vector<Tile> RtlEngine::tiles_of(const Pass& pass) const
{
    std::vector<Tile> tiles;
    const std::size_t tokens = pass.importance.size();
    for (std::size_t first = 0; first < tokens; first += size()) {
        const std::size_t count = std::min(size(), tokens - first);
        const auto part = [&](auto span) {
            const auto rows = span.subspan(first, count);
            return std::vector(rows.begin(), rows.end());
        };
        Tile tile;
        tile.format = pass.format;
        tile.first = static_cast<std::uint16_t>(first);
        tile.place = place_of(pass.place, first);
        tile.is_chained = first != 0;
        tile.importance = part(std::span<const std::uint16_t>(pass.importance));
        tile.is_protected = part(pass.is_protected);
        tile.scores = part(pass.scores);
        tiles.push_back(std::move(tile));
    }
    return tiles;
}

std::vector<Tile> RtlEngine::tiles_of(std::span<const Stream> streams) const
{
    std::vector<Tile> tiles;
    for (const Stream& stream : streams) {
        const std::size_t tokens = stream.importance.size();
        for (std::size_t first = 0; first < tokens; first += size()) {
            const std::size_t count = std::min(size(), tokens - first);
            Tile tile;
            tile.format = stream.format;
            tile.is_streamed = true;
            tile.place = place_of(stream.place, first);
            const auto rows = stream.importance.subspan(first, count);
            tile.importance.assign(rows.begin(), rows.end());
            tile.is_protected.assign(count, 0);
            for (std::size_t at = first; at < stream.scores.size(); at += tokens) {
                const auto part = std::span(stream.scores).subspan(at, count);
                tile.scores.insert(tile.scores.end(), part.begin(), part.end());
            }
            tiles.push_back(std::move(tile));
        }
    }
    return tiles;
}

/// Runs tiles of one operation, in lockstep if configured. Throws LockstepDifference.
Run RtlEngine::run(std::vector<Tile> tiles)
{
    const auto work = std::make_shared<const std::vector<Tile>>(std::move(tiles));
    Run run = perform(work, work->front().place, work->back().place);
    score_cycles_ += run.score_cycles;
    return run;
}

void RtlEngine::pass_each(std::span<const Stream> streams)
{
    for (const Stream& stream : streams) {
        const std::vector<std::uint8_t> nobody_leaves(stream.importance.size(), 1);
        (void)pass({stream.format, stream.importance, nobody_leaves, stream.scores, stream.place});
    }
}

void RtlEngine::stream(std::span<const Stream> streams)
{
    // For one query, a search is as fast as a stream, and permits tiles of one row.
    if (streams.front().scores.size() == streams.front().importance.size())
        return pass_each(streams);
    const Run run = this->run(tiles_of(streams));
    auto result = run.results.begin();
    for (const Stream& stream : streams)
        for (auto at = stream.importance.begin(); at != stream.importance.end(); ++result)
            at = std::ranges::copy(result->importance, at).out;
}

Pair RtlEngine::pass(const Pass& pass)
{
    if (pass.importance.empty())
        return {};
    if (pass.importance.size() > most_tokens)
        throw std::runtime_error(block() + ": the RTL supports at most " +
                                 std::to_string(most_tokens) +
                                 " tokens a head; expected 'impl: tlm' for more");
    const Run run = this->run(tiles_of(pass));
    auto at = pass.importance.begin();
    for (const TileResult& result : run.results)
        at = std::ranges::copy(result.importance, at).out;
    return run.results.back().pair;
}

std::uint64_t RtlEngine::take_cycles(std::uint64_t expected)
{
    if (is_clocked_in_time())
        return expected;
    const std::uint64_t cycles = std::exchange(score_cycles_, 0);
    check_cycles("cycles in which scores were taken", expected, cycles);
    return cycles;
}

} // namespace levee::systolic_evictor
