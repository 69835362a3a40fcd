// SPDX-License-Identifier: Apache-2.0
// Tests caches of limited size on the host. Every policy completes under every scheduler, and the
// parts of a divided cache cover a layer exactly. In Kelle's order, operations wait only where data
// require it. The last reader of data in a refreshed memory discards them.
#include "core/abi/boot_info.h"
#include "firmware/target/operations.h"
#include "ip/dma/regs.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "ip/systolic_evictor/regs.h"
#include "ip/voting_engine/regs.h"
#include "test/unit/firmware/jobs.hpp"
#include "test/unit/firmware/limited.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

bool waits_for(const levee_descriptor& descriptor, std::uint8_t counter)
{
    return std::find(std::begin(descriptor.wait_counter), std::end(descriptor.wait_counter),
                     counter) != std::end(descriptor.wait_counter);
}

/// Checks that INVALIDATE discards the values of the tokens that EVICT selects, among the values
/// that MIX reads.
void check_discard(const fake_executed& invalidate, const fake_executed& evict,
                   const fake_executed& mix)
{
    CHECK(invalidate.descriptor.opcode == LEVEE_SE_FORGET);
    const auto evicted = operation_of<levee_se_operation>(evict.descriptor);
    const auto discarded = operation_of<levee_se_operation>(invalidate.descriptor);
    CHECK(evicted.keys == 0);
    CHECK(evicted.values == 0);
    CHECK(discarded.values == operation_of<levee_rsa_operation>(mix.descriptor).b);
    CHECK(discarded.next == evicted.next);
    CHECK(discarded.arrival == evicted.arrival);
    CHECK(discarded.formats == evicted.formats);
    CHECK(discarded.lengths == evicted.lengths);
}

/// Checks that no operation uses keys or values of the layer after INVALIDATE.
void check_unused_after_discard(const std::vector<fake_executed>& layer)
{
    const auto at = std::find_if(layer.begin(), layer.end(), [](const fake_executed& executed) {
        return kind_of(executed) == OPERATION_INVALIDATE;
    });
    for (const int user : std::initializer_list<int>{
             OPERATION_SCORES, OPERATION_MIX, OPERATION_STORE_KEY, OPERATION_STORE_VALUE,
             OPERATION_WRITE_BACK_KEY, OPERATION_WRITE_BACK_VALUE, OPERATION_EVICT})
        CHECK(std::none_of(at, layer.end(), [&](const fake_executed& executed) {
            return kind_of(executed) == user;
        }));
}

} // namespace

TEST_CASE("every policy completes under every scheduler, whichever block is faster")
{
    for (const char* scheduler : schedulers)
        for (const std::uint32_t kind : kinds_by_budget())
            for (const std::uint32_t score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT})
                for (const std::uint32_t rsa_first : {0u, 1u}) {
                    fake_job job = limited(kind);
                    job.scheduler = scheduler;
                    job.kv.score = score;
                    if (levee_kv_rule_of(kind)->votes)
                        job.kv.score = LEVEE_SE_SOFTMAX;
                    job.rsa_first = rsa_first;
                    job.input_rows_used = 2;
                    job.kv_edram_bytes = 16384;
                    job.queues = 1 + rsa_first;
                    const auto outcome = run(job);
                    INFO(scheduler << " policy " << kind << " score " << score << ": "
                                   << outcome->message);
                    REQUIRE(outcome->exit_code == 0);
                    for (std::uint32_t layer = 0; layer < job.shape.layers; ++layer)
                        CHECK(of_layer(*outcome, layer, 1).size() <= 40);
                }
}

TEST_CASE("the parts of a layer's cache cover every slice once")
{
    std::set<std::size_t> part_counts;
    for (const std::uint64_t bytes : {4096u, 8192u, 12288u, 20480u, 65536u}) {
        fake_job job = limited(LEVEE_KV_AEP);
        job.kv_edram_bytes = bytes;
        const auto outcome = run(job);
        INFO(bytes << ": " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        for (std::uint32_t layer = 0; layer < job.shape.layers; ++layer) {
            const auto scores = of_kind(of_layer(*outcome, layer, 0), OPERATION_SCORES);
            std::set<std::uint64_t> slices;
            std::size_t count = 0;
            for (const fake_executed& executed : scores) {
                const auto op = operation_of<levee_rsa_operation>(executed.descriptor);
                for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
                    for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1, ++count)
                        slices.insert(op.out + o0 * static_cast<std::uint64_t>(op.out_stride[0]) +
                                      o1 * static_cast<std::uint64_t>(op.out_stride[1]));
            }
            part_counts.insert(scores.size());
            CHECK(count == 3 * job.shape.kv_heads);
            CHECK(slices.size() == count);
        }
    }
    CHECK(part_counts.size() > 1); // At least one layer was divided.
}

TEST_CASE("Kelle's order: keys are read at the same time as V's weights")
{
    fake_job job = limited(LEVEE_KV_FULL);
    job.scheduler = "kelle";
    const auto outcome = run(job);
    REQUIRE(outcome->exit_code == 0);
    const auto layer = of_layer(*outcome, 1, 0);
    const auto scores = of_kind(layer, OPERATION_SCORES);
    REQUIRE(scores.size() == 1);
    CHECK(scores[0].unit == FAKE_RSA_KV);
    // Q and K are enough; V's product is not needed.
    CHECK(waits_for(scores[0].descriptor, FAKE_SFU));
    CHECK_FALSE(waits_for(scores[0].descriptor, FAKE_RSA));
    CHECK(of_kind(layer, OPERATION_WRITE_BACK_KEY).empty());

    job.queues = 1;
    const auto alone = run(job);
    REQUIRE(alone->exit_code == 0);
    CHECK(of_kind(of_layer(*alone, 1, 0), OPERATION_SCORES)[0].unit == FAKE_RSA);

    job.scheduler = "kelle_baseline";
    job.queues = 2;
    const auto held = run(job);
    REQUIRE(held->exit_code == 0);
    const auto one_by_one = of_layer(*held, 1, 0);
    CHECK(of_kind(one_by_one, OPERATION_SCORES)[0].unit == FAKE_RSA);
    REQUIRE(of_kind(one_by_one, OPERATION_WRITE_BACK_KEY).size() == 1);
    CHECK(waits_for(of_kind(one_by_one, OPERATION_WRITE_BACK_KEY)[0].descriptor, FAKE_RSA));
}

TEST_CASE("the last reader of an activation discards it")
{
    fake_job job = limited(LEVEE_KV_FULL);
    job.scheduler = "kelle_baseline";
    const auto none = run(job);
    REQUIRE(none->exit_code == 0);
    for (const fake_executed& executed : of_layer(*none, 0, 0))
        CHECK((executed.descriptor.flags & ~LEVEE_DESC_IRQ) == 0);

    job.activation_edram = 1;
    const auto outcome = run(job);
    REQUIRE(outcome->exit_code == 0);
    const auto layer = of_layer(*outcome, 0, 0);
    const auto flags = [&](int kind) {
        std::vector<int> found;
        for (const fake_executed& executed : of_kind(layer, kind))
            found.push_back(executed.descriptor.flags & ~LEVEE_DESC_IRQ);
        return found;
    };
    const int first = LEVEE_DESC_LAST_READ_0, second = LEVEE_DESC_LAST_READ_1;
    // Q, K and V read the normalised input; V is the last of them. The other products follow.
    CHECK(flags(OPERATION_LINEAR) == std::vector<int>{0, 0, first, first, first, first});
    CHECK(flags(OPERATION_QUERY) == std::vector<int>{first});
    // SCORES discards the query, but never the cache.
    CHECK(flags(OPERATION_SCORES) == std::vector<int>{first});
    CHECK(flags(OPERATION_MIX) == std::vector<int>{first});
    CHECK(flags(OPERATION_WRITE_BACK_KEY) == std::vector<int>{first});
    CHECK(flags(OPERATION_ADD) == std::vector<int>{second, second}); // X is updated in place.
}

TEST_CASE("recomputed keys and values are discarded like any other activation")
{
    fake_job job = limited(LEVEE_KV_AERP);
    job.scheduler = "kelle";
    job.activation_edram = 1;
    job.input_rows_used = 5;
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    const auto layer = of_layer(*outcome, 1, 1);
    for (const int kind : {OPERATION_RECOMPUTE_KEY, OPERATION_RECOMPUTE_VALUE}) {
        const auto restores = of_kind(layer, kind);
        REQUIRE(restores.size() == 1);
        CHECK((restores[0].descriptor.flags & LEVEE_DESC_LAST_READ_0) != 0);
    }
}

TEST_CASE(
    "the softmax discards a prefill's scores in refreshed memory, because nothing else reads them")
{
    fake_job job = limited(LEVEE_KV_AEP);
    job.scheduler = "kelle";
    job.activation_edram = 1;
    for (const std::uint32_t score : {LEVEE_KV_SCORE_LOGIT, LEVEE_KV_SCORE_SOFTMAX})
        for (const std::uint64_t sram : {4u << 20, 32768u}) {
            job.kv.score = score;
            job.sram_bytes = sram;
            job.workload.prefill_chunk = sram == 32768 ? 16 : 0;
            const auto outcome = run(job);
            INFO(outcome->message);
            REQUIRE(outcome->exit_code == 0);
            const auto found = of_kind(of_layer(*outcome, 1, -1), OPERATION_SOFTMAX);
            REQUIRE_FALSE(found.empty());
            for (const auto& softmax : found) {
                CHECK((softmax.descriptor.flags & LEVEE_DESC_LAST_READ_0) != 0);
                CHECK_FALSE(waits_for(softmax.descriptor, FAKE_SE));
            }
        }
}

TEST_CASE("recent tokens have high scores if the scenario says so")
{
    for (const std::uint32_t recent_high : {0u, 1u}) {
        fake_job job = limited(LEVEE_KV_AEP);
        job.kv_edram_bytes = 65536;
        job.kv.recent_high = recent_high;
        const auto outcome = run(job);
        REQUIRE(outcome->exit_code == 0);
        const auto evicts = of_kind(of_layer(*outcome, 1, 1), OPERATION_EVICT);
        REQUIRE(evicts.size() == 1);
        const auto evict = operation_of<levee_se_operation>(evicts[0].descriptor);
        CHECK(evict.flags == (recent_high != 0 ? LEVEE_SE_RECENT_HIGH : 0u));
    }
}

TEST_CASE("random eviction draws at each eviction unless the scenario asks for permanent ranks")
{
    for (const std::uint32_t draw : {LEVEE_KV_DRAW_VICTIM, LEVEE_KV_DRAW_RANK}) {
        fake_job job = limited(LEVEE_KV_RANDOM);
        job.random.draw = draw;
        const auto outcome = run(job);
        const auto evicts = of_kind(of_layer(*outcome, 1, 1), OPERATION_EVICT);
        REQUIRE(evicts.size() == 1);
        CHECK(operation_of<levee_se_operation>(evicts[0].descriptor).flags ==
              (draw == LEVEE_KV_DRAW_RANK ? LEVEE_SE_RANDOM : LEVEE_SE_RANDOM | LEVEE_SE_REDRAW));
    }
}

TEST_CASE("rows in refreshed memory are discarded once attention has read them")
{
    for (const char* scheduler : schedulers)
        for (std::uint32_t kind = LEVEE_KV_STREAMING; kind <= LEVEE_KV_AERP; ++kind)
            for (const std::uint32_t score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT}) {
                INFO(scheduler << " policy " << kind << " score " << score);
                fake_job job = limited(kind);
                job.scheduler = scheduler;
                job.kv.score = score;
                job.rsa_first = 1;
                const auto outside = run(job);
                REQUIRE(outside->exit_code == 0);
                CHECK(of_kind(of_layer(*outside, 1, 1), OPERATION_INVALIDATE).empty());
                job.kv_edram_bytes = 65536;
                const auto outcome = run(job);
                REQUIRE(outcome->exit_code == 0);
                const auto layer = of_layer(*outcome, 1, 1);
                const auto forgets = of_kind(layer, OPERATION_INVALIDATE);
                const auto evicts = of_kind(layer, OPERATION_EVICT);
                REQUIRE(forgets.size() == 1);
                REQUIRE(evicts.size() == 1);
                const auto mix = of_kind(layer, OPERATION_MIX);
                check_discard(forgets[0], evicts[0], mix[0]);
                check_unused_after_discard(layer);
                // The operation itself also waits for these reads. So the order does not depend on
                // the blocks' speeds.
                CHECK(waits_for(forgets[0].descriptor, static_cast<std::uint8_t>(mix[0].unit)));
            }
}

TEST_CASE("the number of recalled rows follows the rows in use")
{
    fake_job job = limited(LEVEE_KV_AERP);
    job.scheduler = "kelle";
    for (const std::uint32_t used : {0u, 1u, 5u}) {
        job.input_rows_used = used;
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        const auto layer = of_layer(*outcome, 2, 2);
        CHECK(of_kind(layer, OPERATION_FETCH_INPUTS).size() == (used != 0 ? 1 : 0));
        std::multiset<std::uint32_t> rows;
        for (const fake_executed& executed : of_kind(layer, OPERATION_LINEAR))
            rows.insert(operation_of<levee_rsa_operation>(executed.descriptor).m1);
        CHECK(rows.count(3 + 3 * used) == (used != 0 ? 2 : 6)); // These are K and V of 3 sequences.
    }
    // A layer input is at least as large as the keys and values of grouped queries, so it is not
    // stored.
    job.shape.kv_heads = job.shape.heads / 2;
    const auto grouped = run(job);
    REQUIRE(grouped->exit_code == 0);
    CHECK(of_kind(of_layer(*grouped, 2, 2), OPERATION_FETCH_INPUTS).empty());
}

TEST_CASE("operations on recomputed rows follow their number from step to step")
{
    fake_job job = limited(LEVEE_KV_AERP);
    job.scheduler = "kelle";
    job.input_rows_used = 1;
    job.input_rows_grow = 2;
    const auto outcome = run(job);
    INFO(outcome->message);
    REQUIRE(outcome->exit_code == 0);
    for (std::int32_t step = 0; step < 3; ++step) {
        const std::uint32_t rows = 1 + 2 * static_cast<std::uint32_t>(step);
        const auto layer = of_layer(*outcome, 2, step);
        for (const int kind : {OPERATION_FETCH_INPUTS, OPERATION_FETCH_INPUT_SCALES}) {
            const auto fetches = of_kind(layer, kind);
            REQUIRE(fetches.size() == 1);
            CHECK(operation_of<levee_dma_operation>(fetches[0].descriptor).count[2] == rows);
        }
        for (const int kind : {OPERATION_RECOMPUTE_KEY, OPERATION_RECOMPUTE_VALUE}) {
            const auto recomputed = of_kind(layer, kind);
            REQUIRE(recomputed.size() == 1);
            CHECK(operation_of<levee_sfu_operation>(recomputed[0].descriptor).rows == rows);
        }
        std::multiset<std::uint32_t> products;
        for (const fake_executed& executed : of_kind(layer, OPERATION_LINEAR))
            products.insert(operation_of<levee_rsa_operation>(executed.descriptor).m1);
        CHECK(products.count(3 + 3 * rows) == 2); // These are K and V of 3 sequences.
    }
}

namespace {

/// Checks that each VOTE of a layer receives the vectors of its SOFTMAX through the stream port.
void check_votes(const fake_job& job, const std::vector<fake_executed>& layer)
{
    const auto votes = of_kind(layer, OPERATION_VOTE);
    const auto softmax = of_kind(layer, OPERATION_SOFTMAX);
    REQUIRE(votes.size() == softmax.size());
    std::uint32_t heads = 0, arrivals = 0;
    for (std::size_t i = 0; i < votes.size(); ++i) {
        const auto vote = operation_of<levee_ve_operation>(votes[i].descriptor);
        const auto source = operation_of<levee_sfu_operation>(softmax[i].descriptor);
        // No wait is needed, because the stream synchronises the two units.
        CHECK_FALSE(waits_for(votes[i].descriptor, FAKE_SFU));
        CHECK(vote.probabilities == LEVEE_STREAM(LEVEE_PORT_FUNCTIONS));
        CHECK(source.tap == 1 + LEVEE_PORT_FUNCTIONS);
        CHECK(vote.n == source.n);
        CHECK(vote.outer[1] == source.outer[1]);
        CHECK(vote.outer[0] == source.outer[0]);
        heads += std::uint32_t{vote.outer[0]} * vote.outer[1];
        arrivals += vote.arrival != 0 ? vote.outer[0] : 0u;
    }
    CHECK(heads == 3 * job.shape.heads);
    CHECK(arrivals == 3); // One part of each sequence assigns the slot to the arriving token.
}

} // namespace

TEST_CASE("votes are cast during the softmax, and the election runs during the output projection")
{
    for (const char* scheduler : schedulers)
        for (const std::uint64_t edram : {0u, 16384u}) { // The second size splits the cache.
            INFO(scheduler << ", eDRAM of " << edram);
            fake_job job = limited(LEVEE_KV_VOTING);
            job.scheduler = scheduler;
            job.kv_edram_bytes = edram;
            const auto outcome = run(job);
            INFO(outcome->message);
            REQUIRE(outcome->exit_code == 0);
            const auto layer = of_layer(*outcome, 1, 1);
            check_votes(job, layer);
            CHECK(of_kind(layer, OPERATION_EVICT).empty());
            CHECK(of_kind(layer, OPERATION_INVALIDATE).empty());
            const auto elections = of_kind(layer, OPERATION_ELECT);
            REQUIRE(elections.size() == 1);
            const auto election = operation_of<levee_ve_operation>(elections[0].descriptor);
            CHECK(election.capacity == job.kv.budget);
            CHECK(election.protect == job.voting.protect);
            for (const fake_executed& product : of_kind(layer, OPERATION_LINEAR))
                CHECK_FALSE(waits_for(product.descriptor, FAKE_VOTING));
        }
}

TEST_CASE("a block that a limited cache needs and the machine lacks is named")
{
    const auto refused = [](const fake_job& job) {
        const auto outcome = run(job);
        CHECK(outcome->exit_code == 1);
        return std::string(outcome->message);
    };
    fake_job job = limited(LEVEE_KV_AEP);
    job.no_evictor = 1;
    CHECK_THAT(refused(job), Catch::Contains("no systolic evictor"));
    job = limited(LEVEE_KV_VOTING);
    job.no_evictor = 1; // This policy needs no evictor.
    CHECK(run(job)->exit_code == 0);
    job.voting_capacity = 12;
    CHECK_THAT(refused(job), Catch::Contains("room for 12 tokens"));
    job.voting_capacity = 0;
    CHECK_THAT(refused(job), Catch::Contains("no voting engine"));
    job = limited(LEVEE_KV_STREAMING);
    job.no_dma = 1;
    CHECK_THAT(refused(job), Catch::Contains("no DMA engine"));
    job = limited(LEVEE_KV_FULL);
    job.scheduler = "kelle_baseline";
    job.no_dma = 1;
    CHECK_THAT(refused(job), Catch::Contains("no DMA engine"));
}
