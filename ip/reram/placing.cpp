// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/placing.hpp"

#include "core/numerics/element_names.hpp"
#include "core/numerics/elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace levee::reram {

namespace {

class Placer {
public:
    explicit Placer(const Config& config) : array_(config.array), crossbars_(without_units(config))
    {
    }

    levee_reram_kept place(const ModelMatrix& matrix)
    {
        if (matrix.type != LEVEE_TYPE_INT8 && matrix.type != LEVEE_TYPE_INT4)
            throw std::invalid_argument("takes matrices of INT8 and INT4; matrix " +
                                        std::to_string(count_) + " of the model is " +
                                        element_type_names[matrix.type]);
        levee_reram_kept kept{};
        kept.head = {matrix.kind, matrix.layer};
        kept.rows = matrix.rows;
        kept.columns = matrix.columns;
        const std::uint64_t units = crossbars_.units_of({0, matrix.columns, matrix.rows, 8});
        if (units > array_.units - next_)
            throw std::length_error("has " + std::to_string(array_.units) +
                                    " units, which is too few: " + std::to_string(next_) +
                                    " are taken, and matrix " + std::to_string(count_) +
                                    " of the model needs " + std::to_string(units));
        kept.unit = next_;
        kept.units = static_cast<std::uint32_t>(units);
        next_ += kept.units;
        ++count_;
        return kept;
    }

    /// Writes a matrix to its place, unit by unit.
    void write(const ModelMatrix& matrix, const levee_reram_kept& kept,
               const StorageSink& sink) const
    {
        const Crossbar& c = array_.crossbar;
        const std::uint64_t unit_bytes = std::uint64_t{c.rows} * c.columns;
        const std::uint32_t across = (kept.rows + c.columns - 1) / c.columns;
        std::vector<std::uint8_t> unit(unit_bytes);
        for (std::uint32_t i = 0; i < kept.units && !matrix.data.empty(); ++i) {
            std::fill(unit.begin(), unit.end(), std::uint8_t{0});
            const std::uint32_t top = i / across * c.rows, left = i % across * c.columns;
            for (std::uint32_t column = 0; column < std::min(c.columns, kept.rows - left); ++column)
                for (std::uint32_t row = 0; row < std::min(c.rows, kept.columns - top); ++row)
                    unit[std::size_t{row} * c.columns + column] =
                        element(matrix, left + column, top + row);
            sink((std::uint64_t{kept.unit} + i) * unit_bytes, unit);
        }
    }

    [[nodiscard]] std::uint32_t units() const { return next_; }

private:
    static ArrayConfig without_units(const Config& config)
    {
        ArrayConfig array = config.array;
        array.units = 0;
        return array;
    }

    [[nodiscard]] std::uint8_t element(const ModelMatrix& matrix, std::uint32_t row,
                                       std::uint32_t column) const
    {
        const auto bytes = std::as_bytes(matrix.data.subspan(std::size_t{row} * matrix.row_bytes));
        const std::int32_t value = integer_element(bytes.data(), matrix.type, column);
        if (!array_.crossbar.holds(value, 8))
            throw std::invalid_argument("stores magnitudes in cells of " +
                                        std::to_string(array_.crossbar.cell_bits) +
                                        " bits, which cannot hold the weight -128; "
                                        "expected 'mapping: offset', or weights from -127 to 127");
        return static_cast<std::uint8_t>(value);
    }

    const ArrayConfig& array_;
    Crossbars crossbars_;
    std::uint32_t next_ = 0, count_ = 0;
};

} // namespace

KeptMatrices keep(const Config& config, std::span<const ModelMatrix> matrices,
                  const StorageSink& sink)
{
    Placer placer(config);
    KeptMatrices kept;
    for (const ModelMatrix& matrix : matrices) {
        const levee_reram_kept one = placer.place(matrix);
        placer.write(matrix, one, sink);
        const auto bytes = std::as_bytes(std::span(&one, 1));
        kept.records.emplace_back(sizeof one);
        std::memcpy(kept.records.back().data(), bytes.data(), bytes.size());
    }
    kept.bytes =
        std::uint64_t{placer.units()} * config.array.crossbar.rows * config.array.crossbar.columns;
    return kept;
}

Intake take_in(const Config& config, std::span<const ModelMatrix> matrices, const RawSink& raw)
{
    Placer placer(config);
    const Crossbar& c = config.array.crossbar;
    const std::uint64_t unit_bytes = std::uint64_t{c.rows} * c.columns;
    std::uint64_t weights = 0, lines = 0;
    for (const ModelMatrix& matrix : matrices) {
        const levee_reram_kept one = placer.place(matrix);
        weights += std::uint64_t{matrix.rows} * matrix.columns;
        lines = std::max<std::uint64_t>(lines, std::min(c.columns, matrix.rows));
        if (raw)
            placer.write(
                matrix, one, [&](std::uint64_t offset, std::span<const std::uint8_t> unit) {
                    std::array<std::uint8_t, 8> number{};
                    for (std::size_t i = 0; i < number.size(); ++i)
                        number[i] = static_cast<std::uint8_t>(offset / unit_bytes >> 8 * i);
                    raw(number);
                    raw(unit);
                });
    }
    Intake intake;
    const std::uint64_t cells = weights * c.cells(8);
    intake.facts = {{"units", std::to_string(placer.units()) + " of " +
                                  std::to_string(config.array.units) + ", " +
                                  std::to_string(c.cells(8)) + " crossbars each"},
                    {"cells", std::to_string(cells) + " programmed"},
                    {"wear", "1 programming of each programmed cell"}};
    intake.times = {{"program", lines * config.timing.write}};
    intake.events = {{&cell_write_event, cells}};
    return intake;
}

} // namespace levee::reram
