// SPDX-License-Identifier: Apache-2.0
// Tests which operations wait for which other operations, by value, slice and unit.
#include <catch2/catch.hpp>

#include <vector>

#define _Noreturn [[noreturn]]
extern "C" {
#include "firmware/target/hazards.h"
}
#undef _Noreturn

namespace {

constexpr std::uint32_t units = 4;

/// Tracks the hazards of four units. Operations are added one after the other.
class Schedule {
public:
    /// `ordered_with` lists the values that count as one with others.
    explicit Schedule(const std::vector<std::uint8_t>& ordered_with = {})
    {
        hazards_.units = units;
        for (unsigned value = 0; value < CACHE_VALUES; ++value)
            hazards_.values[value] = {&touches_[2 * units * value],
                                      &touches_[2 * units * value + units]};
        hazards_unite(&hazards_, ordered_with.empty() ? nullptr : ordered_with.data());
    }

    /// Returns, for each unit, the number of its operations for which an operation on `unit` waits.
    /// The operation is then recorded as operation number `own` of its unit.
    std::vector<std::uint32_t> add(std::uint32_t unit, slice part, std::uint8_t reads,
                                   std::uint8_t writes, std::uint32_t own)
    {
        std::vector<std::uint32_t> need(units);
        operation done{};
        done.reads[0] = reads;
        done.writes = writes;
        const ordering here{unit, part, need.data()};
        hazards_wait(&hazards_, &here, &done);
        hazards_note(&hazards_, &here, &done, own);
        return need;
    }

private:
    std::vector<touch> touches_ = std::vector<touch>(2 * units * CACHE_VALUES);
    hazards hazards_{};
};

using Waits = std::vector<std::uint32_t>;

slice half(std::uint8_t index)
{
    return {SLICE_COLUMNS(2), index, static_cast<std::uint8_t>(index + 1)};
}

slice heads(std::uint8_t from, std::uint8_t to)
{
    return {SLICE_HEADS, from, to};
}

} // namespace

TEST_CASE("hazards: a reader of a whole value waits for every other unit that wrote a part")
{
    Schedule schedule;
    schedule.add(0, half(0), VALUE_NORMED, VALUE_QKV, 1);
    schedule.add(1, half(1), VALUE_NORMED, VALUE_QKV, 5);
    CHECK(schedule.add(2, slice_all, VALUE_QKV, VALUE_QUERY, 1) == Waits{1, 5, 0, 0});
    CHECK(schedule.add(2, slice_all, VALUE_QUERY, VALUE_SCORES, 2) == Waits{0, 0, 0, 0});
}

TEST_CASE("hazards: parts of one operation do not wait for each other")
{
    Schedule schedule;
    schedule.add(2, slice_all, VALUE_X, VALUE_NORMED, 1);
    CHECK(schedule.add(0, half(0), VALUE_NORMED, VALUE_QKV, 1) == Waits{0, 0, 1, 0});
    CHECK(schedule.add(1, half(1), VALUE_NORMED, VALUE_QKV, 1) == Waits{0, 0, 1, 0});
    // The next operation with the same division does not wait for the other units either, except
    // for those that have read in the meantime.
    schedule.add(2, slice_all, VALUE_QKV, VALUE_QUERY, 2);
    CHECK(schedule.add(0, half(0), VALUE_NORMED, VALUE_QKV, 2) == Waits{0, 0, 2, 0});
    CHECK(schedule.add(3, half(0), VALUE_NORMED, VALUE_QKV, 1) == Waits{2, 0, 2, 0});
}

TEST_CASE("hazards: heads wait for the same heads, but columns and heads wait for each other")
{
    Schedule schedule;
    schedule.add(0, heads(0, 4), VALUE_QUERY, VALUE_SCORES, 1);
    schedule.add(1, heads(4, 8), VALUE_QUERY, VALUE_SCORES, 1);
    CHECK(schedule.add(2, heads(0, 4), VALUE_SCORES, VALUE_PROBABILITIES, 1) == Waits{1, 0, 0, 0});
    CHECK(schedule.add(3, heads(3, 5), VALUE_SCORES, VALUE_PROBABILITIES, 1) ==
          Waits{1, 1, 1, 0}); // Head 3 was written before.
    CHECK(schedule.add(2, half(0), VALUE_SCORES, VALUE_MIXED, 2) == Waits{1, 1, 0, 0});
}

TEST_CASE("hazards: an operation that computes some columns reads all of its operands")
{
    Schedule schedule;
    schedule.add(0, half(0), VALUE_X, VALUE_ATTENDED, 1);
    schedule.add(1, half(1), VALUE_X, VALUE_ATTENDED, 1);
    CHECK(schedule.add(2, half(0), VALUE_ATTENDED, VALUE_PROJECTED, 1) == Waits{1, 1, 0, 0});
    // The memory is reused only after all units have read it.
    schedule.add(3, half(1), VALUE_ATTENDED, VALUE_PROJECTED, 1);
    CHECK(schedule.add(0, half(0), VALUE_X, VALUE_ATTENDED, 2) == Waits{0, 0, 1, 1});
}

TEST_CASE("hazards: operations between two values that are ordered together may be left out")
{
    std::vector<std::uint8_t> ordered_with(CACHE_VALUES, VALUE_NONE);
    ordered_with[VALUE_NORMED] = VALUE_X;
    ordered_with[VALUE_PROJECTED] = VALUE_X;
    Schedule schedule(ordered_with);
    schedule.add(0, slice_all, VALUE_ACTIVATED, VALUE_PROJECTED, 1); // This machine omits ADD.
    CHECK(schedule.add(1, slice_all, VALUE_NORMED, VALUE_QKV, 1) ==
          Waits{1, 0, 0, 0}); // This machine omits NORM.
    CHECK(schedule.add(2, slice_all, VALUE_ATTENDED, VALUE_PROJECTED, 1) == Waits{1, 1, 0, 0});
}
