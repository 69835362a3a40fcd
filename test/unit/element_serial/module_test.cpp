// SPDX-License-Identifier: Apache-2.0
#include "test/unit/element_serial/random_vectors.hpp"

#include <map>
#include <string>

using namespace levee;
using namespace levee::test;
using element_serial::Function;

namespace {

struct Ledger : CommandObserver {
    std::map<std::string, std::uint64_t> work;
    void costs(const CommandQueue&, const levee_descriptor&, std::span<const FlowUse>,
               std::span<const CountedEvent> events) override
    {
        work.clear();
        for (const CountedEvent& event : events)
            work[event.event->name] = event.count;
    }
};

} // namespace

TEST_CASE("random operations equal the reference row by row, and write nothing else")
{
    constexpr std::uint32_t tile = 8;
    SerialSystem system(1'024'000'000'000, tile);
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 400; ++seed) {
            system.release(mark);
            SerialWork work(system, seed, tile);
            work.fill_results();
            INFO("seed " << seed);
            const std::vector<std::uint8_t> expected = work.expected();
            CHECK(expected != work.memory());
            const std::uint64_t here = system.mark();
            CHECK(system.execute(0, describe(work.opcode, work.op)) == LEVEE_ERROR_NONE);
            system.release(here);
            CHECK(work.memory() == expected);
        }
    });
}

TEST_CASE("the unit reports its tile size in a register")
{
    SerialSystem system;
    system.run([&] {
        CHECK(system.reg(0, LEVEE_CMD_ID) == LEVEE_BLOCK_ELEMENT_SERIAL);
        CHECK(system.reg(0, LEVEE_ES_TILE) == 32);
    });
}

TEST_CASE("the unit takes an element per cycle, plus a fill independent of the length")
{
    // By hand: conversion to FP16 takes 3 stages and sums take 3. A softmax also takes 32 cycles in
    // the FIFO and 1 + 4 up to the exponential.
    constexpr std::uint64_t softmax_fill = 3 + 32 + 1 + 4 + 3, norm_fill = 3 + 1 + 3;
    SerialSystem system;
    system.run([&] {
        for (const std::uint32_t n : {1u, 31u, 32u, 33u, 512u, 4096u}) {
            INFO("n " << n);
            auto op = system.plain(Function::Softmax, 1, 1, n);
            CHECK(system.cycles(LEVEE_ES_REDUCE, op) == n + softmax_fill);
            // A division takes 15 cycles. Then come a difference, an exponential, a product and a
            // rounding.
            CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 15 + n + 1 + 4 + 1 + 1);
            op.function = LEVEE_ES_RMS_NORM;
            CHECK(system.cycles(LEVEE_ES_REDUCE, op) == n + norm_fill);
            // The factors take a division, a sum, a root and another division. Each element takes a
            // difference, two products, a sum and a rounding.
            CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 15 + 1 + 15 + 15 + n + 5);
            op.function = LEVEE_ES_LAYER_NORM;
            CHECK(system.cycles(LEVEE_ES_REDUCE, op) == n + norm_fill);
            CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 15 + 1 + 2 + 15 + 15 + n + 5);
        }
    });
}

TEST_CASE("vectors follow without a gap, short ones take a tile's time or their factors' time")
{
    SerialSystem system;
    system.run([&] {
        auto op = system.plain(Function::Softmax, 4, 3, 100);
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == 12 * 100 + 43);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 15 + 12 * 100 + 7);
        system.set_lengths(op, {10, 90, 20, 5});
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == 3 * 32 + 3 * 90 + 3 * 32 + 2 * 32 + 5 + 43);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) ==
              15 + 3 * 16 + 3 * 90 + 3 * 20 + 2 * 16 + 5 + 7);
        op.lengths = 0;
        op.n = 10;
        op.function = LEVEE_ES_RMS_NORM;
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == 12 * 10 + 7);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 46 + 11 * 47 + 10 + 5);
        op.n = 100;
        // One more cycle passes while the multiplier computes the next vector's variance.
        op.function = LEVEE_ES_LAYER_NORM;
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 48 + 11 * 101 + 100 + 5);
    });
}

TEST_CASE("rows of a causal block take the time of the elements that each row sees")
{
    SerialSystem system;
    system.run([&] {
        auto op = system.plain(Function::Softmax, 2, 60, 80);
        op.flags = LEVEE_ES_CAUSAL;
        std::uint64_t reduce = 0, normalise = 0;
        for (int head = 0; head < 2; ++head)
            for (std::uint64_t length = 21; length <= 80; ++length) {
                reduce += std::max<std::uint64_t>(length, 32);
                normalise += std::max<std::uint64_t>(length, 16);
            }
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == reduce + 43);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == normalise + 15 + 7);
    });
}

TEST_CASE("rows with a window take the time of the elements in it")
{
    SerialSystem system;
    system.run([&] {
        auto op = system.plain(Function::Softmax, 2, 60, 80);
        op.window = 50;
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == 2 * 60 * 50 + 43);
        op.flags = LEVEE_ES_CAUSAL;
        std::uint64_t reduce = 0, normalise = 0;
        for (int head = 0; head < 2; ++head)
            for (std::uint64_t length = 21; length <= 80; ++length) {
                reduce += std::clamp<std::uint64_t>(length, 32, 50);
                normalise += std::min<std::uint64_t>(length, 50);
            }
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == reduce + 43);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == normalise + 15 + 7);
        op.window = 10; // Each row takes its minimum time: 32 cycles (REDUCE) or 16 (NORMALISE).
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == 119 * 32 + 10 + 43);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 119 * 16 + 10 + 15 + 7);
    });
}

TEST_CASE("ragged and causal rows read only their valid elements")
{
    SerialSystem system(1'000'000'000); // At 1 ns per byte, all other times are negligible.
    system.run([&] {
        auto op = system.plain(Function::Softmax, 2, 4, 512);
        system.set_lengths(op, {400, 500});
        op.flags = LEVEE_ES_CAUSAL;
        const std::uint64_t elements = 397 + 398 + 399 + 400 + 497 + 498 + 499 + 500;
        const std::uint64_t statistics = 8 * 8, out = 8 * 512 * 2;
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == 2 * elements + statistics + out + 43);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) == 2 * elements + statistics + out + 15 + 7);
        op.x_type = LEVEE_TYPE_FP32;
        op.x = system.take(8 * 512 * 4);
        op.x_stride[2] = 4 * 512;
        op.x_stride[1] = 4 * 4 * 512;
        CHECK(system.cycles(LEVEE_ES_REDUCE, op) == 4 * elements + statistics + out + 43);
        // The gain and the bias are read again for each vector.
        op = system.plain(Function::LayerNorm, 1, 4, 512);
        op.gain = op.bias = system.take(4 * 512);
        CHECK(system.cycles(LEVEE_ES_NORMALISE, op) ==
              4 * (2 * 512 + 2 * 4 * 512 + 8 + 2 * 512) + 48 + 5);
    });
}

TEST_CASE("partial signals come with the results of each group")
{
    SerialSystem system;
    system.run([&] {
        auto op = system.plain(Function::Softmax, 5, 2, 300);
        levee_descriptor descriptor = describe(LEVEE_ES_REDUCE, op);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        descriptor.signal_every[0] = 1;
        std::memset(system.at(op.statistics), 0xFF, 5 * 2 * 8);
        system.submit(0, {descriptor});
        for (std::uint32_t done = 0; done < 5;) {
            sc_core::wait(system.sync.changed(0));
            done = system.sync.value(0);
            const auto sums = system.get<levee_es_statistics>(op.statistics, 10);
            for (std::uint32_t i = 0; i < 10; ++i)
                CHECK((sums[i].second == 300.0f) == (i < 2 * done));
        }
        CHECK(system.settle(0));
    });
}

TEST_CASE("the energy ledger gets the events of each function")
{
    SerialSystem system;
    Ledger ledger;
    system.unit.queue.observe(ledger);
    using Work = std::map<std::string, std::uint64_t>;
    system.run([&] {
        // A vector of 100 elements has 4 tiles.
        auto op = system.plain(Function::Softmax, 2, 1, 100);
        const auto done = [&](std::uint8_t opcode) {
            CHECK(system.execute(0, describe(opcode, op)) == LEVEE_ERROR_NONE);
            return ledger.work;
        };
        CHECK(done(LEVEE_ES_REDUCE) ==
              Work{{"add", 2 * (200 + 2 * 3 + 1)}, {"multiply", 2 * 103}, {"exp", 2 * 103}});
        CHECK(done(LEVEE_ES_NORMALISE) ==
              Work{{"add", 200}, {"multiply", 200}, {"exp", 200}, {"divide", 2}});
        op.function = LEVEE_ES_LAYER_NORM;
        CHECK(done(LEVEE_ES_REDUCE) == Work{{"add", 2 * (200 + 2 * 3 + 2)}, {"multiply", 200}});
        op.gain = op.bias = system.take(400);
        CHECK(done(LEVEE_ES_NORMALISE) ==
              Work{{"add", 404}, {"multiply", 402}, {"divide", 6}, {"sqrt", 2}});
        op.function = LEVEE_ES_RMS_NORM;
        op.bias = 0;
        CHECK(done(LEVEE_ES_NORMALISE) ==
              Work{{"add", 2}, {"multiply", 400}, {"divide", 4}, {"sqrt", 2}});
        CHECK(figure(system.unit, "elements") == 5 * 200);
    });
}
