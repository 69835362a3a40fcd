// SPDX-License-Identifier: Apache-2.0
// Tests eDRAMs that hold a cache. Every scheduler sets their refresh intervals, and describes the
// vectors that have entries in the register file.
#include "firmware/target/operations.h"
#include "test/unit/firmware/limited.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace levee::test;

namespace {

/// Returns a job for a machine without a systolic array.
fake_job on(const std::string& scheduler)
{
    fake_job job = llama();
    job.scheduler = scheduler == "veda" ? "veda" : "flash";
    job.groups = scheduler == "veda" ? 1 : 0;
    job.shape.weight_type = scheduler == "veda" ? LEVEE_TYPE_FP16 : LEVEE_TYPE_INT8;
    job.kept = job.flash = scheduler == "flash" ? 1 : 0;
    return job;
}

/// Returns a job with an undivided eDRAM. Each entry of its register file covers 32 bytes.
fake_job undivided(std::uint32_t kind)
{
    fake_job job = limited(kind);
    job.kv_edram_bytes = 8192;
    job.kv_edram_plain = 1;
    job.code_bits = 8; // The half for keys has space for 512 of these vectors of 8 bytes.
    return job;
}

} // namespace

TEST_CASE("every machine gives eDRAMs the scenario's intervals, and forgets them with a batch")
{
    for (const char* scheduler : {"veda", "flash"}) {
        fake_job job = on(scheduler);
        job.kv_edram_bytes = 65536;
        job.activation_edram = 1;
        std::fill(std::begin(job.kv.refresh_ps), std::end(job.kv.refresh_ps), 1000000u);
        job.kv.activation_refresh_ps = 2000000;
        const auto outcome = run(job);
        INFO(scheduler << ": " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        CHECK(outcome->edrams[0].intervals == std::size(job.kv.refresh_ps));
        CHECK(outcome->edrams[0].forgets == 1);
        CHECK(outcome->edrams[FAKE_ACTIVATION_EDRAM].intervals == std::size(job.kv.refresh_ps));
    }
}

TEST_CASE("VEDA discards the rows of tokens that leave an eDRAM")
{
    fake_job job = on("veda");
    job.kv = limited(LEVEE_KV_AEP).kv;
    for (const std::uint64_t bytes : {0u, 65536u}) {
        job.kv_edram_bytes = bytes;
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        CHECK(of_kind(of_layer(*outcome, 0, 0), OPERATION_INVALIDATE).size() ==
              (bytes != 0 ? 1 : 0));
    }
}

TEST_CASE("small vectors use only as many slices of an undivided eDRAM as have entries")
{
    const auto outcome = run(undivided(LEVEE_KV_AEP));
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    // Slots have two entries each, and 19 slices have entries.
    CHECK(outcome->edrams[0].described == 2 * 8 * 13);
}

TEST_CASE("a cache that votes describes no vectors, because nobody would write their entries")
{
    for (const std::uint32_t kind : {LEVEE_KV_AEP, LEVEE_KV_VOTING}) {
        fake_job job = limited(kind);
        job.kv_edram_bytes = 8192;
        job.edram_roles = LEVEE_ROLE_KV_RING;
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        const bool described = kind != LEVEE_KV_VOTING;
        CHECK((outcome->edrams[0].described != 0) == described);
        CHECK(std::any_of(outcome->executed, outcome->executed + outcome->executed_count,
                          [](const fake_executed& executed) {
                              return kind_of(executed) == OPERATION_RESET_RING_VIEWS;
                          }) == described);
    }
}

TEST_CASE("codes of fewer bits are refused in a later eDRAM, but accepted next to an empty one")
{
    fake_job job = limited(LEVEE_KV_FULL);
    job.scheduler = "kelle";
    job.code_bits = 8;
    job.heap_bytes = 4u << 20;
    job.more_kv[0] = {65536, 1};
    job.kv_edram_bytes = 1u << 20;
    const auto outcome = run(job);
    INFO(outcome->message);
    CHECK(outcome->exit_code == 0);
    job.kv_edram_bytes = 65536;
    const auto refused = run(job);
    CHECK(refused->exit_code == 1);
    CHECK_THAT(std::string(refused->message), Catch::Contains("kv_cache.bits is 8; memory more"));
}

TEST_CASE("batches whose tables need strides of more than 16 bits between heads are refused")
{
    for (const std::uint32_t kind : {LEVEE_KV_AEP, LEVEE_KV_VOTING}) {
        fake_job job = limited(kind);
        job.workload.batch = 16384;
        job.workload.sequence_count = 1;
        job.heap_bytes = 256u << 20;
        job.dram_bytes = 4ull << 40;
        const auto outcome = run(job);
        CHECK(outcome->exit_code == 1);
        CHECK_THAT(std::string(outcome->message),
                   Catch::StartsWith("workload.batch is 16384; expected at most"));
    }
}
