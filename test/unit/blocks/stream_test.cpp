// SPDX-License-Identifier: Apache-2.0
// Tests chained blocks: the array sends its products to the function unit through a stream port.
#include "core/numerics/numerics.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <algorithm>
#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

constexpr unsigned array = 0, unit = 1; // numbers of the blocks
constexpr std::uint32_t products = 4, rows = 8, n = 64, k = 64;
constexpr std::uint64_t stream_bytes = products * rows * n * 4;
constexpr Picoseconds fill = 7'000;
constexpr Picoseconds cycle = 1000;
constexpr Picoseconds latencies = fetch + 2 * (hop + memory_latency) + fill;

struct System : Bench {
    rsa::Rsa rsa{
        "rsa", {Clock{1'000'000'000}, {32, 32, 128, 1024, true}, false, queue_config}, fabric};
    sfu::Sfu sfu;

    System(std::uint64_t port_rate, std::uint32_t sfu_lanes)
        : Bench("bench", {{"scores", port_rate, fill}, {"other", port_rate, fill}},
                256'000'000'000),
          sfu("sfu", {Clock{1'000'000'000}, sfu_lanes, 4, queue_config}, fabric)
    {
        connect(rsa.queue);
        connect(sfu.queue);
    }

    /// Returns an operation that computes ragged scores of 2 x 2 heads with INT16 operands.
    levee_rsa_operation scores(std::uint64_t out)
    {
        levee_rsa_operation op{};
        op.outer[0] = op.outer[1] = 2;
        op.m1 = rows;
        op.m0 = 1;
        op.k = k;
        op.n = n;
        op.a_type = op.b_type = LEVEE_TYPE_INT16;
        op.flags = LEVEE_RSA_B_TRANSPOSED;
        op.alpha = 1e-9f;
        op.a_stride[2] = op.b_stride[2] = 2 * k;
        op.a_stride[1] = 2 * k * rows;
        op.b_stride[1] = 2 * k * n;
        op.a_stride[0] = 2 * op.a_stride[1];
        op.b_stride[0] = 2 * op.b_stride[1];
        std::vector<std::int16_t> a(products * rows * k), b(products * n * k);
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = static_cast<std::int16_t>(random_word(1, 1, i));
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = static_cast<std::int16_t>(random_word(2, 1, i));
        op.a = put(a);
        op.b = put(b);
        op.ragged = LEVEE_RSA_RAGGED_N;
        op.lengths = lengths();
        op.lengths_stride[0] = 4;
        op.out = out;
        op.out_stride[2] = 4 * n;
        op.out_stride[1] = 4 * n * rows;
        op.out_stride[0] = 2 * op.out_stride[1];
        return op;
    }
    levee_sfu_operation softmax(std::uint64_t x, std::uint64_t out)
    {
        levee_sfu_operation op{};
        op.outer[0] = op.outer[1] = 2;
        op.rows = rows;
        op.n = n;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.flags = LEVEE_SFU_CAUSAL;
        op.lengths = lengths();
        op.lengths_stride[0] = 4;
        op.x = x;
        op.out = out;
        op.x_stride[2] = op.out_stride[2] = 4 * n;
        op.x_stride[1] = op.out_stride[1] = 4 * n * rows;
        op.x_stride[0] = op.out_stride[0] = 2 * op.out_stride[1];
        return op;
    }
    std::uint64_t lengths()
    {
        if (lengths_ == 0)
            lengths_ = put<std::uint32_t>({40, n});
        return lengths_;
    }
    /// Rings both doorbells at once and returns the time until both blocks have signalled.
    Picoseconds run_chain(levee_descriptor producer, levee_descriptor consumer)
    {
        for (levee_descriptor* descriptor : {&producer, &consumer}) {
            descriptor->signal_counter[0] = 0;
            descriptor->signal_add[0] = 1;
        }
        const std::uint32_t before = sync.value(0);
        submit(array, {producer});
        submit(unit, {consumer});
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) != before + 2)
            sc_core::wait(sync.changed(0));
        return now_ps() - begun;
    }
    Picoseconds chain_time();
    std::uint32_t error(unsigned block) { return reg(block, LEVEE_CMD_ERROR_CODE); }
    bool is_idle(unsigned block) { return reg(block, LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_EMPTY; }
    void reset(unsigned block)
    {
        set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        sc_core::wait(1, sc_core::SC_US);
    }

private:
    std::uint64_t lengths_ = 0;
};

levee_descriptor gemm(const levee_rsa_operation& op)
{
    return describe(LEVEE_RSA_GEMM, op);
}
levee_descriptor softmax(const levee_sfu_operation& op)
{
    return describe(LEVEE_SFU_SOFTMAX, op);
}

Picoseconds System::chain_time()
{
    const std::uint64_t out = take(stream_bytes);
    return run_chain(gemm(scores(LEVEE_STREAM(0))), ::softmax(softmax(LEVEE_STREAM(0), out)));
}

} // namespace

TEST_CASE("softmax on the array's stream gives the same bits as through memory, several times")
{
    System system(64'000'000'000, 8);
    system.run([&] {
        const std::uint64_t between = system.take(stream_bytes);
        const std::uint64_t by_memory = system.take(stream_bytes),
                            by_stream = system.take(stream_bytes);
        CHECK(system.execute(array, gemm(system.scores(between))) == LEVEE_ERROR_NONE);
        CHECK(system.execute(unit, softmax(system.softmax(between, by_memory))) ==
              LEVEE_ERROR_NONE);
        const auto expected = system.get<std::uint32_t>(by_memory, stream_bytes / 4);
        CHECK(std::count(expected.begin(), expected.end(), 0u) > 0);
        CHECK(std::count(expected.begin(), expected.end(), 0u) < 1500);

        const auto producer = gemm(system.scores(LEVEE_STREAM(0)));
        const auto consumer = softmax(system.softmax(LEVEE_STREAM(0), by_stream));
        system.submit(array, {producer, producer, producer});
        for (int i = 0; i < 3; ++i) {
            std::memset(system.at(by_stream), 0xFF, stream_bytes);
            CHECK(system.execute(unit, consumer) == LEVEE_ERROR_NONE);
            CHECK(system.get<std::uint32_t>(by_stream, stream_bytes / 4) == expected);
        }
        CHECK(system.settle(array));
        CHECK(system.reg(array, LEVEE_CMD_DONE_COUNT) == 4);
    });
}

TEST_CASE("a chain takes the time of its slowest block plus the fill, here the array")
{
    System system(64'000'000'000, 64);
    // INT16 x INT16 takes 4 passes over 8 rows. A fold loads 2 KiB at 128 bytes a cycle, which
    // takes 16 cycles, less than 32. Heads of 40 and 64 columns take 2 x 2 folds each.
    system.run([&] { CHECK(system.chain_time() == latencies + (4 * 4 * 32 + 62) * cycle); });
}

TEST_CASE("a chain takes the time of its slowest block plus the fill, here the function unit")
{
    System system(64'000'000'000, 2);
    // Two passes over 64 elements, at two elements a cycle.
    system.run(
        [&] { CHECK(system.chain_time() == latencies + (products * rows * 2 * 32 + 4) * cycle); });
}

TEST_CASE("a slow port delays both ends")
{
    System system(1'000'000'000, 64);
    system.run([&] { CHECK(system.chain_time() == latencies + stream_bytes * cycle); });
}

TEST_CASE("partners wait for each other, whichever starts first")
{
    System system(64'000'000'000, 8);
    system.run([&] {
        const std::uint64_t out = system.take(stream_bytes);
        const auto producer = gemm(system.scores(LEVEE_STREAM(1)));
        const auto consumer = softmax(system.softmax(LEVEE_STREAM(1), out));
        for (const bool producer_first : {true, false}) {
            system.submit(producer_first ? array : unit, {producer_first ? producer : consumer});
            sc_core::wait(20, sc_core::SC_US);
            CHECK((system.reg(producer_first ? array : unit, LEVEE_CMD_STATUS) &
                   LEVEE_CMD_STATUS_BUSY) != 0);
            system.submit(producer_first ? unit : array, {producer_first ? consumer : producer});
            CHECK(system.settle(array));
            CHECK(system.settle(unit));
        }
        CHECK(system.reg(array, LEVEE_CMD_DONE_COUNT) == 2);
        CHECK(system.reg(unit, LEVEE_CMD_DONE_COUNT) == 2);
    });
}

TEST_CASE("a shape on which the ends disagree stops both queues")
{
    System system(64'000'000'000, 8);
    system.run([&] {
        const std::uint64_t out = system.take(stream_bytes);
        auto shorter = system.softmax(LEVEE_STREAM(0), out);
        shorter.outer[0] = 1;
        system.submit(array, {gemm(system.scores(LEVEE_STREAM(0)))});
        system.submit(unit, {softmax(shorter)});
        CHECK(system.settle(array));
        CHECK(system.settle(unit));
        CHECK(system.error(array) == LEVEE_ERROR_STREAM);
        CHECK(system.error(unit) == LEVEE_ERROR_STREAM);
        CHECK(system.reg(array, LEVEE_CMD_ERROR_FIELD) ==
              offsetof(levee_descriptor, operation) + offsetof(levee_rsa_operation, out));
        CHECK(system.reg(unit, LEVEE_CMD_ERROR_FIELD) ==
              offsetof(levee_descriptor, operation) + offsetof(levee_sfu_operation, x));
        CHECK(system.reg(array, LEVEE_CMD_DONE_COUNT) == 0);
        system.reset(array);
        system.reset(unit);
        system.submit(array, {gemm(system.scores(LEVEE_STREAM(0)))});
        CHECK(system.execute(unit, softmax(system.softmax(LEVEE_STREAM(0), out))) ==
              LEVEE_ERROR_NONE);
        CHECK(system.settle(array));
        CHECK(system.is_idle(array));
    });
}

TEST_CASE("a reset ends the wait for a partner, and the port is free again")
{
    System system(64'000'000'000, 8);
    system.run([&] {
        const std::uint64_t out = system.take(stream_bytes);
        const auto producer = gemm(system.scores(LEVEE_STREAM(0)));
        const auto consumer = softmax(system.softmax(LEVEE_STREAM(0), out));
        for (const unsigned block : {array, unit}) {
            system.submit(block, {block == array ? producer : consumer});
            sc_core::wait(20, sc_core::SC_US);
            system.reset(block);
            CHECK(system.is_idle(block));
            CHECK(system.reg(block, LEVEE_CMD_DONE_COUNT) == 0);
        }
        system.submit(unit, {consumer});
        CHECK(system.execute(array, producer) == LEVEE_ERROR_NONE);
        CHECK(system.settle(unit));
        CHECK(system.is_idle(unit));
        CHECK(system.reg(array, LEVEE_CMD_DONE_COUNT) == 1);
        CHECK(system.reg(unit, LEVEE_CMD_DONE_COUNT) == 1);
    });
}

TEST_CASE("the number of events of a chain does not grow with the data")
{
    System system(64'000'000'000, 8);
    system.run([&] {
        const std::uint64_t out = system.take(stream_bytes);
        const auto deltas = [&](std::uint16_t m) {
            auto producer = system.scores(LEVEE_STREAM(0));
            auto consumer = system.softmax(LEVEE_STREAM(0), out);
            producer.m1 = consumer.rows = m;
            const sc_dt::uint64 before = sc_core::sc_delta_count();
            system.run_chain(gemm(producer), softmax(consumer));
            return sc_core::sc_delta_count() - before;
        };
        const auto few = deltas(1);
        CHECK(few < 40);
        CHECK(deltas(rows) == few);
    });
}
