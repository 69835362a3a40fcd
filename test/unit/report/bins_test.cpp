// SPDX-License-Identifier: Apache-2.0
// Checks hand-worked bins with a width of 4, then 8 and 16 picoseconds.
#include "platform/observe/time_series/bins.hpp"

#include <catch2/catch.hpp>

#include <numeric>

using levee::series::Bins;
using Sums = std::vector<std::uint64_t>;

TEST_CASE("an amount within one bin belongs to it, and one over several bins is spread evenly")
{
    Bins bins(4, 2);
    const std::size_t channel = bins.add_channel();
    bins.add(channel, 1, 3, 10);
    CHECK(bins.sums(channel) == Sums{10, 0, 0, 0});
    // Of the 10 ps, 2 are in the first bin and 4 in each of the next two.
    bins.add(channel, 2, 12, 100);
    CHECK(bins.sums(channel) == Sums{30, 40, 40, 0});
    bins.add(channel, 8, 12, 5); // The interval ends with the bin.
    CHECK(bins.sums(channel) == Sums{30, 40, 45, 0});
    CHECK(bins.width() == 4);
}

TEST_CASE("an amount that does not divide evenly is given in whole units, and nothing is lost")
{
    Bins bins(4, 2);
    const std::size_t channel = bins.add_channel();
    bins.add(channel, 0, 12, 10); // A bin gets 3.33, so at the bins' ends the sums are 3, 6 and 10.
    CHECK(bins.sums(channel) == Sums{3, 3, 4, 0});
    bins.add(channel, 13, 13, 7); // The interval is empty.
    CHECK(bins.sums(channel) == Sums{3, 3, 4, 7});
}

TEST_CASE("beyond the last bin, pairs of bins of every channel are joined")
{
    Bins bins(4, 2);
    const std::size_t a = bins.add_channel(), b = bins.add_channel();
    bins.add(a, 0, 16, 16);
    bins.add(b, 5, 6, 1);
    bins.add(b, 16, 17, 9); // The four bins of 4 end at 16 ps.
    CHECK(bins.width() == 8);
    CHECK(bins.sums(a) == Sums{8, 8, 0, 0});
    CHECK(bins.sums(b) == Sums{1, 0, 9, 0});
    bins.add(a, 60, 64, 2); // This is the last of four bins of 16.
    CHECK(bins.width() == 16);
    CHECK(bins.sums(a) == Sums{16, 0, 0, 2});
    CHECK(bins.sums(b) == Sums{1, 9, 0, 0});
}

TEST_CASE("amounts and times as large as a day of a fast memory do not overflow")
{
    Bins bins(256, 10);
    const std::size_t channel = bins.add_channel();
    const std::uint64_t day = 86'400'000'000'000'000, bytes = 10'000'000'000'000'000;
    bins.add(channel, 1000, day, bytes);
    const Sums& sums = bins.sums(channel);
    CHECK(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) == bytes);
    CHECK(bins.width() * 256 >= day);
    CHECK(bins.width() * 128 < day);
}
