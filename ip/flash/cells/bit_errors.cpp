// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/cells/bit_errors.hpp"

#include <algorithm>
#include <bit>

namespace levee::flash {

namespace {

template <typename X> double interpolate(const std::vector<std::pair<X, double>>& table, X x)
{
    const auto above = std::find_if(table.begin(), table.end(),
                                    [&](const auto& point) { return point.first > x; });
    if (above == table.begin())
        return above->second;
    const auto below = std::prev(above);
    if (above == table.end())
        return below->second;
    const double share =
        static_cast<double>(x - below->first) / static_cast<double>(above->first - below->first);
    return below->second + share * (above->second - below->second);
}

template <typename X>
std::string table_fault(const std::vector<std::pair<X, double>>& table, const char* name)
{
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!(table[i].second >= 0 && table[i].second <= 1))
            return std::string(name) + " has " + std::to_string(table[i].second) +
                   "; expected 0 to 1";
        if (i > 0 && table[i].first <= table[i - 1].first)
            return std::string(name) + " does not increase from row to row in its first column";
    }
    return {};
}

/// Finalizer of splitmix64: turns consecutive counters into independent random words.
std::uint64_t mix(std::uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/// Returns 64 bits, each set with probability threshold / 2^64. Compares 64 random fractions with
/// the threshold in parallel, bit by bit from the highest.
std::uint64_t draw(std::uint64_t state, std::uint64_t threshold)
{
    std::uint64_t below = 0, equal = ~std::uint64_t{0};
    for (int bit = 63; bit >= 0 && equal != 0; --bit) {
        state = mix(state);
        if ((threshold >> bit & 1u) != 0) {
            below |= equal & ~state;
            equal &= state;
        } else {
            equal &= ~state;
        }
    }
    return below;
}

} // namespace

std::string ErrorCurve::fault() const
{
    if (wear.empty())
        return "wear has no points";
    if (std::string fault = table_fault(wear, "wear"); !fault.empty())
        return fault;
    if (std::string fault = table_fault(retention, "retention"); !fault.empty())
        return fault;
    return disturb >= 0 && disturb <= 1 ? std::string() : "disturb is not between 0 and 1";
}

double ErrorCurve::rate(std::uint64_t cycles, Time age, std::uint64_t reads) const
{
    const double aged = retention.empty() ? 1.0 : interpolate(retention, age);
    return std::min(0.5, interpolate(wear, cycles) * aged + disturb * static_cast<double>(reads));
}

std::uint64_t flip_bits(std::span<std::uint8_t> bytes, const PageContent& content,
                        std::uint64_t part, double rate)
{
    if (!(rate > 0))
        return 0;
    const auto threshold = static_cast<std::uint64_t>(rate * 0x1p64);
    const std::uint64_t stream =
        mix(mix(mix(mix(content.seed) ^ content.page) ^ content.cycles) ^ part);
    std::uint64_t flipped = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t errors = draw(mix(stream ^ at), threshold);
        for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i, errors >>= 8) {
            const auto byte = static_cast<std::uint8_t>(errors);
            bytes[i] ^= byte;
            flipped += static_cast<std::uint64_t>(std::popcount(byte));
        }
    }
    return flipped;
}

} // namespace levee::flash
