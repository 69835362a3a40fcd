// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/operations.h"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace levee;
using namespace levee::edram_test;

namespace {

ArrayConfig config(GroupTimes intervals, std::uint64_t row_bytes = 128)
{
    return {{Layout::Kv, 64 * 1024, 32, row_bytes}, {intervals, 4'000}, std::nullopt};
}

/// A region 0 whose vectors of 256 bytes fill both halves of the memory.
constexpr Region vectors{0, 256, 0, 128};

void set_score(Stored& memory, std::uint64_t entry, bool high, Time now)
{
    const std::uint8_t value = high ? LEVEE_SE_VIEW_HIGH : 0;
    memory.array.write_scores(entry, &value, 1, now);
}

} // namespace

TEST_CASE("four periods: the number of refreshed rows is the sum of floor(T / interval) x rows",
          "[refresh]")
{
    Stored memory(config(two_dimensional));
    memory.array.set_region(0, vectors, 0);
    for (std::uint64_t i = 0; i < 10; ++i)
        set_score(memory, i, i < 4, 0);
    memory.write(0, 10 * 256, 0);         // Writes 10 keys, 4 of them with high scores.
    memory.write(32 * 1024, 10 * 256, 0); // Writes their values, one row of each half.
    const Time end = 100 * ms + 7;
    memory.array.settle(end);
    const GroupCounts expected{
        4 * 2 * (end / two_dimensional[0]), 4 * 2 * (end / two_dimensional[1]),
        6 * 2 * (end / two_dimensional[2]), 6 * 2 * (end / two_dimensional[3])};
    CHECK(memory.array.refresh().refreshed() == expected);
    CHECK(memory.array.refresh().row_time()[0] == Approx(8.0 * static_cast<double>(end)));
}

TEST_CASE("only valid rows are refreshed", "[refresh]")
{
    Stored memory(config(all(45 * us)));
    // The row's second interval has ended; one eighth of the second line is written.
    memory.write(512, 288, 100 * us);
    memory.array.settle(450 * us);
    CHECK(memory.array.refresh().refreshed()[LEVEE_EDRAM_HIGH_MSB] == 2 * 8);
    memory.array.discard(512, 256, 450 * us); // One of two lines is discarded.
    CHECK_FALSE(memory.array.is_valid(2));
    CHECK(memory.array.is_valid(3));
    // Half of the other token's data is discarded; the rest still needs refresh.
    memory.array.discard(768, 16, 450 * us);
    memory.array.settle(900 * us);
    CHECK(memory.array.refresh().refreshed()[LEVEE_EDRAM_HIGH_LSB] == 2 * 8 + 10);
    memory.array.discard(784, 16, 900 * us);
    memory.array.settle(90 * ms);
    CHECK(memory.array.refresh().refreshed()[LEVEE_EDRAM_HIGH_MSB] == 2 * 8 + 10);
    memory.write(0, 4096, 90 * ms);
    memory.array.discard(100, 4096, 90 * ms); // Everything except the first 100 bytes is discarded.
    CHECK(memory.array.refresh().valid_rows()[LEVEE_EDRAM_HIGH_MSB] == 1);
    memory.array.forget(91 * ms);
    CHECK(memory.array.refresh().valid_rows() == GroupCounts{});
}

TEST_CASE("a promoted row keeps its old deadline or gets an earlier one", "[refresh]")
{
    Stored memory(config(two_dimensional));
    memory.array.set_region(0, vectors, 0);
    memory.write(0, 256, 0); // The row is low because its score is 0.
    memory.array.settle(ms);
    CHECK(memory.array.refresh().valid_rows()[LEVEE_EDRAM_LOW_MSB] == 1);
    const auto due = [&](Half half) {
        const unsigned group = group_of(memory.array.is_high(0), half);
        return memory.array.refresh().due(0, half, group);
    };
    CHECK(due(Half::Msb) == 1440 * us);
    CHECK(due(Half::Lsb) == 7200 * us);

    // The row becomes high. Its refresh is then due when the high group's current interval ends.
    set_score(memory, 0, true, ms);
    CHECK(due(Half::Msb) == 1080 * us);
    CHECK(due(Half::Lsb) == 5400 * us);
    CHECK(memory.array.refresh().valid_rows()[LEVEE_EDRAM_HIGH_MSB] == 1);

    set_score(memory, 0, false, ms + 1); // The deadline does not move back.
    CHECK(due(Half::Msb) == 1080 * us);
    CHECK(due(Half::Lsb) == 5400 * us);
    memory.array.settle(2 * ms);
    CHECK(due(Half::Msb) == 2880 * us);
    // One refresh came early, and the other at 1440 us.
    CHECK(memory.array.refresh().refreshed()[LEVEE_EDRAM_LOW_MSB] == 2);
    CHECK(memory.array.refresh().refreshed()[LEVEE_EDRAM_HIGH_MSB] == 0);
}

TEST_CASE("a discarded row has no deadline", "[refresh]")
{
    Stored memory(config(two_dimensional));
    memory.array.set_region(0, vectors, 0);
    set_score(memory, 0, true, 0);
    memory.write(0, 256, 0);
    set_score(memory, 0, false, 100 * us); // The refresh is still due at 360 us.
    memory.array.discard(0, 256, 200 * us);
    memory.array.settle(10 * ms);
    CHECK(memory.array.refresh().refreshed() == GroupCounts{});
}

TEST_CASE("a new interval keeps deadlines that come first", "[refresh]")
{
    Stored memory(config(all(45 * us)));
    memory.write(0, 32, 0);
    memory.array.set_interval(LEVEE_EDRAM_HIGH_MSB, 400 * us, 50 * us);
    // An interval of 0 means that the rows are never refreshed again.
    memory.array.set_interval(LEVEE_EDRAM_HIGH_LSB, 0, 50 * us);
    memory.array.settle(ms);
    // Refreshes have come at 45 us, at 90 us (the old deadline), at 400 us and at 800 us.
    CHECK(memory.array.refresh().refreshed()[LEVEE_EDRAM_HIGH_MSB] == 4);
    CHECK(memory.array.refresh().refreshed()[LEVEE_EDRAM_HIGH_LSB] == 2);
}

TEST_CASE("regions define which rows belong to which vectors", "[refresh]")
{
    Stored memory(config(two_dimensional, 16));
    Array& array = memory.array;
    CHECK(array.is_high(0)); // This row belongs to no region.
    // Three vectors of 48 bytes are 144 bytes in five lines of 32.
    array.set_region(0, {1024, 48, 100, 3}, 0);
    CHECK(array.is_high(31));
    for (std::uint64_t line = 32; line < 37; ++line)
        CHECK_FALSE(array.is_high(line));
    CHECK_FALSE(array.is_high(1024 + 32)); // The values have the same offset.
    set_score(memory, 101, true, 1);       // The vector has bytes 48 to 95, in lines 1 and 2.
    CHECK_FALSE(array.is_high(32));
    CHECK(array.is_high(33));
    CHECK(array.is_high(34));
    CHECK_FALSE(array.is_high(35));
    CHECK(array.is_high(1024 + 33));
    // The region is in the upper half, which holds no keys.
    array.set_region(1, {32 * 1024, 32, 0, 1}, 2);
    CHECK(array.is_high(0));
    CHECK_FALSE(array.is_high(1024));
    array.set_region(0, {}, 3);
    CHECK(array.is_high(32));
    CHECK_THROWS_WITH(array.set_region(0, {32 * 1024 - 32, 32, 0, 2}, 4),
                      Catch::Contains("expected it to end by 32768"));
    CHECK_THROWS_WITH(array.set_region(0, {0, 32, 1023, 2}, 4),
                      Catch::Contains("the register file's size, 1024"));
    CHECK_THROWS_AS(array.set_region(0, {0, 0, 0, 1}, 4), std::invalid_argument);
}

TEST_CASE("a row of several vectors has the interval of the strictest vector", "[refresh]")
{
    Stored memory(config(two_dimensional)); // A row holds 8 vectors of 16 elements.
    memory.array.set_region(0, {0, 32, 0, 64}, 0);
    memory.write(0, 64 * 32, 0);
    const auto high_rows = [&] { return memory.array.refresh().valid_rows()[0]; };
    CHECK(high_rows() == 0);
    set_score(memory, 8, true, us);
    CHECK(high_rows() == 1);
    CHECK(memory.array.is_high(1));
    set_score(memory, 15, true, us);
    set_score(memory, 8, false, us);
    CHECK(high_rows() == 1);
    set_score(memory, 15, false, us);
    CHECK(high_rows() == 0);
}

namespace {

/// A model that refreshes rows one by one: keys and values of 64 tokens, one unit each, in both
/// halves.
class RowByRow {
public:
    explicit RowByRow(const GroupTimes& intervals) : intervals_(intervals) {}

    void advance(Time now)
    {
        now_ = now;
        for (Row& row : rows_)
            while (row.valid && row.due <= now_) {
                ++refreshed_[row.group];
                row.due = (row.due / intervals_[row.group] + 1) * intervals_[row.group];
            }
    }
    void write(std::size_t token)
    {
        for (std::size_t i = 4 * token; i < 4 * token + 4; ++i)
            if (!rows_[i].valid)
                rows_[i] = {true, next(group(i)), group(i)};
    }
    void discard(std::size_t token)
    {
        for (std::size_t i = 4 * token; i < 4 * token + 4; ++i)
            rows_[i].valid = false;
    }
    /// Changes a token's score between high and low; returns whether it is high now.
    bool flip(std::size_t token)
    {
        high_[token] = !high_[token];
        for (std::size_t i = 4 * token; i < 4 * token + 4; ++i) {
            rows_[i].group = group(i);
            if (rows_[i].valid)
                rows_[i].due = std::min(rows_[i].due, next(rows_[i].group));
        }
        return high_[token];
    }
    const GroupCounts& refreshed() const { return refreshed_; }

private:
    struct Row {
        bool valid = false;
        Time due = 0;
        unsigned group = 0;
    };
    Time next(unsigned group) const { return (now_ / intervals_[group] + 1) * intervals_[group]; }
    unsigned group(std::size_t i) const
    {
        return group_of(high_[i / 4], i % 2 == 0 ? Half::Msb : Half::Lsb);
    }

    GroupTimes intervals_;
    std::vector<Row> rows_ = std::vector<Row>(256);
    std::vector<bool> high_ = std::vector<bool>(64, false);
    GroupCounts refreshed_{};
    Time now_ = 0;
};

} // namespace

TEST_CASE("refreshes of a random history equal those of its rows one by one", "[refresh]")
{
    std::mt19937 random(7);
    const GroupTimes intervals{200'000, 230'000, 213'000, 241'000};
    Stored memory(config(intervals, 16));
    memory.array.set_region(0, {0, 32, 0, 64}, 0);
    RowByRow rows(intervals);
    Time now = 0;
    for (int step = 0; step < 3000; ++step) {
        now += random() % 100'000;
        rows.advance(now);
        const std::size_t token = random() % 64;
        switch (random() % 3) {
        case 0:
            rows.write(token);
            memory.write(32 * token, 32, now);
            memory.write(32 * 1024 + 32 * token, 32, now);
            break;
        case 1:
            rows.discard(token);
            memory.array.discard(32 * token, 32, now);
            memory.array.discard(32 * 1024 + 32 * token, 32, now);
            break;
        default:
            set_score(memory, token, rows.flip(token), now);
        }
    }
    memory.array.settle(now);
    CHECK(memory.array.refresh().refreshed() == rows.refreshed());
    for (const std::uint64_t count : rows.refreshed())
        CHECK(count > 1000);
}

TEST_CASE("a bank's load is its rows' refreshes in each interval", "[refresh]")
{
    // Each key bank has 8 high and 8 low rows. A refresh takes 4 ns, every 100, 200, 400 or 800 ns.
    Stored memory(config({100'000, 200'000, 400'000, 800'000}));
    memory.array.set_region(0, vectors, 0);
    for (std::uint64_t i = 0; i < 64; ++i)
        set_score(memory, i, true, 0);
    memory.write(0, 32 * 1024, 0);
    const Refresh& refresh = memory.array.refresh();
    // The banks of bits 15:8 have the greater load.
    CHECK(refresh.load(3) == Approx(8 * 0.04 + 8 * 0.01));
    CHECK(refresh.load(8 + 3) == 0.0);     // This is the half for values.
    memory.array.discard(3 * 256, 256, 0); // The discarded row has a high score, and is in bank
                                           // pair 3.
    CHECK(refresh.load(3) == Approx(7 * 0.04 + 8 * 0.01));
    CHECK(refresh.load(4) == Approx(8 * 0.04 + 8 * 0.01));
    // The interval is off, so bits 7:0 have the greater load.
    memory.array.set_interval(LEVEE_EDRAM_HIGH_MSB, 0, 0);
    CHECK(refresh.load(4) == Approx(8 * 0.02 + 8 * 0.005));
    CHECK(refresh.most_load() == Approx(0.4));
}

TEST_CASE("refresh that takes all of a bank's time ends the run with the reason", "[refresh]")
{
    ArrayConfig tight = config(all(60'000)); // A refresh of 16 rows takes 4 ns each, 64 ns.
    tight.refresh.keys = "system.memories.kv";
    Stored memory(tight);
    memory.write(0, 14 * 2048, 0);
    CHECK_THROWS_WITH(
        memory.write(14 * 2048, 2048, 0),
        "'system.memories.kv': refresh alone takes 100 % of a bank's time: 15 rows of "
        "high_msb every 0.06 us, 0.004 us each; expected less than 100 %: longer "
        "intervals ('system.memories.kv.intervals'), a shorter 'refresh' or more "
        "'banks'");
    Stored slower(config(all(45 * us)));
    slower.write(0, 32 * 1024, 0);
    CHECK_THROWS_WITH(slower.array.set_interval(LEVEE_EDRAM_HIGH_LSB, 10'000, 0),
                      Catch::Contains("640 %") && Catch::Contains("high_lsb every 0.01 us") &&
                          Catch::Contains("'kv_cache.refresh'"));
}

TEST_CASE("refreshes over long times at a large scale are counted by a formula", "[refresh]")
{
    Stored memory(config(two_dimensional));
    memory.write(0, 32, 0);
    const Time end = 100'000'000 * ms; // One second, at a time scale of 1e5.
    memory.array.settle(end);
    CHECK(memory.array.refresh().refreshed()[0] == end / two_dimensional[0]);
}
