// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/numerics.hpp"

namespace levee::tables {
namespace {

// Taylor series of e^x, |x| <= 1/8. The last term is below 2^-60.
constexpr double exp_taylor(double x)
{
    double sum = 1.0;
    for (int i = 12; i >= 1; --i)
        sum = 1.0 + sum * x / i;
    return sum;
}

constexpr double square(double x)
{
    return x * x;
}

// e^x for |x| <= 1, computed as (e^(x/8))^8.
constexpr double exp_unit(double x)
{
    return square(square(square(exp_taylor(x / 8.0))));
}

constexpr double kLn2 = 0.693147180559945309417232121458;
constexpr double kQuarterTurn = 1.57079632679489661923132169164;
constexpr double kInverseRoot2Pi = 0.398942280401432677939946059934;

constexpr auto make_exp2()
{
    std::array<float, (1 << kExp2Bits) + 1> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = static_cast<float>(exp_unit(kLn2 * static_cast<double>(i) / (1 << kExp2Bits)));
    return table;
}

// ln(1 + f) = 2 artanh(f / (2 + f)). The argument is at most 1/3.
constexpr auto make_log1p()
{
    std::array<float, (1 << kLogBits) + 1> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double f = static_cast<double>(i) / (1 << kLogBits);
        const double z = f / (2.0 + f);
        double sum = 0.0;
        for (int term = 33; term >= 1; term -= 2)
            sum = sum * z * z + 1.0 / term;
        table[i] = static_cast<float>(2.0 * z * sum);
    }
    return table;
}

constexpr auto make_sine()
{
    std::array<float, (1 << kSineBits) + 2> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double x = kQuarterTurn * static_cast<double>(i) / (1 << kSineBits);
        double sum = 1.0;
        for (int term = 21; term >= 3; term -= 2)
            sum = 1.0 - sum * x * x / (term * (term - 1));
        table[i] = static_cast<float>(x * sum);
    }
    table.back() = 1.0f; // Entry after the quarter turn; always multiplied by 0.
    return table;
}

constexpr auto make_sigmoid()
{
    std::array<float, kSigmoidSteps * kSigmoidRange + 1> table{};
    const double ratio = exp_unit(-1.0 / kSigmoidSteps);
    double exponential = 1.0; // e^(-i / steps).
    for (auto& entry : table) {
        entry = static_cast<float>(exponential / (1.0 + exponential));
        exponential *= ratio;
    }
    return table;
}

// Lower tail of the normal distribution, integrated from 1/2 downwards by Simpson's rule. From step
// to step, the density advances by e^(-(x + d)^2 / 2) = e^(-x^2 / 2) * e^(-x d) * e^(-d^2 / 2).
constexpr auto make_normal()
{
    std::array<float, kNormalSteps * kNormalRange + 1> table{};
    constexpr double d = 0.5 / kNormalSteps;
    const double shrink = exp_unit(-d * d);
    double factor = exp_unit(-0.5 * d * d);
    double density = kInverseRoot2Pi;
    double tail = 0.5;
    for (auto& entry : table) {
        entry = static_cast<float>(tail);
        const double middle = density * factor;
        const double end = middle * (factor * shrink);
        factor *= shrink * shrink;
        tail -= (density + 4.0 * middle + end) * (d / 3.0);
        density = end;
    }
    return table;
}

} // namespace

constinit const std::array<float, (1 << kExp2Bits) + 1> exp2 = make_exp2();
constinit const std::array<float, (1 << kLogBits) + 1> log1p = make_log1p();
constinit const std::array<float, (1 << kSineBits) + 2> sine = make_sine();
constinit const std::array<float, kSigmoidSteps* kSigmoidRange + 1> sigmoid = make_sigmoid();
constinit const std::array<float, kNormalSteps* kNormalRange + 1> normal = make_normal();

} // namespace levee::tables
