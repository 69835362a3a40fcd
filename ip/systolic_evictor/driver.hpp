// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "ip/systolic_evictor/boundary.hpp"
#include "ip/systolic_evictor/chain.hpp"
#include "ip/systolic_evictor/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::systolic_evictor {

/// Inputs of a tile, which has at least one row and at most as many rows as the design.
struct Tile {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    bool is_streamed = false; ///< A streamed tile outputs no pair.
    std::uint16_t first = 0;  ///< Slot of row 0.
    RtlPlace place{};         ///< For messages and waveforms.
    bool is_chained = false;  ///< Continues with the previous tile's pair; otherwise with
                              ///< `carried`.
    Pair carried;
    std::vector<std::uint16_t> importance;
    std::vector<std::uint8_t> is_protected;
    /// Scores for each row; in a streamed tile, one query after another.
    std::vector<std::uint16_t> scores;

    [[nodiscard]] std::size_t rows() const { return importance.size(); }
    [[nodiscard]] std::size_t queries() const { return scores.size() / rows(); }
};

struct TileResult {
    Pair pair; ///< The pair that the tile outputs. In a streamed tile: the pair with which a
               ///< chained tile continues.
    std::vector<std::uint16_t> importance;
};

/// Returns the results of the reference (chain.hpp). If the first tile is chained, it continues
/// with the pair `before`.
[[nodiscard]] std::vector<TileResult> expected_of(std::span<const Tile> tiles, Pair before = {});

struct Run {
    std::vector<TileResult> results;
    /// Cycles from the first to the last score, inclusive, summed over all searches and streams. A
    /// search is a tile and the tiles chained to it; a stream is a sequence of streamed tiles.
    std::uint64_t score_cycles = 0;
};

/// Drives a design with tiles as fast as its ready signals and back-pressure (gates) allow. The
/// channels are cmd, load, score, result, update and wave.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 6;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    using Options = RtlRunOptions<TileResult>;

    /// Runs one operation. `tiles` must be valid and not empty. Stops at the first wrong value.
    Run run(std::span<const Tile> tiles, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;

    struct Progress;
    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    void expect(const Inputs& in, Outputs& out) const override;

    [[nodiscard]] Inputs inputs(Progress& progress);
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void offer_cmd(const Progress& progress, Inputs& in) const;
    void offer_wave(const Progress& progress, bool is_open, Inputs& in) const;
    void take_score(Progress& progress);
    void take_wave(Progress& progress);
    void compare_values(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_result(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_update(Progress& progress, const Inputs& in, const Outputs& out);
    void give_up(const Progress& progress);

    const Progress* progress_ = nullptr;
};

} // namespace levee::systolic_evictor
