// SPDX-License-Identifier: Apache-2.0
// Runs the compression block in a system. Its results equal the reference's; its bytes and times
// follow the rules.
#include "test/support/bad_operation.hpp"
#include "test/unit/blocks/twins.hpp"
#include "test/unit/cpq/cpq_system.hpp"

namespace {

using namespace levee;
using namespace levee::test;
using levee::cpq::random_rows;
using levee::cpq::Table;

cpq::Settings settings_of(const levee_cpq_operation& op)
{
    return {op.bits, op.max_levels, op.threshold, op.tolerance};
}

/// Returns a row's bytes in memory; the row's record gives their number.
std::vector<std::uint8_t> packed_row(Bench& system, const levee_cpq_operation& op, std::size_t row)
{
    const auto record =
        system.get<levee_cpq_record>(op.records + row * sizeof(levee_cpq_record), 1)[0];
    return system.get<std::uint8_t>(op.packed + row * static_cast<unsigned>(op.packed_stride[1]),
                                    record.bytes);
}

/// Runs EXPAND on listed rows of two sequences with 8 and 5 rows. `wide` has the rows before
/// compression.
void check_listed(Bench& system, const levee_cpq_operation& op, const levee_cpq_operation& back,
                  const std::vector<float>& wide)
{
    const std::vector<std::uint32_t> listed{7, 0, 2, 4, 4, 1};
    for (std::size_t o0 = 0; o0 < 2; ++o0) {
        const std::size_t tokens = o0 == 0 ? 8 : 5;
        const std::span<const float> mine = std::span(wide).subspan(o0 * 64, tokens * 8);
        Table table(8, settings_of(op));
        table.open(mine);
        std::vector<std::vector<std::uint8_t>> packed;
        cpq::Counts counts;
        for (std::size_t row = 0; row < tokens; ++row)
            packed.push_back(table.compress(mine.subspan(row * 8, 8), counts));
        for (std::size_t row = 0; row < 3; ++row) {
            std::vector<float> row_values(8), row_scales(2);
            std::vector<std::int16_t> row_codes(8);
            REQUIRE(table.expand(packed[listed[o0 * 3 + row]], row_values));
            cpq::narrow(row_values, row_codes, row_scales);
            CHECK(system.get<std::int16_t>(back.data + (o0 * 64 + row * 8) * 2, 8) == row_codes);
            CHECK(system.get<float>(back.scale + (o0 * 16 + row * 2) * 4, 2) == row_scales);
        }
    }
}

} // namespace

TEST_CASE("a prompt and then single tokens are packed like the reference packs them")
{
    CpqSystem system;
    system.run([&] {
        const Shape shape{.rows = 30, .vectors = 3, .vector = 16};
        const std::vector<float> values = random_rows(1, 30, 48);
        levee_cpq_operation op = place(system, shape, values);
        Table table(48, settings_of(op));
        table.open(std::span(values).first(10 * 48));
        op.rows = 10;
        op.flags = LEVEE_CPQ_OPEN;
        REQUIRE(system.run_one(LEVEE_CPQ_COMPRESS, op) == LEVEE_ERROR_NONE);
        op.flags = 0;
        op.rows = 1;
        for (std::uint32_t row = 10; row < 30; ++row) {
            op.slots = system.put<std::uint32_t>({row});
            REQUIRE(system.run_one(LEVEE_CPQ_COMPRESS, op) == LEVEE_ERROR_NONE);
        }
        cpq::Counts counts;
        std::vector<float> expected(shape.values());
        for (std::size_t row = 0; row < 30; ++row) {
            const auto packed = table.compress(std::span(values).subspan(row * 48, 48), counts);
            CHECK(packed_row(system, op, row) == packed);
            REQUIRE(table.expand(packed, std::span(expected).subspan(row * 48, 48)));
        }
        levee_cpq_operation back = back_to(system, shape, op);
        back.rows = 30;
        back.slots = 0;
        REQUIRE(system.run_one(LEVEE_CPQ_EXPAND, back) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(back.data, shape.values()) == expected);
        CHECK(figure(system.block, "survivors") == counts.survivors);
        CHECK(figure(system.block, "non_zeros") == counts.non_zeros);
        CHECK(figure(system.block, "levels") == counts.opened + 48);
        CHECK(counts.opened > 0);
        CHECK(figure(system.block, "packed_bytes") == 30 + figure(system.block, "index_bytes") +
                                                          figure(system.block, "code_bytes") +
                                                          figure(system.block, "label_bytes"));
        CHECK(figure(system.block, "index_bytes") == 30 * 6);
    });
}

TEST_CASE("INT16 vectors with a scale each, of several sequences, by a list of slots")
{
    CpqSystem system;
    system.run([&] {
        const Shape shape{.outer = 2, .rows = 8, .vectors = 2, .vector = 4};
        const std::vector<float> values = random_rows(3, 16, 8);
        std::vector<std::int16_t> codes(values.size());
        std::vector<float> scales(32), wide(values.size());
        cpq::narrow(values, codes, scales);
        cpq::widen(codes, scales, wide);
        levee_cpq_operation op = place(system, shape, values);
        op.type = LEVEE_TYPE_INT16;
        op.data = system.put(codes);
        op.scale = system.put(scales);
        for (std::int32_t& stride : op.data_stride)
            stride /= 2;
        for (std::size_t i = 0; i < 3; ++i)
            op.scale_stride[i] = op.data_stride[i] / 2;
        op.flags = LEVEE_CPQ_OPEN;
        op.lengths = system.put<std::uint32_t>({9, 6}); // The sequences have 8 and 5 rows.
        op.length_less = 1;
        op.lengths_stride = 4;
        REQUIRE(system.run_one(LEVEE_CPQ_COMPRESS, op) == LEVEE_ERROR_NONE);
        levee_cpq_operation back = back_to(system, shape, op);
        back.scale = system.take(4 * 32);
        back.rows = 3;
        back.lengths = 0;
        back.slots = system.put<std::uint32_t>({7, 0, 2, 4, 4, 1});
        back.slots_stride = 12;
        REQUIRE(system.run_one(LEVEE_CPQ_EXPAND, back) == LEVEE_ERROR_NONE);
        check_listed(system, op, back, wide);
    });
}

TEST_CASE("pruning, quantisation and dequantisation units process one group at a time")
{
    CpqSystem system;
    system.run([&] {
        // A row of 20 values has 3 groups of 8 lanes.
        const Shape shape{.rows = 5, .vectors = 1, .vector = 20};
        std::vector<float> values(100, 1.0f);
        values[0] = 0; // Pruning keeps all other values of channel 0.
        const levee_cpq_operation op = place(system, shape, values);
        levee_cpq_operation open = op;
        open.flags = LEVEE_CPQ_OPEN;
        constexpr Picoseconds lead = fetch + hop + memory_latency;
        // OPEN first finds the ranges of the 5 rows and makes one table: 6 x 3 groups of 2 cycles.
        // Then 15 groups are pruned and quantised in 5 cycles each, and each of 20 channels opens a
        // level, which takes 20 cycles.
        CHECK(system.time(LEVEE_CPQ_COMPRESS, open) == lead + (18 * 2 + 15 * 5 + 20 * 20) * cycle);
        CHECK(system.time(LEVEE_CPQ_COMPRESS, op) == lead + 15 * 5 * cycle);
        // The rows store 19, 20, 20, 20 and 20 values, which is 3 groups each.
        CHECK(system.time(LEVEE_CPQ_EXPAND, back_to(system, shape, op)) == lead + 15 * 2 * cycle);
        levee_cpq_operation none = open;
        none.threshold = 2;
        CHECK(system.time(LEVEE_CPQ_COMPRESS, none) == lead + (18 * 2 + 15 * 5) * cycle);
        CHECK(system.time(LEVEE_CPQ_EXPAND, back_to(system, shape, none)) == lead + 5 * 2 * cycle);
    });
}

TEST_CASE("several sequences in one descriptor take the time of one descriptor each")
{
    CpqSystem system;
    system.run([&] {
        // A row of 20 values has 3 groups of 8 lanes.
        const Shape shape{.outer = 2, .rows = 5, .vectors = 1, .vector = 20};
        levee_cpq_operation op = place(system, shape, std::vector<float>(200, 1.0f));
        op.flags = LEVEE_CPQ_OPEN;
        const auto cycles_of = [&](const levee_cpq_operation& what) {
            const std::uint64_t before = figure(system.block, "cycles");
            CHECK(system.run_one(LEVEE_CPQ_COMPRESS, what) == LEVEE_ERROR_NONE);
            return figure(system.block, "cycles") - before;
        };
        levee_cpq_operation single = op;
        single.outer = 1;
        const std::uint64_t one = cycles_of(single);
        CHECK(one == 18 * 2 + 15 * 5 + 20 * 20);
        single.table = 1;
        single.data += static_cast<std::uint32_t>(op.data_stride[0]);
        CHECK(cycles_of(single) == one);
        CHECK(cycles_of(op) == 2 * one);
        op.lengths = system.put<std::uint32_t>({0, 5}); // The first sequence has no rows.
        op.lengths_stride = 4;
        CHECK(cycles_of(op) == one);
    });
}

TEST_CASE("a table too large for the scale-zero buffer is refused")
{
    const Shape shape{.vectors = 4, .vector = 16};
    CpqSystem system(cpq_config(2 * LEVEE_CPQ_TABLE_BYTES(64, 4)));
    system.run([&] {
        levee_cpq_operation op = place(system, shape, std::vector<float>(64, 1.0f));
        CHECK(system.reg(unit, LEVEE_CPQ_SZ_BYTES) == 2 * 64 * (4 * 8 + 12));
        op.table = 1;
        CHECK(system.run_one(LEVEE_CPQ_COMPRESS, op) == LEVEE_ERROR_NONE);
        op.table = 2;
        CHECK(system.run_one(LEVEE_CPQ_COMPRESS, op) == LEVEE_ERROR_FIELD);
        CHECK(system.error_field() == offsetof(levee_cpq_operation, table));
    });
}

TEST_CASE("tables of different sizes must fit the scale-zero buffer together")
{
    CpqSystem system(cpq_config(2 * LEVEE_CPQ_TABLE_BYTES(64, 4)));
    system.run([&] {
        levee_cpq_operation narrow =
            place(system, {.vectors = 4, .vector = 16}, std::vector<float>(64, 1.0f));
        levee_cpq_operation wide =
            place(system, {.vectors = 8, .vector = 16}, std::vector<float>(128, 1.0f));
        wide.flags = LEVEE_CPQ_OPEN;
        const auto refused = [&](const levee_cpq_operation& op) {
            const bool at_table = system.run_one(LEVEE_CPQ_COMPRESS, op) == LEVEE_ERROR_FIELD &&
                                  system.error_field() == offsetof(levee_cpq_operation, table);
            system.set_reg(unit, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            return at_table;
        };
        REQUIRE(system.run_one(LEVEE_CPQ_COMPRESS, narrow) == LEVEE_ERROR_NONE);
        narrow.table = 1;
        REQUIRE(system.run_one(LEVEE_CPQ_COMPRESS, narrow) == LEVEE_ERROR_NONE);
        CHECK(refused(wide)); // This table is too large together with table 1.
        REQUIRE(system.run_one(LEVEE_CPQ_RESET, narrow) == LEVEE_ERROR_NONE);
        // The smaller table replaces table 0 and fits.
        CHECK(system.run_one(LEVEE_CPQ_COMPRESS, wide) == LEVEE_ERROR_NONE);
        CHECK(refused(narrow));
    });
}

namespace {

using Op = levee_cpq_operation;
using Bad = levee::test::BadOperation<Op>;

constexpr std::uint8_t compress = LEVEE_CPQ_COMPRESS, expand = LEVEE_CPQ_EXPAND;
constexpr std::uint64_t nowhere = 0x70'0000'0000;
const std::vector<Bad> bad_operations{
    {0, [](Op&) {}, LEVEE_ERROR_OPCODE, Bad::no_member},
    {4, [](Op&) {}, LEVEE_ERROR_OPCODE, Bad::no_member},
    {compress, [](Op& o) { o.outer = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, outer)},
    {compress, [](Op& o) { o.vector = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, vector)},
    {compress, [](Op& o) { o.outer = 2, o.table_step = 0; }, LEVEE_ERROR_FIELD,
     offsetof(Op, table_step)},
    {compress, [](Op& o) { o.bits = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, bits)},
    {compress, [](Op& o) { o.bits = 9; }, LEVEE_ERROR_FIELD, offsetof(Op, bits)},
    // The rows have 3 bits.
    {compress, [](Op& o) { o.bits = 4; }, LEVEE_ERROR_FIELD, offsetof(Op, bits)},
    {compress, [](Op& o) { o.max_levels = 65; }, LEVEE_ERROR_FIELD, offsetof(Op, max_levels)},
    {compress, [](Op& o) { o.threshold = -1; }, LEVEE_ERROR_FIELD, offsetof(Op, threshold)},
    {compress, [](Op& o) { o.tolerance = kNan; }, LEVEE_ERROR_FIELD, offsetof(Op, tolerance)},
    {compress, [](Op& o) { o.flags = 2; }, LEVEE_ERROR_FIELD, offsetof(Op, flags)},
    {expand, [](Op& o) { o.flags = 1; }, LEVEE_ERROR_FIELD, offsetof(Op, flags)},
    {compress, [](Op& o) { o.type = LEVEE_TYPE_INT8; }, LEVEE_ERROR_FIELD, offsetof(Op, type)},
    {compress, [](Op& o) { o.rows = 0xFFFFFFFF; }, LEVEE_ERROR_FIELD, offsetof(Op, rows)},
    {compress, [](Op& o) { o.data = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, data)},
    {compress, [](Op& o) { o.data += 2; }, LEVEE_ERROR_ADDRESS, offsetof(Op, data)},
    {compress, [](Op& o) { o.data = nowhere; }, LEVEE_ERROR_ADDRESS, offsetof(Op, data)},
    {compress, [](Op& o) { o.scale = o.data; }, LEVEE_ERROR_ADDRESS, offsetof(Op, scale)},
    {compress, [](Op& o) { o.packed = nowhere; }, LEVEE_ERROR_ADDRESS, offsetof(Op, packed)},
    {compress, [](Op& o) { o.records = nowhere; }, LEVEE_ERROR_ADDRESS, offsetof(Op, records)},
    {compress, [](Op& o) { o.packed_stride[1] = 3; }, LEVEE_ERROR_FIELD,
     offsetof(Op, packed_stride) + 4},
    {compress, [](Op& o) { o.lengths = o.records, o.length_less = 1u << 30; }, LEVEE_ERROR_FIELD,
     offsetof(Op, lengths)},
    {expand, [](Op& o) { o.records += 2 * sizeof(levee_cpq_record); }, LEVEE_ERROR_FIELD,
     offsetof(Op, records)},
    {expand, [](Op& o) { o.table = 1; }, LEVEE_ERROR_FIELD, offsetof(Op, packed)},
};

} // namespace

TEST_CASE("the wrong field is named, and no table changes")
{
    CpqSystem system;
    system.run([&] {
        const Shape shape{.rows = 2, .vectors = 2, .vector = 8};
        levee_cpq_operation op = place(system, shape, random_rows(9, 2, 16));
        system.take(256);
        REQUIRE(system.run_one(compress, op) == LEVEE_ERROR_NONE);
        const auto packed = packed_row(system, op, 1);
        for (std::size_t i = 0; i < bad_operations.size(); ++i) {
            INFO("bad operation " << i);
            Op wrong = op;
            bad_operations[i].spoil(wrong);
            CHECK(system.run_one(bad_operations[i].opcode, wrong) == bad_operations[i].code);
            CHECK(system.reg(unit, LEVEE_CMD_ERROR_FIELD) == bad_operations[i].field());
            system.set_reg(unit, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        REQUIRE(system.run_one(compress, op) == LEVEE_ERROR_NONE);
        CHECK(packed_row(system, op, 1) == packed); // The levels are unchanged.
        op.bits = 4;
        op.outer = 1;
        REQUIRE(system.run_one(LEVEE_CPQ_RESET, op) == LEVEE_ERROR_NONE);
        CHECK(system.run_one(compress, op) == LEVEE_ERROR_NONE); // The table has been dropped.
    });
}

TEST_CASE("an error in one sequence does not change the tables of earlier sequences")
{
    CpqSystem system;
    system.run([&] {
        const Shape shape{.outer = 2, .rows = 4, .vectors = 2, .vector = 8};
        levee_cpq_operation op = place(system, shape, random_rows(9, 8, 16));
        op.flags = LEVEE_CPQ_OPEN;
        REQUIRE(system.run_one(compress, op) == LEVEE_ERROR_NONE);
        levee_cpq_operation back = back_to(system, shape, op);
        REQUIRE(system.run_one(expand, back) == LEVEE_ERROR_NONE);
        const auto expanded = system.get<float>(back.data, shape.values());
        levee_cpq_operation wrong = op;
        // These levels do not match the table.
        wrong.data = system.put(std::vector<float>(64, 3.0f));
        wrong.data_stride[0] = 1 << 30; // This stride leads beyond the memory.
        CHECK(system.run_one(compress, wrong) == LEVEE_ERROR_ADDRESS);
        CHECK(system.error_field() == offsetof(levee_cpq_operation, data));
        system.set_reg(unit, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        back = back_to(system, shape, back);
        REQUIRE(system.run_one(expand, back) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(back.data, shape.values()) == expanded);
    });
}

namespace {

struct CpqTwins : Bench {
    Memo memo;
    Fabric real{flows, sync, streams, DataMode::Functional, {&memo, nullptr, nullptr}};
    Fabric shapes{flows, sync, streams, DataMode::TimingOnly, {nullptr, &memo, nullptr}};
    cpq::Cpq one{"one", cpq_config(), real}, other{"other", cpq_config(), shapes};
    MoreMemory more{"more", 64'000'000'000, 5'000};
    Asked asked[2];

    CpqTwins() : Bench("bench")
    {
        connect(one.queue);
        connect(other.queue);
        levee::test::connect(*this, more, 2);
        one.queue.observe(asked[0]);
        other.queue.observe(asked[1]);
    }
};

} // namespace

TEST_CASE("a timing-only run with recorded records has the functional run's accesses and times")
{
    CpqTwins system;
    system.run([&] {
        const Shape shape{.outer = 2, .rows = 12, .vectors = 2, .vector = 10};
        levee_cpq_operation op = place(system, shape, random_rows(7, 24, 20));
        levee_cpq_operation back = back_to(system, shape, op);
        std::memcpy(system.more.storage().data(), system.at(memory_base), system.mark());
        for (levee_cpq_operation* const moved : {&op, &back}) {
            moved->data += more_base - memory_base;
            moved->packed += more_base - memory_base;
        }
        op.lengths = back.lengths = system.put<std::uint32_t>({12, 5});
        op.lengths_stride = back.lengths_stride = 4;
        op.flags = LEVEE_CPQ_OPEN;
        const auto same = [&](std::uint8_t opcode, const levee_cpq_operation& what) {
            const Outcome first = execute_on(system, system.more, 0, describe(opcode, what));
            const auto records = system.get<std::uint8_t>(op.records, 24 * 24);
            if (opcode == LEVEE_CPQ_COMPRESS)
                std::memset(system.at(op.records), 0, records.size());
            const Outcome second = execute_on(system, system.more, 1, describe(opcode, what));
            check_same(first, system.asked[0], second, system.asked[1]);
            CHECK(first.error == LEVEE_ERROR_NONE);
            CHECK(system.get<std::uint8_t>(op.records, records.size()) == records);
        };
        same(LEVEE_CPQ_COMPRESS, op);
        same(LEVEE_CPQ_EXPAND, back);
        for (const char* const name : {"packed_bytes", "label_bytes", "levels", "survivors",
                                       "expanded.packed_bytes", "cycles"})
            CHECK(figure(system.one, name) == figure(system.other, name));
    });
}

TEST_CASE("a refused EXPAND creates no table, not even in a timing-only run")
{
    CpqTwins system;
    system.run([&] {
        const Shape shape{.rows = 2, .vectors = 2, .vector = 10};
        levee_cpq_operation op = place(system, shape, random_rows(7, 2, 20));
        for (const unsigned block : {0u, 1u}) {
            INFO("block " << block);
            CHECK(system.execute(block, describe(LEVEE_CPQ_EXPAND, op)) == LEVEE_ERROR_FIELD);
            CHECK(system.reg(block, LEVEE_CMD_ERROR_FIELD) ==
                  operation_field(offsetof(levee_cpq_operation, records))); // The sequence has no
                                                                            // records.
            system.set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            levee_cpq_operation other = op;
            other.bits = 4;
            other.rows = 0;
            CHECK(system.execute(block, describe(LEVEE_CPQ_COMPRESS, other)) == LEVEE_ERROR_NONE);
        }
    });
}
