// SPDX-License-Identifier: Apache-2.0
// The reference of a product in crossbars: pure, no time.
#pragma once

#include "ip/reram/crossbar.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::reram {

/// Lines that inputs drive; the others are sensed. A crossbar can be read in either direction, one
/// at a time (dual access, RC-NVM).
enum class Access {
    Columns, ///< drives word lines, senses bit lines
    Rows     ///< drives bit lines, senses word lines
};

/// The form of inputs: one bit a cycle, the lowest first. Signed inputs have sign and magnitude, so
/// a cycle drives -1, 0 or +1.
struct InputFormat {
    std::uint32_t bits = 7; ///< bits of the magnitude: cycles
    bool is_signed = true;
};

/// A tile of a matrix in a unit of crossbars, as programmed.
class Tile {
public:
    /// Makes a tile with all cells at their lowest level. `bits` of an element: 8 or 16. `number`
    /// of the unit, for its random draws.
    Tile(const Crossbar& crossbar, std::uint32_t bits, std::uint32_t seed, std::uint64_t number);

    /// Programs the cells of a bit line: values from word line 0 on; others are at level 0.
    /// `version` counts the programmings of that bit line. Values must be held (Crossbar::holds).
    void program(std::uint32_t column, std::span<const std::int32_t> values, std::uint64_t version);

    /// Adds to `sums`, of lines from `sense` on, the products with inputs on lines from `drive` on.
    /// `draw`: number of the vector, for read noise. An input must fit its format.
    void multiply(Access access, std::uint32_t drive, std::span<const std::int32_t> inputs,
                  const InputFormat& format, std::uint64_t draw, std::uint32_t sense,
                  std::span<double> sums) const;

private:
    /// Conductances of a slice, in units of a level: [row][column].
    struct Slice {
        std::vector<double> plus, minus; ///< `minus` is for Mapping::Differential
    };
    struct Reading; ///< one multiply()

    [[nodiscard]] double disturbed(double level, std::uint64_t cell, std::uint64_t version) const;
    [[nodiscard]] std::uint64_t cell_number(std::uint32_t slice, bool minus,
                                            std::uint64_t at) const;
    void sense_lines(Reading& reading, const Slice& slice, std::uint32_t slice_number) const;
    void add_cells(Reading& reading, const std::vector<double>& cells, double sign) const;
    void add_read_noise(Reading& reading, const std::vector<double>& cells, double sign,
                        std::uint64_t key) const;
    void add_wired(Reading& reading, const std::vector<double>& cells, double sign) const;
    [[nodiscard]] double converted(double level_sum, bool may_be_negative) const;
    [[nodiscard]] std::size_t at(Access access, std::size_t driven, std::size_t sensed) const;

    Crossbar crossbar_;
    std::uint32_t bits_;
    std::uint32_t seed_;
    std::uint64_t number_;
    double lowest_; ///< conductance of level 0, in levels
    double gain_;   ///< gain of a level
    std::vector<Slice> slices_;
};

/// A matrix [outputs][inputs] of any size, in tiles of a crossbar's size: a product in crossbars
/// without a component around it, for references and studies.
class TiledMatrix {
public:
    TiledMatrix(const Crossbar& crossbar, std::uint32_t bits, std::uint32_t seed,
                std::uint32_t outputs, std::uint32_t inputs,
                std::span<const std::int32_t> elements);
    /// Columns: y[i] = sum of w[i][j] x[j]. Rows: y[j] = sum of w[i][j] x[i].
    [[nodiscard]] std::vector<double> multiply(Access access, std::span<const std::int32_t> x,
                                               const InputFormat& format, std::uint64_t draw) const;

private:
    Crossbar crossbar_;
    std::uint32_t outputs_, inputs_, across_;
    std::vector<Tile> tiles_;
};

} // namespace levee::reram
