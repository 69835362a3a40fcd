// SPDX-License-Identifier: Apache-2.0
// Tests the voting engine's RTL in its block: results that firmware sees, cycles, and reports of
// differences.
#include "ip/voting_engine/pins.hpp"
#include "ip/voting_engine/rtl.hpp"
#include "ip/voting_engine/timing.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/unit/voting_engine/random_election.hpp"

namespace {

using namespace levee;
using namespace levee::test;
using voting_engine::RtlEngine;

struct WithRtl {
    std::unique_ptr<RtlEngine> made;
    RtlEngine* engine;
    VotingSystem system;

    explicit WithRtl(RtlEngine::Mode mode)
        : made(
              std::make_unique<RtlEngine>("system.voting", voting_engine::designs()[1].make, mode)),
          engine(made.get()), system(engine_capacity, std::move(made))
    {
    }

    /// Runs random operations. The memory contents afterwards must be the reference's.
    void check_memory(std::uint32_t count)
    {
        system.run([&] {
            const std::uint64_t mark = system.mark();
            for (std::uint32_t seed = 0; seed < count; ++seed) {
                const auto opcode = static_cast<std::uint8_t>(1 + seed % 3);
                INFO("seed " << seed << ", opcode " << unsigned{opcode});
                system.release(mark);
                Election election(system, opcode, seed);
                const std::vector<std::uint8_t> expected = election.expected();
                REQUIRE(system.execute(voting, describe(opcode, election.op)) == LEVEE_ERROR_NONE);
                const auto memory = system.get<std::uint8_t>(memory_base, expected.size());
                REQUIRE((memory == expected)); // The extra parentheses keep Catch2 from printing
                                               // the memory.
            }
        });
    }
};

/// A design with one count that is too large by one.
constexpr voting_engine::MakePins faulty =
    make_spoiled<voting_engine::Ports, 1, [](voting_engine::Outputs& out) {
        if (out.store_valid && out.store == 3)
            out.store = 4;
    }>;

} // namespace

TEST_CASE("RTL in the voting engine's place leaves the reference's memory contents")
{
    WithRtl with(RtlEngine::Mode::Rtl);
    with.check_memory(150);
    check_runs(*with.engine);
}

TEST_CASE("lockstep agrees, in the cycles of the timing rule, and counts its comparisons")
{
    WithRtl with(RtlEngine::Mode::Lockstep);
    with.check_memory(150);
    check_agrees(*with.engine);
}

TEST_CASE("vectors of any length take the rule's cycles, by hand and in RTL")
{
    const auto cycles = [&](const std::vector<std::size_t>& lengths, std::size_t design = 1) {
        const auto pins = voting_engine::designs()[design].make({});
        voting_engine::Driver driver(*pins, true);
        voting_engine::Job job;
        job.factors = {1.0f, 0.2f};
        for (const std::size_t length : lengths)
            job.vectors.emplace_back(length, 0x2000);
        job.positions.assign(lengths.back(), 1);
        job.votes.assign(lengths.back(), 0);
        const voting_engine::JobResult result = driver.run(std::vector{job}, {}).front();
        CHECK_FALSE(driver.value());
        CHECK_FALSE(driver.cycle());
        return result;
    };
    CHECK(cycles({64}).taken == 64);
    CHECK(cycles({64}).passed == 64 + 64 + 51);
    CHECK(cycles({64, 64}).taken == 128 + 51); // The FIFO is full.
    CHECK(cycles({10, 10, 10}).taken == 70);
    CHECK(cycles({49, 49, 49}, 0).taken == 147 + 1);
    CHECK(cycles({50, 50, 50}, 0).taken == 150);
}

TEST_CASE("two cycles pass from an entry's last vote to the next one's first element")
{
    const auto pins = voting_engine::designs()[1].make({});
    voting_engine::Driver driver(*pins, true);
    voting_engine::Job job;
    job.factors = {1.0f, 0.2f};
    job.vectors.emplace_back(20, 0x2000);
    job.positions.assign(20, 1);
    job.votes.assign(20, 0);
    const std::uint64_t before = driver.cycles();
    (void)driver.run(std::vector{job}, {});
    const std::uint64_t one = driver.cycles() - before;
    (void)driver.run(std::vector{job, job}, {});
    const std::uint64_t two = driver.cycles() - before - one;
    CHECK(two - one == 20 + voting_engine::lag(20) + voting_engine::entry_stages);
}

TEST_CASE(
    "lockstep stops at the first wrong count, names its place and writes waves that end there")
{
    RtlEngine engine("system.voting", faulty, RtlEngine::Mode::Lockstep);
    std::vector<std::uint16_t> votes(40, 2);
    std::vector<std::uint16_t> elements(40, 0x2000);
    elements[7] = 0;
    const auto vote = [&] { (void)engine.vote({{1.0f, 0.0f}, votes, {}, {elements}}); };
    CHECK_THROWS_AS(vote(), LockstepDifference);
    REQUIRE(engine.failure());
    CHECK(engine.failure()->difference.signal == "store_o");
    CHECK(engine.failure()->difference.where == "slot 0 of job 0");
    check_waves(engine, "voting");
}
