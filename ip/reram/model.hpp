// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/reram/crossbar.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::reram {

/// Which lines inputs drive; the other lines are sensed. A crossbar can be read in both directions,
/// but not at the same time (dual access, RC-NVM).
enum class Access {
    Columns, ///< Inputs drive word lines; bit lines are sensed.
    Rows     ///< Inputs drive bit lines; word lines are sensed.
};

/// Format of inputs. Each cycle drives one bit, the lowest first. Signed inputs are in sign and
/// magnitude, so a cycle drives -1, 0 or +1.
struct InputFormat {
    std::uint32_t bits = 7; ///< Bits of the magnitude, which is the number of cycles.
    bool is_signed = true;
};

/// A programmed tile of a matrix in a unit of crossbars.
class Tile {
public:
    /// Creates a tile with all cells at their lowest level. `bits` is the size of an element, 8 or
    /// 16. `number` is the unit's number, which selects its random draws.
    Tile(const Crossbar& crossbar, std::uint32_t bits, std::uint32_t seed, std::uint64_t number);

    /// Programs the cells of a bit line with values from word line 0 on. The other cells get level
    /// 0. `version` numbers the programmings of this bit line. Crossbar::holds() must
    /// be true for the values.
    void program(std::uint32_t column, std::span<const std::int32_t> values, std::uint64_t version);

    /// Multiplies the inputs on lines from `drive` on, and adds the results of lines from `sense`
    /// on to `sums`. `draw` is the number of the vector, for read noise. Inputs must fit their
    /// format.
    void multiply(Access access, std::uint32_t drive, std::span<const std::int32_t> inputs,
                  const InputFormat& format, std::uint64_t draw, std::uint32_t sense,
                  std::span<double> sums) const;

private:
    /// Conductances of a slice, in levels: [row][column].
    struct Slice {
        std::vector<double> plus, minus; ///< `minus` is used by Mapping::Differential.
    };
    struct Reading; ///< State of one call of multiply().

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
    double lowest_; ///< Conductance of level 0, in levels.
    double gain_;   ///< Conductance per level.
    std::vector<Slice> slices_;
};

/// A matrix [outputs][inputs] of any size, divided into tiles of a crossbar's size. Studies and
/// reference computations use it to multiply without a component.
class TiledMatrix {
public:
    TiledMatrix(const Crossbar& crossbar, std::uint32_t bits, std::uint32_t seed,
                std::uint32_t outputs, std::uint32_t inputs,
                std::span<const std::int32_t> elements);
    /// Multiplies. Columns: y[i] = sum of w[i][j] x[j]. Rows: y[j] = sum of w[i][j] x[i].
    [[nodiscard]] std::vector<double> multiply(Access access, std::span<const std::int32_t> x,
                                               const InputFormat& format, std::uint64_t draw) const;

private:
    Crossbar crossbar_;
    std::uint32_t outputs_, inputs_, across_;
    std::vector<Tile> tiles_;
};

} // namespace levee::reram
