// SPDX-License-Identifier: Apache-2.0
// Tests pruning, quantisation, and the extension of quantisation by levels.
#include "ip/cpq/magnitudes.hpp"
#include "ip/cpq/model.hpp"
#include "test/unit/cpq/random_rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace levee;
using namespace levee::cpq;

namespace {

/// The quantisation rule, written directly in double precision.
struct Plain {
    double step;
    long zero;
    unsigned greatest;
    Plain(double min, double max, unsigned bits)
        : step((max - min) / ((1u << bits) - 1)), zero(std::lrint(-min / step)),
          greatest((1u << bits) - 1)
    {
    }
    [[nodiscard]] long code(double x) const
    {
        return std::clamp(std::lrint(x / step) + zero, 0l, static_cast<long>(greatest));
    }
};

/// The bound is half a step plus FP32's rounding: two roundings of the value and one of the step.
double error_bound(const Level& level)
{
    const double magnitude = std::max(std::fabs(level.min), std::fabs(level.max));
    return level.step / 2.0 + magnitude * 0x1p-22;
}

} // namespace

TEST_CASE("a channel's codes by hand")
{
    // With min -1, max 2 and 2 bits, the step and the zero point are both 1. Codes 0 to 3 represent
    // -1, 0, 1 and 2.
    const Settings settings{.bits = 2};
    const Level level = make_level(-1, 2, settings);
    CHECK(level.step == 1);
    CHECK(level.zero == 1);
    CHECK(code_of(-1, level, 2) == 0);
    CHECK(code_of(-0.6f, level, 2) == 0);
    CHECK(code_of(0.5f, level, 2) == 1); // A tie rounds to the even number, 0 steps.
    CHECK(code_of(1.5f, level, 2) == 3); // A tie rounds to 2 steps.
    CHECK(code_of(9, level, 2) == 3);
    CHECK(value_of(3, level) == 2);
}

TEST_CASE("codes follow the rule, except for ties")
{
    unsigned differ = 0, all = 0;
    for (unsigned bits = 1; bits <= most_bits; ++bits)
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            const std::vector<float> x = random_rows(seed, 64, 1);
            const auto [min, max] = std::ranges::minmax(x);
            const Settings settings{.bits = bits};
            const Level level = make_level(min, max, settings);
            const Plain plain(min, max, bits);
            CHECK(level.zero == plain.zero);
            for (const float value : x) {
                const double steps = value / plain.step;
                const bool tie = std::fabs(steps - std::floor(steps) - 0.5) < 1e-4;
                differ +=
                    !tie && code_of(value, level, bits) != static_cast<unsigned>(plain.code(value));
                ++all;
            }
        }
    CHECK(differ == 0);
    CHECK(all == 8 * 200 * 64);
}

TEST_CASE("the error is at most half a step inside the range")
{
    for (unsigned bits = 1; bits <= most_bits; ++bits)
        for (const std::size_t channels : {1u, 33u, 128u}) {
            Table table(channels, {.bits = bits, .max_levels = 4, .threshold = 0.25f});
            const std::vector<float> rows = random_rows(bits, 20, channels);
            table.open(rows);
            Counts counts;
            for (std::size_t i = 0; i < 20; ++i) {
                const std::span<const float> row = std::span(rows).subspan(i * channels, channels);
                std::vector<float> back(channels);
                REQUIRE(table.expand(table.compress(row, counts), back));
                for (std::size_t c = 0; c < channels; ++c) {
                    if (std::fabs(row[c]) < 0.25f)
                        REQUIRE(back[c] == 0);
                    else
                        REQUIRE(std::fabs(double{back[c]} - row[c]) <=
                                error_bound(table.levels(c)[0]));
                }
            }
            CHECK(counts.opened == 0);
            CHECK(counts.clamped == 0);
            CHECK(table.levels_in_use() == 1);
        }
}

TEST_CASE("only a value outside the tolerance opens a level")
{
    Table table(1, {.bits = 4, .max_levels = 3, .threshold = 0.5f, .tolerance = 0.25f});
    table.open(std::vector<float>{-1, 3, 0.1f}); // The value 0.1 is pruned.
    Counts counts;
    const auto put = [&](float x) {
        const Row row = table.quantise(std::vector<float>{x}, counts);
        return row.elements.empty() ? -1 : static_cast<int>(row.elements[0].label);
    };
    CHECK(table.levels(0)[0].low == -2);
    CHECK(table.levels(0)[0].high == 4);
    CHECK(put(4) == 0); // The value exceeds the range by less than a quarter of its width.
    CHECK(put(-2) == 0);
    CHECK(counts.opened == 0);
    CHECK(put(4.5f) == 1);
    CHECK(table.levels(0)[1].min == -1); // The new level covers the last range and the new value.
    CHECK(table.levels(0)[1].max == 4.5f);
    CHECK(put(3) == 1); // Later values use the last level.
    CHECK(put(-40) == 2);
    CHECK(put(400) == 2); // The limit is three levels, so no fourth one opens.
    CHECK(counts == Counts{.survivors = 6, .non_zeros = 6, .opened = 2, .clamped = 1});
}

TEST_CASE("codes written before a level are unchanged after it")
{
    constexpr std::size_t channels = 40;
    Table table(channels, {.bits = 3, .max_levels = 64, .threshold = 0.3f});
    const std::vector<float> rows = random_rows(5, 100, channels);
    table.open(std::span(rows).first(8 * channels));
    Counts counts;
    std::vector<std::vector<std::uint8_t>> packed;
    std::vector<std::vector<float>> expanded;
    for (std::size_t i = 0; i < 100; ++i) {
        packed.push_back(table.compress(std::span(rows).subspan(i * channels, channels), counts));
        expanded.emplace_back(channels);
        REQUIRE(table.expand(packed.back(), expanded.back()));
    }
    CHECK(counts.opened > 20);
    for (std::size_t i = 0; i < 100; ++i) { // Expands with the table's final state.
        std::vector<float> again(channels);
        REQUIRE(table.expand(packed[i], again));
        CHECK(again == expanded[i]);
        for (std::size_t c = 0; c < channels; ++c)
            if (std::fabs(rows[i * channels + c]) >= 0.3f)
                CHECK(std::fabs(double{again[c]} - rows[i * channels + c]) <=
                      error_bound(table.levels(c).back()));
    }
}

TEST_CASE("equal values, no values, and values equal to code 0's value")
{
    Table table(3, {.bits = 2, .max_levels = 2, .threshold = 0.1f});
    // The ranges come from equal values, from no values, and from [-1, 2].
    table.open(std::vector<float>{5, 0, -1, 5, 0, 2});
    Counts counts;
    std::vector<float> back(3);
    REQUIRE(table.expand(table.compress(std::vector<float>{5, 0, 0.2f}, counts), back));
    CHECK(back == std::vector<float>{5, 0, 0});
    CHECK(counts == Counts{.survivors = 2, .non_zeros = 1});
    REQUIRE(table.expand(table.compress(std::vector<float>{5, -7, 0}, counts), back));
    // The value -7 opens level 0 of the second channel.
    CHECK(back == std::vector<float>{5, -7, 0});
    CHECK(counts.opened == 1);
    CHECK(table.levels_in_use() == 1);
}

TEST_CASE("NaN, and numbers beyond the range of steps")
{
    CHECK(to_value(kNan) == 0);
    CHECK(to_value(kInfinity) == greatest_value);
    CHECK(to_value(-kInfinity) == -greatest_value);
    CHECK(to_value(1e-30f) == 0);
    CHECK_FALSE(survives(0, 0));
    const std::vector<float> rows{kNan, kInfinity, -1e38f, 1e-40f, 1e38f, -0.0f};
    Table table(6, {.bits = 8, .max_levels = 64});
    table.open({});
    Counts counts;
    std::vector<float> back(6);
    REQUIRE(table.expand(table.compress(rows, counts), back));
    CHECK(back == std::vector<float>{0, greatest_value, -greatest_value, 0, greatest_value, 0});
}

TEST_CASE("a narrow range far from 0 has the finest step, and values in it are met")
{
    const Settings settings{.bits = 8};
    const Level level = make_level(1000, 1000.5f, settings);
    CHECK(level.step == 1000.5f * finest_step);
    CHECK(std::abs(level.zero) <= 65536);
    for (float x = 1000; x <= 1000.5f; x += 0.01f)
        CHECK(std::fabs(value_of(code_of(x, level, 8), level) - x) <= error_bound(level));
}

TEST_CASE("settings outside their ranges are refused")
{
    CHECK_THROWS_AS(Table(0, {}), std::invalid_argument);
    CHECK_THROWS_AS(Table(1, {.bits = 9}), std::invalid_argument);
    CHECK_THROWS_AS(Table(1, {.bits = 0}), std::invalid_argument);
    CHECK_THROWS_AS(Table(1, {.max_levels = 65}), std::invalid_argument);
    CHECK_THROWS_AS(Table(1, {.threshold = -1}), std::invalid_argument);
    CHECK_THROWS_AS(Table(1, {.threshold = kNan}), std::invalid_argument);
    CHECK_THROWS_AS(Table(1, {.tolerance = 1e-30f}), std::invalid_argument);
    Counts counts;
    CHECK_THROWS_AS(Table(2, {}).quantise(std::vector<float>{1}, counts), std::invalid_argument);
}

TEST_CASE("the threshold for a given share of values prunes that share")
{
    Magnitudes magnitudes;
    CHECK(magnitudes.threshold(0.5) == 0);
    const std::vector<float> values = random_rows(4, 1000, 5);
    magnitudes.add(values);
    for (const double share : {0.0, 0.1, 0.5, 0.9}) {
        const float threshold = magnitudes.threshold(share);
        const auto pruned = std::ranges::count_if(
            values, [&](float x) { return !survives(to_value(x), threshold); });
        CHECK(static_cast<double>(pruned) >= share * 5000);
        CHECK(static_cast<double>(pruned) < (share + 0.01) * 5000);
    }
    CHECK(magnitudes.threshold(0) == 0);
}
