// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/faults/bit_range.hpp"

#include <catch2/catch.hpp>

using namespace levee::faults;

namespace {

/// Returns all bits of the ranges in the order in which bit_at must number them.
std::vector<BitAt> listed(const std::vector<BitRange>& ranges)
{
    std::vector<BitAt> bits;
    for (const BitRange& range : ranges)
        for (std::uint64_t at = range.address; at < range.address + range.bytes; ++at)
            for (unsigned bit = 0; bit < 8; ++bit)
                if ((range.mask >> (8 * (at % 8) + bit) & 1) != 0)
                    bits.push_back({at, bit});
    return bits;
}

} // namespace

TEST_CASE("bits of ranges are numbered in order, wherever a range begins and ends")
{
    const std::vector<unsigned> upper{8, 9, 15};
    for (std::uint64_t begin = 0; begin < 9; ++begin)
        for (std::uint64_t bytes = 0; bytes < 30; ++bytes) {
            const std::vector<BitRange> ranges{{begin, bytes, mask_of(16, upper)},
                                               {1000 + begin, bytes}};
            const std::vector<BitAt> expected = listed(ranges);
            REQUIRE(bits_in(ranges) == expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
                REQUIRE(bit_at(ranges, i) == expected[i]);
        }
}

TEST_CASE("masks repeat with each element")
{
    const std::vector<unsigned> sign{7}, half{8, 9, 10, 11, 12, 13, 14, 15};
    CHECK(mask_of(8, sign) == 0x8080808080808080);
    CHECK(mask_of(16, half) == 0xFF00FF00FF00FF00);
    CHECK(mask_of(32, sign) == 0x0000008000000080);
    CHECK(mask_of(64, {}) == UINT64_MAX);
}

TEST_CASE("the common bits of two lists are the bits in both lists")
{
    const std::vector<unsigned> upper{8, 9, 10, 11, 12, 13, 14, 15};
    const std::vector<BitRange> one{{0, 10}, {20, 10}}, other{{4, 2}, {8, 14, mask_of(16, upper)}};
    CHECK(common(one, other) ==
          std::vector<BitRange>{{4, 2}, {8, 2, mask_of(16, upper)}, {20, 2, mask_of(16, upper)}});
    CHECK(common(one, {}).empty());
}
