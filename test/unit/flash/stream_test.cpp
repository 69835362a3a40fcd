// SPDX-License-Identifier: Apache-2.0
// Tests a product that flash and array share. The cores compute the first rows, and the others
// stream through a port to the array. Both scale their sums in the same way.
#include "ip/flash/placing.hpp"
#include "ip/rsa/model.hpp"
#include "ip/rsa/module.hpp"
#include "test/unit/flash/flash_bench.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::uint32_t rows = 60, columns = 50;
constexpr unsigned flash_block = 0, array_block = 1;

/// A flash, and an array of 8 x 8 with partial sums of 4 rows, connected by a port of 1 GB/s.
struct Pair : FlashBench {
    rsa::Rsa rsa;

    Pair()
        : FlashBench({roomy()}, std::nullopt, {{"weights", 1'000'000'000, 1'000}}),
          rsa("rsa", {Clock{1'000'000'000}, {8, 8, 8, 4, true}, false, queue_config},
              Fabric{flows, sync, streams})
    {
        rsa.queue.memory.bind(bus.initiators);
        bus.targets.bind(rsa.queue.registers);
        bus.map({"rsa", base(array_block), block_page, 4, 0});
    }
    static flash::Config roomy()
    {
        flash::Config config = small_flash();
        config.cells.geometry.blocks = 64;
        return config;
    }
    void wait_for(unsigned block)
    {
        while ((reg(block, LEVEE_CMD_STATUS) &
                (LEVEE_CMD_STATUS_EMPTY | LEVEE_CMD_STATUS_STOPPED)) == 0)
            sc_core::wait(100, sc_core::SC_NS);
    }
};

/// A matrix with a scale and a bias for each row, and a vector with a scale.
struct Layer {
    std::vector<std::uint8_t> weights, input;
    std::vector<float> scales, bias;
    float input_scale = 0.0078125f * 3;

    Layer()
    {
        flash::test::Random random(5);
        const auto byte = [&] { return static_cast<std::uint8_t>(random.below(256)); };
        for (std::uint32_t i = 0; i < rows * columns; ++i)
            weights.push_back(byte());
        for (std::uint32_t i = 0; i < columns; ++i)
            input.push_back(byte());
        for (std::uint32_t i = 0; i < rows; ++i) {
            scales.push_back(0.001f * static_cast<float>(1 + random.below(1000)));
            bias.push_back(static_cast<float>(random.below(1000)) / 7.0f - 60.0f);
        }
    }
    [[nodiscard]] std::vector<float> product() const
    {
        std::vector<float> out(rows);
        rsa::Gemm gemm;
        gemm.m = 1;
        gemm.n = rows;
        gemm.k = columns;
        gemm.a = {std::as_bytes(std::span(input)), columns, LEVEE_TYPE_INT8};
        gemm.a_scale = {{&input_scale, 1}, 1};
        gemm.b = {std::as_bytes(std::span(weights)), columns, LEVEE_TYPE_INT8};
        gemm.b_transposed = true;
        gemm.b_scale = {scales, 1};
        gemm.bias = bias;
        gemm.out = out;
        gemm.out_pitch = rows;
        rsa::gemm(gemm);
        return out;
    }
};

struct Shared {
    levee_flash_operation flash{};
    levee_rsa_operation array{};
    std::uint64_t result = 0;
};

levee_flash_kept place(Pair& pair, const Layer& layer, double alpha)
{
    flash::PlacingConfig placing;
    placing.share = FLASH_SHARE_FIXED;
    placing.alpha = static_cast<std::uint32_t>(alpha * FLASH_ALPHA_ONE);
    const flash::Config config = Pair::roomy();
    flash::Placer placer(config.cells.geometry, config.channels.front(), 256, placing);
    const ModelMatrix matrix{1, 0, LEVEE_TYPE_INT8, rows, columns, columns, layer.weights};
    const levee_flash_kept kept = placer.place(matrix);
    placer.write(matrix, kept, [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        pair.flashes[0]->load(offset, bytes);
    });
    return kept;
}

/// Returns the array's share of the rows, which follow the flash's.
levee_rsa_operation rest_of(const levee_flash_operation& flash)
{
    levee_rsa_operation array{};
    const std::uint64_t before = flash.rows * sizeof(float);
    array.a = flash.input;
    array.a_scale = flash.input_scale;
    array.b = LEVEE_STREAM(0);
    array.b_scale = flash.weight_scale + before;
    array.bias = flash.bias + before;
    array.out = flash.result + before;
    array.b_stride[2] = columns;
    array.b_scale_stride[2] = sizeof(float);
    array.outer[0] = array.outer[1] = array.m1 = array.m0 = 1;
    array.k = columns;
    array.n = rows - flash.rows;
    array.alpha = 1.0f;
    array.a_type = array.b_type = LEVEE_TYPE_INT8;
    array.flags = LEVEE_RSA_B_TRANSPOSED;
    return array;
}

Shared shares_of(Pair& pair, const Layer& layer, const levee_flash_kept& kept)
{
    Shared shared;
    levee_flash_operation& flash = shared.flash;
    flash.input = pair.put(layer.input);
    flash.result = shared.result = pair.take(rows * sizeof(float));
    flash.data = LEVEE_STREAM(0);
    flash.rows = kept.flash_rows;
    flash.columns = columns;
    flash.core_rows = kept.core_rows;
    flash.core_columns = kept.core_columns;
    flash.page = kept.page;
    flash.data_page = kept.data_page;
    flash.data_pages = kept.data_pages;
    flash.plane = kept.plane;
    flash.data_plane = kept.data_plane;
    flash.weight_bits = 8;
    flash.input_bytes = 1;
    flash.result_bytes = 4;
    flash.input_scale = pair.put(std::vector<float>{layer.input_scale});
    flash.weight_scale = pair.put(layer.scales);
    flash.bias = pair.put(layer.bias);
    shared.array = rest_of(flash);
    return shared;
}

/// Runs flash and array, and returns the array's error code. Both start when both are ready.
std::uint32_t run_both(Pair& pair, const Shared& shared)
{
    pair.submit(flash_block, {describe(LEVEE_FLASH_COMPUTE, shared.flash)});
    pair.submit(array_block, {describe(LEVEE_RSA_GEMM, shared.array)});
    pair.wait_for(array_block);
    pair.wait_for(flash_block);
    return pair.reg(array_block, LEVEE_CMD_ERROR_CODE);
}

} // namespace

TEST_CASE("flash and array together compute the scaled product's bits")
{
    const Layer layer;
    Pair pair;
    pair.run([&] {
        const levee_flash_kept kept = place(pair, layer, 0.3);
        REQUIRE(kept.data_pages != 0);
        const Shared shared = shares_of(pair, layer, kept);
        CHECK(run_both(pair, shared) == LEVEE_ERROR_NONE);
        CHECK(pair.reg(flash_block, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        CHECK(pair.get<float>(shared.result, rows) == layer.product());
    });
}

TEST_CASE("a stream of weights takes as long as the slower of the two blocks")
{
    const Layer layer;
    Pair pair;
    pair.run([&] {
        const levee_flash_kept kept = place(pair, layer, 0.3);
        const Shared shared = shares_of(pair, layer, kept);
        CHECK(run_both(pair, shared) == LEVEE_ERROR_NONE);
        Stats flash, array;
        pair.flashes[0]->queue.report(flash);
        pair.rsa.queue.report(array);
        // By hand, the flash takes tR of 30 us and 25.6 us of computing per page. The array takes
        // only microseconds, so both end with the flash.
        const auto busy = [](const Stats& stats) {
            for (const auto& [name, value] : stats.figures())
                if (name == "busy_seconds")
                    return std::get<double>(value);
            return 0.0;
        };
        CHECK(busy(flash) > 55e-6);
        CHECK(busy(array) == Approx(busy(flash)).epsilon(1e-3));
    });
}

TEST_CASE("operations that a stream port cannot carry are refused on both sides")
{
    const Layer layer;
    struct Case {
        const char* what;
        void (*spoil)(levee_rsa_operation&);
    };
    const Case cases[] = {
        {"more rows than the flash sends", [](levee_rsa_operation& op) { op.n = 600; }},
        {"more vectors than the array's accumulators",
         [](levee_rsa_operation& op) { op.m1 = 5, op.a_stride[2] = 1; }},
        {"two products", [](levee_rsa_operation& op) { op.outer[1] = 2; }},
        {"rows that overlap", [](levee_rsa_operation& op) { op.b_stride[2] = columns - 1; }},
    };
    Pair pair;
    pair.run([&] {
        const levee_flash_kept kept = place(pair, layer, 0.3);
        for (const Case& one : cases) {
            INFO(one.what);
            Shared shared = shares_of(pair, layer, kept);
            one.spoil(shared.array);
            pair.submit(flash_block, {describe(LEVEE_FLASH_COMPUTE, shared.flash)});
            pair.submit(array_block, {describe(LEVEE_RSA_GEMM, shared.array)});
            pair.wait_for(array_block);
            CHECK(pair.reg(array_block, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_STREAM);
            CHECK(pair.reg(array_block, LEVEE_CMD_ERROR_FIELD) ==
                  operation_field(offsetof(levee_rsa_operation, b)));
            pair.set_reg(array_block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            pair.set_reg(flash_block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            sc_core::wait(1, sc_core::SC_US);
        }
    });
}

TEST_CASE("scales without an operand are refused by their field")
{
    const Layer layer;
    Pair pair;
    pair.run([&] {
        const levee_flash_kept kept = place(pair, layer, 1.0);
        Shared shared = shares_of(pair, layer, kept);
        shared.flash.data_pages = 0;
        shared.flash.data = 0;
        shared.flash.weight_scale = 0;
        Picoseconds took = 0;
        CHECK(pair.timed(LEVEE_FLASH_COMPUTE, shared.flash, took) == LEVEE_ERROR_FIELD);
        CHECK(pair.reg(flash_block, LEVEE_CMD_ERROR_FIELD) ==
              operation_field(offsetof(levee_flash_operation, input_scale)));
    });
}
