// SPDX-License-Identifier: Apache-2.0
// Tests counts of cycles by function, by caller and by stack.
#include "platform/observe/profile/profile.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;

const trace::Function main_function{"main", 0, 10}, f{"f", 10, 20}, g{"g", 20, 30};

/// Cycles of the stacks: main 10, main/f 3 + 5, main/f/g 20, main/g 2, main/f/g/f 7.
profile::CallProfile example()
{
    profile::CallProfile calls;
    calls.enter(main_function, 0);
    calls.enter(f, 4);
    calls.enter(g, 7);
    calls.enter(f, 27);
    calls.leave(34);
    calls.leave(34);
    calls.leave(39);
    calls.enter(g, 41);
    calls.leave(43);
    calls.leave(47);
    return calls;
}

using Row = std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<Row> rows(const std::vector<profile::CallProfile::Entry>& entries)
{
    std::vector<Row> rows;
    for (const auto& entry : entries)
        rows.emplace_back(entry.name, entry.self, entry.with_callees, entry.calls);
    return rows;
}

} // namespace

TEST_CASE("a flat profile has most cycles first, and a recursive function's cycles once")
{
    CHECK(rows(example().flat()) ==
          std::vector<Row>{{"g", 22, 29, 2}, {"f", 15, 35, 2}, {"main", 10, 47, 1}});
}

TEST_CASE("a profile by caller")
{
    CHECK(rows(example().by_caller()) == std::vector<Row>{{"f -> g", 20, 27, 1},
                                                          {"(start) -> main", 10, 47, 1},
                                                          {"main -> f", 8, 35, 1},
                                                          {"g -> f", 7, 7, 1},
                                                          {"main -> g", 2, 2, 1}});
}

TEST_CASE("folded stacks hold every cycle once")
{
    CHECK(example().folded() == "main 10\nmain;f 8\nmain;f;g 20\nmain;f;g;f 7\nmain;g 2\n");
}

TEST_CASE("recursion of any depth keeps every cycle and call, and the profile stays small")
{
    constexpr unsigned depth = 30'000;
    const trace::Function leaf{"leaf", 30, 40};
    profile::CallProfile calls;
    std::uint64_t cycle = 0;
    calls.enter(main_function, cycle);
    for (unsigned i = 0; i < depth; ++i)
        calls.enter(i % 2 == 0 ? f : g, ++cycle);
    calls.enter(leaf, ++cycle);
    calls.leave(cycle += 5);
    for (unsigned i = 0; i < depth; ++i)
        calls.leave(++cycle);
    calls.leave(++cycle);
    CHECK(calls.shortened());
    CHECK(rows(calls.flat()) == std::vector<Row>{{"f", depth, cycle - 2, depth / 2},
                                                 {"g", depth, cycle - 4, depth / 2},
                                                 {"leaf", 5, 5, 1},
                                                 {"main", 2, cycle, 1}});
    CHECK(rows(calls.by_caller()).size() == 5);
    CHECK(calls.folded().size() < 1'000'000);
    std::uint64_t cycles = 0;
    for (const profile::CallProfile::Node& node : calls.nodes())
        cycles += node.cycles;
    CHECK(cycles == cycle);
}

TEST_CASE("a profile of shallow calls has every stack unchanged")
{
    profile::CallProfile calls;
    constexpr std::size_t depth = profile::CallProfile::most_frames;
    for (std::size_t i = 0; i < depth; ++i)
        calls.enter(f, i);
    for (std::size_t i = 0; i < depth; ++i)
        calls.leave(depth + i);
    CHECK(calls.nodes().size() == depth + 1);
    CHECK_FALSE(calls.shortened());
}

TEST_CASE("intervals follow each other without a gap")
{
    profile::CallProfile calls;
    std::string text;
    calls.on_stretch = [&](const std::string& name, std::uint64_t from, std::uint64_t to) {
        text += name + " " + std::to_string(from) + "-" + std::to_string(to) + " ";
    };
    calls.enter(main_function, 0);
    calls.enter(f, 4);
    calls.leave(4);
    calls.enter(g, 4);
    calls.leave(9);
    calls.leave(12);
    CHECK(text == "main 0-4 g 4-9 main 9-12 ");
}

TEST_CASE("shares add up to the whole")
{
    CHECK(profile::shares({1, 1, 1}) == std::vector<unsigned>{334, 333, 333});
    CHECK(profile::shares({0, 0}) == std::vector<unsigned>{0, 0});
    CHECK(profile::shares({2, 0, 1999}) == std::vector<unsigned>{1, 0, 999});
    CHECK(profile::shares({UINT64_MAX / 2, UINT64_MAX / 2}) == std::vector<unsigned>{500, 500});
}
