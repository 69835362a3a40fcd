// SPDX-License-Identifier: Apache-2.0
// Tests wrong descriptors and tables. The block refuses each, names the faulty field, and writes
// nothing.
#include "test/support/bad_operation.hpp"
#include "test/unit/voting_engine/random_election.hpp"

#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;
using Op = levee_ve_operation;

constexpr std::uint64_t nowhere = 0x70'0000'0000;
constexpr std::uint8_t votes = LEVEE_VE_VOTE, elects = LEVEE_VE_ELECT, selects = LEVEE_VE_SELECT;

using Bad = levee::test::BadOperation<Op>;

const std::vector<Bad> bad_operations{
    {0, [](Op&) {}, LEVEE_ERROR_OPCODE, Bad::no_member},
    {4, [](Op&) {}, LEVEE_ERROR_OPCODE, Bad::no_member},
    {votes, [](Op& o) { o.outer[1] = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, outer)},
    {votes, [](Op& o) { o.rows = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, rows)},
    {votes, [](Op& o) { o.rows = 2, o.arrival = o.now; }, LEVEE_ERROR_FIELD, offsetof(Op, rows)},
    {votes, [](Op& o) { o.n = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, n)},
    {votes, [](Op& o) { o.n = 0xFFFFFFFF; }, LEVEE_ERROR_FIELD, offsetof(Op, n)},
    {votes, [](Op& o) { o.mean_factor = -1.0f; }, LEVEE_ERROR_FIELD, offsetof(Op, mean_factor)},
    {votes, [](Op& o) { o.deviation_factor = kNan; }, LEVEE_ERROR_FIELD,
     offsetof(Op, deviation_factor)},
    {elects, [](Op& o) { o.capacity = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, capacity)},
    {votes, [](Op& o) { o.n = 7; }, LEVEE_ERROR_FIELD, offsetof(Op, lengths)},
    {elects, [](Op& o) { o.capacity = 7, o.protect = 1000; }, LEVEE_ERROR_FIELD,
     offsetof(Op, protect)},
    {selects, [](Op& o) { o.capacity = 5, o.protect = 6; }, LEVEE_ERROR_FIELD,
     offsetof(Op, protect)},
    {votes, [](Op& o) { o.probabilities = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, probabilities)},
    {votes, [](Op& o) { o.probabilities = LEVEE_STREAM(1); }, LEVEE_ERROR_STREAM,
     offsetof(Op, probabilities)},
    {votes, [](Op& o) { o.votes = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, votes)},
    {votes, [](Op& o) { o.votes = LEVEE_STREAM(0); }, LEVEE_ERROR_ADDRESS, offsetof(Op, votes)},
    {votes, [](Op& o) { o.votes += 1; }, LEVEE_ERROR_ADDRESS, offsetof(Op, votes)},
    {votes, [](Op& o) { o.votes = nowhere; }, LEVEE_ERROR_ADDRESS, offsetof(Op, votes)},
    {elects, [](Op& o) { o.positions = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, positions)},
    {elects, [](Op& o) { o.positions_stride = 2; }, LEVEE_ERROR_ADDRESS,
     offsetof(Op, positions_stride)},
    {votes, [](Op& o) { o.positions = o.gather, o.reach = 9; }, LEVEE_ERROR_FIELD,
     offsetof(Op, reach)},
    {elects, [](Op& o) { o.reach = o.capacity; }, LEVEE_ERROR_FIELD, offsetof(Op, reach)},
    {elects, [](Op& o) { o.reach = o.capacity + 1, o.now = 0; }, LEVEE_ERROR_ADDRESS,
     offsetof(Op, now)},
    {votes, [](Op& o) { o.now = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, now)},
    {elects, [](Op& o) { o.lengths = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, lengths)},
    {elects, [](Op& o) { o.next = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, next)},
    {elects, [](Op& o) { o.next = nowhere; }, LEVEE_ERROR_ADDRESS, offsetof(Op, next)},
    {selects, [](Op& o) { o.gather = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, gather)},
    {selects, [](Op& o) { o.prefill_votes = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, prefill_votes)},
};

} // namespace

TEST_CASE("an error is reported by field, and nothing is written")
{
    VotingSystem system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::size_t i = 0; i < bad_operations.size(); ++i) {
            INFO("bad operation " << i);
            system.release(mark);
            Election election(system, std::clamp(bad_operations[i].opcode, votes, selects), 3);
            Op op = election.op;
            bad_operations[i].spoil(op);
            const auto before = election.memory();
            CHECK(system.execute(voting, describe(bad_operations[i].opcode, op)) ==
                  bad_operations[i].code);
            CHECK(system.reg(voting, LEVEE_CMD_ERROR_FIELD) == bad_operations[i].field());
            CHECK(system.get<std::uint8_t>(memory_base, before.size()) == before);
            system.set_reg(voting, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
    });
}

TEST_CASE("vectors longer than the engine's capacity are refused by the field lengths")
{
    VotingSystem system(engine_capacity);
    system.run([&] {
        Election election(system, votes, 5, engine_capacity + 40);
        election.op.lengths =
            system.put(std::vector<std::uint32_t>(election.op.outer[0], engine_capacity + 1));
        CHECK(system.execute(voting, describe(votes, election.op)) == LEVEE_ERROR_FIELD);
        CHECK(system.error_field() == offsetof(Op, lengths));
        CHECK(system.reg(voting, LEVEE_VE_CAPACITY) == engine_capacity);
    });
}

TEST_CASE("an invalid slot for the arriving token is refused")
{
    VotingSystem system;
    system.run([&] {
        Election election(system, votes, 1);
        election.op.rows = 1;
        election.op.positions = election.op.gather;
        election.op.arrival =
            system.put(std::vector<std::uint32_t>(election.op.outer[0], engine_capacity));
        CHECK(system.execute(voting, describe(votes, election.op)) == LEVEE_ERROR_FIELD);
        CHECK(system.error_field() == offsetof(Op, arrival));
    });
}
