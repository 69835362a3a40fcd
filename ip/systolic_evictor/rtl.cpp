// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/rtl.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace levee::systolic_evictor {

namespace {

constexpr std::size_t most_tokens = 65536; // an index has 16 bits
// What a design may remember of the past is run again for waves.
constexpr std::size_t passes_remembered = 8;

/// The passes once more from reset, the last with waves from its first cycle to the difference.
bool write_waves(MakePins make, const std::vector<std::vector<Tile>>& passes,
                 const std::filesystem::path& fst)
{
    const std::unique_ptr<Pins> pins = make({});
    Driver driver(*pins);
    Pair before;
    bool differs = false;
    for (const std::vector<Tile>& tiles : passes) {
        const std::vector<TileResult> expected = expected_of(tiles, before);
        before = expected.back().pair;
        if (&tiles == &passes.back())
            pins->trace(fst);
        Driver::Options options;
        options.expected = expected;
        options.compare_cycles = true;
        options.stop_at_cycle_difference = true;
        const Run run = driver.run(tiles, options);
        differs = run.value || run.cycle;
    }
    pins->trace({});
    return differs;
}

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, Mode mode)
    : block_(std::move(block)), make_(make), mode_(mode), pins_(make({})), driver_(*pins_)
{
}

std::vector<Tile> RtlEngine::tiles_of(const Pass& pass) const
{
    std::vector<Tile> tiles;
    const std::size_t tokens = pass.importance.size();
    for (std::size_t first = 0; first < tokens; first += pins_->rows()) {
        const std::size_t count = std::min(pins_->rows(), tokens - first);
        const auto part = [&](auto span) {
            const auto rows = span.subspan(first, count);
            return std::vector(rows.begin(), rows.end());
        };
        Tile tile;
        tile.format = pass.format;
        tile.first = static_cast<std::uint16_t>(first);
        tile.is_chained = first != 0;
        tile.importance = part(std::span<const std::uint16_t>(pass.importance));
        tile.is_protected = part(pass.is_protected);
        tile.scores = part(pass.scores);
        tiles.push_back(std::move(tile));
    }
    return tiles;
}

Pair RtlEngine::pass(const Pass& pass)
{
    if (pass.importance.empty())
        return {};
    if (pass.importance.size() > most_tokens)
        throw std::runtime_error(block_ + ": the RTL takes at most " + std::to_string(most_tokens) +
                                 " tokens a head; expected 'impl: tlm' for more");
    recent_.push_back(tiles_of(pass));
    if (recent_.size() > passes_remembered)
        recent_.pop_front();
    const std::vector<Tile>& tiles = recent_.back();
    std::vector<TileResult> expected;
    Driver::Options options;
    if (mode_ == Mode::Lockstep) {
        expected = expected_of(tiles);
        options.expected = expected;
        options.compare_cycles = true;
        options.stop_at_cycle_difference = true;
    }
    const Run run = driver_.run(tiles, options);
    cycles_ += run.cycles;
    comparisons_ += run.comparisons;
    score_cycles_ += run.score_cycles;
    if (run.value)
        fail(*run.value);
    if (run.cycle)
        fail(*run.cycle);
    auto at = pass.importance.begin();
    for (const TileResult& result : run.results)
        at = std::ranges::copy(result.importance, at).out;
    return run.results.back().pair;
}

std::uint64_t RtlEngine::take_cycles(std::uint64_t expected)
{
    const std::uint64_t cycles = std::exchange(score_cycles_, 0);
    if (mode_ == Mode::Lockstep) {
        ++comparisons_;
        if (cycles != expected)
            fail({Difference::Kind::Cycle, "cycles in which scores were taken", "", cycles,
                  std::to_string(expected), std::to_string(cycles)});
    }
    return cycles;
}

void RtlEngine::fail(const Difference& difference)
{
    const std::vector<std::vector<Tile>> passes(recent_.begin(), recent_.end());
    failure_.emplace(block_, difference, [make = make_, passes](const std::filesystem::path& fst) {
        return write_waves(make, passes, fst);
    });
    throw LockstepDifference(*failure_);
}

} // namespace levee::systolic_evictor
