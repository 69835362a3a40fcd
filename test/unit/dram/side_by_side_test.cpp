// SPDX-License-Identifier: Apache-2.0
// Measures the bandwidth of eight streams, each reading a share of a matrix's columns, by address
// mapping. Eight VEDAs that share a model read like this (docs/veda.md, "Eight that share a
// model").
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace levee;
using namespace levee::dram_test;

namespace {

// An eighth of a row of Q, K and V of Llama 2 7B.
constexpr std::uint64_t row = 24576, run = row / 8;
constexpr std::uint64_t bytes = 256 * run; // Bytes of each stream.
constexpr const char* two_bursts =
    "mapping: {low_to_high: [column 1, bank_group 2, channel 4, column 2, bank 2, column 2, row "
    "15], channel_hash: true, bank_hash: true}";
constexpr const char* two_banks =
    "mapping: {low_to_high: [column 2, channel 4, bank_group 1, column 3, bank_group 1, bank 2, "
    "row 15], channel_hash: true, bank_hash: true}";

/// Returns eight streams of runs, each beginning `apart` bytes after the previous one.
std::vector<Stream> shares(std::uint64_t apart)
{
    std::vector<Stream> streams;
    for (unsigned i = 0; i < 8; ++i)
        streams.push_back(
            strided(Direction::Read, i * apart, bytes, run, static_cast<std::int64_t>(row)));
    return streams;
}

double gigabytes_per_s(Picoseconds total)
{
    return 8.0 * bytes * 1e3 / static_cast<double>(total);
}

/// Measures the bandwidth by the cycle-level model, and also by price where the streams' places do
/// not matter.
Outcome cycle_level(const char* mapping, std::uint64_t apart)
{
    Outcome outcome = CycleDram(standard("hbm2", mapping)).run(shares(apart));
    REQUIRE(outcome.faults.empty());
    return outcome;
}

double priced(const char* mapping)
{
    dram::DramTiming timing("dram", standard("hbm2", mapping));
    const std::vector<Picoseconds> completed = fast_completions(timing, shares(48 * MiB));
    return gigabytes_per_s(*std::max_element(completed.begin(), completed.end()));
}

constexpr std::uint64_t anywhere = 48 * MiB + 20 * KiB;

} // namespace

TEST_CASE(
    "eight shares that meet in every bank get half of the HBM, because of four activates in tFAW")
{
    // Each activate serves two adjacent bursts of 32 bytes. In 30 ns, each of 16 channels can
    // activate four times, for 64 bytes each.
    constexpr double bound = 16 * 4 * 64 / 30.0;
    const Outcome outcome = cycle_level(two_bursts, anywhere);
    CHECK(8 * bytes / outcome.activates < 72);
    CHECK(gigabytes_per_s(outcome.total) == Approx(bound).epsilon(0.1));
    CHECK(priced(two_bursts) == Approx(gigabytes_per_s(outcome.total)).epsilon(0.05));
}

TEST_CASE("eight shares with two banks of a channel each get nearly all of the HBM")
{
    const Outcome outcome = cycle_level(two_banks, anywhere);
    CHECK(gigabytes_per_s(outcome.total) > 0.95 * 256);
    CHECK(priced(two_banks) == Approx(gigabytes_per_s(outcome.total)).epsilon(0.05));
}

TEST_CASE("eight shares of one matrix that move in step read the same rows, with any mapping")
{
    for (const char* mapping : {two_bursts, two_banks})
        CHECK(gigabytes_per_s(cycle_level(mapping, run).total) > 0.98 * 256);
}
