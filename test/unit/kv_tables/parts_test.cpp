// SPDX-License-Identifier: Apache-2.0
// Tests each part of an operation on the tables, in a block that has nothing else.
#include "ip/kv_tables/decision_writer.hpp"
#include "ip/kv_tables/forgetting.hpp"
#include "ip/kv_tables/operation_size.hpp"
#include "ip/kv_tables/table_reader.hpp"
#include "ip/systolic_evictor/declaration.hpp"
#include "test/unit/blocks/acting_block.hpp"
#include "test/unit/systolic_evictor/one_head.hpp"

#include <functional>

using namespace levee;
using namespace levee::test;
using namespace levee::kv_tables;

namespace {

/// A block that only reads the operands of each descriptor; the test does the rest.
struct Part : ActingBlock {
    explicit Part(DataMode data = DataMode::Functional)
        : ActingBlock(systolic_evictor::declaration, data), operands(queue), drawn(queue, operands)
    {
        bus.observe(traffic);
    }

    /// Returns the error code of a descriptor that `what` prepares.
    std::uint32_t prepare(std::uint8_t opcode, const levee_se_operation& op,
                          const std::function<void(Operation&)>& what)
    {
        return with(opcode, op, [&](const levee_descriptor& descriptor, Operation& operation) {
            operands.read(descriptor);
            operands.open(operation);
            what(operation);
        });
    }

    Operands operands;
    DrawnDecisions drawn;
    Traffic traffic;
};

} // namespace

TEST_CASE("the size of an operation follows from its lengths")
{
    Part part;
    part.run([&] {
        OneHead head(part, 100, 99, 1000);
        head.op.group = 3;
        OperationSize size;
        const auto find = [&](std::uint8_t opcode, Ties ties = Ties::Slot) {
            return part.prepare(opcode, head.op,
                                [&](Operation&) { size = size_of(part.operands, 32, ties); });
        };
        CHECK(find(LEVEE_SE_EVICT) == LEVEE_ERROR_NONE);
        CHECK(size.steps == 300);
        CHECK(size.scores == 300);
        CHECK(size.compared == 100);
        CHECK(size.evicted == 1);
        CHECK(size.positions_compared == 0);
        CHECK(find(LEVEE_SE_EVICT, Ties::Earliest) == LEVEE_ERROR_NONE);
        CHECK(size.positions_compared == 100);
        head.op.capacity = 100; // The cache is not full.
        CHECK(find(LEVEE_SE_EVICT) == LEVEE_ERROR_NONE);
        CHECK(size.evicted == 0);
        head.op.scores = 0;
        CHECK(find(LEVEE_SE_SELECT) == LEVEE_ERROR_NONE);
        CHECK(size.steps == 100);
        CHECK(size.scores == 0);
        head.op.capacity = 2;
        head.op.sinks = 3;
        CHECK(find(LEVEE_SE_SELECT) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == operation_field(offsetof(levee_se_operation, capacity)));
    });
}

TEST_CASE("tables are read only up to their valid length")
{
    Part part;
    TableReader tables(part.queue, part.operands);
    part.run([&] {
        OneHead head(part, 5, 4, 1000);
        std::memcpy(part.at(head.op.lengths), std::vector<std::uint32_t>{3}.data(), 4);
        std::memcpy(part.at(head.op.arrival), std::vector<std::uint32_t>{2}.data(), 4);
        std::memcpy(part.at(head.op.importance), std::vector<std::uint16_t>{9, 8, 7, 6}.data(), 8);
        const auto load = [&](Operation&) { tables.load(); };
        CHECK(part.prepare(LEVEE_SE_EVICT, head.op, load) == LEVEE_ERROR_NONE);
        REQUIRE(tables.entries().size() == 1);
        const Head& read = tables.entries()[0].heads.at(0);
        CHECK(read.importance == std::vector<std::uint16_t>{9, 8, 7});
        CHECK(read.positions == std::vector<std::uint32_t>{0, 1, 2});
        CHECK_FALSE(tables.entries()[0].formats);
        CHECK(part.prepare(LEVEE_SE_ACCUMULATE, head.op, load) == LEVEE_ERROR_NONE);
        // This part does not need the positions.
        CHECK(tables.entries()[0].heads.at(0).positions.empty());
    });
}

TEST_CASE("without payload there are no tables")
{
    Part part(DataMode::TimingOnly);
    TableReader tables(part.queue, part.operands);
    part.run([&] {
        const OneHead head(part, 5, 4, 1000);
        CHECK(part.prepare(LEVEE_SE_EVICT, head.op, [&](Operation&) { tables.load(); }) ==
              LEVEE_ERROR_NONE);
        CHECK(tables.entries().empty());
    });
}

TEST_CASE("importance and decisions are written pair by pair, when they are committed")
{
    Part part;
    DecisionWriter writer(part.queue, part.operands, part.drawn);
    part.run([&] {
        OneHead head(part, 3, 2, 1000);
        head.op.outer[1] = 2;
        head.op.importance_stride[1] = 6;
        head.op.positions_stride[1] = 12;
        head.op.table_stride[1] = 4;
        for (std::uint64_t* const table : {&head.op.positions, &head.op.importance})
            *table = part.take(64);
        head.op.arrival = part.put<std::uint32_t>({2, 1});
        head.op.next = part.put<std::uint32_t>({77, 77});
        std::vector<Entry> entries(1);
        Head whole;
        whole.importance = {4, 5, 6};
        whole.positions = {0, 1, 1000};
        whole.next = 1;
        entries[0].heads.assign(2, whole);
        entries[0].heads[1].positions = {0, 1000, 2};
        const auto next = [&] { return part.get<std::uint32_t>(head.op.next, 2); };
        const auto take = [&](Operation& operation) {
            operation.iterations = 2;
            writer.take(entries, {});
            writer.commit(1, 2);
            CHECK(next() == std::vector<std::uint32_t>{77, 1});
            writer.commit(0, 1);
        };
        part.traffic.written.clear();
        CHECK(part.prepare(LEVEE_SE_EVICT, head.op, take) == LEVEE_ERROR_NONE);
        CHECK(next() == std::vector<std::uint32_t>{1, 1});
        CHECK(part.get<std::uint16_t>(head.op.importance, 6) ==
              std::vector<std::uint16_t>{4, 5, 6, 4, 5, 6});
        // For each pair: its importance, the next token's slot, and the arriving token's position.
        CHECK(part.get<std::uint32_t>(head.op.positions, 6) ==
              std::vector<std::uint32_t>{0, 0, 1000, 0, 1000, 0});
    });
}

TEST_CASE("if the cache is full, FORGET discards the rows of the next slot")
{
    Part part;
    Forgetting forgetting(part.queue, part.operands, part.drawn);
    part.run([&] {
        OneHead head(part, 3, 2, 1000);
        head.op.kv_row_bytes = 32;
        head.op.keys = part.take(96);
        head.op.values = part.take(96);
        const auto forget = [&](Operation& operation) {
            operation.iterations = 1;
            const OperationSize size =
                forgetting.prepare(operation, part.operands.policy(Ties::Slot));
            CHECK(size.steps == 1);
        };
        const auto discarded = [&](std::uint32_t next) {
            std::memcpy(part.at(head.op.next), &next, sizeof next);
            part.traffic.discarded.clear();
            CHECK(part.prepare(LEVEE_SE_FORGET, head.op, forget) == LEVEE_ERROR_NONE);
            return part.traffic.discarded;
        };
        using Rows = std::map<std::uint64_t, std::uint64_t>;
        CHECK(discarded(1) == Rows{{head.op.keys + 32, 32}, {head.op.values + 32, 32}});
        head.op.capacity = 3;
        CHECK(discarded(1).empty());
        head.op.capacity = 2;
        const std::uint32_t outside = 3;
        std::memcpy(part.at(head.op.next), &outside, sizeof outside);
        CHECK(part.prepare(LEVEE_SE_FORGET, head.op, forget) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == operation_field(offsetof(levee_se_operation, next)));
    });
}
