// SPDX-License-Identifier: Apache-2.0
// Tests ideal timing, in which only the array's streams through memory take time.
#include "ip/dma/module.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"

namespace {

using namespace levee;
using namespace levee::test;

constexpr unsigned array = 0, unit = 1, engine = 2;
constexpr CommandQueueConfig streams_only{queue_depth, fetch, 0, {false, false, false, true}};
constexpr CommandQueueConfig instant{queue_depth, fetch, 0, {false, false, false, false}};
constexpr std::uint32_t k = 64, n = 128;
// Bytes of a product. A is read once for every 8 columns of the result.
constexpr std::uint64_t product_bytes = 2 * k * (n / 8) + k * n + 4 * n;
constexpr Picoseconds product_time = product_bytes * 1000 / 32; // 32 bytes per ns

struct System : Bench {
    rsa::Rsa rsa{"rsa", {Clock{1'000'000'000}, {8, 8, 1, 16, true}, false, streams_only}, fabric};
    sfu::Sfu sfu{"sfu", {Clock{1'000'000'000}, 1, 100, instant}, fabric};
    dma::Dma dma{"dma", {Clock{1'000'000'000}, 1, instant}, fabric};

    System() : Bench("bench", {{"port", 1'000'000'000, 5'000}})
    {
        connect(rsa.queue);
        connect(sfu.queue);
        connect(dma.queue);
    }
    levee_rsa_operation product(std::uint64_t out)
    {
        levee_rsa_operation op{};
        op.outer[0] = op.outer[1] = op.m1 = op.m0 = 1;
        op.k = k;
        op.n = n;
        op.a_type = LEVEE_TYPE_INT16;
        op.b_type = LEVEE_TYPE_INT8;
        op.alpha = 1.0f;
        op.a = put(std::vector<std::int16_t>(k, 1));
        op.b = put(std::vector<std::int8_t>(k * n, 2));
        op.b_stride[2] = n;
        op.out = out;
        return op;
    }
    levee_sfu_operation relu(std::uint64_t x, std::uint64_t out)
    {
        levee_sfu_operation op{};
        op.outer[0] = op.outer[1] = op.rows = 1;
        op.n = n;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x = x;
        op.out = out;
        return op;
    }
    /// Submits work that waits for a counter (the gate), then sets this counter. Returns the time
    /// until counter 0 has counted all signals.
    Picoseconds run_gated(std::vector<std::pair<unsigned, levee_descriptor>> work)
    {
        const std::uint32_t before = sync.value(0), gate = sync.value(5) + 1;
        for (auto& [block, descriptor] : work) {
            descriptor.signal_counter[0] = 0;
            descriptor.signal_add[0] = 1;
            descriptor.wait_counter[3] = 5;
            descriptor.wait_value[3] = gate;
            submit(block, {descriptor});
        }
        sc_core::wait(1, sc_core::SC_US);
        write(sync_base + LEVEE_SYNC_ADD(5), 1);
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) != before + work.size())
            sc_core::wait(sync.changed(0));
        const Picoseconds time = now_ps() - begun;
        for (const unsigned block : {array, unit, engine})
            CHECK(reg(block, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        return time;
    }
};

} // namespace

TEST_CASE("in ideal time a product takes only its streams, and everything else takes no time")
{
    System system;
    system.run([&] {
        const std::uint64_t out = system.take(4 * n), turned = system.take(4 * n),
                            copied = system.take(4 * n);
        levee_dma_operation copy{};
        copy.count[0] = copy.count[1] = copy.count[2] = 1;
        copy.run_bytes = 4 * n;
        copy.source = turned;
        copy.destination = copied;
        auto first = describe(LEVEE_RSA_GEMM, system.product(out));
        auto second = describe(LEVEE_SFU_RELU, system.relu(out, turned));
        auto third = describe(LEVEE_DMA_COPY, copy);
        second.wait_counter[0] = third.wait_counter[0] = 0;
        second.wait_value[0] = 1;
        third.wait_value[0] = 2;
        const Picoseconds time =
            system.run_gated({{engine, third}, {unit, second}, {array, first}});
        CHECK(time == product_time);
        CHECK(system.get<float>(copied, n) == std::vector<float>(n, 2.0f * k));
    });
}

TEST_CASE("in ideal time a chain takes the array's own streams")
{
    System system;
    system.run([&] {
        const std::uint64_t turned = system.take(4 * n);
        const Picoseconds time = system.run_gated(
            {{array, describe(LEVEE_RSA_GEMM, system.product(LEVEE_STREAM(0)))},
             {unit, describe(LEVEE_SFU_RELU, system.relu(LEVEE_STREAM(0), turned))}});
        CHECK(time == product_time - 4 * n * 1000 / 32);
        CHECK(system.get<float>(turned, n) == std::vector<float>(n, 2.0f * k));
    });
}
