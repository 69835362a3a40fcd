// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/model.hpp"
#include "ip/reram/normal.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>

using namespace levee::reram;

namespace {

Crossbar small(Mapping mapping, std::uint32_t cell_bits)
{
    Crossbar crossbar;
    crossbar.rows = 16;
    crossbar.columns = 12;
    crossbar.mapping = mapping;
    crossbar.cell_bits = cell_bits;
    return crossbar;
}

std::vector<std::int32_t> draw(std::mt19937& random, std::size_t count, std::int32_t most)
{
    std::vector<std::int32_t> values(count);
    for (std::int32_t& value : values)
        value = static_cast<std::int32_t>(random() % static_cast<unsigned>(2 * most + 1)) - most;
    return values;
}

/// Returns the product of a matrix [outputs][inputs], or of its transpose.
std::vector<double> exact(Access access, std::span<const std::int32_t> w,
                          std::span<const std::int32_t> x, std::size_t outputs, std::size_t inputs)
{
    std::vector<double> y(access == Access::Columns ? outputs : inputs, 0.0);
    for (std::size_t i = 0; i < outputs; ++i)
        for (std::size_t j = 0; j < inputs; ++j)
            if (access == Access::Columns)
                y[i] += double(w[i * inputs + j]) * x[j];
            else
                y[j] += double(w[i * inputs + j]) * x[i];
    return y;
}

/// Reads one cell at its highest level, with an input of 1.
double one_cell(Crossbar crossbar, std::uint32_t seed, std::uint64_t draw_number = 0)
{
    crossbar.cell_bits = 7;
    Tile tile(crossbar, 8, seed, 0);
    tile.program(0, std::vector<std::int32_t>{127}, 1);
    std::vector<double> sum(1, 0.0);
    tile.multiply(Access::Columns, 0, std::vector<std::int32_t>{1}, {1, true}, draw_number, 0, sum);
    return sum[0] / 127;
}

} // namespace

TEST_CASE("without disturbances and with a wide converter, products are exact in both directions")
{
    std::mt19937 random(1);
    for (const Mapping mapping : {Mapping::Differential, Mapping::Offset})
        for (std::uint32_t cell_bits = 1; cell_bits <= 7; ++cell_bits)
            for (const std::uint32_t bits : {8u, 16u})
                for (const Access access : {Access::Columns, Access::Rows}) {
                    const Crossbar crossbar = small(mapping, cell_bits);
                    const std::int32_t most = (1 << (bits - 1)) - 1;
                    const std::uint32_t outputs = 30, inputs = 37; // There are 3 x 3 tiles.
                    const auto w = draw(random, outputs * inputs, most);
                    const bool columns = access == Access::Columns;
                    const auto x = draw(random, columns ? inputs : outputs, 32767);
                    const TiledMatrix matrix(crossbar, bits, 1, outputs, inputs, w);
                    CHECK(matrix.multiply(access, x, {15, true}, 0) ==
                          exact(access, w, x, outputs, inputs));
                }
}

TEST_CASE("is_exact is true only if sums are exact for any data")
{
    for (const Mapping mapping : {Mapping::Differential, Mapping::Offset})
        for (const bool is_signed : {true, false})
            for (std::uint32_t adc = 4; adc <= 8; ++adc) {
                Crossbar crossbar = small(mapping, 2);
                crossbar.adc = {adc, AdcRange::Unit, 0, 0};
                // In the worst case, all cells of a line are at their highest level and all lines
                // are on.
                const std::int32_t highest = 127;
                const std::vector<std::int32_t> w(16, highest), x(16, 1);
                const TiledMatrix matrix(crossbar, 8, 1, 1, 16, w);
                const bool same =
                    matrix.multiply(Access::Columns, x, {1, is_signed}, 0)[0] == 16 * highest;
                CHECK(crossbar.is_exact(16, is_signed) == same);
            }
}

TEST_CASE("a converter rounds halves to even, clips at its ends and has a code for zero")
{
    Crossbar crossbar = small(Mapping::Differential, 7);
    // A signed converter of 3 bits has 7 codes, -3 to 3, two levels apart.
    crossbar.adc = {3, AdcRange::Explicit, -6.0 / 127, 6.0 / 127};
    const auto converted = [&](std::int32_t level) {
        const TiledMatrix matrix(crossbar, 8, 1, 1, 1, std::vector<std::int32_t>{level});
        return matrix.multiply(Access::Columns, std::vector<std::int32_t>{1}, {1, true}, 0)[0];
    };
    CHECK(converted(0) == 0);
    CHECK(converted(2) == 2);
    // The codes 0 to 6 represent -6 to 6. A tie goes to the even code.
    CHECK(converted(1) == 2);
    CHECK(converted(3) == 2);
    CHECK(converted(5) == 6);
    CHECK(converted(-1) == -2);
    CHECK(converted(-3) == -2);
    CHECK(converted(100) == 6);
    CHECK(converted(-100) == -6);
}

TEST_CASE("programming variation, read noise and stuck cells have the stated distributions")
{
    constexpr int draws = 4000;
    const auto moments = [&](auto&& value) {
        double sum = 0, squares = 0;
        for (int i = 0; i < draws; ++i) {
            const double v = value(i);
            sum += v;
            squares += v * v;
        }
        const double mean = sum / draws;
        return std::pair{mean, std::sqrt(squares / draws - mean * mean)};
    };
    const Crossbar plain = small(Mapping::Differential, 7);
    for (const double sigma : {0.02, 0.1}) {
        Crossbar varied = plain, noisy = plain;
        varied.disturbances.programming = sigma;
        noisy.disturbances.read = sigma;
        const auto by_seed = moments([&](int i) { return one_cell(varied, unsigned(i)); });
        const auto by_draw = moments([&](int i) { return one_cell(noisy, 7, unsigned(i)); });
        CHECK(by_seed.first == Approx(1.0).margin(4 * sigma / std::sqrt(draws)));
        CHECK(by_seed.second == Approx(sigma).epsilon(0.05));
        CHECK(by_draw.first == Approx(1.0).margin(4 * sigma / std::sqrt(draws)));
        CHECK(by_draw.second == Approx(sigma).epsilon(0.05));
    }
    Crossbar stuck = plain;
    stuck.disturbances.stuck = 0.5;
    stuck.disturbances.stuck_on = 0.25;
    // The positive cell of the pair reads 1 unless it is stuck low (3/8). The negative cell reads 0
    // unless it is stuck high (1/8).
    CHECK(moments([&](int i) { return one_cell(stuck, unsigned(i)); }).first ==
          Approx(5.0 / 8 - 1.0 / 8).margin(0.04));
}

TEST_CASE("wide read noise, clipped at zero for each cell, has the clipped normal's mean")
{
    Crossbar noisy = small(Mapping::Differential, 7);
    noisy.disturbances.read = 1.0;
    double sum = 0;
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i)
        sum += one_cell(noisy, 3, unsigned(i));
    // E max(0, 1 + n) = P(n < 1) + p(1), with distribution P and density p of the normal
    // distribution.
    CHECK(sum / draws == Approx(0.8413447 + 0.2419707).margin(0.03));
}

TEST_CASE("drift lowers every conductance by a power of its age")
{
    Crossbar aged = small(Mapping::Differential, 7);
    aged.disturbances.drift = 0.05;
    aged.disturbances.drift_ratio = 1000;
    CHECK(one_cell(aged, 1) == Approx(std::pow(1000.0, -0.05)).epsilon(1e-12));
}

TEST_CASE("wires: one cell sees the line's resistance, and a full line loses more at its far end")
{
    Crossbar wired = small(Mapping::Differential, 7);
    wired.disturbances.wire = 0.001;
    // A cell of conductance 1 in row 0 has 16 segments in series. Idle cells carry no current.
    CHECK(one_cell(wired, 1) == Approx(1 / (1 + 16 * 0.001)).epsilon(1e-12));
    const auto row = [&](std::uint32_t which) {
        Tile tile(wired, 8, 1, 0);
        tile.program(0, std::vector<std::int32_t>(16, 127), 1);
        std::vector<double> sum(1, 0.0);
        tile.multiply(Access::Columns, which, std::vector<std::int32_t>{1}, {1, true}, 0, 0, sum);
        return sum[0];
    };
    CHECK(row(0) < row(8));
    CHECK(row(8) < row(15));
    CHECK(row(15) < 127);
}

TEST_CASE("the same seed gives the same product, and another seed or a new programming another one")
{
    Crossbar varied = small(Mapping::Offset, 2);
    varied.disturbances.programming = 0.05;
    const auto product = [&](std::uint32_t seed, std::uint64_t version) {
        Tile tile(varied, 8, seed, 3);
        tile.program(0, std::vector<std::int32_t>(16, 93), version);
        std::vector<double> sum(1, 0.0);
        tile.multiply(Access::Columns, 0, std::vector<std::int32_t>(16, 5), {7, true}, 0, 0, sum);
        return sum[0];
    };
    CHECK(product(1, 1) == product(1, 1));
    CHECK(product(1, 1) != product(2, 1));
    CHECK(product(1, 1) != product(1, 2));
}

TEST_CASE("normal numbers: known quantiles, moments and tails")
{
    double sum = 0, squares = 0;
    int beyond = 0;
    constexpr int draws = 100000;
    for (int i = 0; i < draws; ++i) {
        const double n = normal(5, Draw::Read, static_cast<std::uint64_t>(i));
        sum += n;
        squares += n * n;
        beyond += std::abs(n) > 1.959963985;
    }
    CHECK(sum / draws == Approx(0).margin(0.013));
    CHECK(squares / draws == Approx(1).epsilon(0.02));
    CHECK(beyond / double(draws) == Approx(0.05).margin(0.003));
    CHECK(power(10, 0.5) == Approx(std::sqrt(10.0)).epsilon(1e-12));
}

TEST_CASE("crossbars do not share random draws of read noise, however much noise there is")
{
    Crossbar crossbar = small(Mapping::Offset, 7);
    crossbar.rows = crossbar.columns = 128;
    // With 0.1 one random number is drawn for each line. With 0.3 a conductance can be clipped at
    // 0, so one is drawn for each driven cell.
    for (const double sigma : {0.1, 0.3}) {
        crossbar.disturbances.read = sigma;
        std::set<double> seen;
        for (std::uint64_t number = 0; number < 16; ++number) {
            Tile tile(crossbar, 8, 1, number);
            tile.program(0, std::vector<std::int32_t>{100}, 1);
            std::vector<double> sum(1, 0.0);
            tile.multiply(Access::Columns, 0, std::vector<std::int32_t>{1}, {1, true}, 0, 0, sum);
            seen.insert(sum[0]);
        }
        CHECK(seen.size() == 16);
    }
}

TEST_CASE("a cell's next programming does not repeat another seed's first one")
{
    Crossbar crossbar = small(Mapping::Offset, 7);
    crossbar.disturbances.programming = 0.1;
    const auto after = [&](std::uint32_t seed, unsigned programmings) {
        Tile tile(crossbar, 8, seed, 0);
        for (unsigned i = 0; i < programmings; ++i)
            tile.program(0, std::vector<std::int32_t>{100}, i);
        std::vector<double> sum(1, 0.0);
        tile.multiply(Access::Columns, 0, std::vector<std::int32_t>{1}, {1, true}, 0, 0, sum);
        return sum[0];
    };
    CHECK(after(1, 2) != after(1, 1));
    CHECK(after(1, 2) != after(2, 1));
    CHECK(after(1, 2) == after(1, 2));
}
