// SPDX-License-Identifier: Apache-2.0
// Tests wrong descriptors. The block refuses each, names the faulty field, and writes nothing.
#include "test/support/bad_operation.hpp"
#include "test/unit/cam/cam_system.hpp"

#include <cmath>
#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;
using Op = levee_cam_operation;

constexpr std::uint64_t nowhere = 0x70'0000'0000;
constexpr std::uint8_t writes = LEVEE_CAM_WRITE, searches = LEVEE_CAM_SEARCH;

using Bad = levee::test::BadOperation<Op>;

const std::vector<Bad> bad_operations{
    {writes, [](Op& o) { o.outer[0] = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, outer)},
    {writes, [](Op& o) { o.rows = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, rows)},
    {writes, [](Op& o) { o.slice_slots = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, slice_slots)},
    {writes, [](Op& o) { o.rows = 21; }, LEVEE_ERROR_FIELD, offsetof(Op, slots)},
    {writes, [](Op& o) { o.n = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, n)},
    // The 16 arrays with 24 cells per row hold 384 elements.
    {writes, [](Op& o) { o.n = 385; }, LEVEE_ERROR_FIELD, offsetof(Op, n)},
    {writes, [](Op& o) { o.n = 1025; }, LEVEE_ERROR_FIELD, offsetof(Op, n)},
    {writes, [](Op& o) { o.type = LEVEE_TYPE_FP16; }, LEVEE_ERROR_FIELD, offsetof(Op, type)},
    {writes, [](Op& o) { o.bits = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, bits)},
    {writes, [](Op& o) { o.bits = 5; }, LEVEE_ERROR_FIELD, offsetof(Op, bits)},
    {writes, [](Op& o) { o.distance = 3; }, LEVEE_ERROR_FIELD, offsetof(Op, distance)},
    {writes, [](Op& o) { o.range = -1; }, LEVEE_ERROR_FIELD, offsetof(Op, range)},
    {writes, [](Op& o) { o.range = NAN; }, LEVEE_ERROR_FIELD, offsetof(Op, range)},
    {writes, [](Op& o) { o.range = 1, o.scales = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, scales)},
    {writes, [](Op& o) { o.first_row = 137; }, LEVEE_ERROR_FIELD, offsetof(Op, first_row)},
    {writes, [](Op& o) { o.vectors = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, vectors)},
    {writes, [](Op& o) { o.vectors += 1; }, LEVEE_ERROR_ADDRESS, offsetof(Op, vectors)},
    {writes, [](Op& o) { o.vectors = nowhere; }, LEVEE_ERROR_ADDRESS, offsetof(Op, vectors)},
    {writes, [](Op& o) { o.vectors = LEVEE_STREAM(0); }, LEVEE_ERROR_ADDRESS,
     offsetof(Op, vectors)},
    {writes, [](Op& o) { o.slots = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, slots)},
    {searches, [](Op& o) { o.lengths = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, lengths)},
    {searches, [](Op& o) { o.counts = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, counts)},
    {searches, [](Op& o) { o.list = nowhere; }, LEVEE_ERROR_ADDRESS, offsetof(Op, list)},
    {searches, [](Op& o) { o.list += 2; }, LEVEE_ERROR_ADDRESS, offsetof(Op, list)},
    {searches, [](Op& o) { o.slice_slots = 19; }, LEVEE_ERROR_FIELD, offsetof(Op, lengths)},
    {searches, [](Op& o) { o.width = 6; }, LEVEE_ERROR_FIELD, offsetof(Op, counts)},
    {searches, [](Op& o) { o.width = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, width)},
    {searches, [](Op& o) { o.any = o.list; }, LEVEE_ERROR_ADDRESS, offsetof(Op, any_count)},
    {searches, [](Op& o) { o.any = o.any_count = o.list, o.any_less = 14; }, LEVEE_ERROR_FIELD,
     offsetof(Op, any_less)},
    {searches, [](Op& o) { o.any = o.list, o.any_count = nowhere; }, LEVEE_ERROR_ADDRESS,
     offsetof(Op, any_count)},
    {searches, [](Op& o) { o.merge = 2; }, LEVEE_ERROR_FIELD, offsetof(Op, merge)},
    {searches, [](Op& o) { o.bits = 1; }, LEVEE_ERROR_FIELD,
     offsetof(Op, first_row)}, // This row was never written.
    {searches, [](Op& o) { o.first_row = 100; }, LEVEE_ERROR_FIELD, offsetof(Op, first_row)},
};

} // namespace

TEST_CASE("wrong descriptors are refused by their wrong field, and change nothing")
{
    CamSystem system;
    system.run([&] {
        const CamCase all(system, 9);
        const Op good = CamCase::format(2, LEVEE_CAM_L2);
        REQUIRE(system.execute(0, describe(writes, all.write(good))) == LEVEE_ERROR_NONE);
        for (std::size_t i = 0; i < bad_operations.size(); ++i) {
            INFO("bad operation " << i);
            const Bad& bad = bad_operations[i];
            Op op = bad.opcode == writes ? all.write(good) : all.search(good);
            bad.spoil(op);
            const std::vector<std::uint8_t> before =
                system.get<std::uint8_t>(memory_base, all.list_at - memory_base + 480);
            CHECK(system.execute(0, describe(bad.opcode, op)) == bad.code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == bad.field());
            CHECK(system.get<std::uint8_t>(memory_base, before.size()) == before);
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        Op op = all.search(good);
        for (const std::uint32_t count : {0u, 14u}) { // The second sequence has 13 rows.
            const std::uint32_t counts[] = {7, count};
            std::memcpy(system.at(all.counts_at), counts, sizeof counts);
            CHECK(system.execute(0, describe(searches, op)) == LEVEE_ERROR_FIELD);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, counts)));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        CHECK(system.execute(0, describe(3, op)) == LEVEE_ERROR_OPCODE);
    });
}

TEST_CASE("the largest memory uses host memory only for written rows")
{
    const cam::Format format{64, 4, LEVEE_CAM_L2, 0};
    cam::Proxies proxies({1u << 20, 64, 256}); // The memory has 2^34 cells.
    proxies.accept(format);
    const std::uint64_t last = proxies.rows_for(format) - 1;
    CHECK(last == (std::uint64_t{1} << 28) - 1);
    for (const std::uint64_t row : {std::uint64_t{7}, std::uint64_t{8}, last}) {
        CHECK_FALSE(proxies.holds(format, row, 1));
        proxies.mark(row);
        proxies.proxy(row)[63] = static_cast<std::uint8_t>(row % 16);
    }
    CHECK(proxies.holds(format, 7, 2));
    CHECK_FALSE(proxies.holds(format, 7, 3));
    CHECK(proxies.holds(format, last, 1));
    CHECK_FALSE(proxies.holds(format, last, 2));
    CHECK(proxies.proxy(last)[63] == 15);
    CHECK(proxies.proxy(8)[63] == 8);
    CHECK(proxies.host_rows() <= 4096);
}

TEST_CASE("writing another format empties the memory")
{
    CamSystem system;
    system.run([&] {
        const CamCase all(system, 9);
        const Op two = CamCase::format(2, LEVEE_CAM_L2), one = CamCase::format(1, LEVEE_CAM_L2);
        REQUIRE(system.execute(0, describe(writes, all.write(two))) == LEVEE_ERROR_NONE);
        REQUIRE(system.execute(0, describe(searches, all.search(two))) == LEVEE_ERROR_NONE);
        REQUIRE(system.execute(0, describe(writes, all.write(one))) == LEVEE_ERROR_NONE);
        CHECK(system.execute(0, describe(searches, all.search(two))) == LEVEE_ERROR_FIELD);
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        CHECK(system.execute(0, describe(searches, all.search(one))) == LEVEE_ERROR_NONE);
    });
}
