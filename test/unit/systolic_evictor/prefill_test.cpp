// SPDX-License-Identifier: Apache-2.0
// Tests ACCUMULATE with a prefill's queries (ip/systolic_evictor/README.md, "Prefill").
#include "test/unit/systolic_evictor/one_head.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr Picoseconds memory_lead = fetch + hop + memory_latency;

} // namespace

TEST_CASE("in a prefill, the rows of the chain add scores at the same time")
{
    // The chain has 32 rows, so 70 tokens are tiles of 32, 32 and 6. Each tile takes the time of
    // its queries, or of preloading its tokens if that is longer. The last row finishes later than
    // the first by the number of rows before it, unless there are fewer queries.
    EvictorSystem system;
    system.run([&] {
        const auto cycles_of = [&](std::uint32_t tokens, std::uint16_t queries) {
            OneHead head(system, tokens, tokens, 1000);
            head.op.group = queries;
            const auto time = system.time(describe(LEVEE_SE_ACCUMULATE, head.op));
            return (time - memory_lead) / cycle;
        };
        CHECK(cycles_of(70, 100) == 3 * 100 + 5 + 1);
        CHECK(cycles_of(64, 100) == 2 * 100 + 31 + 1);
        CHECK(cycles_of(70, 20) == 32 + 32 + 20 + 5 + 1);
        CHECK(cycles_of(70, 1) == 70 + 1); // With one query, the evictor takes one score per cycle.
        CHECK(cycles_of(5, 3) == 5 + 2 + 1);
    });
}

TEST_CASE("ACCUMULATE without lengths takes the whole row")
{
    EvictorSystem system;
    system.run([&] {
        OneHead head(system, 40, 40, 1000), all(system, 40, 40, 1000);
        all.op.lengths = 0;
        CHECK(system.time(describe(LEVEE_SE_ACCUMULATE, head.op)) ==
              system.time(describe(LEVEE_SE_ACCUMULATE, all.op)));
        const auto importance = [&](const OneHead& of) {
            return system.get<std::uint16_t>(of.op.importance, 40);
        };
        CHECK(importance(head) == importance(all));
    });
}
