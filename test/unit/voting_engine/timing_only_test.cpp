// SPDX-License-Identifier: Apache-2.0
// Tests that operations of timing-only runs are the same as in functional runs, except for votes.
// Elections are replayed or drawn at random.
#include "test/unit/blocks/twins.hpp"
#include "test/unit/voting_engine/random_election.hpp"

namespace {

using namespace levee;
using namespace levee::test;

constexpr unsigned functional = 0, timing_only = 1; // numbers of the blocks

struct VotingTwins : Bench {
    Memo memo;
    DecisionStatistics statistics{};
    Fabric real{flows, sync, streams, DataMode::Functional, {&memo, nullptr, nullptr}};
    Fabric shapes;
    voting_engine::VotingEngine one, other;
    MoreMemory more{"more", 64'000'000'000, 5'000};
    Asked asked[2];

    explicit VotingTwins(bool draws = false)
        : Bench("bench"), shapes{flows,
                                 sync,
                                 streams,
                                 DataMode::TimingOnly,
                                 {nullptr, draws ? nullptr : &memo, draws ? &statistics : nullptr}},
          one("one", {Clock{1'000'000'000}, engine_capacity, queue_config}, real),
          other("other", {Clock{1'000'000'000}, engine_capacity, queue_config}, shapes)
    {
        connect(one.queue);
        connect(other.queue);
        levee::test::connect(*this, more, 2);
        one.queue.observe(asked[functional]);
        other.queue.observe(asked[timing_only]);
    }
};

/// Checks that a token to which the next token does not attend is evicted first, and that no other
/// protected token is.
void check_reach(Bench& system, const levee_ve_operation& op, std::uint32_t o0, std::uint32_t next)
{
    const auto words = [&](std::uint64_t address, std::size_t count) {
        return system.get<std::uint32_t>(address, count);
    };
    const std::uint32_t length = words(op.lengths + 4 * o0, 1)[0];
    const std::uint32_t now = words(op.now + 4 * o0, 1)[0];
    const auto positions = words(offset_by(op.positions, op.positions_stride, o0), length);
    REQUIRE(next < length);
    const auto is_passed = [&](std::uint32_t position) { return position + op.reach <= now + 1; };
    if (std::ranges::any_of(positions, is_passed))
        CHECK(is_passed(positions[next]));
    else
        CHECK(positions[next] >= op.protect);
}

} // namespace

TEST_CASE("a timing-only vote or election has the functional operation's accesses and times")
{
    VotingTwins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 300; ++seed) {
            const auto opcode = static_cast<std::uint8_t>(1 + seed % 3);
            INFO("seed " << seed << ", opcode " << unsigned{opcode});
            system.release(mark);
            const Election election(system, opcode, seed);
            levee_ve_operation op = election.op;
            // The tables are in the memory that tracks accesses, where the timing-only run may not
            // move votes.
            std::memcpy(system.more.storage().data(), system.at(memory_base), system.mark());
            for (std::uint64_t* const table : {&op.probabilities, &op.votes, &op.prefill_votes})
                *table += more_base - memory_base;
            const levee_descriptor descriptor = describe(opcode, op);
            const std::vector<std::uint8_t> before = election.memory();
            const Outcome one = execute_on(system, system.more, functional, descriptor);
            const std::vector<std::uint8_t> after = election.memory();
            std::memcpy(system.at(memory_base), before.data(), before.size());
            const Outcome other = execute_on(system, system.more, timing_only, descriptor);
            check_same(one, system.asked[functional], other, system.asked[timing_only]);
            CHECK(one.error == LEVEE_ERROR_NONE);
            CHECK(election.memory() == after); // The memory has words, positions and decisions.
            CHECK_FALSE(one.account.empty());
        }
    });
}

TEST_CASE("drawn elections name slots that are valid and not protected")
{
    VotingTwins system(true);
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 60; ++seed) {
            const auto opcode = static_cast<std::uint8_t>(1 + seed % 3);
            system.release(mark);
            const Election election(system, opcode, seed);
            const levee_ve_operation& op = election.op;
            CHECK(system.execute(timing_only, describe(opcode, op)) == LEVEE_ERROR_NONE);
            for (std::uint32_t o0 = 0; o0 < op.outer[0] && opcode != LEVEE_VE_VOTE; ++o0) {
                const std::uint32_t length = election.lengths[o0];
                const auto next = system.get<std::uint32_t>(op.next + 4 * o0, 1)[0];
                if (opcode == LEVEE_VE_SELECT)
                    CHECK(next == std::min(length, op.capacity));
                else if (length <= op.capacity)
                    CHECK(next == length);
                else if (op.reach == 0)
                    CHECK((next >= op.protect && next < length));
                else
                    check_reach(system, op, o0, next);
                if (opcode == LEVEE_VE_SELECT) {
                    const auto kept = system.get<std::uint32_t>(
                        offset_by(op.positions, op.positions_stride, o0), next);
                    CHECK(std::ranges::adjacent_find(kept, std::greater_equal<>{}) == kept.end());
                    CHECK(kept.back() < length);
                    if (op.reach != 0 && length > op.capacity)
                        CHECK(kept.front() + op.reach > length);
                }
            }
        }
    });
}
