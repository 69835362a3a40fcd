// SPDX-License-Identifier: Apache-2.0
// Tests the command queue through its sockets.
#include "core/abi/boot_info.h"
#include "test/unit/blocks/two_engines.hpp"

namespace {

using namespace levee;
using namespace levee::test;
using System = TwoEngines;

} // namespace

TEST_CASE("the registers give identity, free places and number of completed descriptors")
{
    System system;
    system.run([&] {
        CHECK(system.reg(0, LEVEE_CMD_ID) == LEVEE_BLOCK_DMA);
        CHECK(system.reg(0, LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_EMPTY);
        CHECK(system.reg(0, LEVEE_CMD_FREE) == queue_depth);
        const std::uint64_t to = system.take(64);
        std::vector<levee_descriptor> descriptors(4, fill(to, 1));
        wait_on(descriptors[0], 0, 0, 1);
        system.submit(0, descriptors);
        sc_core::wait(1, sc_core::SC_US);
        CHECK(system.reg(0, LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_BUSY);
        // One descriptor waits in execution.
        CHECK(system.reg(0, LEVEE_CMD_FREE) == queue_depth - 3);
        CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 0);
        system.add(0, 1);
        CHECK(system.settle(0));
        CHECK(system.reg(0, LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_EMPTY);
        CHECK(system.reg(0, LEVEE_CMD_FREE) == queue_depth);
        CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 4);
    });
}

TEST_CASE("registers refuse wrong access modes and sizes")
{
    System system;
    system.run([&] {
        std::uint32_t word = 0;
        const std::uint64_t page = Bench::base(0);
        const auto read = [&](std::uint64_t offset, unsigned bytes) {
            return system.access(tlm::TLM_READ_COMMAND, page + offset, &word, bytes);
        };
        const auto write = [&](std::uint64_t offset) {
            return system.access(tlm::TLM_WRITE_COMMAND, page + offset, &word, 4);
        };
        CHECK(read(LEVEE_CMD_SUBMIT, 4) == tlm::TLM_COMMAND_ERROR_RESPONSE);
        CHECK(write(LEVEE_CMD_STATUS) == tlm::TLM_COMMAND_ERROR_RESPONSE);
        CHECK(read(LEVEE_CMD_STATUS, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
        CHECK(read(LEVEE_CMD_STATUS + 2, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK(read(0x7C, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
}

TEST_CASE("a descriptor starts when all four waits hold, across the wrap of a counter")
{
    System system;
    system.run([&] {
        const std::uint64_t to = system.take(64);
        levee_descriptor waiting = fill(to, 7);
        system.set_counter(2, 0xFFFF'FFFE);
        wait_on(waiting, 0, 0, 1);
        wait_on(waiting, 1, 1, 5);
        wait_on(waiting, 2, 2, 1); // The counter is still 3 too low.
        wait_on(waiting, 3, 3, 0); // This condition holds already.
        signal(waiting, 0, 4, 3);
        signal(waiting, 1, 5, 0xFFFF);
        system.submit(0, {waiting});
        const auto still_waiting = [&] {
            sc_core::wait(5, sc_core::SC_US);
            return *system.at(to) == 0 && system.counter(4) == 0;
        };
        system.add(2, 2); // The counter wraps to 0.
        CHECK(still_waiting());
        system.add(1, 9);
        CHECK(still_waiting());
        system.add(0, 1);
        CHECK(still_waiting());
        system.add(2, 1);
        CHECK(system.settle(0));
        CHECK(*system.at(to) == 7);
        CHECK(system.counter(4) == 3);
        CHECK(system.counter(5) == 0xFFFF);
    });
}

TEST_CASE("a fence holds back later descriptors, and only signals")
{
    System system;
    system.run([&] {
        const std::uint64_t to = system.take(64);
        levee_descriptor fence = fill(to, 0xFF); // A fence ignores its operation.
        fence.opcode = LEVEE_OPCODE_FENCE;
        wait_on(fence, 0, 0, 1);
        signal(fence, 0, 4, 1);
        levee_descriptor behind = fill(to, 7);
        signal(behind, 0, 4, 1);
        system.submit(0, {fence, behind});
        sc_core::wait(5, sc_core::SC_US);
        CHECK(*system.at(to) == 0);
        CHECK(system.counter(4) == 0);
        system.add(0, 1);
        CHECK(system.settle(0));
        CHECK(*system.at(to) == 7);
        CHECK(system.counter(4) == 2);
        CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 2);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE(
    "with signals every k iterations, a waiting block sees exactly the data up to its iteration")
{
    System system;
    system.run([&] {
        constexpr std::uint32_t runs = 11, run_bytes = 512;
        const std::uint64_t to = system.take(runs * run_bytes);
        levee_descriptor producer = fill(to, 9, runs, run_bytes);
        // Signals come after 3, 6 and 9 iterations, and after 11 with the remainder.
        signal(producer, 0, 0, 1, 3);
        signal(producer, 1, 1, 10); // The signal comes at the end.
        system.submit(0, {producer});
        const Picoseconds begun = now_ps() - hop;
        const std::uint32_t expected[] = {3, 6, 9, 11};
        for (std::uint32_t i = 0; i < 4; ++i) {
            system.wait_for(0, i + 1);
            const Picoseconds run_ps = run_bytes * 1000 / 32; // The memory moves 32 bytes per ns.
            CHECK(now_ps() - begun == fetch + hop + memory_latency + expected[i] * run_ps);
            std::uint32_t written = 0;
            for (std::uint32_t b = 0; b < runs * run_bytes; ++b)
                written += *system.at(to + b) == 9;
            CHECK(written == expected[i] * run_bytes);
            CHECK(*system.at(to + expected[i] * run_bytes - 1) == 9);
            CHECK(system.sync.value(0) == i + 1);
            CHECK(system.sync.value(1) == (i == 3 ? 10 : 0));
        }
        CHECK(system.settle(0));
        CHECK(system.counter(0) == 4);
    });
}

TEST_CASE("two blocks hand tiles to each other through counters, without the core")
{
    System system;
    system.run([&] {
        constexpr std::uint32_t tiles = 4, tile = 4096;
        const std::uint64_t from = system.take(tiles * tile), ring = system.take(tile),
                            to = system.take(tiles * tile);
        for (std::uint32_t i = 0; i < tiles * tile; ++i)
            *system.at(from + i) = static_cast<std::uint8_t>(i * 7 + i / tile);
        std::vector<levee_descriptor> in, out;
        for (std::uint32_t i = 0; i < tiles; ++i) {
            in.push_back(copy(from + i * tile, ring, tile));
            wait_on(in.back(), 0, 1, i); // Waits until the ring is free again.
            signal(in.back(), 0, 0, 1);
            out.push_back(copy(ring, to + i * tile, tile));
            wait_on(out.back(), 0, 0, i + 1);
            signal(out.back(), 0, 1, 1);
        }
        system.submit(1, out);
        system.submit(0, in);
        system.wait_for(1, tiles);
        CHECK(system.get<std::uint8_t>(from, tiles * tile) ==
              system.get<std::uint8_t>(to, tiles * tile));
        CHECK(system.settle(0));
        CHECK(system.settle(1));
    });
}

TEST_CASE("indirect operands are read at the operation's start, then scaled and added")
{
    System system;
    system.run([&] {
        const std::uint64_t words = system.put<std::uint32_t>({0, 2});
        const std::uint64_t to = system.take(4096);
        levee_descriptor moved = fill(to, 5);
        moved.indirect[0] = {
            words, -256,
            static_cast<std::uint16_t>(operation_field(offsetof(levee_dma_operation, destination))),
            8};
        moved.indirect[1] = {
            words + 4, 3,
            static_cast<std::uint16_t>(operation_field(offsetof(levee_dma_operation, run_bytes))),
            4};
        reinterpret_cast<levee_dma_operation*>(moved.operation)->destination += 4 * 256;
        wait_on(moved, 0, 0, 1);
        system.submit(0, {moved});
        sc_core::wait(1, sc_core::SC_US);
        system.write(words, 3); // The word is written after the doorbell but before the start.
        system.add(0, 1);
        CHECK(system.settle(0));
        CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        const auto bytes = system.get<std::uint8_t>(to, 4096);
        for (std::uint32_t i = 0; i < bytes.size(); ++i)
            CHECK(bytes[i] == (i >= 256 && i < 256 + 64 + 2 * 3 ? 5 : 0));
    });
}

TEST_CASE("a reset drops waiting descriptors, whatever they wait for")
{
    System system;
    system.run([&] {
        const std::uint64_t to = system.take(1 << 16);
        levee_descriptor waiting = fill(to, 1);
        wait_on(waiting, 0, 0, 1);
        // Resets during the descriptor's fetch, and while it waits for a counter.
        for (const double after_ns : {5.0, 500.0}) {
            system.submit(0, {waiting, fill(to, 2)});
            sc_core::wait(after_ns, sc_core::SC_NS);
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            sc_core::wait(1, sc_core::SC_US);
            CHECK(system.reg(0, LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_EMPTY);
            CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 0);
            CHECK(*system.at(to) == 0);
        }
        // An operation that already moves bytes runs to its end. Later ones are dropped.
        system.submit(0, {fill(to, 3, 1, 1 << 16), fill(to, 4)});
        sc_core::wait(1, sc_core::SC_US);
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        system.submit(0, {fill(to, 5, 1, 8)});
        CHECK(system.settle(0));
        CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 2);
        CHECK(*system.at(to) == 5);
        CHECK(*system.at(to + 8) == 3);
        CHECK(*system.at(to + (1 << 16) - 1) == 3);
    });
}

TEST_CASE("the done interrupt comes with its descriptor and ends when cleared or disabled")
{
    System system;
    system.run([&] {
        const std::uint64_t to = system.take(64);
        levee_descriptor last = fill(to, 1);
        last.flags = LEVEE_DESC_IRQ;
        system.submit(0, {fill(to, 2)});
        CHECK(system.settle(0));
        CHECK(system.reg(0, LEVEE_CMD_IRQ_STATUS) == 0);
        system.submit(0, {last});
        CHECK(system.settle(0));
        CHECK(system.reg(0, LEVEE_CMD_IRQ_STATUS) == LEVEE_CMD_IRQ_DONE);
        CHECK_FALSE(system.interrupts[0]); // The interrupt is not enabled.
        system.set_reg(0, LEVEE_CMD_IRQ_ENABLE, 0xFFFF'FFFF);
        CHECK(system.reg(0, LEVEE_CMD_IRQ_ENABLE) == (LEVEE_CMD_IRQ_DONE | LEVEE_CMD_IRQ_ERROR));
        CHECK(system.interrupts[0]);
        // This bit belongs to another interrupt.
        system.set_reg(0, LEVEE_CMD_IRQ_STATUS, LEVEE_CMD_IRQ_ERROR);
        CHECK(system.interrupts[0]);
        system.set_reg(0, LEVEE_CMD_IRQ_STATUS, LEVEE_CMD_IRQ_DONE);
        CHECK_FALSE(system.interrupts[0]);
        CHECK_FALSE(system.interrupts[1]);
    });
}

TEST_CASE("the sync unit's comparator interrupts while its counter has reached the value")
{
    System system;
    bool level = false;
    system.sync.on_interrupt = [&](bool now) { level = now; };
    system.run([&] {
        system.set_counter(7, 0xFFFF'FFFF);
        system.write(sync_base + LEVEE_SYNC_IRQ_COUNTER, 7);
        system.write(sync_base + LEVEE_SYNC_IRQ_VALUE, 1);
        CHECK_FALSE(level);
        system.write(sync_base + LEVEE_SYNC_IRQ_ENABLE, 1);
        CHECK_FALSE(level);
        system.add(6, 100);
        system.add(7, 1);
        CHECK_FALSE(level);
        system.add(7, 1);
        CHECK(level);
        system.set_counter(7, 0);
        CHECK_FALSE(level);
        system.write(sync_base + LEVEE_SYNC_IRQ_COUNTER, 16); // This counter does not exist.
        CHECK_FALSE(level);
        CHECK(system.read(sync_base + LEVEE_SYNC_COUNTERS) == 16);
        CHECK(system.read(sync_base + LEVEE_SYNC_ID) == LEVEE_BLOCK_SYNC);
    });
}

TEST_CASE("the number of kernel events does not grow with bytes, runs or unsignalled iterations")
{
    System system;
    system.run([&] {
        const std::uint64_t to = system.take(1 << 20);
        const auto deltas = [&](levee_descriptor descriptor, std::uint32_t every) {
            signal(descriptor, 0, 0, 1);
            signal(descriptor, 1, 1, 1, every);
            const std::uint32_t before = system.sync.value(0);
            system.submit(0, {descriptor});
            const sc_dt::uint64 start = sc_core::sc_delta_count();
            system.wait_for(0, before + 1);
            return sc_core::sc_delta_count() - start;
        };
        const auto small = deltas(fill(to, 1, 1, 16), 0);
        CHECK(small <= 10);
        CHECK(deltas(fill(to, 1, 1, 1 << 20), 0) == small);
        CHECK(deltas(fill(to, 1, 1 << 14, 64), 0) == small);
        CHECK(deltas(fill(to, 1, 1 << 14, 64), 1 << 14) == small);
        // Each of the two signals during the operation causes one event, although there are 16384
        // iterations.
        CHECK(deltas(fill(to, 1, 1 << 14, 64), 5500) <= small + 2 * 2);
    });
}
