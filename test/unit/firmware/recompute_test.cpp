// SPDX-License-Identifier: Apache-2.0
// Tests how `recompute: hidden` and `free` change a decode step.
#include "core/abi/boot_info.h"
#include "firmware/target/operations.h"
#include "ip/dma/regs.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "test/unit/firmware/limited.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace levee::test;

namespace {

/// Returns the layer's only operation of this kind.
levee_descriptor one(const std::vector<fake_executed>& layer, int kind)
{
    const auto found = of_kind(layer, kind);
    REQUIRE(found.size() == 1);
    return found[0].descriptor;
}

/// Returns whether a value begins at this address.
bool is_placed(const fake_outcome& outcome, std::uint64_t address)
{
    return std::any_of(outcome.regions, outcome.regions + outcome.region_count,
                       [&](const fake_region& region) { return region.base == address; });
}

} // namespace

TEST_CASE("hidden recomputation is used if the memory takes longer than the recomputation")
{
    // With dim = heads * D, a token's input is stored if at least half of the heads plus one keep
    // it. Keys and values of so many heads have 2 * 2 * D bytes more than the input. Recomputation
    // costs 2 * 2 * dim elements on a function unit with 32 elements a cycle.
    struct Machine {
        std::uint64_t memory, array;
        bool hides;
        std::uint64_t functions = 0;
        bool hadamard = false; // Heads have 8 elements: 3 passes more, in addition to 2.
    };
    const Machine machines[] = {{64'000'000'000, 128'000'000'000, false},
                                {64'000'000'000, 32'000'000'000, false}, // This machine waits for
                                                                         // the array.
                                {50'000'000, 128'000'000'000, true},
                                {50'000'000, 50'000'000, false},
                                // The function unit runs at 100 kHz.
                                {50'000'000, 128'000'000'000, false, 3'200'000},
                                {50'000'000, 128'000'000'000, true, 1'600'000'000},
                                {50'000'000, 128'000'000'000, false, 1'600'000'000, true},
                                {50'000'000, 128'000'000'000, true, 2'400'000'000, true}};
    for (const Machine& machine : machines) {
        fake_job job = limited(LEVEE_KV_AERP);
        job.kv.recompute = LEVEE_KV_RECOMPUTE_HIDDEN;
        job.dram_bytes_per_second = machine.memory;
        job.load_bytes_per_second = machine.array;
        job.elements_per_second = machine.functions;
        job.hadamard = machine.hadamard;
        job.input_rows_used = machine.hides ? 1 : 0;
        const auto outcome = run(job);
        INFO(machine.memory << " and " << machine.array << " B/s, " << machine.functions
                            << " a second: " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        const auto layer = of_layer(*outcome, 2, 2);
        CHECK(of_kind(layer, OPERATION_STORE_INPUT).empty() != machine.hides);
        CHECK(of_kind(layer, OPERATION_FETCH_INPUTS).empty() != machine.hides);
    }
}

TEST_CASE("free recomputation reads inputs once and adds no rows to any product")
{
    for (const char* scheduler : schedulers) {
        fake_job job = limited(LEVEE_KV_AERP);
        job.scheduler = scheduler;
        job.kv.recompute = LEVEE_KV_RECOMPUTE_FREE;
        job.input_rows_used = 1;
        job.input_rows_grow = 2;
        const auto outcome = run(job);
        INFO(scheduler << ": " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        for (std::int32_t step = 0; step < 3; ++step) {
            const auto layer = of_layer(*outcome, 2, step);
            const auto reads = of_kind(layer, OPERATION_READ_INPUTS);
            REQUIRE(reads.size() == 1);
            const auto read = operation_of<levee_rsa_operation>(reads[0].descriptor);
            CHECK(read.n == 1 + 2 * static_cast<std::uint32_t>(step));
            CHECK(read.k == job.shape.dim);
            CHECK(read.outer[0] == 3);
            // The array's first queue, which has the products with weights, reads the inputs. So
            // the scores in the second queue do not wait.
            CHECK(reads[0].unit == FAKE_RSA);
            for (const int kind : {OPERATION_FETCH_INPUTS, OPERATION_FETCH_INPUT_SCALES,
                                   OPERATION_RECOMPUTE_KEY, OPERATION_RECOMPUTE_VALUE})
                CHECK(of_kind(layer, kind).empty());
            for (const fake_executed& product : of_kind(layer, OPERATION_LINEAR))
                CHECK(operation_of<levee_rsa_operation>(product.descriptor).m1 == 3);
            for (const int kind : {OPERATION_SCORES, OPERATION_MIX})
                for (const fake_executed& product : of_kind(layer, kind)) {
                    const auto attention = operation_of<levee_rsa_operation>(product.descriptor);
                    CHECK((attention.flags & LEVEE_RSA_PARTIAL_FREE) != 0);
                    CHECK(attention.redirect != 0);
                }
        }
    }
}

TEST_CASE("free recomputation stages the arriving vectors if there is space for them")
{
    for (const std::uint32_t recompute : {LEVEE_KV_RECOMPUTE_FREE, LEVEE_KV_RECOMPUTE_ALL}) {
        fake_job job = limited(LEVEE_KV_AERP);
        job.scheduler = "kelle_baseline";
        job.kv.recompute = recompute;
        job.input_rows_used = 1;
        const auto outcome = run(job);
        INFO("recompute " << recompute << ": " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        // In each head's buffer, the recomputed vectors come first. All 13 slots may be recomputed.
        const std::uint32_t row = 2 * job.shape.head_dim;
        const std::uint32_t before = recompute == LEVEE_KV_RECOMPUTE_ALL ? 13 : 0;
        const auto layer = of_layer(*outcome, 2, 1);
        for (const bool keys : {true, false}) {
            const auto stored = operation_of<levee_sfu_operation>(
                one(layer, keys ? OPERATION_STORE_KEY : OPERATION_STORE_VALUE));
            const auto written = operation_of<levee_dma_operation>(
                one(layer, keys ? OPERATION_WRITE_BACK_KEY : OPERATION_WRITE_BACK_VALUE));
            CHECK(is_placed(*outcome, stored.out - before * row));
            CHECK(stored.out_stride[1] == static_cast<std::int32_t>((before + 1) * row));
            CHECK(written.source == stored.out);
        }
        const auto redirected = operation_of<levee_dma_operation>(one(layer, OPERATION_REDIRECT));
        CHECK(*reinterpret_cast<const std::uint32_t*>(redirected.source) == before);
    }
}
