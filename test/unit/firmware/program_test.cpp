// SPDX-License-Identifier: Apache-2.0
// Tests the firmware's descriptors: their number, their possible orders and the bytes that they
// access. Also tests the jobs that the firmware refuses.
#include "firmware/target/operations.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "test/unit/firmware/jobs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

struct Extent {
    const char* what;
    std::uint64_t first, end;
};

/// Returns the range [first, end) that a loop nest accesses.
Extent extent(const char* what, std::uint64_t address, std::uint64_t run,
              std::vector<std::pair<std::uint64_t, std::int64_t>> loops)
{
    for (const auto& [count, stride] : loops)
        run += (count - 1) * static_cast<std::uint64_t>(stride);
    return {what, address, address + run};
}

/// Returns the bytes that a product accesses in memories where the firmware places data.
std::vector<Extent> extents(const levee_rsa_operation& op)
{
    const std::uint64_t o0 = op.outer[0], o1 = op.outer[1], m1 = op.m1, m0 = op.m0;
    const bool transposed = (op.flags & LEVEE_RSA_B_TRANSPOSED) != 0;
    std::vector<Extent> all{extent("a", op.a, op.k * 2,
                                   {{o0, op.a_stride[0]},
                                    {o1, op.a_stride[1]},
                                    {m1, op.a_stride[2]},
                                    {m0, op.a_stride[3]}}),
                            extent("a_scale", op.a_scale, 4,
                                   {{o0, op.a_scale_stride[0]},
                                    {o1, op.a_scale_stride[1]},
                                    {m1, op.a_scale_stride[2]},
                                    {m0, op.a_scale_stride[3]}}),
                            extent("out", op.out, op.n * 4,
                                   {{o0, op.out_stride[0]},
                                    {o1, op.out_stride[1]},
                                    {m1, op.out_stride[2]},
                                    {m0, op.out_stride[3]}})};
    if (op.b_type == LEVEE_TYPE_INT16)
        all.push_back(extent("b", op.b, (transposed ? op.k : op.n) * 2,
                             {{o0, op.b_stride[0]},
                              {o1, op.b_stride[1]},
                              {transposed ? op.n : op.k, op.b_stride[2]}}));
    return all;
}

std::vector<Extent> extents(const levee_sfu_operation& op, std::uint8_t opcode)
{
    const std::uint64_t o0 = op.outer[0], o1 = op.outer[1], rows = op.rows;
    const std::uint64_t out_bytes = op.out_type == LEVEE_TYPE_INT16 ? 2 : 4;
    std::vector<Extent> all;
    if (opcode != LEVEE_SFU_EMBED)
        all.push_back(extent("x", op.x, op.n * 4,
                             {{o0, op.x_stride[0]}, {o1, op.x_stride[1]}, {rows, op.x_stride[2]}}));
    if (opcode < LEVEE_SFU_ARGMAX)
        all.push_back(
            extent("out", op.out, op.n * out_bytes,
                   {{o0, op.out_stride[0]}, {o1, op.out_stride[1]}, {rows, op.out_stride[2]}}));
    if (op.out_type == LEVEE_TYPE_INT16)
        all.push_back(extent("out_scale", op.out_scale, 4,
                             {{o0, op.out_scale_stride[0]},
                              {o1, op.out_scale_stride[1]},
                              {rows, op.out_scale_stride[2]}}));
    return all;
}

bool inside_one_region(const fake_outcome& outcome, const Extent& extent)
{
    return std::any_of(
        outcome.regions, outcome.regions + outcome.region_count, [&](const fake_region& region) {
            return extent.first >= region.base && extent.end <= region.base + region.bytes;
        });
}

/// Checks that every operand of every descriptor is inside one placed value.
void check_extents(const fake_outcome& outcome)
{
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i) {
        const fake_executed& executed = outcome.executed[i];
        const auto& descriptor = executed.descriptor;
        const auto all =
            executed.unit == FAKE_RSA
                ? extents(operation_of<levee_rsa_operation>(descriptor))
                : extents(operation_of<levee_sfu_operation>(descriptor), descriptor.opcode);
        for (const Extent& one : all) {
            INFO("descriptor " << i << " unit " << executed.unit << " opcode "
                               << int(descriptor.opcode) << " operand " << one.what);
            CHECK(inside_one_region(outcome, one));
        }
    }
}

using Count = std::map<std::pair<std::int32_t, std::uint32_t>, std::uint32_t>;

Count descriptors_per_layer_step(const fake_outcome& outcome)
{
    Count count;
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i) {
        const fake_executed& executed = outcome.executed[i];
        if (executed.step >= 0 && of_a_layer(executed.descriptor))
            ++count[{executed.step, layer_of(executed.descriptor)}];
    }
    return count;
}

} // namespace

TEST_CASE("a layer of a decode step takes the same few descriptors for any batch")
{
    for (const std::uint32_t batch : {1u, 3u, 16u}) {
        fake_job job = llama();
        set_batch(job, batch);
        const auto outcome = run(job);
        INFO(outcome->message);
        REQUIRE(outcome->exit_code == 0);
        const Count count = descriptors_per_layer_step(*outcome);
        REQUIRE(count.size() == job.steps * job.shape.layers);
        for (const auto& [where, descriptors] : count)
            CHECK(descriptors == 16);
    }
}

TEST_CASE("no operation starts before its inputs have been written")
{
    // The operations of a layer in order. The scores do not depend on the stored V, so computing
    // scores and storing V may come in either order.
    const std::vector<int> in_order{OPERATION_NORM,      OPERATION_LINEAR,   OPERATION_QUERY,
                                    OPERATION_STORE_KEY, OPERATION_SCORES,   OPERATION_SOFTMAX,
                                    OPERATION_MIX,       OPERATION_QUANTISE, OPERATION_LINEAR,
                                    OPERATION_ADD,       OPERATION_NORM,     OPERATION_LINEAR,
                                    OPERATION_ACTIVATE,  OPERATION_LINEAR,   OPERATION_ADD};
    for (const std::uint32_t rsa_first : {0u, 1u}) {
        fake_job job = llama();
        job.rsa_first = rsa_first;
        const auto outcome = run(job);
        REQUIRE(outcome->exit_code == 0);
        std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<int>> layers;
        for (std::uint32_t i = 0; i < outcome->executed_count; ++i) {
            const fake_executed& executed = outcome->executed[i];
            const int kind = executed.descriptor.tag & 0xFF;
            if (of_a_layer(executed.descriptor) && kind != OPERATION_STORE_VALUE)
                layers[{executed.step, layer_of(executed.descriptor)}].push_back(kind);
        }
        CHECK(layers.size() == (job.steps + 1) * job.shape.layers);
        for (const auto& [where, kinds] : layers)
            CHECK(kinds == in_order);
    }
}

TEST_CASE("every operand lies inside the value to which it belongs")
{
    for (fake_job job : {llama(), opt()}) {
        for (const std::uint32_t batch : {1u, 5u}) {
            for (const std::uint32_t score : {0u, 1u}) {
                set_batch(job, batch);
                job.score = score;
                job.steps = score ? 0 : 3;
                for (std::uint32_t i = 0; score && i < batch; ++i)
                    job.sequences[i].prefill_count = job.sequences[i].token_count - 1;
                job.workload.prefill_chunk = 8;
                const auto outcome = run(job);
                INFO(outcome->message);
                REQUIRE(outcome->exit_code == 0);
                REQUIRE(outcome->executed_count > 0);
                check_extents(*outcome);
            }
        }
    }
}

TEST_CASE("queues shorter than a program are refilled on interrupts")
{
    fake_job job = llama();
    job.queue_depth = 1000;
    const auto deep = run(job);
    for (const std::uint32_t depth : {1u, 2u, 5u, 16u}) {
        job.queue_depth = depth;
        const auto shallow = run(job);
        INFO("depth " << depth << ": " << shallow->message);
        REQUIRE(shallow->exit_code == 0);
        CHECK(shallow->executed_count == deep->executed_count);
        CHECK(shallow->wakeups > deep->wakeups);
    }
    // The first step builds descriptors and pushes them layer by layer. A later step replays them:
    // it rings each block's doorbell once and wakes the core once.
    job.queue_depth = 1000;
    job.steps = 2;
    job.workload.max_new_tokens = 5;
    const auto two = run(job);
    job.steps = 3;
    const auto three = run(job);
    CHECK(three->doorbells - two->doorbells == 2);
    CHECK(three->wakeups - two->wakeups == 1);
}

TEST_CASE("a batch of unequal sequences is one operation, as long as its longest sequence")
{
    fake_job job = llama();
    set_batch(job, 3); // The sequences have 3, 10 and 17 tokens.
    const auto outcome = run(job);
    REQUIRE(outcome->exit_code == 0);
    std::uint32_t softmaxes = 0;
    for (std::uint32_t i = 0; i < outcome->executed_count; ++i) {
        const fake_executed& executed = outcome->executed[i];
        if (executed.unit != FAKE_SFU || executed.descriptor.opcode != LEVEE_SFU_SOFTMAX ||
            executed.step < 0)
            continue;
        const auto softmax = operation_of<levee_sfu_operation>(executed.descriptor);
        CHECK(softmax.n == 17u + 1u + static_cast<std::uint32_t>(executed.step));
        CHECK(softmax.outer[0] == 3);
        CHECK(softmax.group == 2);
        ++softmaxes;
    }
    CHECK(softmaxes == job.steps * job.shape.layers);
}

TEST_CASE("a scored sequence of one token has a place in its batch's steps")
{
    for (const std::uint32_t kind : {LEVEE_KV_FULL, LEVEE_KV_STREAMING, LEVEE_KV_H2O}) {
        fake_job job = opt();
        job.score = FAKE_SCORE_WORKLOAD;
        job.kv.kind = kind;
        job.kv.budget = 12;
        job.kv.view_bits = 4;
        set_batch(job, 2);
        job.workload.sequence_count = 4;
        // A short sequence comes first, and another one after two longer ones.
        for (std::uint32_t i = 0; i < 4; ++i) {
            job.sequences[i].token_count = i == 0 || i == 3 ? 1 : 4;
            job.sequences[i].prefill_count = i < 2 ? 0 : 1;
        }
        const auto outcome = run(job);
        INFO("policy " << kind << ": " << outcome->message);
        REQUIRE(outcome->exit_code == 0);
        CHECK(outcome->least_length == 1); // No product gets a length of 0.
    }
}

TEST_CASE("the prefill chunk is the largest one that keeps activations on chip")
{
    fake_job job = llama();
    job.workload.context = 512;
    CHECK(run(job)->chunk == 64);
    job.sram_bytes = 1u << 20;
    const auto smaller = run(job);
    CHECK(smaller->chunk < 64);
    CHECK(smaller->chunk >= 16);
    job.sram_bytes = 4096; // Larger data are spilled.
    CHECK(run(job)->exit_code == 0);
    job.workload.prefill_chunk = 24;
    CHECK(run(job)->chunk == 24);
}

/// Returns the firmware's reason for refusing this job.
static std::string refused(const fake_job& job)
{
    const auto outcome = run(job);
    CHECK(outcome->exit_code == 1);
    return outcome->message;
}

TEST_CASE("a job that cannot run is refused with its reason")
{
    fake_job job = llama();
    job.dram_bytes = 4096;
    CHECK_THAT(refused(job), Catch::Contains("keys need") && Catch::Contains("dram"));
    job = llama();
    job.shape.weight_type = LEVEE_TYPE_FP16;
    CHECK_THAT(refused(job), Catch::Contains("INT8, INT4 and INT3"));
    job = llama();
    job.gap_before_wk = 64;
    CHECK_THAT(refused(job), Catch::Contains("the parts of WQ, WK, WV are not contiguous"));
    job = opt();
    job.without_bias_of_wk = 1;
    CHECK_THAT(refused(job), Catch::Contains("biases of WQ, WK, WV"));
    job = llama();
    job.shape.magic ^= 1;
    CHECK_THAT(refused(job), Catch::Contains("magic"));
    job = llama();
    job.shape.kv_heads = 3;
    CHECK_THAT(refused(job), Catch::Contains("multiple of key/value heads"));
    job = llama();
    job.scheduler = "none";
    CHECK_THAT(refused(job), Catch::Contains("no scheduler \"none\""));
    job = llama();
    job.workload.context = 600;
    CHECK_THAT(refused(job), Catch::Contains("1 to 512"));
    job = llama();
    job.workload.context = 7; // The run needs 5 + 4 - 1 slots.
    CHECK_THAT(refused(job), Catch::Contains("needs 8 key/value slots"));
    job.workload.context = 8;
    CHECK(run(job)->exit_code == 0);
}

TEST_CASE("a machine that cannot use a component's matrices refuses them")
{
    fake_job job = llama();
    job.kept = 1;
    CHECK_THAT(refused(job), Catch::Contains("role weights keeps the matrices of a layer"));
    job = opt();
    job.kept = 1;
    CHECK_THAT(refused(job), Catch::Contains("role weights keeps the matrices of a layer"));
    job.kept = 2;
    CHECK_THAT(refused(job), Catch::Contains("is not of tensor kind 9 of layer 0"));
}
