// SPDX-License-Identifier: Apache-2.0
// Tests DMI regions by page, and clock edges.
#include "ip/riscv/clock.hpp"
#include "ip/riscv/memory.hpp"

#include <catch2/catch.hpp>

#include <vector>

using levee::riscv::Clock;
using levee::riscv::DmiRegion;
using levee::riscv::MemoryMap;

TEST_CASE("Whole pages of a region are in the tables, and its partial ends are found")
{
    std::vector<std::uint8_t> bytes(0x3000);
    MemoryMap map;
    // The region covers 0x1800 to 0x47FF.
    map.add({0x1800, 0x1800 + 0x2FFF, bytes.data(), true, true});
    CHECK(map.read_table()[1] == nullptr);
    CHECK(map.read_table()[2] == bytes.data() + 0x800);
    CHECK(map.write_table()[3] == bytes.data() + 0x1800);
    CHECK(map.read_table()[4] == nullptr);
    CHECK(map.find(0x1800, 4, true) == bytes.data());
    CHECK(map.find(0x17FF, 1, false) == nullptr);
    CHECK(map.find(0x17FE, 4, false) == nullptr);
    CHECK(map.find(0x47FF, 1, false) == bytes.data() + 0x2FFF);
    CHECK(map.find(0x47FE, 4, false) == nullptr);
    CHECK(map.find(0x4800, 1, false) == nullptr);
}

TEST_CASE("Read-only regions are not written")
{
    std::vector<std::uint8_t> bytes(0x1000);
    MemoryMap map;
    map.add({0x1000, 0x1FFF, bytes.data(), true, false});
    CHECK(map.read_table()[1] == bytes.data());
    CHECK(map.write_table()[1] == nullptr);
    CHECK(map.find(0x1000, 4, true) == nullptr);
    CHECK(map.find(0x1000, 4, false) == bytes.data());
}

TEST_CASE("Removing a range keeps the ranges on either side")
{
    std::vector<std::uint8_t> bytes(0x5000);
    MemoryMap map;
    map.add({0x1000, 0x5FFF, bytes.data(), true, true});
    map.remove(0x3000, 0x3000); // This removes a single byte.
    CHECK(map.read_table()[2] == bytes.data() + 0x1000);
    CHECK(map.read_table()[3] == nullptr);
    CHECK(map.read_table()[4] == bytes.data() + 0x3000);
    CHECK(map.find(0x3000, 1, false) == nullptr);
    CHECK(map.find(0x2FFF, 1, false) == bytes.data() + 0x1FFF);
    CHECK(map.find(0x3001, 1, false) == bytes.data() + 0x2001);
    CHECK(map.find(0x2FFE, 4, false) == nullptr);
    map.remove(0, 0x0FFF); // This removes nothing.
    map.remove(0x6000, UINT64_MAX);
    CHECK(map.read_table()[1] == bytes.data());
    CHECK(map.read_table()[5] == bytes.data() + 0x4000);
    map.remove(0, UINT64_MAX);
    CHECK(map.find(0x1000, 1, false) == nullptr);
    CHECK(map.read_table()[5] == nullptr);
}

TEST_CASE("A watched page is read inline and written by the slow path, whenever it is mapped")
{
    std::vector<std::uint8_t> bytes(0x2000);
    MemoryMap map;
    map.watch_writes(1);
    map.add({0x1000, 0x2FFF, bytes.data(), true, true});
    CHECK(map.read_table()[1] == bytes.data());
    CHECK(map.write_table()[1] == nullptr);
    CHECK(map.write_table()[2] == bytes.data() + 0x1000);
    CHECK(map.find(0x1000, 4, true) == bytes.data());
    map.watch_writes(2);
    CHECK(map.write_table()[2] == nullptr);
}

TEST_CASE("Regions end at the end of the address space")
{
    std::vector<std::uint8_t> bytes(0x1000);
    MemoryMap map;
    map.add({0xFFFF'F000, 0x1'0000'0FFF, bytes.data(), true, true});
    CHECK(map.read_table()[0xFFFFF] == bytes.data());
    CHECK(map.find(0xFFFF'FFFC, 4, true) == bytes.data() + 0xFFC);
    CHECK(map.find(0xFFFF'FFFE, 4, true) == nullptr);
}

TEST_CASE("Edges of a clock with a whole period")
{
    const Clock clock(1'000'000'000);
    CHECK(clock.edge_ps(7) == 7000);
    CHECK(clock.first_edge(7000) == 7);
    CHECK(clock.first_edge(7001) == 8);
    CHECK(clock.last_edge(7999) == 7);
    CHECK(clock.last_edge(8000) == 8);
    CHECK_FALSE(clock.edge_ps(UINT64_MAX).has_value());
}

TEST_CASE("Edges of a clock without a whole period do not drift")
{
    const Clock clock(600'000'000); // A period is 1666.67 ps.
    CHECK(clock.edge_ps(1) == 1666);
    CHECK(clock.edge_ps(3) == 5000);
    CHECK(clock.edge_ps(600'000'000) == 1'000'000'000'000);
    for (std::uint64_t n = 0; n < 1000; ++n) {
        const std::uint64_t edge = clock.edge_ps(n).value();
        CHECK(clock.first_edge(edge) == n);
        CHECK(clock.last_edge(edge) == n);
        CHECK(clock.first_edge(edge + 1) == n + 1);
        if (edge != 0)
            CHECK(clock.last_edge(edge - 1) == n - 1);
    }
}
