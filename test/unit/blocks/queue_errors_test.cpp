// SPDX-License-Identifier: Apache-2.0
// Tests which descriptors a command queue refuses, and the messages.
#include "test/unit/blocks/two_engines.hpp"

#include <functional>

namespace {

using namespace levee;
using namespace levee::test;
using System = TwoEngines;

using D = levee_descriptor;
using O = levee_dma_operation;

struct Case {
    levee_command_error code;
    std::size_t field;
    std::function<void(D&, O&)> spoil;
};

/// Returns changes that each make an error in the descriptor's head. `to` is a readable address.
std::vector<Case> malformed_heads(std::uint64_t to)
{
    return {
        {LEVEE_ERROR_MAGIC, 0, [](D& d, O&) { d.magic = 0; }},
        {LEVEE_ERROR_OPCODE, offsetof(D, opcode), [](D& d, O&) { d.opcode = 77; }},
        {LEVEE_ERROR_FIELD, offsetof(D, flags), [](D& d, O&) { d.flags = 0x80; }},
        {LEVEE_ERROR_FIELD, offsetof(D, reserved0), [](D& d, O&) { d.reserved0 = 1; }},
        {LEVEE_ERROR_VERSION, offsetof(D, version), [](D& d, O&) { d.version = 1; }},
        {LEVEE_ERROR_VERSION, offsetof(D, version), [](D& d, O&) { d.version = 3; }},
        {LEVEE_ERROR_FIELD, offsetof(D, continuation_bytes),
         [](D& d, O&) { d.continuation_bytes = 1; }},
        {LEVEE_ERROR_COUNTER, offsetof(D, wait_counter) + 3,
         [](D& d, O&) { d.wait_counter[3] = 16; }},
        {LEVEE_ERROR_COUNTER, offsetof(D, signal_counter) + 1,
         [](D& d, O&) { d.signal_counter[1] = 0xFE; }},
        {LEVEE_ERROR_FIELD, offsetof(D, indirect) + sizeof(levee_indirect),
         [to](D& d, O&) {
             d.indirect[1] = {to, 1, 0, 4};
         }},
        {LEVEE_ERROR_FIELD, offsetof(D, indirect),
         [to](D& d, O&) {
             d.indirect[0] = {to, 1, 100, 2};
         }},
        {LEVEE_ERROR_FIELD, offsetof(D, indirect),
         [to](D& d, O&) {
             d.indirect[0] = {to, 1, 252, 8};
         }},
        {LEVEE_ERROR_ADDRESS, offsetof(D, indirect),
         [](D& d, O&) {
             d.indirect[0] = {64, 1, 100, 4};
         }},
        {LEVEE_ERROR_ADDRESS, offsetof(D, indirect),
         [to](D& d, O&) {
             d.indirect[0] = {to + 2, 1, 100, 4};
         }},
    };
}

/// Returns changes that each make an error in the descriptor's operation.
std::vector<Case> malformed_operations()
{
    return {
        {LEVEE_ERROR_FIELD, operation_field(offsetof(O, count) + 4),
         [](D&, O& o) { o.count[1] = 0; }},
        {LEVEE_ERROR_FIELD, operation_field(offsetof(O, run_bytes)),
         [](D&, O& o) { o.run_bytes = 0; }},
        {LEVEE_ERROR_ADDRESS, operation_field(offsetof(O, destination)),
         [](D&, O& o) { o.destination = 0; }},
        {LEVEE_ERROR_ADDRESS, operation_field(offsetof(O, destination)),
         [](D&, O& o) { o.destination = memory_base + memory_bytes - 63; }},
        {LEVEE_ERROR_ADDRESS, operation_field(offsetof(O, source)),
         [](D& d, O&) { d.opcode = LEVEE_DMA_COPY; }},
        {LEVEE_ERROR_FIELD, operation_field(offsetof(O, destination)),
         [](D&, O& o) { o.count[2] = 5; }}, // Five runs write to the same place.
    };
}

/// Submits a malformed descriptor between valid ones, and checks that the queue stops and resets
/// correctly. `index` is the malformed descriptor's number among all descriptors that the queue has
/// fetched.
void check_stop(System& system, const Case& mistake, std::uint64_t to, std::uint32_t index)
{
    O operation = fill_of(to, 0xEE);
    D good = fill(to + 32, 0x11, 1, 8), bad = describe(LEVEE_DMA_FILL, operation, 0xBAD);
    mistake.spoil(bad, operation);
    std::memcpy(bad.operation, &operation, sizeof operation);
    signal(bad, 0, 0, 1);
    if (mistake.code == LEVEE_ERROR_COUNTER)
        mistake.spoil(bad, operation);
    system.submit(0, {good, bad, good, good});
    CHECK(system.settle(0));
    CHECK((system.reg(0, LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_STOPPED) != 0);
    CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == mistake.code);
    CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == mistake.field);
    CHECK(system.reg(0, LEVEE_CMD_ERROR_INDEX) == index);
    CHECK(system.reg(0, LEVEE_CMD_ERROR_TAG) == 0xBAD);
    CHECK(system.interrupts[0]);
    CHECK(system.reg(0, LEVEE_CMD_IRQ_STATUS) == LEVEE_CMD_IRQ_ERROR);
    // The valid descriptor before the malformed one is done.
    CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == (index + 1) / 2);
    // Two descriptors are still queued.
    CHECK(system.reg(0, LEVEE_CMD_FREE) == queue_depth - 2);
    CHECK(*system.at(to) == 0);
    CHECK(system.sync.value(0) == 0);
    system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    CHECK_FALSE(system.interrupts[0]);
    CHECK(system.reg(0, LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_EMPTY);
    CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
    CHECK(system.reg(0, LEVEE_CMD_FREE) == queue_depth);
}

} // namespace

TEST_CASE("each malformed descriptor stops the queue with its code, index, field and tag")
{
    System system;
    system.run([&] {
        const std::uint64_t to = system.take(64);
        system.set_reg(0, LEVEE_CMD_IRQ_ENABLE, LEVEE_CMD_IRQ_ERROR);
        std::uint32_t taken = 0;
        for (const std::vector<Case>& cases : {malformed_heads(to), malformed_operations()})
            for (const Case& mistake : cases) {
                INFO("code " << mistake.code << ", field " << mistake.field);
                check_stop(system, mistake, to, taken + 1);
                taken += 2;
            }
    });
}

TEST_CASE("an unreadable descriptor, and more descriptors than the queue has places")
{
    System system;
    system.run([&] {
        for (const std::uint64_t address :
             {std::uint64_t{0}, memory_base + memory_bytes - 248, memory_base + 4}) {
            system.submit_at(0, address, 1);
            CHECK(system.settle(0));
            CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_FETCH);
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        const std::uint64_t to = system.take(64);
        std::vector<levee_descriptor> many(queue_depth, fill(to, 1));
        wait_on(many[0], 0, 0, 1);
        system.submit(0, many); // These descriptors just fit into the queue.
        sc_core::wait(1, sc_core::SC_US);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        CHECK(system.reg(0, LEVEE_CMD_FREE) == 1); // The first descriptor is being executed.
        system.submit(0, {many[1], many[1]});
        CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_OVERFLOW);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_INDEX) == 3 + queue_depth);
        system.add(0, 1); // The running operation may end; later ones do not start.
        sc_core::wait(10, sc_core::SC_US);
        CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 1);
        // A stopped queue ignores doorbells until a reset.
        system.submit_at(0, memory_base, 0xFFFF'FFFF);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_OVERFLOW);
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        CHECK(system.execute(0, many[1]) == LEVEE_ERROR_NONE);
        CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 2);
    });
}
