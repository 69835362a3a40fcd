// SPDX-License-Identifier: Apache-2.0
// Prefills in tiles where the cache is in parts.
#include "firmware/target/systolic/operations.h"
#include "ip/common/boot_info.h"
#include "test/unit/firmware/limited.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace levee::test;

namespace {

/// A prompt of 1000 tokens, beyond what scores have room for on chip.
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

TEST_CASE("tiles of every part of a cache: of a chunk's queries the last to be read say so")
{
    for (const char* scheduler : {"kelle", "kelle_baseline"})
        for (const std::uint64_t edram : {0u, 98304u}) { // in parts: 3 heads of 8 in the eDRAM
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
            CHECK(queries.size() > 63 * parts); // chunks of 16 tokens
            CHECK(norms.size() == 2 * 63);
            CHECK(last == 63);
        }
}
