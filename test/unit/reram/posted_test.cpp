// SPDX-License-Identifier: Apache-2.0
// Tests posted writes with memories that have a latency, which passes while columns are programmed.
// Also tests the conversions of ragged products.
#include "test/unit/reram/reram_bench.hpp"

namespace {

using namespace levee;
using namespace levee::test;

// t_c is the time of a product (7 bits of 10 ns each); t_w is the time to write one column.
constexpr std::uint64_t t_c = 70'000, t_w = 1'000'000;
constexpr std::uint32_t posted = 8;

/// Returns crossbars whose operations take the memories' latency in addition to their own work.
reram::Config with_latency()
{
    reram::Config config = bare_reram();
    config.queue.timing.latency = true;
    return config;
}

/// Returns how long a queue works on posted writes of one column each, and then on `last`.
std::uint64_t after_posted(ReramBench& bench, const levee_reram_operation& write,
                           std::uint8_t opcode, const levee_reram_operation& last,
                           unsigned block = 0)
{
    levee_reram_operation early = write;
    early.flags = LEVEE_RERAM_POSTED;
    std::vector<levee_descriptor> all(posted, levee::test::describe(LEVEE_RERAM_WRITE, early));
    all.push_back(levee::test::describe(opcode, last));
    const std::uint64_t before = bench.busy(block);
    bench.submit(block, all);
    CHECK(bench.settle(block));
    CHECK(bench.reg(block, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
    return bench.busy(block) - before;
}

} // namespace

TEST_CASE("a wait for programming hides the memories' latency, which counts only once")
{
    ReramBench bench({{with_latency(), DataMode::Functional}});
    bench.run([&] {
        const levee_reram_stage x = stage_of(100, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
        levee_reram_operation write = write_of(bench, x, 1, 12, LEVEE_TYPE_INT8);
        write.a = bench.put(bench.draw<std::int8_t>(12, 127));
        levee_reram_operation read = product_of(bench, {x}, 1, 12, LEVEE_TYPE_INT8);
        read.a = write.a;
        read.out = bench.take(12 * 8);
        const std::uint64_t latency = bench.timed(0, LEVEE_RERAM_PRODUCT, read) - t_c;
        CHECK(latency == hop + memory_latency);
        CHECK(after_posted(bench, write, LEVEE_RERAM_PRODUCT, read) ==
              latency + posted * t_w + t_c);
        // For n columns this is n t_w, minus the n latencies before the product's own work.
        CHECK(bench.real("waited_for_programming_s") * 1e12 ==
              Approx(posted * (t_w - latency)).epsilon(1e-9));
        CHECK(after_posted(bench, write, LEVEE_RERAM_WRITE, write) == latency + (posted + 1) * t_w);
    });
}

TEST_CASE("a wait for programming hides the latency of the producer in a chain")
{
    const auto functional = DataMode::Functional;
    ReramBench bench({{with_latency(), functional}, {with_latency(), functional}},
                     {{"between", 1'000'000'000'000, 0}});
    bench.run([&] {
        const levee_reram_stage x = stage_of(100, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
        levee_reram_operation write = write_of(bench, x, 1, 12, LEVEE_TYPE_INT8);
        write.a = bench.put(bench.draw<std::int8_t>(12, 127));
        levee_reram_operation producer = product_of(bench, {x}, 1, 12, LEVEE_TYPE_INT8);
        producer.a = write.a;
        producer.out_type = LEVEE_TYPE_FP32;
        producer.out_stride[2] = 12 * 4;
        levee_reram_operation consumer = producer;
        producer.out = consumer.a = LEVEE_STREAM(0);
        consumer.out = bench.take(12 * 4);
        bench.submit(0, {levee::test::describe(LEVEE_RERAM_PRODUCT, producer)});
        CHECK(after_posted(bench, write, LEVEE_RERAM_PRODUCT, consumer, 1) ==
              hop + memory_latency + posted * t_w + t_c);
        CHECK(bench.settle(0));
    });
}

TEST_CASE("with a ragged N, only existing lines are converted")
{
    reram::Config config = bare_reram();
    config.timing.conversion = 10'000; // Two ADCs convert the 12 lines in 60 ns.
    ReramBench bench({{config, DataMode::Functional}});
    bench.run([&] {
        const levee_reram_stage x = stage_of(100, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
        levee_reram_operation op = product_of(bench, {x}, 3, 12, LEVEE_TYPE_INT8);
        op.a = bench.put(bench.draw<std::int8_t>(3 * 12, 127));
        op.out = bench.take(3 * 12 * 8);
        CHECK(bench.timed(0, LEVEE_RERAM_PRODUCT, op) == 3 * 7 * 60'000);
        op.ragged = LEVEE_RERAM_RAGGED_N;
        for (const std::uint32_t length : {12u, 5u, 1u}) {
            op.lengths = bench.put(std::vector{length});
            CHECK(bench.timed(0, LEVEE_RERAM_PRODUCT, op) ==
                  3 * 7 * ((length + 1) / 2) * std::uint64_t{10'000});
        }
    });
}

TEST_CASE("units between a head's matrices are not part of it, so there is no wait and no conflict")
{
    ReramBench bench({{bare_reram(), DataMode::Functional}});
    bench.run([&] {
        // Four heads have matrices of one unit each: keys in units 100, 102 and so on, values in
        // 101, 103 and so on.
        levee_reram_stage keys = stage_of(100, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
        keys.unit_stride[1] = 2;
        levee_reram_stage values = keys;
        values.unit = 101;
        levee_reram_operation write = write_of(bench, keys, 1, 12, LEVEE_TYPE_INT8);
        write.a = bench.put(bench.draw<std::int8_t>(12, 127));
        const auto product = [&](const std::vector<levee_reram_stage>& stages) {
            levee_reram_operation op = product_of(bench, stages, 1, 12, LEVEE_TYPE_INT8);
            op.outer[1] = 4;
            op.a = write.a;
            op.out = bench.take(4 * 12 * 8);
            op.out_stride[1] = 12 * 8;
            return op;
        };
        write.outer[1] = 4;
        CHECK(after_posted(bench, write, LEVEE_RERAM_PRODUCT, product({values})) == t_c);
        CHECK(after_posted(bench, write, LEVEE_RERAM_PRODUCT, product({keys})) > posted * t_w);
        keys.result_bits = 8;
        levee_reram_operation chain = product({keys, values});
        chain.flags = LEVEE_RERAM_PIPELINED;
        CHECK(bench.run_one(0, LEVEE_RERAM_PRODUCT, chain) == LEVEE_ERROR_NONE);
        values.unit = 106; // This is the unit of the last keys.
        chain.stages = bench.put(std::vector{keys, values});
        CHECK(bench.run_one(0, LEVEE_RERAM_PRODUCT, chain) == LEVEE_ERROR_FIELD);
    });
}

TEST_CASE("groups of units without a matrix of the operation are idle")
{
    ReramBench bench({{bare_reram(), DataMode::Functional}});
    bench.run([&] {
        levee_reram_stage x = stage_of(0, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
        x.unit_stride[1] = 127; // The matrix uses the first and the last of 128 units in 8 groups.
        levee_reram_operation op = product_of(bench, {x}, 1, 12, LEVEE_TYPE_INT8);
        op.outer[1] = 2;
        op.a = bench.put(bench.draw<std::int8_t>(12, 127));
        op.out = bench.take(2 * 12 * 8);
        op.out_stride[1] = 12 * 8;
        CHECK(bench.run_one(0, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_NONE);
        CHECK(bench.real("group0.busy_s") * 1e12 == Approx(t_c));
        CHECK(bench.real("group3.busy_s") == 0);
        CHECK(bench.real("group7.busy_s") * 1e12 == Approx(t_c));
    });
}
