// SPDX-License-Identifier: Apache-2.0
// Checks that simulated time follows from the parameters. If DRAM limits a product, it takes the
// time of its weights' bytes, at the cycle-level model's bandwidth. If the array limits it, it
// takes the array's cycles.
#include "ip/dram/module.hpp"
#include "ip/rsa/module.hpp"
#include "test/dram_cycle/cycle_dram.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/dram/support.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::uint64_t dram_base = 0x80'0000'0000;
// Bandwidth in bytes per second, so high that this memory is not the bottleneck.
constexpr std::uint64_t fast_memory = 1'000'000'000'000;

rsa::Config array(std::uint32_t load_bytes_per_cycle)
{
    rsa::Config config;
    config.clock = {1'000'000'000};
    config.array = {32, 32, load_bytes_per_cycle, 512, true};
    config.queue = queue_config;
    return config;
}

/// Returns for how many seconds the array is busy with an m x k by k x n product whose INT8 weights
/// are in DRAM.
double product_seconds(const std::string& standard, std::uint16_t m, std::uint32_t k,
                       std::uint32_t n, std::uint32_t load_bytes_per_cycle)
{
    Bench system("system", {}, fast_memory);
    rsa::Rsa rsa("rsa", array(load_bytes_per_cycle), {system.flows, system.sync, system.streams});
    dram::Dram dram("dram", {dram_test::standard(standard), false});
    system.connect(rsa.queue);
    system.bus.targets.bind(dram.port);
    system.bus.map({"dram", dram_base, std::uint64_t{1} << 30, 3, 0});

    levee_rsa_operation op{};
    op.outer[0] = op.outer[1] = 1;
    op.m1 = m;
    op.m0 = 1;
    op.k = k;
    op.n = n;
    op.a_type = LEVEE_TYPE_INT16;
    op.b_type = LEVEE_TYPE_INT8;
    op.flags = LEVEE_RSA_B_TRANSPOSED;
    op.alpha = 1.0f;
    op.a_stride[2] = static_cast<std::int32_t>(2 * k);
    op.b_stride[2] = static_cast<std::int32_t>(k);
    op.out_stride[2] = static_cast<std::int32_t>(4 * n);
    op.b = dram_base;
    system.run([&] {
        op.a = system.take(std::uint64_t{2} * m * k);
        op.out = system.take(std::uint64_t{4} * m * n);
        system.submit(0, {describe(LEVEE_RSA_GEMM, op)});
        CHECK(system.settle(0));
    });
    Stats stats;
    rsa.report(stats);
    for (const auto& [name, value] : stats.figures())
        if (name == "busy_seconds")
            return std::get<double>(value);
    FAIL("the array reports no busy_seconds");
    return 0.0;
}

void check_gemv(const std::string& standard, std::uint32_t k, std::uint32_t n)
{
    AccessPattern weights;
    weights.run_bytes = std::uint64_t{k} * n;
    const double achieved =
        dram_cycle::achieved_bytes_per_s(dram_test::standard(standard), weights, Direction::Read);
    const double expected = static_cast<double>(weights.bytes()) / achieved;
    CHECK(product_seconds(standard, 1, k, n, 512) == Approx(expected).epsilon(0.03));
}

} // namespace

TEST_CASE("GEMV from LPDDR4 takes its bytes divided by the achieved bandwidth")
{
    check_gemv("lpddr4", 2048, 1024);
}

TEST_CASE("GEMV from LPDDR5 takes its bytes divided by the achieved bandwidth")
{
    check_gemv("lpddr5", 1024, 1024);
}

TEST_CASE("GEMV from HBM2 takes its bytes divided by the achieved bandwidth")
{
    check_gemv("hbm2", 2048, 2048);
}

TEST_CASE("GEMV by hand: 4 MiB at 64 GB/s")
{
    // The weights need 4,194,304 B / 64 GB/s = 65.5 us at the peak rate. The array needs only 4096
    // folds x 2 cycles.
    const double seconds = product_seconds("lpddr4", 1, 4096, 1024, 512);
    CHECK(seconds > 65.5e-6);
    CHECK(seconds < 65.5e-6 * 1.08);
}

TEST_CASE("GEMM by hand: limited by the array, not by LPDDR4")
{
    // The array takes 512 rows x 2 passes for each of (512 / 32) x (512 / 32) folds, and 62 cycles
    // of fill and drain, at 1 GHz. The weights need only 262,144 B / 64 GB/s = 4.1 us of these
    // 262.2 us.
    const double seconds = product_seconds("lpddr4", 512, 512, 512, 128);
    CHECK(seconds == Approx((256.0 * 1024 + 62) * 1e-9).epsilon(0.03));
}
