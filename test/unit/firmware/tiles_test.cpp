// SPDX-License-Identifier: Apache-2.0
// Tests prefills in tiles: with a divided cache, and with scores that fit into no memory as a
// whole.
#include "core/abi/boot_info.h"
#include "firmware/target/operations.h"
#include "ip/sfu/regs.h"
#include "test/unit/firmware/limited.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace levee::test;

namespace {

/// Returns a job with a prompt of 1000 tokens, whose scores do not fit on chip.
fake_job tiled()
{
    fake_job job = llama();
    job.shape.layers = 2;
    job.shape.kv_heads = job.shape.heads;
    job.shape.max_context = 8192;
    job.workload.context = 1024;
    job.sequences[0].token_count = job.sequences[0].prefill_count = 1000;
    job.steps = 1;
    job.heap_bytes = 4u << 20;
    return job;
}

} // namespace

TEST_CASE(
    "with tiles in every part of a cache, only a chunk's last query operation discards its input")
{
    for (const char* scheduler : {"kelle", "kelle_baseline"})
        for (const std::uint64_t edram : {0u, 98304u}) { // With 98304 bytes the eDRAM holds 3 heads
                                                         // of 8.
            fake_job job = tiled();
            job.scheduler = scheduler;
            job.queues = 2;
            job.activation_edram = 1;
            job.sram_bytes = 131072;
            job.kv_edram_bytes = edram;
            job.workload.prefill_chunk = 16;
            const auto outcome = run(job);
            INFO(scheduler << ", eDRAM of " << edram << ": " << outcome->message);
            REQUIRE(outcome->exit_code == 0);
            const auto parts = of_kind(of_layer(*outcome, 0, 0), OPERATION_SCORES).size();
            CHECK(parts == (edram != 0 ? 2 : 1));
            const auto queries = of_kind(of_layer(*outcome, 0, -1), OPERATION_QUERY);
            const auto norms = of_kind(of_layer(*outcome, 0, -1), OPERATION_NORM);
            std::size_t last = 0;
            for (const fake_executed& query : queries)
                last += (query.descriptor.flags & LEVEE_DESC_LAST_READ_0) != 0;
            CHECK(queries.size() > 63 * parts); // Chunks have 16 tokens.
            CHECK(norms.size() == 2 * 63);
            CHECK(last == 63);
        }
}

TEST_CASE("a prefill is tiled if no memory has space for all of its scores")
{
    constexpr std::uint64_t sram_base = 0x20000000;
    fake_job job = tiled();
    job.workload.context = 8192;
    job.workload.prefill_chunk = 512; // 512 x 8 heads x 8192 scores and probabilities take 192 MiB.
    job.dram_bytes = 40'000'000;
    job.sram_bytes = 262144;
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    CHECK(outcome->chunk == 512);
    const auto softmaxes = of_kind(of_layer(*outcome, 0, -1), OPERATION_SOFTMAX);
    CHECK(softmaxes.size() > 2); // The softmaxes are those of two chunks.
    for (const fake_executed& executed : softmaxes) {
        const auto softmax = operation_of<levee_sfu_operation>(executed.descriptor);
        CHECK(softmax.x - sram_base < job.sram_bytes);
        CHECK(softmax.out - sram_base < job.sram_bytes);
    }
}
