// SPDX-License-Identifier: Apache-2.0
// Common parts of the eDRAM tests: Kelle's KV memory, small memories, and an array that stores
// bytes.
#pragma once

#include "ip/edram/array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace levee::edram_test {

using namespace levee::edram;

inline constexpr Time us = 1'000'000;
inline constexpr Time ms = 1'000 * us;
inline constexpr GroupTimes two_dimensional{360 * us, 5400 * us, 1440 * us, 7200 * us};
inline constexpr std::uint64_t MiB = 1 << 20;

/// Kelle, section 5.1.
inline Geometry kv_cache(std::uint64_t size = 4 * MiB)
{
    return {Layout::Kv, size, 32};
}

inline GroupTimes all(Time interval)
{
    return {interval, interval, interval, interval};
}

/// An array together with the bytes that it stores.
struct Stored {
    std::vector<std::uint8_t> bytes;
    Array array;

    explicit Stored(const ArrayConfig& config, CellSeed seed = {1, 1})
        : bytes(config.geometry.size_bytes + Array::score_count(config.geometry), 0),
          array(config, seed, bytes.data())
    {
    }
    void write(std::uint64_t address, std::uint64_t count, Time now, std::uint8_t value = 0)
    {
        array.write(address, count, now);
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(address), count, value);
    }
    /// Returns the number of bits that are read with a value other than `value`.
    std::uint64_t wrong(std::uint64_t address, std::uint64_t count, Time now,
                        std::uint8_t value = 0)
    {
        array.read(address, count, now);
        std::uint64_t bits = 0;
        for (std::uint64_t i = 0; i < count; ++i)
            bits += static_cast<unsigned>(
                std::popcount(static_cast<std::uint8_t>(bytes[address + i] ^ value)));
        return bits;
    }
};

/// Whether a count is within `deviations` standard deviations of the mean of a Poisson
/// distribution.
inline bool poisson(double count, double mean, double deviations = 4.0)
{
    return std::abs(count - mean) <= deviations * std::sqrt(mean) + 1e-9;
}

} // namespace levee::edram_test
