// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/geometry.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace levee::edram {

/// A share of 1 in units of 2^-64; certainty is the largest value.
using Share = std::uint64_t;
[[nodiscard]] Share share_of(double probability);

/// A point of a retention table: the probability that a cell of this age has failed.
struct CurvePoint {
    Time age;
    double probability;
};

/// P(failed | age): linear in the logarithm of age between the points, 0 below the first and
/// constant from the last on.
class RetentionCurve {
public:
    /// Throws std::invalid_argument unless there is a point, ages are above 0 and increase,
    /// probabilities lie in [0, 1] and do not decrease.
    explicit RetentionCurve(const std::vector<CurvePoint>& points);

    [[nodiscard]] double probability(Time age) const;
    [[nodiscard]] Share share(Time age) const { return share_of(probability(age)); }
    /// Age, near the largest possible, up to which share(age) <= strength.
    [[nodiscard]] Time safe_age(Share strength) const;

private:
    struct Segment {
        Time age;
        double log_age;
        double probability;
        double slope; ///< towards the next point, per unit of the logarithm
    };
    std::vector<Segment> segments_;
};

enum class Failures {
    PerCell, ///< Each cell has a fixed retention time, so weak cells fail repeatedly.
    Iid      ///< Each cell may fail independently in each interval between restorations.
};

struct RetentionConfig {
    std::vector<CurvePoint> curve;
    Failures failures = Failures::PerCell;
    bool read_restores = false;   ///< a read restores the cells, as a refresh does
    unsigned groups = 0xF;        ///< groups whose cells can fail: bit (enum levee_edram_group)
    std::uint64_t time_scale = 1; ///< ageing and refresh time per simulated time
};

/// Identifies the cells of one memory in one run.
struct CellSeed {
    std::uint32_t seed = 0;
    std::uint32_t memory = 0; ///< stream_of(its name)
};
[[nodiscard]] std::uint32_t stream_of(std::string_view memory_name);

/// The strength of a cell: its datum has failed once the share of failed cells exceeds it. `bit` is
/// the cell's number in its half, below 128 (stored_bit); `datum` is the time it was written, or 0
/// for Failures::PerCell. Equal arguments give equal shares on every machine.
[[nodiscard]] Share cell_strength(CellSeed seed, std::uint64_t unit, Half half, unsigned bit,
                                  Time datum);

/// Strengths of the cells of a unit in one half, by bit.
[[nodiscard]] std::array<Share, unit_bits> unit_strengths(CellSeed seed, std::uint64_t unit,
                                                          Half half, Time datum);

/// Newly failed bits of a unit's part of a row, found by a read.
struct RowFailure {
    std::uint64_t offset; ///< offset of its unit in the memory, in bytes
    Half half;
    Time age_before,
        age_after;       ///< worst ages since the write; the bits failed at the second
    Time datum;          ///< same meaning as in cell_strength
    Share before, after; ///< cells of strength [before, after) failed
    unsigned element_bits = usual_element_bits;
};

/// Bit of a unit's 32 bytes, counted from bit 0 of the first, that a cell of one half holds: the
/// half has the upper or lower half of each element's bits, element after element.
[[nodiscard]] constexpr unsigned stored_bit(unsigned element_bits, Half half, unsigned cell)
{
    const unsigned part = element_bits / 2;
    return cell / part * element_bits + (half == Half::Msb ? part : 0) + cell % part;
}

/// Flips bits that a cell of one half holds in a unit's 32 bytes.
inline void flip(std::uint8_t* unit, unsigned element_bits, Half half, unsigned cell)
{
    const unsigned bit = stored_bit(element_bits, half, cell);
    unit[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
}

/// Flips the bits of `failure` in the 32 bytes of a unit; returns their number.
unsigned apply(const RowFailure& failure, CellSeed seed, std::uint8_t* unit);

} // namespace levee::edram
