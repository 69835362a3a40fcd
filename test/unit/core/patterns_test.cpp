// SPDX-License-Identifier: Apache-2.0
#include "core/memory/access_pattern.hpp"
#include "core/memory/loop_nest.hpp"
#include "core/memory/storage.hpp"
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "core/units/clock.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace {

using namespace levee;

AccessPattern pattern_of(std::uint64_t address, std::uint64_t run_bytes,
                         std::array<std::uint64_t, 3> count, std::array<std::int64_t, 3> stride)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = run_bytes;
    pattern.count = count;
    pattern.stride = stride;
    return pattern;
}

/// Returns every byte that a pattern touches, in order.
std::vector<std::uint64_t> bytes_of_pattern(const AccessPattern& pattern)
{
    std::vector<std::uint64_t> bytes;
    pattern.for_each_run([&](std::uint64_t run) {
        for (std::uint64_t i = 0; i < pattern.run_bytes; ++i)
            bytes.push_back(run + i);
    });
    return bytes;
}

} // namespace

TEST_CASE("the extent of a pattern is its lowest and highest byte")
{
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        std::uint64_t drawn = 0;
        const auto draw = [&](std::uint32_t below) {
            return random_word(seed, 1, drawn++) % below;
        };
        AccessPattern pattern;
        pattern.address = 100'000;
        pattern.run_bytes = 1 + draw(5);
        for (std::size_t i = 0; i < 3; ++i) {
            pattern.count[i] = 1 + draw(4);
            pattern.stride[i] = static_cast<std::int64_t>(draw(200)) - 100;
        }
        const std::vector<std::uint64_t> bytes = bytes_of_pattern(pattern);
        const auto extent = pattern.extent();
        INFO("seed " << seed);
        CHECK(extent);
        CHECK(extent->first == *std::min_element(bytes.begin(), bytes.end()));
        CHECK(extent->last == *std::max_element(bytes.begin(), bytes.end()));
        CHECK(pattern.bytes() == bytes.size());
        CHECK(bytes_of_pattern(pattern.merged()) == bytes);
    }
}

TEST_CASE("a pattern that is empty or leaves the address space has no extent")
{
    CHECK_FALSE(pattern_of(0, 0, {1, 1, 1}, {0, 0, 0}).extent());
    CHECK_FALSE(pattern_of(0, 1, {1, 0, 1}, {0, 0, 0}).extent());
    CHECK(pattern_of(UINT64_MAX, 1, {1, 1, 1}, {0, 0, 0}).extent()->last == UINT64_MAX);
    CHECK_FALSE(pattern_of(UINT64_MAX, 2, {1, 1, 1}, {0, 0, 0}).extent());
    CHECK_FALSE(pattern_of(7, 1, {1, 1, 2}, {0, 0, -8}).extent());
    CHECK(pattern_of(8, 1, {1, 1, 2}, {0, 0, -8}).extent()->first == 0);
    CHECK_FALSE(
        pattern_of(0, 1, {0xFFFF'FFFF, 0xFFFF'FFFF, 1}, {INT64_MAX, INT64_MAX, 0}).extent());
    CHECK_FALSE(pattern_of(0, 1, {0xFFFF'FFFF, 1, 1}, {INT64_MIN, 0, 0}).extent());
}

TEST_CASE("a transaction's bytes are counted in 32 bits")
{
    CHECK(pattern_of(0, 0xFFFF'FFFF, {1, 1, 1}, {0, 0, 0}).fits_transaction());
    CHECK_FALSE(pattern_of(0, 0x1'0000'0000, {1, 1, 1}, {0, 0, 0}).fits_transaction());
    CHECK(pattern_of(0, 0xFFFF, {1, 1, 0x1'0001}, {0, 0, 0}).fits_transaction());
    CHECK_FALSE(pattern_of(0, 0x1'0000, {1, 1, 0x1'0000}, {0, 0, 0}).fits_transaction());
    // These products overflow 64 bits.
    CHECK_FALSE(pattern_of(0, 1 << 16, {1 << 16, 1 << 16, 1 << 16}, {0, 0, 0}).fits_transaction());
    CHECK_FALSE(pattern_of(0, 2, {0x8000'0000'0000'0000, 1, 1}, {0, 0, 0}).fits_transaction());
}

TEST_CASE("runs without a gap merge, from the innermost loop outwards")
{
    const AccessPattern block = pattern_of(64, 8, {2, 3, 4}, {96, 32, 8}).merged();
    CHECK(block.run_bytes == 2 * 3 * 4 * 8);
    CHECK(block.runs() == 1);
    const AccessPattern rows = pattern_of(64, 8, {2, 3, 4}, {100, 32, 8}).merged();
    CHECK(rows.run_bytes == 96);
    CHECK(rows.count == std::array<std::uint64_t, 3>{2, 1, 1});
    // A gap inside a run prevents merging with the outer loops.
    const AccessPattern gaps = pattern_of(64, 8, {2, 3, 4}, {96, 8, 16}).merged();
    CHECK(gaps.run_bytes == 8);
    CHECK(gaps.runs() == 24);
}

TEST_CASE("the patterns of a loop nest visit the same places as the loops, in their order")
{
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        std::uint64_t drawn = 0;
        const auto draw = [&](std::uint32_t below) {
            return random_word(seed, 2, drawn++) % below;
        };
        const std::uint64_t run = 1 + draw(6);
        std::array<Loop, 4> loops;
        std::int64_t gapless = static_cast<std::int64_t>(run);
        for (std::size_t level = 4; level-- > 0;) {
            loops[level].count = 1 + draw(3);
            loops[level].stride = draw(2) ? gapless : static_cast<std::int64_t>(draw(100)) - 50;
            gapless = loops[level].stride * static_cast<std::int64_t>(loops[level].count);
        }
        std::vector<std::uint64_t> expected;
        for (std::uint64_t a = 0; a < loops[0].count; ++a)
            for (std::uint64_t b = 0; b < loops[1].count; ++b)
                for (std::uint64_t c = 0; c < loops[2].count; ++c)
                    for (std::uint64_t d = 0; d < loops[3].count; ++d)
                        for (std::uint64_t byte = 0; byte < run; ++byte)
                            expected.push_back(
                                offset_by(offset_by(offset_by(offset_by(5'000, loops[0].stride, a),
                                                              loops[1].stride, b),
                                                    loops[2].stride, c),
                                          loops[3].stride, d) +
                                byte);
        const auto patterns = patterns_of(5'000, run, {loops[0], loops[1], loops[2], loops[3]});
        std::vector<std::uint64_t> visited;
        for (const AccessPattern& pattern : patterns) {
            const auto bytes = bytes_of_pattern(pattern);
            visited.insert(visited.end(), bytes.begin(), bytes.end());
        }
        INFO("seed " << seed);
        CHECK(visited == expected);
        CHECK(patterns.size() <= loops[0].count);
    }
}

TEST_CASE("three real loops are one pattern, a fourth makes one each")
{
    CHECK(patterns_of(0, 8, {{5, 1000}, {1, 77}, {4, 100}, {3, 8}}).size() == 1);
    CHECK(patterns_of(0, 8, {{5, 1000}, {2, 500}, {4, 100}, {3, 16}}).size() == 5);
    CHECK(patterns_of(0, 8, {{5, 1000}, {2, 500}, {4, 100}, {3, 8}}).size() == 1);
}

TEST_CASE("storage keeps every byte inside, and untouched bytes are 0")
{
    Storage storage(1 << 20);
    CHECK(storage.holds(0, 1 << 20));
    CHECK(storage.holds(1 << 20, 0));
    CHECK_FALSE(storage.holds(1, 1 << 20));
    CHECK_FALSE(storage.holds(UINT64_MAX, 2));
    CHECK(storage.holds(pattern_of((1 << 20) - 8, 4, {1, 1, 2}, {0, 0, 4})));
    CHECK_FALSE(storage.holds(pattern_of((1 << 20) - 8, 4, {1, 1, 2}, {0, 0, 5})));
    std::uint8_t byte = 1;
    storage.read(pattern_of(12345, 1, {1, 1, 1}, {0, 0, 0}), &byte);
    CHECK(byte == 0);
    CHECK_THROWS_WITH(Storage(std::uint64_t{1} << 62), Catch::Contains("cannot reserve"));
}

TEST_CASE("cycles are converted to time over the whole span, rounded up")
{
    CHECK(Clock{1'000'000'000}.span(7) == 7'000);
    CHECK(Clock{3'000'000'000}.span(1) == 334);
    CHECK(Clock{3'000'000'000}.span(3) == 1'000);
    CHECK(Clock{3'000'000'000}.span(3'000'000'000) == 1'000'000'000'000);
    CHECK(Clock{200'000'000}.span(std::uint64_t{1} << 40) == (std::uint64_t{1} << 40) * 5'000);
}

TEST_CASE("element sizes and alignments")
{
    CHECK(bytes_of(5, LEVEE_TYPE_INT4) == 3);
    CHECK(bytes_of(5, LEVEE_TYPE_INT8) == 5);
    CHECK(bytes_of(5, LEVEE_TYPE_FP16) == 10);
    CHECK(bytes_of(5, LEVEE_TYPE_UINT32) == 20);
    CHECK(bytes_of(5, 99) == 0);
    CHECK(alignment_of(LEVEE_TYPE_INT4) == 1);
    CHECK(alignment_of(LEVEE_TYPE_INT16) == 2);
    CHECK(alignment_of(LEVEE_TYPE_FP32) == 4);
    CHECK(alignment_of(99) == 1);
}
