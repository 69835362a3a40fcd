// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee::reram {

/// The form of a signed number in cells, which hold 0 to 2^b - 1.
enum class Mapping {
    Differential, ///< sign and magnitude: one of two cells holds the magnitude; the currents are
                  ///< subtracted
    Offset        ///< number + half the range in one cell; subtracted again digitally
};

enum class AdcRange {
    Full,    ///< largest sum: all lines driven, all cells at their highest level
    Unit,    ///< a code is one level of a cell; larger sums are limited to the last code
    Explicit ///< the range from `low` to `high`
};

/// Converter of a line's current. If currents may be negative there are 2^bits - 1 codes with a
/// zero; else 2^bits from zero up. Rounds to the nearest code, ties to the code with an even number
/// counted from the lowest, and clips.
struct Adc {
    std::uint32_t bits = 0; ///< 0: no converter; sums are not rounded
    AdcRange range = AdcRange::Full;
    /// Range for Explicit, in conductances of a cell at its highest level.
    double low = 0, high = 0;
};

/// Disturbances of the conductances, all drawn by the seed. 0: none.
struct Disturbances {
    double programming = 0; ///< sigma: g' = g (1 + sigma n), drawn at each programming, at least 0
    double read = 0;        ///< Deviation of a read, drawn for each cell in each cycle.
    double stuck = 0;       ///< share of cells that keep their conductance for ever
    double stuck_on =
        0.5;          ///< the share of these at the highest level; the others are at the lowest
    double drift = 0; ///< exponent nu: g (age / reference)^-nu
    double drift_ratio = 1; ///< age / reference
    double wire = 0;        ///< resistance of a bit line between two cells x highest conductance

    [[nodiscard]] bool any() const
    {
        return programming > 0 || read > 0 || stuck > 0 || (drift > 0 && drift_ratio > 1) ||
               wire > 0;
    }
};

/// A crossbar and its converters. Each element of a matrix uses one cell (or two) in each of
/// several crossbars, one for each slice; the crossbars of one tile are called a unit.
struct Crossbar {
    std::uint32_t rows = 0;    ///< word lines
    std::uint32_t columns = 0; ///< bit lines
    std::uint32_t cell_bits = 1;
    Mapping mapping = Mapping::Differential;
    double on_off = 0; ///< highest / lowest conductance; 0: infinite, the lowest is 0
    Adc adc;
    Disturbances disturbances;

    /// Number of crossbars (or pairs) for an element of 8 or 16 bits.
    [[nodiscard]] std::uint32_t slices(std::uint32_t element_bits) const
    {
        const std::uint32_t bits =
            mapping == Mapping::Differential ? element_bits - 1 : element_bits;
        return (bits + cell_bits - 1) / cell_bits;
    }
    /// Cells of an element, equal to the number of crossbars of a tile.
    [[nodiscard]] std::uint32_t cells(std::uint32_t element_bits) const
    {
        return slices(element_bits) * (mapping == Mapping::Differential ? 2 : 1);
    }
    [[nodiscard]] std::uint32_t levels() const { return (1u << cell_bits) - 1; }
    /// Whether cells can hold a number; within element_bits only the lowest number may not fit.
    [[nodiscard]] bool holds(std::int32_t value, std::uint32_t element_bits) const
    {
        return mapping == Mapping::Offset || value > -(std::int32_t{1} << (element_bits - 1)) ||
               slices(element_bits) * cell_bits >= element_bits;
    }
    /// Whether sums over `lines` lines are exact integers for all data.
    [[nodiscard]] bool is_exact(std::uint64_t lines, bool signed_inputs) const;
};

} // namespace levee::reram
