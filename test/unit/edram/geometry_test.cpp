// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/side.hpp"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace levee;
using namespace levee::edram_test;

TEST_CASE("a vector's bits 15:8 and 7:0 are in different banks at one address", "[geometry]")
{
    const Geometry geometry = kv_cache();
    REQUIRE(geometry.fault().empty());
    constexpr std::uint64_t token = 1234, vector_bytes = 256; // A vector has 128 dimensions.
    const std::uint64_t key = token * vector_bytes;
    const std::uint64_t value = key + geometry.size_bytes / 2;
    for (std::uint64_t element = 0; element < 128; ++element) {
        const auto key_lsb = geometry.locate(key + 2 * element);
        const auto key_msb = geometry.locate(key + 2 * element + 1);
        const auto value_lsb = geometry.locate(value + 2 * element);
        const auto value_msb = geometry.locate(value + 2 * element + 1);
        // The banks are in four groups of 8: MSB of keys, LSB of keys, MSB of values, LSB of
        // values.
        CHECK(key_msb.bank == token % 8); // A vector is in one row; adjacent tokens are in
                                          // different banks.
        CHECK(key_msb.row == token / 8);
        CHECK(key_lsb.bank == key_msb.bank + 8);
        CHECK(value_msb.bank == key_msb.bank + 16);
        CHECK(value_lsb.bank == key_msb.bank + 24);
        for (const auto& other : {key_lsb, value_msb, value_lsb}) {
            CHECK(other.row == key_msb.row);
            CHECK(other.byte == key_msb.byte);
        }
        CHECK(key_msb.byte == element);
    }
}

TEST_CASE("every byte has a separate place", "[geometry]")
{
    const Geometry geometry = kv_cache(64 * 1024);
    std::set<std::tuple<unsigned, std::uint64_t, unsigned>> places;
    for (std::uint64_t address = 0; address < geometry.size_bytes; ++address) {
        const auto at = geometry.locate(address);
        CHECK(at.bank < 32);
        CHECK(at.row < geometry.size_bytes / 32 / 128);
        places.insert({at.bank, at.row, at.byte});
    }
    CHECK(places.size() == geometry.size_bytes);
}

TEST_CASE("a streaming read has no conflicts", "[geometry]")
{
    const Geometry geometry = kv_cache();
    const AccessPattern keys{0, MiB, {1, 1, 1}, {0, 0, 0}, false};
    // A mebibyte takes 32768 accesses of each half. Each of the 8 banks serves an equal share, and
    // no access is counted twice.
    CHECK(bank_loads(geometry, keys, 0) == BankLoads(8, 4096));
    CHECK(bank_loads(geometry, keys, 1) == BankLoads(8, 0));
    const AccessPattern heads{2 * MiB, 256, {4, 32, 16}, {65536, 4096, 256}, false};
    CHECK(bank_loads(geometry, heads, 1) == BankLoads(8, 4 * 32 * 16));
}

TEST_CASE("loads of banks equal those of the accesses one by one", "[geometry]")
{
    const Geometry geometry = GENERATE(
        kv_cache(64 * 1024), Geometry{Layout::Plain, 65536, 16}, Geometry{Layout::Plain, 49152, 6},
        Geometry{Layout::Kv, 64 * 1024, 32, 16}, Geometry{Layout::Plain, 61440, 10, 96});
    const AccessPattern pattern =
        GENERATE(AccessPattern{0, 4096, {1, 1, 1}, {0, 0, 0}, false},
                 AccessPattern{40, 24, {5, 3, 7}, {1000, 52, 300}, false},
                 AccessPattern{20000, 100, {3, 9, 2}, {-4000, 128, -96}, true},
                 AccessPattern{64, 64, {40, 1, 1}, {512, 0, 0}, false},
                 AccessPattern{30000, 6000, {1, 1, 1}, {0, 0, 0}, false}, // The run covers both
                                                                          // sides of `kv`.
                 AccessPattern{30720, 64, {40, 1, 1}, {128, 0, 0}, false});
    for (unsigned side = 0; side < geometry.sides(); ++side) {
        BankLoads expected(geometry.bank_pairs(), 0);
        std::uint64_t bytes = 0;
        pattern.for_each_run([&](std::uint64_t address) {
            std::set<std::tuple<unsigned, std::uint64_t, unsigned>> accesses;
            for (std::uint64_t i = address; i < address + pattern.run_bytes; ++i) {
                if (geometry.side_of(i) != side)
                    continue;
                const auto at = geometry.locate(i | 1); // The element's location in the MSB bank.
                accesses.insert({at.bank - side * 2 * geometry.bank_pairs(), at.row, at.byte / 16});
                ++bytes;
            }
            for (const auto& access : accesses)
                ++expected[std::get<0>(access)];
        });
        CHECK(bank_loads(geometry, pattern, side) == expected);
        CHECK(bytes_on_side(geometry, pattern, side) == bytes);
    }
}

TEST_CASE("an error names what is impossible in a geometry", "[geometry]")
{
    CHECK(Geometry{Layout::Kv, 4 * MiB, 30}.fault().find("30 banks; expected a multiple of 4") !=
          std::string::npos);
    const auto fault = [](const Geometry& geometry) { return geometry.fault(); };
    CHECK(fault({Layout::Kv, 4 * MiB + 512, 32, 16}).empty());
    CHECK(fault({Layout::Kv, 4 * MiB + 512, 32}).find("expected a multiple of 4096") !=
          std::string::npos);
    CHECK(fault({Layout::Kv, 4 * MiB, 32, 24}).find("rows of 24 bytes; expected a multiple of") !=
          std::string::npos);
    CHECK_THROWS_AS(Array(ArrayConfig{{Layout::Plain, 0, 2}, {}, {}}, {}, nullptr),
                    std::invalid_argument);
}
