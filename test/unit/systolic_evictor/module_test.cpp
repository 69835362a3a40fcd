// SPDX-License-Identifier: Apache-2.0
// Runs the evictor in a system. Its results equal the reference's, from memory and from a stream.
// Its time follows the timing rule, and it writes and discards only data of the cache's slots.
#include "test/unit/systolic_evictor/one_head.hpp"

namespace {

using namespace levee;
using namespace levee::test;

constexpr Picoseconds memory_lead = fetch + hop + memory_latency;

} // namespace

TEST_CASE(
    "every operation leaves the reference's memory contents, with scores in memory or a stream")
{
    EvictorSystem system;
    system.run([&] {
        std::uint32_t streamed = 0, changed = 0;
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 800; ++seed) {
            const auto opcode = static_cast<std::uint8_t>(1 + seed % 4);
            INFO("seed " << seed << ", opcode " << unsigned{opcode});
            system.release(mark);
            Evictions evictions(system, opcode, seed);
            const std::vector<std::uint8_t> before = evictions.memory();
            const std::vector<std::uint8_t> expected = evictions.expected();
            auto op = evictions.op;
            if (opcode <= LEVEE_SE_EVICT && op.scores != 0 && seed % 3 == 0) {
                system.producer.stream = evictions.streamed();
                op.scores = LEVEE_STREAM(0);
                system.submit(source, {describe(1, op)});
                ++streamed;
            }
            REQUIRE(system.execute(evictor, describe(opcode, op)) == LEVEE_ERROR_NONE);
            const auto now = system.get<std::uint8_t>(memory_base, expected.size());
            REQUIRE(now == expected);
            changed += now != before ? 1 : 0;
        }
        CHECK(streamed > 80);
        CHECK(changed > 700);
    });
}

TEST_CASE("the evictor takes one score per cycle, and gives the index one cycle after the last")
{
    EvictorSystem system;
    system.run([&] {
        for (const std::uint32_t tokens : {1u, 31u, 32u, 33u, 200u}) {
            const OneHead head(system, tokens, tokens, 1000);
            CHECK(system.time(describe(LEVEE_SE_EVICT, head.op)) ==
                  memory_lead + (tokens + 1) * cycle);
        }
        OneHead head(system, 100, 100, 1000);
        head.op.scores = 0; // The chain still examines every token.
        CHECK(system.time(describe(LEVEE_SE_EVICT, head.op)) == memory_lead + 101 * cycle);
        OneHead group(system, 100, 100, 1000);
        group.op.group = 3;
        CHECK(system.time(describe(LEVEE_SE_EVICT, group.op)) == memory_lead + 301 * cycle);
    });
}

TEST_CASE("the evictor takes several scores per cycle")
{
    EvictorSystem system(8);
    system.run([&] {
        const OneHead head(system, 101, 101, 1000);
        CHECK(system.time(describe(LEVEE_SE_EVICT, head.op)) == memory_lead + (13 + 1) * cycle);
    });
}

TEST_CASE("SELECT searches bit by bit if there is a choice, and POPULAR passes twice")
{
    EvictorSystem system;
    system.run([&] {
        OneHead head(system, 64, 16, 1000);
        CHECK(system.time(describe(LEVEE_SE_SELECT, head.op)) ==
              memory_lead + (64 * 17 + 1) * cycle);
        head.op.flags = LEVEE_SE_RANDOM;
        CHECK(system.time(describe(LEVEE_SE_SELECT, head.op)) ==
              memory_lead + (64 * 33 + 1) * cycle);
        head.op.flags = 0;
        head.op.capacity = 64;
        CHECK(system.time(describe(LEVEE_SE_SELECT, head.op)) == memory_lead + 65 * cycle);
        levee_se_formats formats{};
        formats.rows = 4;
        for (std::uint64_t* const table :
             {&formats.redirect, &formats.slot_of, &formats.holders, &formats.x_positions,
              &formats.x_gather, &formats.current, &formats.used})
            *table = system.take(4 * 65);
        head.op.formats = system.put(std::vector<levee_se_formats>{formats});
        CHECK(system.time(describe(LEVEE_SE_POPULAR, head.op)) ==
              memory_lead + (2 * 64 + 1 + 1) * cycle);
    });
}

TEST_CASE("with a stream, the evictor ends one cycle after its producer unless it is slower")
{
    EvictorSystem system;
    system.run([&] {
        OneHead head(system, 64, 64, 1000);
        head.op.scores = LEVEE_STREAM(0);
        system.producer.stream.assign(64, 0.5f);
        for (const std::uint64_t cycles : {64u, 100u, 1000u}) {
            system.producer.busy = cycles * cycle;
            CHECK(system.time(describe(LEVEE_SE_EVICT, head.op), true) ==
                  fetch + fill + (cycles + 1) * cycle);
            CHECK(system.settle(source));
        }
        system.producer.busy = 10 * cycle;
        CHECK(system.time(describe(LEVEE_SE_EVICT, head.op), true) == fetch + fill + 65 * cycle);
    });
}

TEST_CASE("a producer of another shape stops both blocks, and nothing is written")
{
    EvictorSystem system;
    system.run([&] {
        OneHead head(system, 64, 64, 1000);
        head.op.scores = LEVEE_STREAM(0);
        for (const std::size_t elements : {0u, 63u, 65u, 128u}) {
            system.producer.stream.assign(elements, 0.5f);
            system.traffic.written.clear();
            system.submit(source, {describe(1, head.op)});
            CHECK(system.execute(evictor, describe(LEVEE_SE_EVICT, head.op)) == LEVEE_ERROR_STREAM);
            CHECK(system.error_field() == offsetof(levee_se_operation, scores));
            CHECK(system.settle(source));
            CHECK(system.reg(source, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_STREAM);
            CHECK(system.traffic.written.empty());
            for (const unsigned block : {evictor, source})
                system.set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            sc_core::wait(1, sc_core::SC_US);
        }
    });
}

namespace {

void set_words(EvictorSystem& system, std::uint64_t at, const auto& values)
{
    std::memcpy(system.at(at), values.data(), values.size() * sizeof values[0]);
}

} // namespace

TEST_CASE("the arriving token takes the slot that the previous step's victim has left")
{
    EvictorSystem system;
    system.run([&] {
        // There are three slots for two tokens. Slots 0 and 1 begin with importances of 0.5 and
        // 0.25; the 999 in the free slot 2 is left over from an earlier token. Each victim has the
        // least importance once the step's scores are added.
        OneHead head(system, 3, 2, 10);
        head.op.arrival = head.op.next;
        head.op.kv_row_bytes = 32;
        head.op.keys = system.take(3 * 32);
        head.op.values = system.take(3 * 32);
        const auto set = [&](std::uint64_t at, auto values) { set_words(system, at, values); };
        set(head.op.next, std::vector<std::uint32_t>{2});
        set(head.op.importance, std::vector<std::uint16_t>{8192, 4096, 999});
        const std::vector<float> scores[] = {{0, 0, 1}, {0, 1, 0}, {0, 0.25f, 0}};
        const std::uint32_t slots[] = {2, 1, 0}; // These are the slots for t = 10, 11 and 12.
        const std::uint32_t victims[] = {1, 0, 2};
        for (std::uint32_t step = 0; step < 3; ++step) {
            set(head.op.now, std::vector<std::uint32_t>{10 + step});
            set(head.op.scores, scores[step]);
            system.traffic.written.clear();
            system.traffic.discarded.clear();
            CHECK(system.execute(evictor, describe(LEVEE_SE_EVICT, head.op)) == LEVEE_ERROR_NONE);
            const auto& written = system.traffic.written;
            const auto wrote = [&](std::uint64_t at, std::uint64_t bytes) {
                return std::count(written.begin(), written.end(), std::pair(at, bytes)) == 1;
            };
            CHECK(wrote(head.op.positions + 4 * slots[step], 4));
            CHECK(wrote(head.op.next, 4));
            CHECK(wrote(head.op.importance, 6));
            CHECK(written.size() == 3);
            CHECK(system.get<std::uint32_t>(head.op.positions, 3)[slots[step]] == 10 + step);
            CHECK(system.get<std::uint32_t>(head.op.next, 1)[0] == victims[step]);
            // Nothing is discarded, because attention may still need the data.
            CHECK(system.traffic.discarded.empty());
            CHECK(system.execute(evictor, describe(LEVEE_SE_FORGET, head.op)) == LEVEE_ERROR_NONE);
            CHECK(system.traffic.discarded == std::map<std::uint64_t, std::uint64_t>{
                                                  {head.op.keys + 32 * victims[step], 32},
                                                  {head.op.values + 32 * victims[step], 32}});
        }
    });
}

namespace {

/// Returns two input rows. Row 0 holds the token of slot 0; row 1 is free.
levee_se_formats two_rows(EvictorSystem& system)
{
    levee_se_formats formats{};
    formats.rows = 2;
    formats.arrival_row = 7;
    formats.redirect = system.put<std::uint32_t>({0, LEVEE_SE_NONE, 7, LEVEE_SE_NONE});
    formats.slot_of = system.put<std::uint32_t>({0, LEVEE_SE_NONE});
    formats.holders = system.put<std::uint32_t>({1, 0});
    formats.x_positions = system.put<std::uint32_t>({0, 0});
    formats.current = system.put<std::uint32_t>({1});
    formats.used = system.put<std::uint32_t>({1});
    formats.x = system.take(256);
    formats.x_stride[1] = 128;
    formats.x_row_bytes = 96;
    return formats;
}

} // namespace

TEST_CASE("a token stored as an input discards its slot's rows, and the input is freed once no "
          "head uses it")
{
    EvictorSystem system;
    system.run([&] {
        OneHead head(system, 3, 2, 10);
        levee_se_operation& op = head.op;
        op.scores = 0;
        op.kv_row_bytes = 32;
        op.keys = system.take(3 * 32);
        op.values = system.take(3 * 32);
        const levee_se_formats formats = two_rows(system);
        op.formats = system.put(std::vector<levee_se_formats>{formats});
        system.traffic.discarded.clear();
        CHECK(system.execute(evictor, describe(LEVEE_SE_EVICT, op)) == LEVEE_ERROR_NONE);
        // The token in slot 0 is evicted, which was the input in row 0. The token in slot 2 arrives
        // in row 1.
        CHECK(system.traffic.discarded == std::map<std::uint64_t, std::uint64_t>{{formats.x, 96}});
        system.traffic.discarded.clear();
        CHECK(system.execute(evictor, describe(LEVEE_SE_FORGET, op)) == LEVEE_ERROR_NONE);
        CHECK(system.traffic.discarded ==
              std::map<std::uint64_t, std::uint64_t>{
                  {op.keys, 32}, {op.keys + 64, 32}, {op.values, 32}, {op.values + 64, 32}});
        CHECK(system.get<std::uint32_t>(formats.redirect, 3) ==
              std::vector<std::uint32_t>{7, LEVEE_SE_NONE, 1});
        CHECK(system.get<std::uint32_t>(formats.holders, 2) == std::vector<std::uint32_t>{0, 1});
        CHECK(system.get<std::uint32_t>(formats.slot_of, 2) ==
              std::vector<std::uint32_t>{LEVEE_SE_NONE, 2});
        CHECK(system.get<std::uint32_t>(formats.current, 1)[0] == 0);
        CHECK(system.get<std::uint32_t>(formats.used, 1)[0] == 2);
    });
}

namespace {

/// The data that FORGET discards after an EVICT, and the number of heads for each reason.
struct Discards {
    std::map<std::uint64_t, std::uint64_t> rows;
    std::uint32_t left = 0, stored = 0, neither = 0;

    /// `current` has the states of the sequences before the EVICT.
    void expect(EvictorSystem& system, const levee_se_operation& op,
                const std::vector<std::uint32_t>& arrivals,
                const std::vector<std::uint32_t>& current)
    {
        rows.clear();
        const auto lengths = system.get<std::uint32_t>(op.lengths, 4u * op.outer[0]);
        const auto next = system.get<std::uint32_t>(op.next, 4u * op.outer[0]);
        for (std::uint32_t i = 0; i < 4u * op.outer[0]; ++i) { // 4 words for each sequence.
            if (i % 4 >= op.outer[1])
                continue;
            const bool leaves = lengths[i / 4 * 4] > op.capacity;
            const bool is_input = current[i / 4 * 2] != LEVEE_SE_NONE;
            if (leaves)
                expect_row(op, i, next[i]);
            if (is_input)
                expect_row(op, i, arrivals[i]);
            left += leaves;
            stored += is_input;
            neither += !leaves && !is_input;
        }
    }

private:
    void expect_row(const levee_se_operation& op, std::uint32_t i, std::uint32_t slot)
    {
        for (const std::uint64_t base : {op.keys, op.values})
            rows[base + static_cast<std::uint64_t>(op.kv_stride[0]) * (i / 4) +
                 static_cast<std::uint64_t>(op.kv_stride[1]) * (i % 4) + 32 * slot] = 32;
    }
};

} // namespace

TEST_CASE("FORGET discards only the rows of victims and of tokens stored as inputs")
{
    EvictorSystem system;
    system.run([&] {
        Discards expected;
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 400; ++seed) {
            INFO("seed " << seed);
            system.release(mark);
            Evictions evictions(system, LEVEE_SE_EVICT, seed);
            levee_se_operation op = evictions.op;
            if (op.keys == 0)
                continue;
            const auto arrivals = system.get<std::uint32_t>(op.arrival, 4u * op.outer[0]);
            std::vector<std::uint32_t> current(2u * op.outer[0], LEVEE_SE_NONE);
            if (op.formats != 0)
                current = system.get<std::uint32_t>(evictions.formats.current, current.size());
            REQUIRE(system.execute(evictor, describe(LEVEE_SE_EVICT, op)) == LEVEE_ERROR_NONE);
            expected.expect(system, op, arrivals, current);
            op.arrival = system.put(arrivals); // `next` may have been the same table.
            op.flags = 0;
            const auto before = evictions.memory();
            system.traffic.discarded.clear();
            system.traffic.written.clear();
            REQUIRE(system.execute(evictor, describe(LEVEE_SE_FORGET, op)) == LEVEE_ERROR_NONE);
            CHECK(system.traffic.discarded == expected.rows);
            CHECK(system.traffic.written.empty());
            CHECK(system.get<std::uint8_t>(memory_base, before.size()) == before);
        }
        CHECK(expected.left > 100);
        CHECK(expected.stored > 50);
        CHECK(expected.neither > 20);
    });
}

TEST_CASE("FORGET takes one cycle per head, plus one")
{
    EvictorSystem system;
    system.run([&] {
        const OneHead one(system, 64, 63, 1000);
        CHECK(system.time(describe(LEVEE_SE_FORGET, one.op)) == fetch + 2 * cycle);
    });
}

TEST_CASE("partial signals count heads whose results are already written")
{
    EvictorSystem system;
    system.run([&] {
        Evictions evictions(system, LEVEE_SE_ACCUMULATE, 3);
        auto descriptor = describe(LEVEE_SE_ACCUMULATE, evictions.op);
        descriptor.signal_counter[0] = 5;
        descriptor.signal_add[0] = 1;
        descriptor.signal_every[0] = 1;
        CHECK(system.execute(evictor, descriptor) == LEVEE_ERROR_NONE);
        CHECK(evictions.heads() > 1);
        CHECK(system.counter(5) == evictions.heads());
        CHECK(system.reg(evictor, LEVEE_CMD_ID) == LEVEE_BLOCK_SYSTOLIC_EVICTOR);
        CHECK(system.reg(evictor, LEVEE_SE_ROWS) == 32);
    });
}
