// SPDX-License-Identifier: Apache-2.0
// Tests how many copies of the process a run makes as checkpoints, and how many it keeps.
#include "platform/observe/debug/checkpoint_list.hpp"

#include <catch2/catch.hpp>

namespace {

using levee::debug::CheckpointList;

/// Returns the number of checkpoints in a run of `end` cycles that requests one every `interval`
/// cycles.
unsigned made(CheckpointList& list, std::uint64_t interval, std::uint64_t end)
{
    unsigned copies = 0;
    for (std::uint64_t cycle = 0; cycle <= end; cycle += interval) {
        if (!list.is_worth(cycle))
            continue;
        list.add({cycle, 0, cycle}, false, {});
        ++copies;
    }
    return copies;
}

} // namespace

TEST_CASE("A short interval makes few copies in a long run, and one is always near its end")
{
    CheckpointList list;
    const std::uint64_t end = 100'000'000;
    CHECK(made(list, 100, end) < 4'000); // A checkpoint is requested a million times.
    CHECK(list.all().size() <= CheckpointList::most);
    CHECK(end - list.all().back().at.cycle <= end / CheckpointList::closest);
}

TEST_CASE("Each interval makes a copy if intervals are no shorter than a share of the run")
{
    CheckpointList list;
    CHECK(made(list, 1000, 200'000) == 201);
}

TEST_CASE("A number beyond 2^32 is no checkpoint")
{
    CheckpointList list;
    made(list, 1000, 2000);
    const std::uint64_t id = list.all().back().id;
    CHECK(list.find(id) == &list.all().back());
    CHECK(list.find(id + (std::uint64_t{1} << 32)) == nullptr);
}
