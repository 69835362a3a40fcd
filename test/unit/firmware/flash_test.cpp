// SPDX-License-Identifier: Apache-2.0
// Tests products that units of different classes execute together. Each unit computes its share at
// the same time as the others, and no unit reads data before they are written.
#include "firmware/llm/operation.h"
#include "ip/flash/regs.h"
#include "ip/rsa/regs.h"
#include "test/unit/firmware/jobs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <vector>

using namespace levee::test;

namespace {

fake_job flash_job(std::uint32_t flash)
{
    fake_job job = llama();
    job.scheduler = "flash";
    job.kept = 1;
    job.flash = flash;
    return job;
}

using Layers = std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<fake_executed>>;

/// Groups the executed operations by decode step and layer.
Layers layers_of(const fake_outcome& outcome)
{
    Layers layers;
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i) {
        const fake_executed& executed = outcome.executed[i];
        if (of_a_layer(executed.descriptor) && executed.step >= 0)
            layers[{executed.step, layer_of(executed.descriptor)}].push_back(executed);
    }
    return layers;
}

int kind_of(const fake_executed& executed)
{
    return executed.descriptor.tag & 0xFF;
}

/// Returns the kinds of operations in order. Computing the scores and storing V may come in either
/// order.
std::vector<int> kinds_of(const std::vector<fake_executed>& layer)
{
    std::vector<int> kinds;
    for (const fake_executed& executed : layer)
        if (kind_of(executed) != OPERATION_STORE_VALUE)
            kinds.push_back(kind_of(executed));
    return kinds;
}

std::vector<int> expected_kinds(std::size_t shares)
{
    const std::vector<int> once{OPERATION_NORM,      OPERATION_LINEAR,   OPERATION_QUERY,
                                OPERATION_STORE_KEY, OPERATION_SCORES,   OPERATION_SOFTMAX,
                                OPERATION_MIX,       OPERATION_QUANTISE, OPERATION_LINEAR,
                                OPERATION_ADD,       OPERATION_NORM,     OPERATION_LINEAR,
                                OPERATION_ACTIVATE,  OPERATION_LINEAR,   OPERATION_ADD};
    std::vector<int> kinds;
    for (const int kind : once)
        kinds.insert(kinds.end(), kind == OPERATION_LINEAR ? shares : 1, kind);
    return kinds;
}

/// Returns the units of the layer's first product, in the order in which they ran.
std::vector<std::uint32_t> units_of_product(const std::vector<fake_executed>& layer)
{
    std::vector<std::uint32_t> units;
    for (const fake_executed& executed : layer)
        if (kind_of(executed) == OPERATION_LINEAR && units.size() < 2)
            units.push_back(executed.unit);
    return units;
}

} // namespace

TEST_CASE("partners wait for their inputs, not for each other, and later operations wait for both")
{
    for (const std::uint32_t rsa_first : {0u, 1u}) {
        fake_job job = flash_job(FAKE_FLASH_SHARED);
        job.rsa_first = rsa_first;
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        const Layers layers = layers_of(*outcome);
        REQUIRE(layers.size() == job.steps * job.shape.layers);
        for (const auto& [where, layer] : layers) {
            CHECK(kinds_of(layer) == expected_kinds(2));
            // The unit whose doorbell rings first runs first.
            const std::uint32_t first = rsa_first != 0 ? FAKE_FLASH : FAKE_RSA;
            CHECK(units_of_product(layer).front() == first);
        }
    }
}

TEST_CASE("the shares of a product cover it completely, next to each other")
{
    const auto outcome = run(flash_job(FAKE_FLASH_SHARED));
    REQUIRE(outcome->exit_code == 0);
    for (const auto& one : layers_of(*outcome)) {
        const auto product = [&layer = one.second](std::uint32_t unit) {
            return std::find_if(layer.begin(), layer.end(),
                                [&](const fake_executed& executed) {
                                    return kind_of(executed) == OPERATION_LINEAR &&
                                           executed.unit == unit;
                                })
                ->descriptor;
        };
        const auto flash = operation_of<levee_flash_operation>(product(FAKE_FLASH));
        const auto array = operation_of<levee_rsa_operation>(product(FAKE_RSA));
        CHECK(flash.rows == FAKE_FLASH_ROWS);
        CHECK(array.out == flash.result + 4 * FAKE_FLASH_ROWS);
        CHECK(array.b_scale == flash.weight_scale + 4 * FAKE_FLASH_ROWS);
        CHECK(array.a == flash.input);
        CHECK(array.a_scale == flash.input_scale);
        CHECK(array.b == flash.data);
        CHECK(array.a_type == LEVEE_TYPE_INT8);
    }
}

TEST_CASE("a partner without a share is left out")
{
    for (const std::uint32_t flash : {FAKE_FLASH_ARRAY, FAKE_FLASH_CORES}) {
        const auto outcome = run(flash_job(flash));
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        // The flash reads the pages of a matrix even if its cores have no rows to multiply.
        const std::size_t shares = flash == FAKE_FLASH_ARRAY ? 2 : 1;
        for (const auto& [where, layer] : layers_of(*outcome)) {
            CHECK(kinds_of(layer) == expected_kinds(shares));
            for (const fake_executed& executed : layer)
                if (executed.unit == FAKE_FLASH)
                    CHECK(executed.descriptor.opcode ==
                          (shares == 2 ? LEVEE_FLASH_READ : LEVEE_FLASH_COMPUTE));
        }
    }
}

TEST_CASE("a batch is refused, and so is a chunk larger than the array's partial sums")
{
    fake_job job = flash_job(FAKE_FLASH_SHARED);
    job.workload.prefill_chunk = 33;
    CHECK_THAT(run(job)->message,
               Catch::Contains(
                   "supports at most 32 tokens per prefill pass; workload.prefill_chunk is 33"));
    job = flash_job(FAKE_FLASH_SHARED);
    set_batch(job, 2);
    const auto outcome = run(job);
    CHECK(outcome->exit_code == 1);
    CHECK_THAT(outcome->message,
               Catch::Contains("supports a batch of at most 1; workload.batch is 2"));
}

TEST_CASE("a prompt goes token by token if the cores are faster, otherwise in chunks")
{
    fake_job job = flash_job(FAKE_FLASH_SHARED);
    CHECK(run(job)->chunk == 1);
    job.flash_ns = 1'000'000;
    const std::uint32_t usual = run(job)->chunk;
    CHECK(usual > 1);
    CHECK(usual <= 32);
    // The flash is so much slower than the array that the largest chunk is best.
    job.flash_fetch_ns = 1'000'000;
    CHECK(run(job)->chunk == 32);
    job.workload.prefill_chunk = 1;
    CHECK(run(job)->chunk == 1);
}

TEST_CASE("in a chunk, all rows of a matrix pass to the array once, and the cores have no rows")
{
    for (const std::uint32_t flash : {FAKE_FLASH_SHARED, FAKE_FLASH_ARRAY, FAKE_FLASH_CORES}) {
        fake_job job = flash_job(flash);
        job.flash_ns = 1'000'000;
        job.recorded_from = -1;
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        std::size_t fetched = 0, products = 0;
        for (std::uint32_t i = 0; i < outcome->executed_count; ++i) {
            const fake_executed& executed = outcome->executed[i];
            if (executed.step >= 0 || !of_a_layer(executed.descriptor) ||
                kind_of(executed) != OPERATION_LINEAR)
                continue;
            if (executed.unit == FAKE_FLASH) {
                const auto op = operation_of<levee_flash_operation>(executed.descriptor);
                const bool tiled = flash != FAKE_FLASH_ARRAY;
                CHECK(executed.descriptor.opcode == (tiled ? LEVEE_FLASH_FETCH : LEVEE_FLASH_READ));
                CHECK((op.rows != 0) == tiled);
                CHECK((op.row_bytes != 0) == tiled);
                CHECK(op.result == 0);
                CHECK(op.data == LEVEE_STREAM(LEVEE_PORT_WEIGHTS));
                ++fetched;
            } else if (executed.unit == FAKE_RSA) {
                const auto op = operation_of<levee_rsa_operation>(executed.descriptor);
                CHECK(op.b == LEVEE_STREAM(LEVEE_PORT_WEIGHTS));
                CHECK(op.m1 > 1);
                CHECK(op.n > FAKE_FLASH_ROWS);
                ++products;
            }
        }
        CHECK(fetched == products);
        CHECK(fetched % (4 * job.shape.layers) == 0);
        CHECK(fetched != 0);
    }
}
