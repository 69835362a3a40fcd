// SPDX-License-Identifier: Apache-2.0
// Compares the division of addresses and patterns over interleaved memories with a plain division
// byte by byte.
#include "ip/interleave/model.hpp"
#include "ip/interleave/uneven.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using namespace levee;
using interleave::Division;
using interleave::Part;
using interleave::Place;

using Counts = std::array<std::uint64_t, 3>;
using Strides = std::array<std::int64_t, 3>;

AccessPattern pattern_of(std::uint64_t address, std::uint64_t run_bytes, const Counts& count,
                         const Strides& stride)
{
    return {address, run_bytes, count, stride, false};
}

/// The part of a pattern that each memory serves: the offsets of its bytes in order, and the number
/// of runs.
struct Served {
    std::vector<std::uint64_t> offsets;
    std::uint64_t runs = 0;
};

std::map<unsigned, Served> enumerate(const Division& division, const AccessPattern& pattern)
{
    std::map<unsigned, Served> served;
    pattern.for_each_run([&](std::uint64_t run) {
        std::set<unsigned> touched;
        for (std::uint64_t i = 0; i < pattern.run_bytes; ++i) {
            const Place place = division.place(run + i);
            served[place.way].offsets.push_back(place.offset);
            touched.insert(place.way);
        }
        for (const unsigned way : touched)
            ++served[way].runs;
    });
    return served;
}

std::vector<std::uint64_t> bytes_of_pattern(const AccessPattern& pattern)
{
    std::vector<std::uint64_t> bytes;
    pattern.for_each_run([&](std::uint64_t run) {
        for (std::uint64_t i = 0; i < pattern.run_bytes; ++i)
            bytes.push_back(run + i);
    });
    return bytes;
}

/// Checks that the parts have exactly the bytes of each memory, in the same order.
void check_exact(const Division& division, const AccessPattern& pattern)
{
    const std::map<unsigned, Served> served = enumerate(division, pattern);
    const std::vector<Part> parts = division.divide(pattern, pattern.bytes());
    REQUIRE(parts.size() == served.size());
    for (const Part& part : parts) {
        INFO("way " << part.way);
        REQUIRE(served.count(part.way) == 1);
        const Served& here = served.at(part.way);
        CHECK(part.bytes == here.offsets.size());
        CHECK(bytes_of_pattern(part.pattern) == here.offsets);
    }
}

/// Draws numbers below `bound`.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t bound)
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 33) % bound;
    }

private:
    std::uint64_t state_;
};

struct Shape {
    unsigned ways;
    std::uint64_t granule;
};
const std::vector<Shape> shapes{{2, 64}, {3, 64}, {2, 256}, {4, 128}, {5, 1}, {8, 64}};

/// Draws a pattern of up to some thousand bytes, ascending or descending, anywhere in a small
/// range.
AccessPattern draw_pattern(Draw& draw)
{
    AccessPattern pattern;
    pattern.address = 40'000 + draw.below(5000);
    const std::uint64_t unit = std::uint64_t{1} << draw.below(7);
    pattern.address -= pattern.address % unit;
    pattern.run_bytes = unit * (1 + draw.below(std::max<std::uint64_t>(1, 300 / unit)));
    for (std::size_t level = 0; level < 3; ++level) {
        pattern.count[level] = 1 + draw.below(level == 0 ? 12 : 5);
        pattern.stride[level] = static_cast<std::int64_t>(unit * draw.below(2000 / unit)) *
                                (draw.below(4) == 0 ? -1 : 1);
    }
    return pattern;
}

} // namespace

TEST_CASE("every address is one byte of one memory, and every byte has one address")
{
    for (const Shape& shape : shapes) {
        const Division division(shape.ways, shape.granule);
        std::set<std::pair<unsigned, std::uint64_t>> places;
        const std::uint64_t range = 6 * division.period();
        std::vector<std::uint64_t> below(shape.ways);
        for (std::uint64_t address = 0; address < range; ++address) {
            const Place place = division.place(address);
            CHECK(place.way == address / shape.granule % shape.ways);
            CHECK(division.address(place) == address);
            for (unsigned way = 0; way < shape.ways; ++way)
                if (division.bytes_below(way, address) != below[way])
                    FAIL("bytes_below(" << way << ", " << address << ")");
            CHECK(place.offset == below[place.way]++);
            places.emplace(place.way, place.offset);
        }
        CHECK(places.size() == range);
        for (const auto& [way, offset] : places)
            if (way >= shape.ways || offset >= range / shape.ways)
                FAIL("outside the memories: " << way << ", " << offset);
    }
}

TEST_CASE("pieces of a range are its bytes in order, and none crosses granules")
{
    const Division division(3, 64);
    for (std::uint64_t address = 0; address < 400; address += 7)
        for (std::uint64_t bytes = 0; bytes < 300; bytes += 11) {
            std::uint64_t at = address;
            division.for_each_piece(address, bytes, [&](const Place& place, std::uint64_t piece) {
                CHECK(division.place(at) == place);
                CHECK(piece > 0);
                CHECK(place.offset / 64 == (place.offset + piece - 1) / 64);
                at += piece;
            });
            CHECK(at == address + bytes);
        }
}

TEST_CASE("one run, and runs with the same alignment, are divided into exactly their bytes")
{
    Draw draw(1);
    for (const Shape& shape : shapes) {
        const Division division(shape.ways, shape.granule);
        const auto period = static_cast<std::int64_t>(division.period());
        for (int i = 0; i < 200; ++i) {
            const std::uint64_t address = 8 * division.period() + draw.below(1000);
            const std::uint64_t run = 1 + draw.below(700);
            check_exact(division, pattern_of(address, run, {1, 1, 1}, {}));
            check_exact(division, pattern_of(address, run, {2, 1 + draw.below(3), 2},
                                             {period * 3, -period, 2 * period}));
        }
    }
}

TEST_CASE("runs of at most a granule, a granule apart, are divided into exactly their bytes")
{
    const Division division(4, 128);
    check_exact(division, pattern_of(512, 128, {1, 1, 16}, {0, 0, 256}));
    check_exact(division, pattern_of(512, 64, {1, 1, 16}, {0, 0, 128}));
    check_exact(division, pattern_of(544, 96, {1, 3, 8}, {0, 1024, 128}));
}

TEST_CASE("each memory gets exactly its bytes of any pattern, and a pattern inside them")
{
    Draw draw(2);
    for (const Shape& shape : shapes) {
        const Division division(shape.ways, shape.granule);
        for (int i = 0; i < 400; ++i) {
            const AccessPattern pattern = draw_pattern(draw);
            INFO(shape.ways << " x " << shape.granule << ": " << pattern.address << " + "
                            << pattern.run_bytes << " x " << pattern.count[0] << ","
                            << pattern.count[1] << "," << pattern.count[2] << " / "
                            << pattern.stride[0] << "," << pattern.stride[1] << ","
                            << pattern.stride[2]);
            const std::map<unsigned, Served> served = enumerate(division, pattern);
            const std::vector<Part> parts = division.divide(pattern, pattern.bytes());
            REQUIRE(parts.size() == served.size());
            for (const Part& part : parts) {
                const Served& here = served.at(part.way);
                CHECK(part.bytes == here.offsets.size());
                const auto extent = part.pattern.extent();
                REQUIRE(extent);
                // In that memory, the whole extent counts, although runs access only a part of it.
                const auto whole = *pattern.extent();
                CHECK(extent->first >= division.bytes_below(part.way, whole.first));
                CHECK(extent->last < division.bytes_below(part.way, whole.last + 1));
            }
        }
    }
}

TEST_CASE("many runs whose stride fits no granule become many runs of their length in each memory")
{
    // Vectors of 256 bytes are in rows of 40448 bytes, one for each of 32 heads in each of 16
    // sequences.
    const Division division(2, 4096);
    const AccessPattern pattern = pattern_of(64, 256, {1, 16, 32}, {0, 32 * 40448, 40448});
    std::uint64_t all = 0;
    for (const Part& part : division.divide(pattern, pattern.bytes())) {
        all += part.bytes;
        CHECK(std::abs(static_cast<double>(part.pattern.bytes()) -
                       static_cast<double>(part.bytes)) < 0.1 * static_cast<double>(part.bytes));
        CHECK(part.pattern.run_bytes > 200);
        CHECK(part.pattern.run_bytes <= 256);
    }
    CHECK(all == pattern.bytes());
}

TEST_CASE("bytes and runs of each memory are the same as by looking at every byte")
{
    const auto check = [](const Division& division, const AccessPattern& pattern) {
        std::map<unsigned, Served> served = enumerate(division, pattern);
        const std::vector<interleave::Share> shares = count_shares(division, pattern);
        REQUIRE(shares.size() == division.ways());
        for (unsigned way = 0; way < division.ways(); ++way) {
            CHECK(shares[way].bytes == served[way].offsets.size());
            CHECK(shares[way].runs == served[way].runs);
        }
    };
    Draw draw(3);
    for (const Shape& shape : shapes)
        for (int i = 0; i < 200; ++i)
            check(Division(shape.ways, shape.granule), draw_pattern(draw));
    // There are far more runs than places where they can begin. Odd strides let them begin
    // anywhere.
    check(Division(3, 64), pattern_of(100'000, 50, {7, 11, 13}, {77, -1001, 333}));
    check(Division(2, 64), pattern_of(100'000, 127, {1, 100, 13}, {0, 5, 333}));
}

TEST_CASE("data that are read again are read again from the same memories")
{
    const Division division(2, 4096);
    const AccessPattern pattern = pattern_of(4096 - 1024, 1024 + 3072, {1, 1, 1}, {});
    const std::vector<Part> parts = division.divide(pattern, 5 * pattern.bytes());
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].bytes == 5 * 1024);
    CHECK(parts[1].bytes == 5 * 3072);
    // No byte is lost if the number of bytes cannot be divided exactly.
    const std::vector<Part> uneven = division.divide(pattern, 1'000'003);
    CHECK(uneven[0].bytes + uneven[1].bytes == 1'000'003);
    // A division of 0 bytes serves to ask whether access is allowed. It must go to the same
    // memories.
    CHECK(division.divide(pattern, 0).size() == 2);
}

TEST_CASE("scattered rows are in each memory in proportion to their extent there")
{
    const Division division(2, 4096);
    AccessPattern rows;
    rows.address = 8192;
    rows.run_bytes = 256;
    rows.count[2] = 100;
    rows.stride[2] = 8192; // Rows at equal distances represent any scattered rows.
    rows.scattered = true;
    const std::vector<Part> parts = division.divide(rows, rows.bytes());
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].bytes + parts[1].bytes == rows.bytes());
    for (const Part& part : parts) {
        CHECK(std::abs(static_cast<double>(part.bytes) - 12800.0) < 300.0);
        CHECK(part.pattern.scattered);
        CHECK(part.pattern.run_bytes == 256);
        CHECK(std::abs(static_cast<double>(part.pattern.runs()) - 50.0) <= 1.0);
    }
    SECTION("a single row stays at its place")
    {
        rows.count[2] = 1;
        const std::vector<Part> one = division.divide(rows, rows.bytes());
        REQUIRE(one.size() == 1);
        CHECK(one[0].way == 0);
        CHECK(one[0].pattern.address == 4096);
        CHECK(one[0].bytes == 256);
    }
}

TEST_CASE("granules that are no power of two are refused")
{
    CHECK_THROWS_AS(Division(2, 0), std::invalid_argument);
    CHECK_THROWS_AS(Division(2, 96), std::invalid_argument);
    CHECK_THROWS_AS(Division(0, 64), std::invalid_argument);
}
