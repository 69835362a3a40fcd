// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/amount.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::energy {

namespace {

Wide multiply(Wide a, Wide b)
{
    Wide product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        throw std::overflow_error("an energy or its price has more than 128 bits");
    return product;
}

Rate reduced(Wide numerator, Wide denominator)
{
    const Wide divisor = common_divisor(numerator, denominator);
    return {numerator / divisor, denominator / divisor};
}

} // namespace

Attojoules Rate::of(std::uint64_t count) const
{
    const Wide whole = multiply(numerator / denominator, count);
    const Wide part = (multiply(numerator % denominator, count) + denominator / 2) / denominator;
    return whole + part;
}

Rate Rate::times(std::uint64_t a, std::uint64_t b) const
{
    const Rate factor = reduced(a, b);
    const Rate left = reduced(numerator, factor.denominator);
    const Rate right = reduced(factor.numerator, denominator);
    return {multiply(left.numerator, right.numerator),
            multiply(left.denominator, right.denominator)};
}

Rate operator*(const Rate& a, const Rate& b)
{
    const Rate left = reduced(a.numerator, b.denominator);
    const Rate right = reduced(b.numerator, a.denominator);
    return {multiply(left.numerator, right.numerator),
            multiply(left.denominator, right.denominator)};
}

Rate operator+(const Rate& a, const Rate& b)
{
    return reduced(multiply(a.numerator, b.denominator) + multiply(b.numerator, a.denominator),
                   multiply(a.denominator, b.denominator));
}

bool operator<(const Rate& a, const Rate& b)
{
    return multiply(a.numerator, b.denominator) < multiply(b.numerator, a.denominator);
}

Rate operator-(const Rate& a, const Rate& b)
{
    return reduced(multiply(a.numerator, b.denominator) - multiply(b.numerator, a.denominator),
                   multiply(a.denominator, b.denominator));
}

double joules(Attojoules energy)
{
    return static_cast<double>(energy) / 1e18;
}

std::string decimal(Wide value)
{
    std::string digits;
    do {
        digits += static_cast<char>('0' + static_cast<int>(value % 10));
        value /= 10;
    } while (value != 0);
    std::reverse(digits.begin(), digits.end());
    return digits;
}

} // namespace levee::energy
