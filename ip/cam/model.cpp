// SPDX-License-Identifier: Apache-2.0
#include "ip/cam/model.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace levee::cam {

namespace {

constexpr std::uint32_t stream_of_cells = 0x43414D43, stream_of_lines = 0x43414D4C;
constexpr int greatest = 32767;

/// Converts an element to units of 1/32767 of the range and clamps it. `factor` converts one unit
/// of the element to these units.
std::int16_t ranged(std::int16_t element, float factor)
{
    const float value = std::nearbyint(static_cast<float>(element) * factor);
    return static_cast<std::int16_t>(
        std::clamp(value, -static_cast<float>(greatest), static_cast<float>(greatest)));
}

/// Returns the greatest possible squared distance of levels from the middle level, minus the
/// squared distance of `levels` from it.
std::uint32_t missing_square(std::span<const std::uint8_t> levels, std::uint32_t most)
{
    return std::accumulate(
        levels.begin(), levels.end(), std::uint32_t{0},
        [&](std::uint32_t sum, std::uint32_t l) { return sum + l * (most - l); });
}

/// Integer part of the square root. It is exact: a double represents every 32-bit integer, and IEEE
/// square roots are correctly rounded.
std::uint32_t root(std::uint32_t square)
{
    return static_cast<std::uint32_t>(std::sqrt(static_cast<double>(square)));
}

/// Returns a random number with mean 0 and standard deviation 1: a sum of twelve uniform 16-bit
/// draws.
double normal(std::uint32_t seed, std::uint32_t stream, std::uint64_t index)
{
    constexpr unsigned words = 6;
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < words; ++i) {
        const std::uint32_t word = random_word(seed, stream, index * words + i);
        sum += (word & 0xFFFFu) + (word >> 16);
    }
    return (static_cast<double>(sum) - 2.0 * words * 0xFFFF / 2) / 0x10000;
}

} // namespace

void store(const Format& format, std::span<const std::int16_t> vector, float scale,
           std::span<std::uint8_t> proxy)
{
    const float factor = format.range != 0 ? scale * (greatest / format.range) : 1.0f;
    for (std::size_t i = 0; i < vector.size(); ++i)
        proxy[i] = level(format.range != 0 ? ranged(vector[i], factor) : vector[i], format.bits);
    const std::uint32_t most = (1u << format.bits) - 1;
    const std::span<std::uint8_t> norm = proxy.subspan(vector.size());
    std::uint32_t rest = norm.empty() ? 0 : missing_square(proxy.first(vector.size()), most);
    for (std::uint8_t& cell : norm) {
        cell = static_cast<std::uint8_t>(std::min(most, root(rest)));
        rest -= std::uint32_t{cell} * cell;
    }
}

void ask(const Format& format, std::span<const std::int16_t> vector, std::span<std::uint8_t> proxy)
{
    for (std::size_t i = 0; i < vector.size(); ++i)
        proxy[i] = level(vector[i], format.bits);
    std::ranges::fill(proxy.subspan(vector.size()), std::uint8_t{0});
}

std::uint32_t distance(const Format& format, std::span<const std::uint8_t> stored,
                       std::span<const std::uint8_t> query)
{
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < stored.size(); ++i)
        sum += difference(format.distance, stored[i], query[i]);
    return sum;
}

double read_distance(const Format& format, std::span<const std::uint8_t> stored,
                     std::span<const std::uint8_t> query, const Noise& noise,
                     const Reading& reading)
{
    if (noise.is_off())
        return distance(format, stored, query);
    double sum = 0;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const std::uint32_t current = difference(format.distance, stored[i], query[i]);
        if (current == 0)
            continue;
        const double factor =
            noise.cell == 0 ? 1.0
                            : 1.0 + noise.cell * normal(noise.seed, stream_of_cells,
                                                        reading.row * LEVEE_CAM_MAX_DIMS * 2 + i);
        sum += current * std::max(factor, 0.0);
    }
    const std::size_t lines = (stored.size() + reading.columns - 1) / reading.columns;
    for (std::size_t i = 0; noise.line != 0 && i < lines; ++i)
        sum += noise.line * normal(noise.seed, stream_of_lines, reading.search * lines + i);
    return sum;
}

std::vector<std::uint32_t> nearest(std::span<const double> distances, std::size_t count)
{
    std::vector<std::uint32_t> order(distances.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto closer = [&](std::uint32_t a, std::uint32_t b) {
        return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
    };
    count = std::min(count, order.size());
    if (count < order.size())
        std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                         order.end(), closer);
    order.resize(count);
    std::ranges::sort(order);
    return order;
}

std::vector<std::uint32_t> join(std::span<std::uint32_t> lists, std::uint32_t limit)
{
    std::vector<std::uint32_t> any;
    std::ranges::copy_if(lists, std::back_inserter(any),
                         [limit](std::uint32_t slot) { return slot < limit; });
    std::ranges::sort(any);
    any.erase(std::unique(any.begin(), any.end()), any.end());
    for (std::uint32_t& slot : lists)
        if (slot < limit)
            slot = static_cast<std::uint32_t>(std::ranges::lower_bound(any, slot) - any.begin());
    return any;
}

} // namespace levee::cam
