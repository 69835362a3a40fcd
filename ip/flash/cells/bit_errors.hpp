// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/requests.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::flash {

/// Raw bit error rate of a page. All of it is data (scenarios/tech/flash): tables, with straight
/// lines between their points and constants beyond them.
struct ErrorCurve {
    /// Error rate after a long time, by program/erase cycles of the block.
    std::vector<std::pair<std::uint64_t, double>> wear;
    /// Share of that rate, by time since the page was programmed. Empty: the full rate at once.
    std::vector<std::pair<Time, double>> retention;
    /// Rate added by each read of another page of the block since the last erase.
    double disturb = 0;

    /// Description of an error in the tables, or empty.
    [[nodiscard]] std::string fault() const;
    /// Error rate, at most 0.5.
    [[nodiscard]] double rate(std::uint64_t cycles, Time age, std::uint64_t reads) const;
};

/// Identifies the contents of a page between two erases, which have their own errors.
struct PageContent {
    std::uint64_t seed = 0;
    std::uint64_t page = 0;
    std::uint64_t cycles = 0;
};

/// Flips each bit of `bytes` with probability `rate`. The bits that flip follow from `content`,
/// `part` and their position alone, and stay flipped at a higher rate. Returns their number.
std::uint64_t flip_bits(std::span<std::uint8_t> bytes, const PageContent& content,
                        std::uint64_t part, double rate);

} // namespace levee::flash
