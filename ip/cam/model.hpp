// SPDX-License-Identifier: Apache-2.0
// Reference of the content-addressable memory: proxies, distances, the nearest rows, and what noise
// makes of a match line. No addresses, no time.
#pragma once

#include "ip/cam/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cam {

/// The form of proxies, and how they are compared.
struct Format {
    std::uint32_t n = 0; ///< elements of a vector
    std::uint8_t bits = 1;
    levee_cam_distance distance = LEVEE_CAM_HAMMING;
    float range = 0; ///< range of stored vectors; 0: each vector's own

    friend bool operator==(const Format&, const Format&) = default;
};

/// Cells of a proxy, norm cells included.
[[nodiscard]] inline std::uint32_t cells(const Format& format)
{
    return levee_cam_cells(format.n, format.bits, format.distance);
}

/// Level of an element, 0 to 2^bits - 1: the INT16 range in equal steps. One bit is its sign.
[[nodiscard]] constexpr std::uint8_t level(std::int16_t element, unsigned bits)
{
    return static_cast<std::uint8_t>((element + 32768) >> (16 - bits));
}

/// Proxy of a vector to be stored. `scale`: factor of its elements, used only with a range:
/// elements are then rounded to 32767ths of it, and those beyond saturate. `proxy`: cells(format).
/// Norm cells get squares whose sum is the greatest squared distance of levels from the middle less
/// the proxy's own; up to 6 of it may be left over.
void store(const Format& format, std::span<const std::int16_t> vector, float scale,
           std::span<std::uint8_t> proxy);

/// Makes the proxy of a query: the range is the query's own, and norm cells are 0.
void ask(const Format& format, std::span<const std::int16_t> vector, std::span<std::uint8_t> proxy);

/// The contribution of one cell to the distance.
[[nodiscard]] constexpr std::uint32_t difference(levee_cam_distance distance, std::uint8_t a,
                                                 std::uint8_t b)
{
    const int d = int{a} - int{b};
    return distance == LEVEE_CAM_HAMMING ? (d != 0 ? 1u : 0u) : static_cast<std::uint32_t>(d * d);
}

/// Without noise.
[[nodiscard]] std::uint32_t distance(const Format& format, std::span<const std::uint8_t> stored,
                                     std::span<const std::uint8_t> query);

/// Disturbances of a match line. A cell's current is its contribution to the distance. Both numbers
/// are standard deviations; values are sums of twelve uniform draws, so at most six deviations.
struct Noise {
    double cell = 0; ///< relative deviation of a cell's current from device variation; drawn once
                     ///< for each cell
    double line = 0; ///< deviation of a match line's reading, in units of the current of one step;
                     ///< drawn for each search
    std::uint32_t seed = 0;

    [[nodiscard]] bool is_off() const { return cell == 0 && line == 0; }
};

/// The place and time of a match line's reading.
struct Reading {
    std::uint64_t row = 0;     ///< row of the memory
    std::uint64_t search = 0;  ///< counts readings of the memory
    std::uint32_t columns = 0; ///< cells of one array's match line
};

/// The distance as read: one reading for each array side by side.
[[nodiscard]] double read_distance(const Format& format, std::span<const std::uint8_t> stored,
                                   std::span<const std::uint8_t> query, const Noise& noise,
                                   const Reading& reading);

/// The `count` smallest of `distances` (at most as many as there are), ties to the lowest index, in
/// ascending order of index.
[[nodiscard]] std::vector<std::uint32_t> nearest(std::span<const double> distances,
                                                 std::size_t count);

/// Slots below `limit` that occur in some of `lists`, ascending. In the lists each of these slots
/// is replaced by its index among them; others stay.
std::vector<std::uint32_t> join(std::span<std::uint32_t> lists, std::uint32_t limit);

} // namespace levee::cam
