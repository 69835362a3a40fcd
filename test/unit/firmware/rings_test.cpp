// SPDX-License-Identifier: Apache-2.0
// Tests rings on chip. They get the memory that is left, the array's registers receive their
// addresses, and their rows in eDRAM are made valid. Also tests the search for a victim after
// attention.
#include "core/abi/boot_info.h"
#include "firmware/target/operations.h"
#include "ip/dma/regs.h"
#include "ip/rsa/regs.h"
#include "ip/systolic_evictor/regs.h"
#include "test/unit/firmware/jobs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace levee::test;

namespace {

constexpr std::uint64_t sram_base = 0x20000000, edram_base = 0x30000000;
constexpr std::uint8_t array = FAKE_RSA, array_kv = FAKE_RSA_KV;

fake_job evicting()
{
    fake_job job = opt();
    job.kv.kind = LEVEE_KV_AEP;
    job.kv.budget = 12;
    job.kv.window = 4;
    job.kv.view_bits = 4;
    job.kv.score = LEVEE_SE_LOGIT;
    return job;
}

std::vector<fake_executed> of_kind(const fake_outcome& outcome, int kind)
{
    std::vector<fake_executed> found;
    std::copy_if(outcome.executed, outcome.executed + outcome.executed_count,
                 std::back_inserter(found), [&](const fake_executed& executed) {
                     return static_cast<int>(executed.descriptor.tag & 0xFF) == kind;
                 });
    return found;
}

bool waits_for(const levee_descriptor& descriptor, std::uint8_t counter)
{
    return std::find(std::begin(descriptor.wait_counter), std::end(descriptor.wait_counter),
                     counter) != std::end(descriptor.wait_counter);
}

/// Checks that EVICT reads scores from a stream port, or else from memory at or above `lowest`. In
/// the second case, the operation `mixer`, which follows the softmax, must already have computed
/// the weighted sums of values.
void check_evictions(const fake_outcome& outcome, std::uint64_t lowest, bool after,
                     std::uint8_t mixer)
{
    const auto evicted = of_kind(outcome, OPERATION_EVICT);
    REQUIRE_FALSE(evicted.empty());
    bool from_start = false, from_inside = false;
    for (const fake_executed& executed : evicted) {
        const auto op = operation_of<levee_se_operation>(executed.descriptor);
        CHECK((op.scores < LEVEE_STREAM_BASE) == after);
        if (after)
            CHECK(waits_for(executed.descriptor, mixer));
        from_start |= op.scores == lowest;
        from_inside |= op.scores > lowest;
    }
    CHECK(from_start == after);
    CHECK(from_inside); // The scores come from a stream port, or are another part's.
}

} // namespace

TEST_CASE("a memory without the role has no ring")
{
    const auto outcome = run(evicting());
    REQUIRE(outcome->exit_code == 0);
    CHECK(outcome->rings[0].writes == 0);
    CHECK(outcome->rings[1].writes == 0);
    CHECK(of_kind(*outcome, OPERATION_RESET_RING).empty());
}

TEST_CASE("rings share the rest of a memory, and get at least a quarter each")
{
    for (const std::uint64_t bytes : {65536u, 1u << 20, 4u << 20}) {
        fake_job job = evicting();
        job.sram_bytes = bytes;
        job.sram_roles = LEVEE_ROLE_WEIGHTS_RING | LEVEE_ROLE_KV_RING;
        job.queues = 2;
        const auto outcome = run(job);
        INFO(bytes << ": " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        const fake_ring &weights = outcome->rings[0], &kv = outcome->rings[1];
        CHECK(weights.writes == 2); // The register is set for both queues of the array.
        CHECK(kv.writes == 2);
        CHECK(weights.bytes == kv.bytes);
        CHECK(weights.bytes >= bytes / 4);
        CHECK(kv.address >= weights.address + weights.bytes);
        CHECK(kv.address + kv.bytes <= sram_base + bytes);
        for (std::uint32_t i = 0; i < outcome->region_count; ++i)
            CHECK_FALSE(outcome->regions[i].base - weights.address <
                        kv.address + kv.bytes - weights.address);
    }
}

TEST_CASE(
    "in an eDRAM of two halves, the ring gets the space that slices leave, half of it high-score")
{
    fake_job job = evicting();
    job.kv_edram_bytes = 8192;
    job.kv.staging_bytes = 4096;
    job.edram_roles = LEVEE_ROLE_KV_RING;
    job.sram_roles = LEVEE_ROLE_STATE;
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    const fake_ring& ring = outcome->rings[1];
    const std::uint32_t slice = 13 * 8 * 2; // Slots x head_dim x bytes of an INT16.
    const std::uint32_t taken = (2048 / slice * slice + 63) / 64 * 64;
    CHECK(ring.address == edram_base + taken);
    CHECK(ring.bytes == 4096 - taken);
    CHECK(ring.stride == 4096);
    const auto fills = of_kind(*outcome, OPERATION_RESET_RING);
    REQUIRE(fills.size() == 1); // These are the fills of this batch.
    const auto fill = operation_of<levee_dma_operation>(fills[0].descriptor);
    CHECK(fill.destination == ring.address);
    CHECK(fill.run_bytes == ring.bytes);
    CHECK(fill.count[0] == 2);
    CHECK(fill.destination_stride[0] == 4096);
    CHECK(fill.flags == 0);
    const auto views = of_kind(*outcome, OPERATION_RESET_RING_VIEWS);
    REQUIRE(views.size() == 1);
    const auto high = operation_of<levee_dma_operation>(views[0].descriptor);
    CHECK(high.destination == edram_base + 8192 + 2048 / slice * 13);
    CHECK(high.run_bytes == ring.bytes / 16 / 2);
    CHECK(high.fill == LEVEE_SE_VIEW_HIGH);
    CHECK(high.flags == LEVEE_DMA_CONTROL);
}

TEST_CASE("search after attention: scores from memory, with the output projection after it")
{
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"})
        for (const std::uint32_t search : {LEVEE_KV_SEARCH_BESIDE, LEVEE_KV_SEARCH_AFTER}) {
            fake_job job = evicting();
            job.scheduler = scheduler;
            job.queues = 2;
            job.kv.search = search;
            job.kv_edram_bytes = 8192; // The first layers are split into parts.
            job.recorded_from = 0;
            set_batch(job, 3);
            const auto outcome = run(job);
            INFO(scheduler << " " << search << ": " << outcome->message);
            REQUIRE(outcome->exit_code == 0);
            const bool after = search == LEVEE_KV_SEARCH_AFTER;
            std::uint64_t lowest = ~0ull;
            for (const fake_executed& executed : of_kind(*outcome, OPERATION_SCORES)) {
                const auto op = operation_of<levee_rsa_operation>(executed.descriptor);
                CHECK((op.tap == 0) == after);
                lowest = std::min(lowest, op.out);
            }
            check_evictions(*outcome, lowest, after,
                            std::string(scheduler) == "kelle" ? array_kv : array);
            const auto products = of_kind(*outcome, OPERATION_LINEAR);
            const auto behind =
                std::count_if(products.begin(), products.end(), [](const fake_executed& executed) {
                    return waits_for(executed.descriptor, FAKE_SE);
                });
            CHECK(behind == (after ? job.steps * job.shape.layers : 0));
        }
}

TEST_CASE("search after attention is refused for scores that are not in memory")
{
    fake_job job = evicting();
    job.kv.search = LEVEE_KV_SEARCH_AFTER;
    job.kv.score = LEVEE_SE_SOFTMAX;
    const auto outcome = run(job);
    CHECK(outcome->exit_code == 1);
    CHECK(std::string(outcome->message).find("expected 'score: logit'") != std::string::npos);
}
