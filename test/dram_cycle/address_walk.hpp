// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "ip/dram/parameters.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <random>

namespace levee::dram_cycle {

/// Where a burst lies.
struct Site {
    unsigned channel = 0;
    unsigned rank = 0;
    unsigned bank = 0; ///< within the rank: bank_group * banks + bank
    std::uint32_t row = 0;
};

/// The place of a byte address (modulo the capacity) by the mapping of ip/dram/README.md. Shares no
/// code with ip/dram.
[[nodiscard]] Site site_of(std::uint64_t address, const dram::Parameters& parameters);

/// How the places of a scattered pattern are drawn.
enum class Draw {
    Own,   ///< by this model's own random generator
    Hashed ///< by the hash of ip/dram/README.md: the same places as in a memory that prices by
           ///< schedule
};

/// The bursts that a pattern requests, in the pattern's order. A scattered pattern requests random
/// places of run size. Shares no code with ip/dram.
class AddressWalk {
public:
    struct Ask {
        std::uint64_t address = 0; ///< address of the burst's first byte
        unsigned useful_bytes = 0;
    };

    /// Repeats the pattern until `bytes` have been requested.
    AddressWalk(const AccessPattern& pattern, std::uint64_t bytes, unsigned burst_bytes,
                std::uint64_t seed, Draw draw = Draw::Own);

    /// The next burst; nothing at the end.
    std::optional<Ask> next();

private:
    /// A piece of a run within one burst.
    Ask piece();
    [[nodiscard]] std::uint64_t run_address();
    [[nodiscard]] std::uint64_t draw();

    AccessPattern pattern_;
    std::uint64_t left_;
    unsigned burst_bytes_;
    Draw by_;
    std::uint64_t seed_;
    std::mt19937_64 generator_;
    std::uint64_t run_ = 0; ///< number of the present run
    std::uint64_t at_ = 0;  ///< of the present run
    std::uint64_t offset_ = 0;
    std::optional<Ask> pending_;
};

} // namespace levee::dram_cycle
