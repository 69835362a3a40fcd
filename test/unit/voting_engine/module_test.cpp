// SPDX-License-Identifier: Apache-2.0
// Runs the voting engine in a system. Its results equal the reference's, from memory and from a
// stream. Its time follows the timing rule. Vote counts are read from memory and written to it.
#include "ip/voting_engine/timing.hpp"
#include "test/unit/rsa/more_memory.hpp"
#include "test/unit/voting_engine/random_election.hpp"

namespace {

using namespace levee;
using namespace levee::test;

constexpr Picoseconds memory_lead = fetch + hop + memory_latency;

/// Returns a decode step of one sequence with `heads` uniform vectors of `length` elements.
levee_ve_operation step(Bench& system, std::uint16_t heads, std::uint32_t length)
{
    levee_ve_operation op{};
    op.outer[0] = 1;
    op.outer[1] = heads;
    op.rows = 1;
    op.n = length;
    op.capacity = length - 1;
    op.mean_factor = 1.0f;
    op.deviation_factor = 0.2f;
    op.probabilities_stride[1] = static_cast<std::int32_t>(4 * length);
    op.probabilities = system.put(std::vector<float>(std::size_t{heads} * length, 0.01f));
    op.votes = system.put(std::vector<std::uint16_t>(length));
    std::vector<std::uint32_t> positions(length);
    std::iota(positions.begin(), positions.end(), 0);
    op.positions = system.put(positions);
    op.lengths = system.put<std::uint32_t>({length});
    op.now = system.put<std::uint32_t>({length - 1});
    op.arrival = system.put<std::uint32_t>({length - 1});
    op.next_stride[1] = 4;
    op.next = system.take(4ull * heads);
    return op;
}

} // namespace

TEST_CASE("every operation leaves the reference's memory contents, from memory or from a stream")
{
    VotingSystem system;
    system.run([&] {
        std::uint32_t streamed = 0, changed = 0;
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 600; ++seed) {
            const auto opcode = static_cast<std::uint8_t>(1 + seed % 3);
            INFO("seed " << seed << ", opcode " << unsigned{opcode});
            system.release(mark);
            Election election(system, opcode, seed);
            const std::vector<std::uint8_t> before = election.memory();
            const std::vector<std::uint8_t> expected = election.expected();
            levee_ve_operation op = election.op;
            if (opcode == LEVEE_VE_VOTE && seed % 2 == 0) {
                system.producer.stream = election.streamed();
                op.probabilities = LEVEE_STREAM(0);
                system.submit(source, {describe(1, op)});
                ++streamed;
            }
            REQUIRE(system.execute(voting, describe(opcode, op)) == LEVEE_ERROR_NONE);
            const auto now = system.get<std::uint8_t>(memory_base, expected.size());
            REQUIRE(now == expected);
            changed += now != before ? 1 : 0;
        }
        CHECK(streamed == 100);
        CHECK(changed > 590);
    });
}

TEST_CASE("votes take a cycle per element, an election the lag and a cycle per slot")
{
    VotingSystem system(4096);
    system.run([&] {
        const levee_ve_operation op = step(system, 3, 200);
        CHECK(system.time(describe(LEVEE_VE_VOTE, op)) == memory_lead + 600 * cycle);
        CHECK(system.time(describe(LEVEE_VE_ELECT, op)) ==
              memory_lead + (voting_engine::lag(200) + 200 + 1) * cycle);
        levee_ve_operation select = op;
        select.prefill_votes = op.votes;
        select.votes = system.take(400);
        select.gather = system.take(4 * 3 * 200);
        select.gather_stride[1] = 800;
        CHECK(system.time(describe(LEVEE_VE_SELECT, select)) ==
              memory_lead + (200 * 17 + 1) * cycle);
        select.capacity = 200;
        CHECK(system.time(describe(LEVEE_VE_SELECT, select)) == memory_lead + 201 * cycle);
    });
}

TEST_CASE("a prefill within a window: vectors that begin at other slots wait for earlier votes")
{
    VotingSystem system(4096);
    Asked asked;
    system.engine.queue.observe(asked);
    system.run([&] {
        levee_ve_operation op = step(system, 3, 200);
        op.positions = op.arrival = 0;
        op.now = system.put<std::uint32_t>({197});
        op.rows = 3;
        op.outer[1] = 1;
        op.reach = 198; // The vectors have 198, 199 and 200 tokens.
        const auto of_one = [](std::uint64_t length) {
            return length + voting_engine::lag(length) + voting_engine::entry_stages;
        };
        CHECK(system.time(describe(LEVEE_VE_VOTE, op)) ==
              memory_lead + (of_one(198) + 1 + of_one(198) + 2 + 198) * cycle);
        CHECK(figure(system.engine, "elements") == 3 * 198);
        std::uint64_t loaded = 0, stored = 0;
        for (const auto& [resource, way, address, size] : asked.uses)
            if (resource.ends_with("memory") && address >= op.votes - memory_base &&
                address < op.votes - memory_base + 400)
                (way == Direction::Read ? loaded : stored) += size;
        CHECK(loaded == 2 * 3 * 198);
        CHECK(stored == loaded);
    });
}

TEST_CASE("on a stream, VOTE ends with its producer")
{
    VotingSystem system(4096);
    system.run([&] {
        levee_ve_operation op = step(system, 4, 64);
        op.probabilities = LEVEE_STREAM(0);
        system.producer.stream.assign(256, 0.01f);
        for (const std::uint64_t cycles : {256u, 300u, 1000u}) {
            system.producer.busy = cycles * cycle;
            CHECK(system.time(describe(LEVEE_VE_VOTE, op), true) == fetch + fill + cycles * cycle);
            CHECK(system.settle(source));
        }
        system.producer.busy = 10 * cycle; // The engine cannot be faster than an element a cycle.
        CHECK(system.time(describe(LEVEE_VE_VOTE, op), true) == fetch + fill + 256 * cycle);
    });
}

TEST_CASE("vote counts are read and written in memory, two bytes per slot, once per step")
{
    VotingSystem system(4096);
    Asked asked;
    system.engine.queue.observe(asked);
    system.run([&] {
        levee_ve_operation op = step(system, 8, 100);
        const auto bytes = [&](Direction direction, std::uint64_t table) {
            std::uint64_t sum = 0;
            for (const auto& [resource, way, address, size] : asked.uses)
                if (resource.ends_with("memory") && way == direction &&
                    address == table - memory_base)
                    sum += size;
            return sum;
        };
        op.probabilities = LEVEE_STREAM(0);
        system.producer.stream.assign(800, 0.01f);
        system.time(describe(LEVEE_VE_VOTE, op), true);
        CHECK(bytes(Direction::Read, op.votes) == 200);
        CHECK(bytes(Direction::Write, op.votes) == 200);
        CHECK(bytes(Direction::Read, op.positions) == 400);
        CHECK(asked.work ==
              std::vector<std::pair<std::string, std::uint64_t>>{{"element", 800}, {"compare", 0}});
        system.time(describe(LEVEE_VE_ELECT, op));
        CHECK(bytes(Direction::Read, op.votes) == 200);
        CHECK(bytes(Direction::Write, op.votes) == 0);
        CHECK(figure(system.engine, "elements") == 800);
        CHECK(figure(system.engine, "vectors") == 8);
        CHECK(figure(system.engine, "elected") == 1);
    });
}

TEST_CASE("the first R tokens cast no votes, and a reused slot starts without votes")
{
    VotingSystem system(4096);
    system.run([&] {
        levee_ve_operation op = step(system, 1, 4);
        std::memcpy(system.at(op.probabilities), std::vector<float>{0.7f, 0.1f, 0.1f, 0.1f}.data(),
                    16);
        const auto counts = [&] { return system.get<std::uint16_t>(op.votes, 4); };
        std::memcpy(system.at(op.votes), std::vector<std::uint16_t>{5, 6, 7, 8}.data(), 8);
        op.reserved = 4; // Position 3 is one of the 4 reserved ones.
        CHECK(system.execute(voting, describe(LEVEE_VE_VOTE, op)) == LEVEE_ERROR_NONE);
        CHECK(counts() == std::vector<std::uint16_t>{5, 6, 7, 0});
        op.reserved = 3;
        CHECK(system.execute(voting, describe(LEVEE_VE_VOTE, op)) == LEVEE_ERROR_NONE);
        CHECK(counts() == std::vector<std::uint16_t>{5, 7, 8, 1});
    });
}
