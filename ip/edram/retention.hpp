// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/geometry.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace levee::edram {

/// A probability in units of 2^-64. The largest value represents probability 1.
using Share = std::uint64_t;
[[nodiscard]] Share share_of(double probability);

/// A point of a retention table: an age, and the probability that a cell of this age has failed.
struct CurvePoint {
    Time age;
    double probability;
};

/// Probability that a cell of some age has failed. Between points, the probability is linear in the
/// logarithm of the age. It is 0 before the first point and constant after the last point.
class RetentionCurve {
public:
    /// Throws std::invalid_argument if there is no point, if ages are not above 0 and increasing,
    /// or if probabilities are outside [0, 1] or decrease.
    explicit RetentionCurve(const std::vector<CurvePoint>& points);

    [[nodiscard]] double probability(Time age) const;
    [[nodiscard]] Share share(Time age) const { return share_of(probability(age)); }
    /// Returns an age with share(age) <= strength, close to the greatest such age.
    [[nodiscard]] Time safe_age(Share strength) const;

private:
    struct Segment {
        Time age;
        double log_age;
        double probability;
        double slope; ///< Slope to the next point, per unit of log age.
    };
    std::vector<Segment> segments_;
};

enum class Failures {
    PerCell, ///< Each cell has a fixed retention time, so the same weak cells fail again.
    Iid      ///< In each interval between refreshes, each cell fails independently at random.
};

struct RetentionConfig {
    std::vector<CurvePoint> curve;
    Failures failures = Failures::PerCell;
    bool read_restores = false;   ///< Reads restore the cells, as a refresh does.
    unsigned groups = 0xF;        ///< Bit g: cells of group g (enum levee_edram_group) can fail.
    std::uint64_t time_scale = 1; ///< Factor from simulated time to the time of ageing and refresh.
};

/// Identifies the cells of one memory in one run.
struct CellSeed {
    std::uint32_t seed = 0;
    std::uint32_t memory = 0; ///< stream_of() of the memory's name.
};
[[nodiscard]] std::uint32_t stream_of(std::string_view memory_name);

/// Returns the strength of a cell: the cell fails when the fraction of failed cells exceeds its
/// strength. `bit` is the number of the cell in its (unit, half), below 128 (stored_bit). `datum`
/// is the time of the write, or 0 for Failures::PerCell. Equal arguments give equal strengths on
/// every machine.
[[nodiscard]] Share cell_strength(CellSeed seed, std::uint64_t unit, Half half, unsigned bit,
                                  Time datum);

[[nodiscard]] std::array<Share, unit_bits> unit_strengths(CellSeed seed, std::uint64_t unit,
                                                          Half half, Time datum);

/// Bits of a (unit, half) that a read found newly failed.
struct RowFailure {
    std::uint64_t offset; ///< Offset of the unit in the memory, in bytes.
    Half half;
    Time age_before,
        age_after;       ///< Greatest ages since the write: at the previous flips, and now.
                         ///< The bits failed between these ages.
    Time datum;          ///< As in cell_strength().
    Share before, after; ///< Cells with strengths in [before, after) failed.
    unsigned element_bits = usual_element_bits;
};

/// Returns the position of a cell's bit in the 32 bytes of its unit, counted from bit 0 of the
/// first byte. The cells of a half hold the upper (or lower) half of each element's bits, element
/// by element.
[[nodiscard]] constexpr unsigned stored_bit(unsigned element_bits, Half half, unsigned cell)
{
    const unsigned part = element_bits / 2;
    return cell / part * element_bits + (half == Half::Msb ? part : 0) + cell % part;
}

inline void flip(std::uint8_t* unit, unsigned element_bits, Half half, unsigned cell)
{
    const unsigned bit = stored_bit(element_bits, half, cell);
    unit[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
}

/// Flips the bits of `failure` in the 32 bytes of a unit; returns their number.
unsigned apply(const RowFailure& failure, CellSeed seed, std::uint8_t* unit);

} // namespace levee::edram
