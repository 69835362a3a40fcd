// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/crossbars.hpp"

#include <algorithm>

namespace levee::reram {

Crossbars::Crossbars(const ArrayConfig& config)
    : config_(config),
      storage_(std::uint64_t{config.units} * config.crossbar.rows * config.crossbar.columns)
{
}

std::uint32_t Crossbars::units_per_tile(std::uint32_t bits) const
{
    const std::uint32_t one = config_.crossbar.slices(8);
    return std::max(bits / 8, (config_.crossbar.slices(bits) + one - 1) / one);
}

std::uint64_t Crossbars::units_of(const MatrixPlace& place) const
{
    const Crossbar& c = config_.crossbar;
    const std::uint64_t down = (std::uint64_t{place.rows} + c.rows - 1) / c.rows;
    const std::uint64_t across = (std::uint64_t{place.columns} + c.columns - 1) / c.columns;
    return down * across * units_per_tile(place.bits);
}

std::uint64_t Crossbars::offset_of(const MatrixPlace& place, std::uint64_t row,
                                   std::uint64_t column) const
{
    const Crossbar& c = config_.crossbar;
    const std::uint64_t across = (std::uint64_t{place.columns} + c.columns - 1) / c.columns;
    const std::uint64_t tile = row / c.rows * across + column / c.columns;
    const std::uint64_t unit = place.unit + tile * units_per_tile(place.bits);
    return (unit * c.rows + row % c.rows) * c.columns + column % c.columns;
}

std::int32_t Crossbars::element(std::uint64_t offset, std::uint32_t bits)
{
    const std::uint8_t* const low = storage_.data() + offset;
    if (bits == 8)
        return static_cast<std::int8_t>(*low);
    const std::uint64_t unit = std::uint64_t{config_.crossbar.rows} * config_.crossbar.columns;
    return static_cast<std::int16_t>(*low | low[unit] << 8);
}

std::uint32_t& Crossbars::writes(std::uint64_t unit, std::uint32_t column)
{
    std::vector<std::uint32_t>& counts = writes_[unit];
    counts.resize(config_.crossbar.columns);
    return counts[column];
}

void Crossbars::count_column(const MatrixPlace& place, std::uint32_t column, std::uint32_t row,
                             std::uint32_t rows)
{
    const Crossbar& c = config_.crossbar;
    const std::uint64_t unit_bytes = std::uint64_t{c.rows} * c.columns;
    ++column_writes_;
    for (std::uint64_t at = row / c.rows * c.rows; at < std::uint64_t{row} + rows; at += c.rows) {
        const std::uint64_t unit = offset_of(place, at, column) / unit_bytes;
        std::uint32_t& count = writes(unit, column % c.columns);
        worst_ = std::max<std::uint64_t>(worst_, ++count);
        worn_ += config_.endurance != 0 && count == config_.endurance + 1;
    }
}

void Crossbars::write_column(const MatrixPlace& place, std::uint32_t column, std::uint32_t row,
                             std::span<const std::int32_t> values)
{
    const Crossbar& c = config_.crossbar;
    const std::uint64_t unit_bytes = std::uint64_t{c.rows} * c.columns;
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint8_t* const low = storage_.data() + offset_of(place, row + i, column);
        low[0] = static_cast<std::uint8_t>(values[i]);
        if (place.bits == 16)
            low[unit_bytes] = static_cast<std::uint8_t>(values[i] >> 8);
    }
    count_column(place, column, row, static_cast<std::uint32_t>(values.size()));
    for (std::uint64_t at = row / c.rows * c.rows; at < row + values.size(); at += c.rows) {
        const std::uint64_t unit = offset_of(place, at, column) / unit_bytes;
        if (const auto found = tiles_.find(unit); found != tiles_.end())
            program(*found->second.tile, unit, found->second.bits, column % c.columns);
    }
}

void Crossbars::program(Tile& tile, std::uint64_t unit, std::uint32_t bits, std::uint32_t column)
{
    const Crossbar& c = config_.crossbar;
    std::vector<std::int32_t> values(c.rows);
    for (std::uint64_t row = 0; row < c.rows; ++row)
        values[row] = element((unit * c.rows + row) * c.columns + column, bits);
    tile.program(column, values, writes(unit, column));
}

Tile& Crossbars::tile(std::uint64_t unit, std::uint32_t bits)
{
    Analog& analog = tiles_[unit];
    if (analog.tile == nullptr || analog.bits != bits) {
        analog = {bits, std::make_unique<Tile>(config_.crossbar, bits, config_.seed, unit)};
        for (std::uint32_t column = 0; column < config_.crossbar.columns; ++column)
            program(*analog.tile, unit, bits, column);
    }
    return *analog.tile;
}

template <typename Visit>
void Crossbars::for_each_part(const MatrixPlace& place, Access access, std::uint32_t drive,
                              std::size_t inputs, std::uint32_t sense, std::size_t sums,
                              Visit visit) const
{
    const Crossbar& c = config_.crossbar;
    const bool columns = access == Access::Columns;
    const std::uint64_t top = columns ? drive : sense, left = columns ? sense : drive;
    const std::uint64_t bottom = top + (columns ? inputs : sums);
    const std::uint64_t right = left + (columns ? sums : inputs);
    const std::uint64_t unit_bytes = std::uint64_t{c.rows} * c.columns;
    for (std::uint64_t row = top; row < bottom; row = (row / c.rows + 1) * c.rows)
        for (std::uint64_t column = left; column < right;
             column = (column / c.columns + 1) * c.columns) {
            Part part{};
            part.unit = offset_of(place, row, column) / unit_bytes;
            part.row = static_cast<std::uint32_t>(row % c.rows);
            part.column = static_cast<std::uint32_t>(column % c.columns);
            part.rows = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(c.rows - part.row, bottom - row));
            part.columns = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(c.columns - part.column, right - column));
            part.input = columns ? row - top : column - left;
            part.sum = columns ? column - left : row - top;
            visit(part);
        }
}

void Crossbars::add_exact(const MatrixPlace& place, Access access, const Part& part,
                          std::span<const std::int32_t> inputs, std::span<std::int64_t> sums)
{
    const Crossbar& c = config_.crossbar;
    for (std::uint32_t r = 0; r < part.rows; ++r) {
        const std::uint64_t row = (part.unit * c.rows + part.row + r) * c.columns + part.column;
        if (access == Access::Rows) {
            std::int64_t sum = 0;
            for (std::uint32_t i = 0; i < part.columns; ++i)
                sum += std::int64_t{element(row + i, place.bits)} * inputs[part.input + i];
            sums[part.sum + r] += sum;
        } else if (const std::int64_t input = inputs[part.input + r]; input != 0) {
            for (std::uint32_t i = 0; i < part.columns; ++i)
                sums[part.sum + i] += input * element(row + i, place.bits);
        }
    }
}

void Crossbars::multiply(const MatrixPlace& place, Access access, std::uint32_t drive,
                         std::span<const std::int32_t> inputs, const InputFormat& format,
                         std::uint32_t sense, std::span<double> sums)
{
    const Crossbar& c = config_.crossbar;
    const std::uint32_t lines = access == Access::Columns ? c.rows : c.columns;
    std::fill(sums.begin(), sums.end(), 0.0);
    if (c.is_exact(lines, format.is_signed)) {
        std::vector<std::int64_t> exact(sums.size(), 0);
        for_each_part(place, access, drive, inputs.size(), sense, sums.size(),
                      [&](const Part& part) { add_exact(place, access, part, inputs, exact); });
        std::transform(exact.begin(), exact.end(), sums.begin(),
                       [](std::int64_t sum) { return static_cast<double>(sum); });
        return;
    }
    const std::uint64_t draw = draws_++;
    const bool columns = access == Access::Columns;
    for_each_part(place, access, drive, inputs.size(), sense, sums.size(), [&](const Part& part) {
        tile(part.unit, place.bits)
            .multiply(access, columns ? part.row : part.column,
                      inputs.subspan(part.input, columns ? part.rows : part.columns), format, draw,
                      columns ? part.column : part.row,
                      sums.subspan(part.sum, columns ? part.columns : part.rows));
    });
}

} // namespace levee::reram
