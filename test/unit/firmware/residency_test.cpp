// SPDX-License-Identifier: Apache-2.0
// Tests caches in several memories. Every slice and every stored input has its own bytes in one
// memory. Layers that would be split into too many parts are refused.
#include "core/abi/boot_info.h"
#include "firmware/target/operations.h"
#include "ip/dma/regs.h"
#include "ip/rsa/regs.h"
#include "test/unit/firmware/limited.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

/// Byte ranges by their first address.
using Ranges = std::multimap<std::uint64_t, std::uint64_t>;

/// Adds the parts of a layer's keys or values that attention products read.
void add_slices(const fake_job& job, const std::vector<fake_executed>& products,
                std::uint32_t slots, Ranges& ranges)
{
    for (const fake_executed& product : products) {
        const auto op = operation_of<levee_rsa_operation>(product.descriptor);
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                ranges.emplace(op.b + o0 * static_cast<std::uint64_t>(op.b_stride[0]) +
                                   o1 * static_cast<std::uint64_t>(op.b_stride[1]),
                               2ull * slots * job.shape.head_dim);
    }
}

Ranges kept(const fake_job& job, const fake_outcome& outcome, std::uint32_t slots)
{
    Ranges ranges;
    for (std::uint32_t layer = 0; layer < job.shape.layers; ++layer) {
        const auto executed = of_layer(outcome, layer, 0);
        add_slices(job, of_kind(executed, OPERATION_SCORES), slots, ranges);
        add_slices(job, of_kind(executed, OPERATION_MIX), slots, ranges);
        for (const fake_executed& store : of_kind(executed, OPERATION_STORE_INPUT)) {
            const auto op = operation_of<levee_dma_operation>(store.descriptor);
            ranges.emplace(op.destination, 2ull * job.workload.batch * slots * job.shape.dim);
        }
    }
    return ranges;
}

/// Checks that all ranges are inside memories and none overlap.
void check_ranges(const Ranges& ranges, const fake_outcome& outcome)
{
    std::uint64_t before = 0;
    for (const auto& [first, bytes] : ranges) {
        const std::uint64_t begin = first, end = first + bytes;
        CHECK(before <= begin);
        before = end;
        CHECK(std::any_of(outcome.memories, outcome.memories + outcome.memory_count,
                          [&](const fake_region& memory) {
                              return begin >= memory.base && end <= memory.base + memory.bytes;
                          }));
    }
}

/// Returns a job with an eDRAM in halves, and more memories between it and the DRAM.
fake_job in_memories(std::uint32_t kind, std::uint32_t batch, std::uint64_t edram,
                     const std::vector<fake_kv_memory>& more)
{
    fake_job job = limited(kind);
    job.scheduler = "kelle";
    set_batch(job, batch);
    job.input_rows_used = 2;
    job.heap_bytes = 4u << 20;
    job.kv_edram_bytes = edram;
    std::copy(more.begin(), more.end(), job.more_kv);
    return job;
}

} // namespace

TEST_CASE("a cache in several memories: slices and inputs have separate bytes")
{
    // A slice has 13 slots of 16 or 128 bytes, and a layer has 8, 24 or 48 slices. AERP also stores
    // inputs.
    const std::vector<std::vector<fake_kv_memory>> orders{
        {{4096, 0}},             // This memory holds less than half of a layer.
        {{448, 0}},              // Each of these memories holds one slice, rounded up.
        {{8192, 1}},             // This is a second eDRAM in halves.
        {{20480, 1}, {8192, 0}}, // The memories can hold some of the layers.
        {{4096, 0}, {65536, 1}},
        {{128, 0}, {16384, 0}}};
    for (const std::uint32_t kind : {LEVEE_KV_FULL, LEVEE_KV_AEP, LEVEE_KV_AERP})
        for (const std::uint32_t batch : {1u, 3u, 6u})
            for (const std::uint64_t edram : {4096u, 12288u, 20480u, 28672u})
                for (const auto& more : orders) {
                    const fake_job job = in_memories(kind, batch, edram, more);
                    const auto outcome = run(job);
                    INFO("policy " << kind << ", batch " << batch << ", eDRAM of " << edram
                                   << ", then " << more.front().bytes << ": " << outcome->message);
                    REQUIRE(outcome->exit_code == 0);
                    const std::uint32_t slots =
                        kind == LEVEE_KV_FULL ? job.workload.context : job.kv.budget + 1;
                    const Ranges ranges = kept(job, *outcome, slots);
                    const std::size_t inputs = kind == LEVEE_KV_AERP ? job.shape.layers : 0;
                    CHECK(ranges.size() ==
                          2 * job.shape.layers * batch * job.shape.kv_heads + inputs);
                    check_ranges(ranges, *outcome);
                }
}

TEST_CASE("a layer's first heads may be in one memory if the next memory holds the others")
{
    // Each half of the eDRAM can hold 5 heads of 2 KiB.
    const auto heads_of = [](std::uint64_t bytes) {
        const auto outcome = run(in_memories(LEVEE_KV_FULL, 1, 20480, {{bytes, 0}}));
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        std::vector<std::uint32_t> heads;
        for (const fake_executed& executed : of_kind(of_layer(*outcome, 0, 0), OPERATION_SCORES))
            heads.push_back(operation_of<levee_rsa_operation>(executed.descriptor).outer[1]);
        return heads;
    };
    CHECK(heads_of(12288) == std::vector<std::uint32_t>{5, 3});
    CHECK(heads_of(8192) == std::vector<std::uint32_t>{2, 6}); // The memory of 8 KiB holds two
                                                               // heads, the DRAM the others.
    CHECK(heads_of(2048) == std::vector<std::uint32_t>{8});    // 2 KiB hold a head's keys, but not
                                                               // its values.
}

TEST_CASE("every eDRAM of the cache gets its intervals, and is forgotten with a batch")
{
    fake_job job = in_memories(LEVEE_KV_FULL, 1, 20480, {{8192, 1}, {8192, 0}, {65536, 1}});
    std::fill(std::begin(job.kv.refresh_ps), std::end(job.kv.refresh_ps), 1000000u);
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    for (const std::uint32_t edram : {0u, 1u, 3u}) {
        CHECK(outcome->edrams[edram].intervals == std::size(job.kv.refresh_ps));
        CHECK(outcome->edrams[edram].forgets == 1);
    }
    CHECK(outcome->edrams[2].intervals == 0);
    job.more_kv_roles = LEVEE_ROLE_KV_RING | LEVEE_ROLE_STATE;
    CHECK(run(job)->edrams[1].forgets == 0); // This eDRAM has just received the batch's tables.
    job.kv_edram_plain = 1;
    CHECK(run(job)->edrams[0].forgets == 1);
    job.edram_roles = LEVEE_ROLE_STATE;
    CHECK(run(job)->edrams[0].forgets == 0); // Tables have been written to the first eDRAM, too.
}

TEST_CASE("the location of keys and values is reported if any of their memories is refreshed")
{
    fake_job job = in_memories(LEVEE_KV_FULL, 1, 8192, {{65536, 0}});
    job.first_kv_undivided = 1;
    const auto slots = [](const fake_job& one) {
        const auto outcome = run(one);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        return outcome->reported_slots;
    };
    CHECK(slots(job) == 0);
    job.more_kv[0].divided = 1;
    CHECK(slots(job) == job.workload.context);
}

TEST_CASE("a ring in a later eDRAM comes after the slices and inputs there")
{
    for (const std::uint32_t kind : {LEVEE_KV_FULL, LEVEE_KV_AEP, LEVEE_KV_AERP})
        for (const std::uint64_t bytes : {20480u, 131072u}) {
            fake_job job = in_memories(kind, 1, 4096, {{bytes, 1}});
            job.kv.staging_bytes = 4096;
            job.more_kv_roles = LEVEE_ROLE_KV_RING;
            const auto outcome = run(job);
            INFO("policy " << kind << ", of " << bytes << ": " << outcome->message);
            REQUIRE(outcome->exit_code == 0);
            const fake_ring& ring = outcome->rings[1];
            REQUIRE(ring.bytes >= job.kv.staging_bytes / 2);
            CHECK(ring.stride == bytes / 2);
            Ranges ranges = kept(job, *outcome,
                                 kind == LEVEE_KV_FULL ? job.workload.context : job.kv.budget + 1);
            ranges.emplace(ring.address, ring.bytes);
            ranges.emplace(ring.address + ring.stride, ring.bytes);
            check_ranges(ranges, *outcome);
        }
}

TEST_CASE("keys of a part are an operand of less than 4 GiB")
{
    fake_job job = llama();
    job.shape.dim = 4096;
    job.shape.hidden = 11008;
    job.shape.layers = 1;
    job.shape.heads = job.shape.kv_heads = 32;
    job.shape.head_dim = 128;
    job.shape.max_context = job.workload.context = 32768;
    job.dram_bytes = 4ull << 40;
    job.heap_bytes = 4u << 20;
    set_batch(job, 16); // The keys have 256 MiB each.
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    std::vector<std::uint32_t> entries;
    for (const fake_executed& executed : of_kind(of_layer(*outcome, 0, 0), OPERATION_SCORES))
        entries.push_back(operation_of<levee_rsa_operation>(executed.descriptor).outer[0]);
    CHECK(entries == std::vector<std::uint32_t>{15, 1});
}

TEST_CASE("scales come after the slices in a memory that also holds tables")
{
    // The memory can hold keys and values of 16 slices of 2 KiB, or their keys and all key scales.
    fake_job job = in_memories(LEVEE_KV_FULL, 1, 4096, {{65536, 0}});
    job.more_kv_roles = LEVEE_ROLE_STATE;
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    const Ranges ranges = kept(job, *outcome, job.workload.context);
    CHECK(ranges.size() == 2 * job.shape.layers * job.shape.kv_heads);
    check_ranges(ranges, *outcome);
}

TEST_CASE("a layer in more parts than the firmware can track is refused")
{
    // Each memory can hold one of six sequences, with 8 slices of 2 KiB for keys and 8 for values.
    constexpr std::uint64_t entry = 32768;
    fake_job job =
        in_memories(LEVEE_KV_FULL, 6, entry, {{entry, 0}, {entry, 0}, {entry, 0}, {entry, 0}});
    const auto refused = run(job);
    CHECK(refused->exit_code == 1);
    CHECK_THAT(std::string(refused->message),
               Catch::Contains("more than 4 parts of memories with the role kv"));
    job.more_kv[2].bytes = 0;
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    CHECK(of_kind(of_layer(*outcome, 0, 0), OPERATION_SCORES).size() == 4);
}
