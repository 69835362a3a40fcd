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

/// Inputs of a tile of 1 to the design's rows.
struct Tile {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    bool is_streamed = false; ///< then there is no pair
    std::uint16_t first = 0;  ///< index of row 0
    RtlPlace place{};         ///< Place for messages and waveforms.
    bool is_chained = false;  ///< continues the pair of the tile before; else `carried`
    Pair carried;
    std::vector<std::uint16_t> importance;
    std::vector<std::uint8_t> is_protected;
    /// One for each row; streamed: of one query after another.
    std::vector<std::uint16_t> scores;

    [[nodiscard]] std::size_t rows() const { return importance.size(); }
    [[nodiscard]] std::size_t queries() const { return scores.size() / rows(); }
};

/// Outputs of a tile.
struct TileResult {
    Pair pair; ///< expected result of a streamed tile, which a chained one continues
    std::vector<std::uint16_t> importance;
};

/// The reference's result (chain.hpp); `before`: the pair that a chained first tile continues with.
[[nodiscard]] std::vector<TileResult> expected_of(std::span<const Tile> tiles, Pair before = {});

/// Result of running some tiles.
struct Run {
    std::vector<TileResult> results;
    /// Total over all searches and streams of the cycles from the first score to the last,
    /// inclusive; a search is a tile and those chained to it, a stream is all streamed tiles in a
    /// row.
    std::uint64_t score_cycles = 0;
};

/// Drives a design with tiles as fast as its ready signals and gates allow. Channels: cmd, load,
/// score, result, update, wave.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 6;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    using Options = RtlRunOptions<TileResult>;

    /// Runs one operation. `tiles` is valid and not empty. Ends at the first difference in values.
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

    const Progress* progress_ = nullptr; ///< progress of the current operation
};

} // namespace levee::systolic_evictor
