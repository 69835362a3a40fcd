// SPDX-License-Identifier: Apache-2.0
// Tests which memories may hold packed rows.
#include "test/unit/cpq/cpq_system.hpp"
#include "test/unit/rsa/more_memory.hpp"

using namespace levee;
using namespace levee::test;
using levee::cpq::random_rows;

TEST_CASE("packed rows in two memories, which no stream can bring, change no table")
{
    CpqSystem system;
    MoreMemory more{"more", 64'000'000'000, 5'000};
    system.bus.targets.bind(more.port);
    system.bus.map({"more", memory_base + memory_bytes, memory_bytes, 3, 0});
    system.run([&] {
        const Shape shape{.rows = 4, .vectors = 2, .vector = 8};
        levee_cpq_operation op = place(system, shape, random_rows(9, 4, 16));
        op.flags = LEVEE_CPQ_OPEN;
        REQUIRE(system.run_one(LEVEE_CPQ_COMPRESS, op) == LEVEE_ERROR_NONE);
        levee_cpq_operation back = back_to(system, shape, op);
        REQUIRE(system.run_one(LEVEE_CPQ_EXPAND, back) == LEVEE_ERROR_NONE);
        const auto expanded = system.get<float>(back.data, shape.values());
        levee_cpq_operation wrong = op;
        // These values do not match the levels of the compression table.
        wrong.data = system.put(std::vector<float>(64, 3.0f));
        wrong.packed = memory_base + memory_bytes - 2 * static_cast<unsigned>(op.packed_stride[1]);
        CHECK(system.run_one(LEVEE_CPQ_COMPRESS, wrong) == LEVEE_ERROR_ADDRESS);
        CHECK(system.error_field() == offsetof(levee_cpq_operation, packed));
        system.set_reg(unit, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        back = back_to(system, shape, back);
        REQUIRE(system.run_one(LEVEE_CPQ_EXPAND, back) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(back.data, shape.values()) == expanded);
    });
}
