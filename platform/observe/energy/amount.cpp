// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/amount.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::energy {

namespace {

[[noreturn]] void too_large()
{
    throw std::overflow_error(
        "an energy or a price exceeds 128 bits; check the units of the prices");
}

Rate reduced(Wide numerator, Wide denominator)
{
    const Wide divisor = common_divisor(numerator, denominator);
    return {numerator / divisor, denominator / divisor};
}

/// Returns part / denominator * count, rounded to the nearest integer. The fraction must be less
/// than 1.
Wide share(Wide part, std::uint64_t count, Wide denominator)
{
    Wide product = 0;
    if (!__builtin_mul_overflow(part, count, &product) && product + denominator / 2 >= product)
        return (product + denominator / 2) / denominator;
    for (; denominator >> 126 != 0; denominator >>= 1) // scale both down, so that three times the
                                                       // remainder fits
        part >>= 1;
    Wide whole = 0, left = 0;
    for (int bit = 63; bit >= 0; --bit) {
        left = 2 * left + ((count >> bit & 1) != 0 ? part : 0);
        whole = 2 * whole + left / denominator;
        left %= denominator;
    }
    return whole + (left >= denominator - denominator / 2 ? 1 : 0);
}

/// A number of 63 significant bits times a power of two.
struct Short {
    Wide value;
    int exponent;
};

Short shorten(Wide value, int exponent = 0)
{
    for (; value >> 63 != 0; ++exponent)
        value >>= 1;
    return {value, exponent};
}

Short product(Wide a, Wide b)
{
    const Short left = shorten(a), right = shorten(b);
    return shorten(left.value * right.value, left.exponent + right.exponent);
}

/// Returns a * b / (c * d). The result is exact if both products fit into 128 bits. Otherwise its
/// relative error is at most 2^-61.
Rate quotient(Wide a, Wide b, Wide c, Wide d)
{
    Rate exact;
    if (!__builtin_mul_overflow(a, b, &exact.numerator) &&
        !__builtin_mul_overflow(c, d, &exact.denominator))
        return exact;
    const Short above = product(a, b), below = product(c, d);
    const int exponent = above.exponent - below.exponent;
    if (exponent > 64)
        too_large();
    if (exponent < -64)
        return {}; // the energy is below an attojoule for any count
    return reduced(above.value << std::max(exponent, 0), below.value << std::max(-exponent, 0));
}

struct Pair {
    Wide a, b, denominator;
};

/// Returns the rate in units of 2^-63 attojoules.
Wide fixed(const Rate& rate)
{
    const Wide whole = rate.numerator / rate.denominator;
    if (whole >> 64 != 0)
        too_large();
    return (whole << 63) + share(rate.numerator % rate.denominator, 1ull << 63, rate.denominator);
}

/// Converts two rates to one denominator. The result is exact if it fits into 128 bits. Otherwise
/// its error is at most 2^-63 attojoules.
Pair with_one_denominator(const Rate& a, const Rate& b)
{
    Pair pair{};
    if (!__builtin_mul_overflow(a.numerator, b.denominator, &pair.a) &&
        !__builtin_mul_overflow(b.numerator, a.denominator, &pair.b) &&
        !__builtin_mul_overflow(a.denominator, b.denominator, &pair.denominator) &&
        pair.a + pair.b >= pair.a)
        return pair;
    return {fixed(a), fixed(b), Wide{1} << 63};
}

} // namespace

Attojoules Rate::of(std::uint64_t count) const
{
    Wide whole = 0;
    if (__builtin_mul_overflow(numerator / denominator, count, &whole))
        too_large();
    return whole + share(numerator % denominator, count, denominator);
}

Rate Rate::times(std::uint64_t a, std::uint64_t b) const
{
    return *this * reduced(a, b);
}

Rate operator*(const Rate& a, const Rate& b)
{
    const Rate left = reduced(a.numerator, b.denominator);
    const Rate right = reduced(b.numerator, a.denominator);
    return quotient(left.numerator, right.numerator, left.denominator, right.denominator);
}

Rate operator+(const Rate& a, const Rate& b)
{
    const Pair pair = with_one_denominator(a, b);
    return reduced(pair.a + pair.b, pair.denominator);
}

bool operator<(const Rate& a, const Rate& b)
{
    const Pair pair = with_one_denominator(a, b);
    return pair.a < pair.b;
}

Rate operator-(const Rate& a, const Rate& b)
{
    const Pair pair = with_one_denominator(a, b);
    return reduced(pair.a - std::min(pair.a, pair.b), pair.denominator);
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

std::string decimal(Wide value, std::size_t places)
{
    std::string digits = decimal(value);
    if (digits.size() <= places)
        digits.insert(0, places + 1 - digits.size(), '0');
    return digits.insert(digits.size() - places, 1, '.');
}

std::string exact_joules(Attojoules energy)
{
    return decimal(energy, 18);
}

} // namespace levee::energy
