// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee::reram {

/// How cells, whose levels are 0 to 2^b - 1, represent a signed number.
enum class Mapping {
    Differential, ///< Sign and magnitude. One of two cells holds the magnitude; the currents are
                  ///< subtracted.
    Offset        ///< One cell holds the number plus half the range, which is subtracted digitally.
};

enum class AdcRange {
    Full,    ///< Up to the largest possible sum: all lines driven, all cells at their highest
             ///< level.
    Unit,    ///< Codes are one cell level apart; larger sums are clipped to the last code.
    Explicit ///< From `low` to `high`.
};

/// Analog-to-digital converter of a line's current. If currents may be negative, there are 2^bits -
/// 1 codes, one of which is zero; otherwise 2^bits codes from zero up. Currents are rounded to the
/// nearest code and clipped. Ties go to the code with an even number, counted from the lowest code.
struct Adc {
    std::uint32_t bits = 0; ///< 0: no converter; sums are not rounded.
    AdcRange range = AdcRange::Full;
    /// Range for Explicit, in units of the highest conductance of a cell.
    double low = 0, high = 0;
};

/// Disturbances of the conductances. The seed determines random disturbances. 0: no disturbance.
struct Disturbances {
    double programming = 0; ///< Standard deviation, at least 0, of programming: g' = g (1 + sigma
                            ///< n), with a new normal number n at each programming.
    double read = 0;        ///< Standard deviation of a read, drawn for each cell in each cycle.
    double stuck = 0;       ///< Fraction of cells whose conductance can never change.
    double stuck_on = 0.5;  ///< Fraction of the stuck cells that are at the highest level; the
                            ///< others are at the lowest.
    double drift = 0;       ///< Exponent nu of the drift: g (age / reference)^-nu.
    double drift_ratio = 1; ///< The ratio age / reference.
    double wire = 0;        ///< Resistance of a bit line between two cells, times the highest
                            ///< conductance.

    [[nodiscard]] bool any() const
    {
        return programming > 0 || read > 0 || stuck > 0 || (drift > 0 && drift_ratio > 1) ||
               wire > 0;
    }
};

/// A crossbar and its converters. An element of a matrix is divided into slices of its bits. Each
/// slice uses one cell (or two), in a separate crossbar. The crossbars of one tile form a unit.
struct Crossbar {
    std::uint32_t rows = 0;    ///< Number of word lines.
    std::uint32_t columns = 0; ///< Number of bit lines.
    std::uint32_t cell_bits = 1;
    Mapping mapping = Mapping::Differential;
    double on_off = 0; ///< Highest / lowest conductance; 0: infinite, so the lowest is 0.
    Adc adc;
    Disturbances disturbances;

    /// Number of slices of an element of 8 or 16 bits. Each slice uses one crossbar or, with the
    /// differential mapping, a pair.
    [[nodiscard]] std::uint32_t slices(std::uint32_t element_bits) const
    {
        const std::uint32_t bits =
            mapping == Mapping::Differential ? element_bits - 1 : element_bits;
        return (bits + cell_bits - 1) / cell_bits;
    }
    /// Cells of an element, which is also the number of crossbars of a tile.
    [[nodiscard]] std::uint32_t cells(std::uint32_t element_bits) const
    {
        return slices(element_bits) * (mapping == Mapping::Differential ? 2 : 1);
    }
    [[nodiscard]] std::uint32_t levels() const { return (1u << cell_bits) - 1; }
    /// Whether cells can hold a number. With pairs of cells, the lowest number of `element_bits`
    /// bits might not fit.
    [[nodiscard]] bool holds(std::int32_t value, std::uint32_t element_bits) const
    {
        return mapping == Mapping::Offset || value > -(std::int32_t{1} << (element_bits - 1)) ||
               slices(element_bits) * cell_bits >= element_bits;
    }
    /// Whether sums over `lines` lines are always exact integers, whatever the data.
    [[nodiscard]] bool is_exact(std::uint64_t lines, bool signed_inputs) const;
};

} // namespace levee::reram
