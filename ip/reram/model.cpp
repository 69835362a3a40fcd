// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/model.hpp"

#include "ip/reram/normal.hpp"

#include <algorithm>
#include <cmath>

namespace levee::reram {

namespace {

/// A large odd factor, so that the indices of different random draws do not coincide.
constexpr std::uint64_t apart = 0x9E3779B97F4A7C15;

/// Up to this standard deviation sigma, none of the 2^32 possible draws is below -1 / sigma, so no
/// conductance is clipped at 0. The noise of a line's current is then drawn as a single normal
/// number.
constexpr double most_unclipped = 0.15;

std::int32_t bit_of(std::int32_t input, std::uint32_t bit)
{
    const std::int32_t on = (std::abs(input) >> bit) & 1;
    return input < 0 ? -on : on;
}

} // namespace

bool Crossbar::is_exact(std::uint64_t lines, bool signed_inputs) const
{
    if (disturbances.any())
        return false;
    if (adc.bits == 0)
        return true;
    if (on_off != 0 || adc.range != AdcRange::Unit)
        return false;
    const bool negative = signed_inputs || mapping == Mapping::Differential;
    const std::uint64_t codes = (std::uint64_t{1} << adc.bits) - 1;
    return lines * levels() <= (negative ? codes / 2 : codes);
}

/// State of one cycle of a product.
struct Tile::Reading {
    Access access;
    std::uint32_t drive, sense;
    std::vector<std::int32_t> lines; ///< -1, 0 or 1 for each driven line.
    std::int64_t driven = 0;         ///< Sum over the driven lines.
    std::uint64_t draw = 0;
    std::vector<double> currents; ///< Currents of the sensed lines, in levels.
};

Tile::Tile(const Crossbar& crossbar, std::uint32_t bits, std::uint32_t seed, std::uint64_t number)
    : crossbar_(crossbar), bits_(bits), seed_(seed), number_(number),
      lowest_(crossbar.on_off == 0 ? 0.0 : crossbar.levels() / crossbar.on_off),
      gain_(crossbar.on_off == 0 ? 1.0 : 1.0 - 1.0 / crossbar.on_off),
      slices_(crossbar.slices(bits))
{
    const std::size_t cells = std::size_t{crossbar.rows} * crossbar.columns;
    for (Slice& slice : slices_) {
        slice.plus.assign(cells, lowest_);
        if (crossbar.mapping == Mapping::Differential)
            slice.minus.assign(cells, lowest_);
    }
}

std::size_t Tile::at(Access access, std::size_t driven, std::size_t sensed) const
{
    return access == Access::Columns ? driven * crossbar_.columns + sensed
                                     : sensed * crossbar_.columns + driven;
}

std::uint64_t Tile::cell_number(std::uint32_t slice, bool minus, std::uint64_t at) const
{
    const std::uint64_t crossbar = (number_ * 16 + slice) * 2 + (minus ? 1 : 0);
    return crossbar * crossbar_.rows * crossbar_.columns + at;
}

/// Returns the conductance, in levels, of a cell that was programmed to a level.
double Tile::disturbed(double level, std::uint64_t cell, std::uint64_t version) const
{
    const Disturbances& how = crossbar_.disturbances;
    double conductance = lowest_ + level * gain_;
    if (how.stuck > 0 && uniform(seed_, Draw::Stuck, cell) < how.stuck)
        conductance =
            uniform(seed_, Draw::StuckOn, cell) < how.stuck_on ? crossbar_.levels() : lowest_;
    else if (how.programming > 0 && conductance > 0) // Each programming draws a new value.
        conductance *= std::max(
            0.0, 1.0 + how.programming * normal(seed_, Draw::Programming, cell + version * apart));
    if (how.drift > 0 && how.drift_ratio > 1)
        conductance *= power(how.drift_ratio, -how.drift);
    return conductance;
}

void Tile::program(std::uint32_t column, std::span<const std::int32_t> values,
                   std::uint64_t version)
{
    const std::int32_t offset =
        crossbar_.mapping == Mapping::Offset ? std::int32_t{1} << (bits_ - 1) : 0;
    for (std::uint32_t row = 0; row < crossbar_.rows; ++row) {
        const std::int32_t value = (row < values.size() ? values[row] : 0) + offset;
        const std::uint64_t cell = std::uint64_t{row} * crossbar_.columns + column;
        for (std::uint32_t s = 0; s < slices_.size(); ++s) {
            const auto level = static_cast<double>(std::abs(value) >> (s * crossbar_.cell_bits) &
                                                   static_cast<std::int32_t>(crossbar_.levels()));
            Slice& slice = slices_[s];
            slice.plus[cell] =
                disturbed(value > 0 ? level : 0, cell_number(s, false, cell), version);
            if (!slice.minus.empty())
                slice.minus[cell] =
                    disturbed(value < 0 ? level : 0, cell_number(s, true, cell), version);
        }
    }
}

void Tile::add_cells(Reading& reading, const std::vector<double>& cells, double sign) const
{
    const std::size_t sensed = reading.currents.size();
    if (reading.access == Access::Rows) {
        for (std::size_t i = 0; i < sensed; ++i) {
            const double* row = &cells[at(Access::Rows, reading.drive, reading.sense + i)];
            double sum = 0;
            for (std::size_t j = 0; j < reading.lines.size(); ++j)
                sum += reading.lines[j] * row[j];
            reading.currents[i] += sign * sum;
        }
        return;
    }
    for (std::size_t j = 0; j < reading.lines.size(); ++j) {
        if (reading.lines[j] == 0)
            continue;
        const double factor = sign * reading.lines[j];
        const double* row = &cells[at(Access::Columns, reading.drive + j, reading.sense)];
        for (std::size_t i = 0; i < sensed; ++i)
            reading.currents[i] += factor * row[i];
    }
}

/// Adds the read noise of the driven cells to each line's current. If no cell can be clipped at 0,
/// the noise is one normal number, scaled by the root of the sum of the squared conductances.
void Tile::add_read_noise(Reading& reading, const std::vector<double>& cells, double sign,
                          std::uint64_t key) const
{
    const double sigma = crossbar_.disturbances.read;
    for (std::size_t i = 0; i < reading.currents.size(); ++i) {
        double squares = 0;
        for (std::size_t j = 0; j < reading.lines.size(); ++j) {
            if (reading.lines[j] == 0)
                continue;
            const double g = cells[at(reading.access, reading.drive + j, reading.sense + i)];
            squares += g * g;
            if (sigma > most_unclipped)
                reading.currents[i] +=
                    sign * reading.lines[j] * g *
                    std::max(-1.0,
                             sigma * normal(seed_, Draw::Read,
                                            (key + i) * crossbar_.rows * crossbar_.columns + j));
        }
        if (sigma <= most_unclipped)
            reading.currents[i] += sigma * std::sqrt(squares) * normal(seed_, Draw::Read, key + i);
    }
}

/// Adds the currents of bit lines that have wire resistance between cells and are sensed, at
/// ground, after the last word line. Kirchhoff's law at each cell is v[i-1] - 2 v[i] + v[i+1] + w
/// g[i] (x[i] - v[i]) = 0. The equations are solved by elimination from the far end. Word lines are
/// ideal. Word lines that are sensed are treated in the same way.
void Tile::add_wired(Reading& reading, const std::vector<double>& cells, double sign) const
{
    const double wire = crossbar_.disturbances.wire / crossbar_.levels();
    const bool columns = reading.access == Access::Columns;
    const std::size_t length = columns ? crossbar_.rows : crossbar_.columns;
    for (std::size_t i = 0; i < reading.currents.size(); ++i) {
        double slope = 1, rest = 0; // Starts with v[-1] = v[0]; in general v[i] = slope v[i+1] +
                                    // rest.
        double left_slope = 1, left_rest = 0;
        for (std::size_t line = 0; line < length; ++line) {
            const bool driven =
                line >= reading.drive && line - reading.drive < reading.lines.size();
            const double x = driven ? reading.lines[line - reading.drive] : 0;
            const double w = wire * cells[at(reading.access, line, reading.sense + i)];
            const double self = (line == 0 ? 1.0 : 2.0 - left_slope) + w;
            slope = 1.0 / self;
            rest = ((line == 0 ? 0.0 : left_rest) + w * x) / self;
            left_slope = slope;
            left_rest = rest;
        }
        reading.currents[i] += sign * rest / wire; // The voltage at ground is 0, so v[last] = rest.
    }
}

double Tile::converted(double level_sum, bool may_be_negative) const
{
    const Adc& adc = crossbar_.adc;
    if (adc.bits == 0)
        return level_sum;
    const double all = std::ldexp(1.0, static_cast<int>(adc.bits));
    const double last = may_be_negative ? all - 2 : all - 1;      // Last code, counted from 0.
    double lowest = may_be_negative ? -last / 2 : 0, span = last; // Range in levels.
    if (adc.range == AdcRange::Full) {
        const double full = static_cast<double>(crossbar_.rows) * crossbar_.levels();
        lowest = may_be_negative ? -full : 0;
        span = may_be_negative ? 2 * full : full;
    } else if (adc.range == AdcRange::Explicit) {
        lowest = adc.low * crossbar_.levels();
        span = (adc.high - adc.low) * crossbar_.levels();
    }
    // In this form, a current halfway between two codes gives a quotient that is exactly halfway.
    const double code = std::nearbyint((level_sum - lowest) * last / span);
    return lowest + std::clamp(code, 0.0, last) * span / last;
}

void Tile::sense_lines(Reading& reading, const Slice& slice, std::uint32_t slice_number) const
{
    const Disturbances& how = crossbar_.disturbances;
    std::fill(reading.currents.begin(), reading.currents.end(), 0.0);
    for (const bool minus : {false, true}) {
        const std::vector<double>& cells = minus ? slice.minus : slice.plus;
        if (cells.empty())
            continue;
        const double sign = minus ? -1 : 1;
        if (how.wire > 0)
            add_wired(reading, cells, sign);
        else
            add_cells(reading, cells, sign);
        if (how.read > 0)
            add_read_noise(reading, cells, sign,
                           (reading.draw * 16 + slice_number) * 2 *
                                   std::max(crossbar_.rows, crossbar_.columns) +
                               (minus ? std::max(crossbar_.rows, crossbar_.columns) : 0));
    }
}

void Tile::multiply(Access access, std::uint32_t drive, std::span<const std::int32_t> inputs,
                    const InputFormat& format, std::uint64_t draw, std::uint32_t sense,
                    std::span<double> sums) const
{
    const bool differential = crossbar_.mapping == Mapping::Differential;
    const double offset = differential ? 0.0 : std::ldexp(1.0, static_cast<int>(bits_) - 1);
    Reading reading{access, drive, sense, {}, 0, 0, std::vector<double>(sums.size())};
    reading.lines.resize(inputs.size());
    for (std::uint32_t bit = 0; bit < format.bits; ++bit) {
        reading.driven = 0;
        bool idle = true;
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            reading.lines[j] = bit_of(inputs[j], bit);
            reading.driven += reading.lines[j];
            idle = idle && reading.lines[j] == 0;
        }
        if (idle) // Without current the code is zero.
            continue;
        reading.draw = number_ * apart + draw * format.bits + bit;
        const auto driven = static_cast<double>(reading.driven);
        for (std::uint32_t s = 0; s < slices_.size(); ++s) {
            sense_lines(reading, slices_[s], s);
            const double weight = std::ldexp(1.0, static_cast<int>(bit + s * crossbar_.cell_bits));
            const double background = differential ? 0.0 : lowest_ * driven;
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] += weight *
                           (converted(reading.currents[i], differential || format.is_signed) -
                            background) /
                           gain_;
        }
        for (std::size_t i = 0; offset != 0 && i < sums.size(); ++i)
            sums[i] -= std::ldexp(offset, static_cast<int>(bit)) * driven;
    }
}

TiledMatrix::TiledMatrix(const Crossbar& crossbar, std::uint32_t bits, std::uint32_t seed,
                         std::uint32_t outputs, std::uint32_t inputs,
                         std::span<const std::int32_t> elements)
    : crossbar_(crossbar), outputs_(outputs), inputs_(inputs),
      across_((outputs + crossbar.columns - 1) / crossbar.columns)
{
    std::vector<std::int32_t> column;
    for (std::uint32_t top = 0; top < inputs; top += crossbar.rows)
        for (std::uint32_t left = 0; left < outputs; left += crossbar.columns) {
            Tile& tile = tiles_.emplace_back(crossbar, bits, seed, tiles_.size());
            for (std::uint32_t c = 0; c < std::min(crossbar.columns, outputs - left); ++c) {
                const auto row = elements.subspan(std::size_t{left + c} * inputs + top);
                column.assign(row.begin(), row.begin() + std::min(crossbar.rows, inputs - top));
                tile.program(c, column, 1);
            }
        }
}

std::vector<double> TiledMatrix::multiply(Access access, std::span<const std::int32_t> x,
                                          const InputFormat& format, std::uint64_t draw) const
{
    const bool columns = access == Access::Columns;
    std::vector<double> y(columns ? outputs_ : inputs_, 0.0);
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
        const std::size_t top = i / across_ * crossbar_.rows;
        const std::size_t left = i % across_ * crossbar_.columns;
        const std::size_t high = std::min<std::size_t>(crossbar_.rows, inputs_ - top);
        const std::size_t wide = std::min<std::size_t>(crossbar_.columns, outputs_ - left);
        tiles_[i].multiply(access, 0, x.subspan(columns ? top : left, columns ? high : wide),
                           format, draw, 0,
                           std::span(y).subspan(columns ? left : top, columns ? wide : high));
    }
    return y;
}

} // namespace levee::reram
