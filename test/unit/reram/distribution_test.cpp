// SPDX-License-Identifier: Apache-2.0
// Monte Carlo test of the error over 1,000 seeds, with programming variation and a converter. The
// analytic distribution is that of ip/reram/README.md, "The error's distribution".
#include "ip/reram/model.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace levee::reram;

namespace {

struct Moments {
    double mean = 0, variance = 0;
};

/// One conversion of a line's normally distributed current. The members are the current's mean and
/// deviation, and the weight of the code in the result.
struct Conversion {
    double mean = 0, deviation = 0, weight = 0;
};

double density(double t)
{
    return std::exp(-t * t / 2) / std::sqrt(2 * std::acos(-1.0));
}

double distribution(double t)
{
    return 0.5 * std::erfc(-t / std::sqrt(2.0));
}

/// A converter with codes on both sides of zero, `step` levels apart. Its inputs are currents, in
/// units of a step.
struct Converter {
    int most;
    double step;
    /// Returns the mean and variance of the code of a normal current.
    [[nodiscard]] Moments of(const Conversion& c) const
    {
        Moments m;
        double squares = 0;
        for (int code = -most; code <= most; ++code) {
            const double above =
                code == most ? 1 : distribution((code + 0.5 - c.mean) / c.deviation);
            const double below =
                code == -most ? 0 : distribution((code - 0.5 - c.mean) / c.deviation);
            m.mean += code * (above - below);
            squares += double(code) * code * (above - below);
        }
        m.variance = squares - m.mean * m.mean;
        return m;
    }
    /// Expands the code in normalised Hermite polynomials of the current and returns the
    /// coefficients from the first on. For a step at t, the coefficient of He[n] is He[n-1](t)
    /// p(t).
    [[nodiscard]] std::vector<double> series(const Conversion& c) const
    {
        std::vector<double> coefficients(60, 0.0);
        for (int code = -most; code < most; ++code) {
            const double t = (code + 0.5 - c.mean) / c.deviation;
            if (!(std::abs(t) <= 12)) // The condition also covers a deviation of zero.
                continue;
            double before = 0, now = density(t); // This is He / sqrt(n!).
            for (std::size_t n = 1; n <= coefficients.size(); ++n) {
                coefficients[n - 1] += now / std::sqrt(double(n));
                const double next =
                    (t * now - std::sqrt(double(n - 1)) * before) / std::sqrt(double(n));
                before = now;
                now = next;
            }
        }
        return coefficients;
    }
};

struct Case {
    Crossbar crossbar;
    InputFormat format{7, true};
    std::vector<std::int32_t> w, x;

    /// Returns the level of a weight's cell in a slice, signed by its line.
    [[nodiscard]] double level(std::size_t j, std::uint32_t slice) const
    {
        const bool differential = crossbar.mapping == Mapping::Differential;
        const int value = differential ? std::abs(w[j]) : w[j] + 128;
        const int level = value >> (slice * crossbar.cell_bits) & int(crossbar.levels());
        return differential && w[j] < 0 ? -level : level;
    }
    [[nodiscard]] double driven(std::size_t j, std::uint32_t bit) const
    {
        const int on = std::abs(x[j]) >> bit & 1;
        return x[j] < 0 ? -on : on;
    }
};

Converter converter_of(const Crossbar& crossbar)
{
    const int most = (1 << (crossbar.adc.bits - 1)) - 1;
    return {most, crossbar.adc.high * crossbar.levels() / most};
}

/// Returns the conversion in cycle `bit` of a slice, in the converter's steps.
Conversion conversion_of(const Case& what, const Converter& converter, std::uint32_t slice,
                         std::uint32_t bit)
{
    Conversion c;
    for (std::size_t j = 0; j < what.x.size(); ++j) {
        const double current = what.level(j, slice) * what.driven(j, bit);
        c.mean += current / converter.step;
        c.deviation +=
            std::pow(what.crossbar.disturbances.programming * current / converter.step, 2);
    }
    c.deviation = std::sqrt(c.deviation);
    c.weight = converter.step * std::ldexp(1.0, int(bit + slice * what.crossbar.cell_bits));
    return c;
}

/// Returns the correlation of two cycles' currents, which comes from the cells that both cycles
/// drive.
double correlation_of(const Case& what, const Converter& converter, std::uint32_t slice,
                      std::uint32_t k, std::uint32_t l)
{
    double shared = 0;
    for (std::size_t j = 0; j < what.x.size(); ++j)
        shared +=
            std::pow(what.crossbar.disturbances.programming * what.level(j, slice) / converter.step,
                     2) *
            what.driven(j, k) * what.driven(j, l);
    return shared / (conversion_of(what, converter, slice, k).deviation *
                     conversion_of(what, converter, slice, l).deviation);
}

/// Returns the covariance of two codes whose currents have this correlation.
double covariance_of(const std::vector<double>& a, const std::vector<double>& b, double correlation)
{
    double power = 1, sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        power *= correlation;
        sum += power * a[n] * b[n];
    }
    return sum;
}

/// Returns the mean and variance of a result. Conversions of one slice share cells; those of
/// different slices do not.
Moments analytic(const Case& what)
{
    const Converter converter = converter_of(what.crossbar);
    Moments result;
    for (const std::int32_t x : what.x)
        result.mean -= what.crossbar.mapping == Mapping::Offset ? 128.0 * x : 0.0;
    for (std::uint32_t s = 0; s < what.crossbar.slices(8); ++s)
        for (std::uint32_t k = 0; k < what.format.bits; ++k) {
            const Conversion one = conversion_of(what, converter, s, k);
            const Moments code = converter.of(one);
            result.mean += one.weight * code.mean;
            result.variance += one.weight * one.weight * code.variance;
            for (std::uint32_t l = 0; l < k; ++l) {
                const Conversion other = conversion_of(what, converter, s, l);
                result.variance += 2 * one.weight * other.weight *
                                   covariance_of(converter.series(one), converter.series(other),
                                                 correlation_of(what, converter, s, k, l));
            }
        }
    return result;
}

/// Returns the variance without a converter: sigma^2 times the sum of 4^(b s) level^2 x^2.
double variance_of_cells(const Case& what)
{
    double variance = 0;
    for (std::uint32_t s = 0; s < what.crossbar.slices(8); ++s)
        for (std::size_t j = 0; j < what.x.size(); ++j)
            variance += std::pow(std::ldexp(what.level(j, s), int(s * what.crossbar.cell_bits)) *
                                     what.x[j] * what.crossbar.disturbances.programming,
                                 2);
    return variance;
}

/// Returns the variance of codes if the distance of currents to their codes is uniformly
/// distributed. Each conversion then adds a twelfth of a squared step.
double variance_of_codes(const Case& what)
{
    double variance = 0;
    for (std::uint32_t s = 0; s < what.crossbar.slices(8); ++s)
        for (std::uint32_t k = 0; k < what.format.bits; ++k)
            variance += std::pow(std::ldexp(converter_of(what.crossbar).step,
                                            int(k + s * what.crossbar.cell_bits)),
                                 2) /
                        12;
    return variance;
}

constexpr unsigned seeds = 1000;
constexpr std::uint32_t inputs = 64;

/// Draws weights and inputs with uniformly distributed codes. The converters' range is about 4.5
/// standard deviations of the currents.
Case draw_case(Mapping mapping, std::uint32_t cell_bits, std::uint32_t adc_bits, unsigned seed)
{
    std::mt19937 random(seed);
    Case drawn;
    drawn.crossbar.rows = inputs;
    drawn.crossbar.columns = 1;
    drawn.crossbar.cell_bits = cell_bits;
    drawn.crossbar.mapping = mapping;
    const double share = 4.5 * std::sqrt(inputs / 2.0 / 3.0);
    drawn.crossbar.adc = {adc_bits, AdcRange::Explicit, -share, share};
    drawn.crossbar.disturbances.programming = 0.01;
    for (std::uint32_t i = 0; i < inputs; ++i) {
        drawn.w.push_back(int(random() % 255) - 127);
        drawn.x.push_back(int(random() % 255) - 127);
    }
    return drawn;
}

double simulate(const Case& what, unsigned seed)
{
    const TiledMatrix matrix(what.crossbar, 8, seed, 1, inputs, what.w);
    return matrix.multiply(Access::Columns, what.x, what.format, 0)[0];
}

double exact(const Case& what)
{
    double sum = 0;
    for (std::size_t j = 0; j < what.x.size(); ++j)
        sum += double(what.w[j]) * what.x[j];
    return sum;
}

/// Checks mean and variance. The variance must be within four of its own standard deviations.
void check_moments(const std::vector<double>& results, const Moments& expected)
{
    double mean = 0, second = 0, fourth = 0;
    for (const double result : results)
        mean += result / seeds;
    for (const double result : results) {
        second += std::pow(result - mean, 2) / (seeds - 1);
        fourth += std::pow(result - mean, 4) / seeds;
    }
    INFO("mean " << mean << " for " << expected.mean << ", deviation " << std::sqrt(second)
                 << " for " << std::sqrt(expected.variance));
    CHECK(std::abs(mean - expected.mean) < 4 * std::sqrt(expected.variance / seeds));
    CHECK(std::abs(second - expected.variance) < 4 * std::sqrt((fourth - second * second) / seeds));
}

/// Performs a Kolmogorov-Smirnov test. One in 1,000 samples of 1,000 normal numbers exceeds its
/// limit.
void check_normal(std::vector<double> deviates)
{
    std::sort(deviates.begin(), deviates.end());
    double distance = 0;
    for (std::size_t i = 0; i < deviates.size(); ++i)
        distance =
            std::max(distance, std::abs(distribution(deviates[i]) - (double(i) + 0.5) / seeds));
    CHECK(distance < 0.0617);
    check_moments(deviates, {0, 1});
}

std::string name_of(Mapping mapping, std::uint32_t cell_bits)
{
    return (mapping == Mapping::Offset ? "offset, bits a cell: " : "differential, bits a cell: ") +
           std::to_string(cell_bits);
}

} // namespace

TEST_CASE("one product, 1 % variation, 8-bit converter: mean and variance over 1,000 seeds")
{
    for (const Mapping mapping : {Mapping::Differential, Mapping::Offset})
        for (const std::uint32_t cell_bits : {1u, 2u, 4u})
            for (unsigned data = 1; data <= 3; ++data) {
                INFO(name_of(mapping, cell_bits) << ", data " << data);
                const Case what = draw_case(mapping, cell_bits, 8, data);
                std::vector<double> results;
                for (unsigned seed = 1; seed <= seeds; ++seed)
                    results.push_back(simulate(what, seed));
                check_moments(results, analytic(what));
            }
}

TEST_CASE("many products, 1 % variation, 8-bit converter: normal errors, with the variances of "
          "cells and codes")
{
    for (const Mapping mapping : {Mapping::Differential, Mapping::Offset})
        for (const std::uint32_t cell_bits : {1u, 2u, 4u}) {
            INFO(name_of(mapping, cell_bits));
            std::vector<double> deviates;
            for (unsigned seed = 1; seed <= seeds; ++seed) {
                const Case what = draw_case(mapping, cell_bits, 8, 100 + seed);
                const double variance = variance_of_cells(what) + variance_of_codes(what);
                deviates.push_back((simulate(what, seed) - exact(what)) / std::sqrt(variance));
            }
            check_normal(deviates);
        }
}

TEST_CASE("1 % variation, no converter: normal errors, with the variance of the cells")
{
    for (const Mapping mapping : {Mapping::Differential, Mapping::Offset}) {
        INFO(name_of(mapping, 2));
        const Case what = draw_case(mapping, 2, 0, 5);
        std::vector<double> deviates;
        for (unsigned seed = 1; seed <= seeds; ++seed)
            deviates.push_back((simulate(what, seed) - exact(what)) /
                               std::sqrt(variance_of_cells(what)));
        check_normal(deviates);
    }
}
