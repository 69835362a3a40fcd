// SPDX-License-Identifier: Apache-2.0
// Tests elements of 8 and 4 bits: which banks hold their bits, and how these banks are refreshed.
#include "ip/kv_tables/operations.h"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>

using namespace levee;
using namespace levee::edram_test;

namespace {

/// An array in which every cell of `groups` has failed at 1 us.
ArrayConfig failing(unsigned groups)
{
    RetentionConfig retention;
    retention.curve = {{us, 1.0}};
    retention.groups = groups;
    return {{Layout::Kv, MiB, 32}, {all(0), 4'000}, retention};
}

Region of_bits(std::uint64_t bits, std::uint64_t entry = LEVEE_EDRAM_NO_ENTRIES)
{
    return {0, 16 * bits, entry, 8, bits};
}

constexpr unsigned msb_groups = 1u << LEVEE_EDRAM_HIGH_MSB | 1u << LEVEE_EDRAM_LOW_MSB;
constexpr unsigned lsb_groups = 1u << LEVEE_EDRAM_HIGH_LSB | 1u << LEVEE_EDRAM_LOW_LSB;

} // namespace

TEST_CASE("a narrow element's upper bits are in the MSB bank, its lower bits in the LSB bank",
          "[narrow]")
{
    // The data were zeros, and all bits of one half have flipped in each byte.
    for (const auto& [bits, upper] : {std::pair{8u, 0xF0}, {4u, 0xCC}})
        for (const bool msb : {true, false})
            for (const std::uint64_t side : {std::uint64_t{0}, MiB / 2}) {
                INFO(bits << " bits, msb " << msb << ", side " << side);
                Stored memory(failing(msb ? msb_groups : lsb_groups));
                memory.array.set_region(0, of_bits(bits), 0);
                memory.write(side, 128 * bits, 0);
                memory.array.read(side, 128 * bits, 2 * us);
                const int expected = msb ? upper : 0xFF - upper;
                for (std::uint64_t i = 0; i < 128 * bits; ++i)
                    REQUIRE(memory.bytes[side + i] == expected);
                // These are half of the bits of 8 vectors of 128 elements.
                CHECK(memory.array.flipped_bits() == 512 * bits);
            }
}

TEST_CASE("elements have 16 bits outside a region, and after the region has moved", "[narrow]")
{
    Stored memory(failing(msb_groups));
    memory.array.set_region(1, of_bits(8), 0);
    memory.write(0, 1088, 0);
    memory.array.read(0, 1088, 2 * us);
    for (std::uint64_t i = 0; i < 1088; ++i)
        REQUIRE(memory.bytes[i] == (i < 1024 ? 0xF0 : i % 2 == 0 ? 0 : 0xFF));
    memory.array.discard(0, 1088, 3 * us);
    memory.array.set_region(1, {}, 3 * us);
    memory.write(0, 64, 3 * us);
    memory.array.read(0, 64, 5 * us);
    for (std::uint64_t i = 0; i < 64; ++i)
        REQUIRE(memory.bytes[i] == (i % 2 == 0 ? 0 : 0xFF));
}

TEST_CASE("a narrow vector keeps its failed bits when its neighbour in the unit is written",
          "[narrow]")
{
    Stored memory(failing(lsb_groups));
    memory.array.set_region(0, {0, 16, LEVEE_EDRAM_NO_ENTRIES, 64, 8}, 0);
    memory.write(0, 32, 0);
    memory.array.read(0, 32, 2 * us);
    memory.write(0, 16, 2 * us); // Writes the first of two vectors of 16 codes.
    memory.array.read(0, 32, 4 * us);
    for (std::uint64_t i = 0; i < 32; ++i)
        REQUIRE(memory.bytes[i] == 0x0F); // Each bit failed once and did not flip back.
    CHECK(memory.array.flipped_bits() == 32 * 4 + 16 * 4);
}

TEST_CASE("two tokens of 8 bits share a row, which has a high score if one of them has", "[narrow]")
{
    Stored memory({kv_cache(MiB), {two_dimensional, 4'000}, {}});
    memory.array.set_region(0, {0, 128, 0, 4, 8}, 0);
    memory.write(0, 512, 0);
    memory.write(MiB / 2, 512, 0);
    CHECK_FALSE(memory.array.is_high(0));
    const std::uint8_t high = LEVEE_SE_VIEW_HIGH, low = 0;
    memory.array.write_scores(1, &high, 1, us);
    CHECK(memory.array.is_high(0));
    CHECK_FALSE(memory.array.is_high(1));
    memory.array.write_scores(1, &low, 1, 2 * us);
    CHECK_FALSE(memory.array.is_high(0));
    // Without score entries a row counts as high.
    memory.array.set_region(0, {0, 128, LEVEE_EDRAM_NO_ENTRIES, 4, 8}, 3 * us);
    CHECK(memory.array.is_high(0));
    CHECK(memory.array.is_high(1));
}

TEST_CASE("elements of other widths are refused", "[narrow]")
{
    Stored memory(failing(msb_groups));
    for (const std::uint64_t bits : {0u, 2u, 5u, 12u, 32u})
        CHECK_THROWS_WITH(memory.array.set_region(2, {0, 32, 0, 1, bits}, 0),
                          "region 2 has elements of " + std::to_string(bits) +
                              " bits; expected 16, 8 or 4");
}
