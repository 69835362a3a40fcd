// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/storage.hpp"
#include "ip/reram/model.hpp"

#include <map>
#include <memory>
#include <unordered_map>

namespace levee::reram {

/// Place of a matrix in consecutive units (ip/reram/regs.h).
struct MatrixPlace {
    std::uint32_t unit = 0;
    std::uint32_t rows = 0, columns = 0; ///< Word lines and bit lines.
    std::uint32_t bits = 8;              ///< Bits of an element.
};

struct ArrayConfig {
    Crossbar crossbar;
    std::uint32_t units = 0;
    std::uint32_t seed = 0;
    std::uint64_t endurance = 0; ///< Programmings that a bit line is rated for; 0: no limit.
};

/// All crossbars of a component: the stored data, and products with them.
class Crossbars {
public:
    explicit Crossbars(const ArrayConfig& config);

    [[nodiscard]] const Crossbar& crossbar() const { return config_.crossbar; }
    [[nodiscard]] Storage& storage() { return storage_; }
    [[nodiscard]] std::uint32_t units_per_tile(std::uint32_t bits) const;
    [[nodiscard]] std::uint64_t units_of(const MatrixPlace& place) const;
    /// Returns the offset of an element's low byte in the storage.
    [[nodiscard]] std::uint64_t offset_of(const MatrixPlace& place, std::uint64_t row,
                                          std::uint64_t column) const;

    /// Programs elements of a bit line, from word line `row` on.
    void write_column(const MatrixPlace& place, std::uint32_t column, std::uint32_t row,
                      std::span<const std::int32_t> values);
    /// Counts a programming in a timing-only run.
    void count_column(const MatrixPlace& place, std::uint32_t column, std::uint32_t row,
                      std::uint32_t rows);

    /// Multiplies the inputs, which drive lines from `drive` on. `sums` receives the results of
    /// lines from `sense` on.
    void multiply(const MatrixPlace& place, Access access, std::uint32_t drive,
                  std::span<const std::int32_t> inputs, const InputFormat& format,
                  std::uint32_t sense, std::span<double> sums);

    [[nodiscard]] std::uint64_t worst_writes() const { return worst_; }
    [[nodiscard]] std::uint64_t column_writes() const { return column_writes_; }
    [[nodiscard]] std::uint64_t worn_columns() const { return worn_; }

private:
    /// The part of a product in one tile.
    struct Part {
        std::uint64_t unit;
        std::uint32_t row, column, rows, columns; ///< Place and size of the tile.
        std::size_t input, sum;                   ///< Index of the first input and of the first
                                                  ///< sum.
    };
    template <typename Visit>
    void for_each_part(const MatrixPlace& place, Access access, std::uint32_t drive,
                       std::size_t inputs, std::uint32_t sense, std::size_t sums,
                       Visit visit) const;
    void add_exact(const MatrixPlace& place, Access access, const Part& part,
                   std::span<const std::int32_t> inputs, std::span<std::int64_t> sums);
    [[nodiscard]] std::int32_t element(std::uint64_t offset, std::uint32_t bits);
    [[nodiscard]] Tile& tile(std::uint64_t unit, std::uint32_t bits);
    void program(Tile& tile, std::uint64_t unit, std::uint32_t bits, std::uint32_t column);
    std::uint32_t& writes(std::uint64_t unit, std::uint32_t column);

    ArrayConfig config_;
    Storage storage_;
    struct Analog {
        std::uint32_t bits;
        std::unique_ptr<Tile> tile;
    };
    std::unordered_map<std::uint64_t, Analog> tiles_; ///< Tiles that are simulated with
                                                      ///< conductances, by unit.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
        writes_; ///< Number of writes, by unit and column.
    std::uint64_t draws_ = 0;
    std::uint64_t worst_ = 0, column_writes_ = 0, worn_ = 0;
};

} // namespace levee::reram
