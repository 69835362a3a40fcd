// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "ip/dram/parameters.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <random>

namespace levee::dram_cycle {

/// The location of a burst.
struct Site {
    unsigned channel = 0;
    unsigned rank = 0;
    unsigned bank = 0; ///< Number within the rank: bank_group * banks + bank.
    std::uint32_t row = 0;
};

/// Returns the place of a byte address (modulo the capacity) by the mapping of ip/dram/README.md.
/// Shares no code with ip/dram.
[[nodiscard]] Site site_of(std::uint64_t address, const dram::Parameters& parameters);

/// How the places of a scattered pattern are drawn.
enum class Draw {
    Own,   ///< a separate random generator
    Hashed ///< the hash of ip/dram/README.md, which gives the same places as a memory that
           ///< prices by schedule.
};

/// Lists the bursts that a pattern requests, in the pattern's order. A scattered pattern requests
/// runs at random places. Shares no code with ip/dram.
class AddressWalk {
public:
    struct Ask {
        std::uint64_t address = 0; ///< Address of the first byte of the burst.
        unsigned useful_bytes = 0;
    };

    /// Repeats the pattern until `bytes` have been requested.
    AddressWalk(const AccessPattern& pattern, std::uint64_t bytes, unsigned burst_bytes,
                std::uint64_t seed, Draw draw = Draw::Own);

    /// Returns the next burst, or nothing at the end.
    std::optional<Ask> next();

private:
    /// Returns a piece of a run within one burst.
    Ask piece();
    [[nodiscard]] std::uint64_t run_address();
    [[nodiscard]] std::uint64_t draw();

    AccessPattern pattern_;
    std::uint64_t left_;
    unsigned burst_bytes_;
    Draw by_;
    std::uint64_t seed_;
    std::mt19937_64 generator_;
    std::uint64_t run_ = 0; ///< Number of the current run.
    std::uint64_t at_ = 0;  ///< Position in the current run.
    std::uint64_t offset_ = 0;
    std::optional<Ask> pending_;
};

} // namespace levee::dram_cycle
