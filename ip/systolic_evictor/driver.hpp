// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/lockstep.hpp"
#include "ip/systolic_evictor/boundary.hpp"
#include "ip/systolic_evictor/chain.hpp"
#include "ip/systolic_evictor/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace levee::systolic_evictor {

/// What a tile is given. Vectors of equal length, 1 to the design's rows.
struct Tile {
    levee_se_score format = LEVEE_SE_SOFTMAX;
    std::uint16_t first = 0; ///< index of row 0
    bool is_chained = false; ///< carries the pair of the tile before on; otherwise `carried`
    Pair carried;
    std::vector<std::uint16_t> importance;
    std::vector<std::uint8_t> is_protected;
    std::vector<std::uint16_t> scores;
};

/// What it gives.
struct TileResult {
    Pair pair;
    std::vector<std::uint16_t> importance;
};

/// The same from the reference (chain.hpp); `before`: the pair that a chained first tile carries
/// on.
[[nodiscard]] std::vector<TileResult> expected_of(std::span<const Tile> tiles, Pair before = {});

/// Who is on the other side of the five channels lets each of them move in a cycle, or not: bits
/// cmd, load, score, result, update from bit 0. What has been offered stays offered.
using Gates = std::function<unsigned()>;

struct Run {
    std::vector<TileResult> results;
    std::uint64_t cycles = 0;      ///< clocked
    std::uint64_t comparisons = 0; ///< values, and cycles of the boundary
    /// Cycles from a search's first score to its last, both counted; a search is a tile and those
    /// chained to it. The sum of all.
    std::uint64_t score_cycles = 0;
    std::optional<Difference> value; ///< the first of each kind; after a value the run has ended
    std::optional<Difference> cycle;
};

/// Takes tiles through a design as fast as its readies and `gates` allow.
class Driver {
public:
    explicit Driver(Pins& pins) : pins_(pins), boundary_(pins.rows()) {}

    struct Options {
        Gates gates;                            ///< empty: everything may always move
        std::span<const TileResult> expected;   ///< compare values; empty: do not
        bool compare_cycles = false;            ///< with Boundary
        bool stop_at_cycle_difference = false;  ///< else values are compared to the end
        std::uint64_t most_cycles = UINT64_MAX; ///< leaves the design there, in whatever state
    };

    /// `tiles` are not empty, and valid. A design from which nothing comes any more is a cycle
    /// difference.
    [[nodiscard]] Run run(std::span<const Tile> tiles, const Options& options);

    void reset();

    /// Clocks a design that should be idle: a signal that says otherwise, or none.
    [[nodiscard]] std::optional<Difference> outstanding();

private:
    struct Progress;
    [[nodiscard]] Inputs inputs(Progress& progress) const;
    void observe(Progress& progress, const Inputs& in, const Outputs& out);
    void take_score(Progress& progress);
    void compare_cycle(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(Progress& progress, const Inputs& in, const Outputs& out);
    [[nodiscard]] static Difference nothing_came(const Progress& progress);

    Pins& pins_;
    Boundary boundary_;
    bool boundary_follows_ = true; // false once the design has left its timing
};

} // namespace levee::systolic_evictor
