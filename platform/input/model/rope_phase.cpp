// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/rope_phase.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace levee {

namespace {

double power(double base, std::uint32_t exponent)
{
    double result = 1.0;
    for (std::uint32_t i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}

/// Returns an upper bound of value^(1/degree) for value > 1, so close that Newton's method needs
/// few steps. Only square roots and basic operations are used, which IEEE rounds exactly, so that
/// all hosts get the same bits.
double above_root(double value, std::uint32_t degree)
{
    double guess = value;
    for (std::uint64_t taken = 2; taken <= degree; taken *= 2) {
        guess = std::sqrt(guess);
    }
    guess *= 1.0 + 0x1p-40;                               // more than the rounding errors
    return std::min(guess, 1.0 + (value - 1.0) / degree); // Bernoulli's inequality
}

/// Returns value^(1/degree) for value > 1, by Newton's method from above: the guesses decrease
/// until rounding stops them.
double root(double value, std::uint32_t degree)
{
    double guess = above_root(value, degree);
    for (;;) {
        const double next = guess - (guess - value / power(guess, degree - 1)) / degree;
        if (next >= guess) {
            return guess;
        }
        guess = next;
    }
}

} // namespace

std::vector<std::uint32_t> rope_phases(std::uint32_t head_dim, double theta,
                                       const TurnScaling& scaling)
{
    const std::uint32_t count = head_dim / 2;
    const double step = root(theta, count);
    std::vector<std::uint32_t> phases(count);
    double turns = 4294967296.0 / (2.0 * std::numbers::pi);
    for (std::uint32_t i = 0; i < count; ++i) {
        const double scaled = scaling ? scaling(i, turns * 0x1p-32) * 0x1p32 : turns;
        phases[i] = static_cast<std::uint32_t>(scaled + 0.5);
        turns /= step;
    }
    return phases;
}

} // namespace levee
