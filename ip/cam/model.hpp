// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cam/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cam {

/// Format of proxies, the coarse copies of vectors that the memory stores, and how they are
/// compared.
struct Format {
    std::uint32_t n = 0; ///< Elements of a vector.
    std::uint8_t bits = 1;
    levee_cam_distance distance = LEVEE_CAM_HAMMING;
    float range = 0; ///< Largest magnitude of stored vectors; 0: each vector's own.

    friend bool operator==(const Format&, const Format&) = default;
};

/// Number of cells of a proxy, including norm cells.
[[nodiscard]] inline std::uint32_t cells(const Format& format)
{
    return levee_cam_cells(format.n, format.bits, format.distance);
}

/// Returns the level of an element, 0 to 2^bits - 1. Levels divide the INT16 range into equal
/// steps. With one bit, the level is the sign.
[[nodiscard]] constexpr std::uint8_t level(std::int16_t element, unsigned bits)
{
    return static_cast<std::uint8_t>((element + 32768) >> (16 - bits));
}

/// Makes the proxy of a vector to be stored; `proxy` has cells(format) elements. `scale` is the
/// factor of the vector's elements. It is used only if the format has a range: elements are then
/// rounded to units of 1/32767 of the range, and greater elements saturate. The squares of the norm
/// cells' levels sum to the greatest possible squared distance from the middle level, minus this
/// proxy's squared distance. The sum may be too small by up to 6.
void store(const Format& format, std::span<const std::int16_t> vector, float scale,
           std::span<std::uint8_t> proxy);

/// Makes the proxy of a query. The query's largest magnitude is its range, and norm cells are 0.
void ask(const Format& format, std::span<const std::int16_t> vector, std::span<std::uint8_t> proxy);

/// The contribution of one cell to the distance.
[[nodiscard]] constexpr std::uint32_t difference(levee_cam_distance distance, std::uint8_t a,
                                                 std::uint8_t b)
{
    const int d = int{a} - int{b};
    return distance == LEVEE_CAM_HAMMING ? (d != 0 ? 1u : 0u) : static_cast<std::uint32_t>(d * d);
}

/// Distance between a stored proxy and a query, without noise.
[[nodiscard]] std::uint32_t distance(const Format& format, std::span<const std::uint8_t> stored,
                                     std::span<const std::uint8_t> query);

/// Noise of a match line. Each cell of the line contributes a current proportional to its distance.
/// `cell` and `line` are standard deviations. A random number is a sum of twelve uniform draws, so
/// it is at most six standard deviations.
struct Noise {
    double cell = 0; ///< Relative deviation of a cell's current through device variation; drawn
                     ///< once for each cell.
    double line = 0; ///< Deviation of a match line's reading, in units of the current for a
                     ///< distance of 1; drawn anew for each read.
    std::uint32_t seed = 0;

    [[nodiscard]] bool is_off() const { return cell == 0 && line == 0; }
};

/// Identifies one read of the match lines. Each read has different noise.
struct Reading {
    std::uint64_t row = 0;     ///< Row of the memory.
    std::uint64_t search = 0;  ///< Serial number of the read in the memory.
    std::uint32_t columns = 0; ///< Cells of a match line in one array.
};

/// Returns the distance as read, with noise. Each of the parallel arrays contributes one read.
[[nodiscard]] double read_distance(const Format& format, std::span<const std::uint8_t> stored,
                                   std::span<const std::uint8_t> query, const Noise& noise,
                                   const Reading& reading);

/// Indices of the `count` smallest distances, or of all if there are fewer, in ascending order.
/// Ties go to the lowest index.
[[nodiscard]] std::vector<std::uint32_t> nearest(std::span<const double> distances,
                                                 std::size_t count);

/// Returns the slots below `limit` that occur in `lists`, in ascending order and without
/// duplicates. In `lists`, each of these slots is replaced by its index in the result; slots from
/// `limit` on do not change.
std::vector<std::uint32_t> join(std::span<std::uint32_t> lists, std::uint32_t limit);

} // namespace levee::cam
