// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/requests.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::flash {

/// Raw bit error rate of a page, from tables in scenarios/tech/flash. Values are interpolated
/// linearly between points and constant beyond the ends.
struct ErrorCurve {
    /// Final error rate, by program/erase cycles of the block.
    std::vector<std::pair<std::uint64_t, double>> wear;
    /// Fraction of the final rate, by time since programming. If empty, the full rate applies at
    /// once.
    std::vector<std::pair<Time, double>> retention;
    /// Error rate added by each read of any page in the block since the last erase.
    double disturb = 0;

    /// Describes an error in the tables; empty if they are valid.
    [[nodiscard]] std::string fault() const;
    /// Returns the error rate, at most 0.5.
    [[nodiscard]] double rate(std::uint64_t cycles, Time age, std::uint64_t reads) const;
};

/// Identifies the data in a page between two erases. The error pattern is different after each
/// programming.
struct PageContent {
    std::uint64_t seed = 0;
    std::uint64_t page = 0;
    std::uint64_t cycles = 0;
};

/// Flips each bit of `bytes` with probability `rate` and returns the number of flips. Which bits
/// flip depends only on `rate`, `content`, `part` and the bits' positions. A bit that flips at one
/// rate also flips at any higher rate.
std::uint64_t flip_bits(std::span<std::uint8_t> bytes, const PageContent& content,
                        std::uint64_t part, double rate);

} // namespace levee::flash
