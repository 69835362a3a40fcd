// SPDX-License-Identifier: Apache-2.0
// Tests models of 1 to 70 billion parameters. All data fit where they are placed, every operand is
// inside a memory, and no stride overflows its field.
#include "core/abi/boot_info.h"
#include "firmware/target/operations.h"
#include "ip/dma/regs.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "ip/systolic_evictor/regs.h"
#include "test/unit/firmware/jobs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

struct Shape {
    const char* name;
    std::uint32_t dim, hidden, layers, heads, kv_heads, vocab;
    bool learned;
};

// The shapes are those in scenarios/models.
const std::vector<Shape> shapes{
    {"llama2-7b", 4096, 11008, 32, 32, 32, 32000, false},
    {"llama2-70b", 8192, 28672, 80, 64, 8, 32000, false},
    {"llama3-8b", 4096, 14336, 32, 32, 8, 128256, false},
    {"qwen2-7b", 3584, 18944, 28, 28, 4, 152064, false},
    {"opt-1.3b", 2048, 8192, 24, 32, 32, 50272, true},
    {"opt-66b", 9216, 36864, 64, 72, 72, 50272, true},
};

fake_job large(const Shape& shape, std::uint32_t batch, std::uint32_t kind)
{
    fake_job job = shape.learned ? opt() : llama();
    job.shape.dim = shape.dim;
    job.shape.hidden = shape.hidden;
    job.shape.layers = shape.layers;
    job.shape.heads = shape.heads;
    job.shape.kv_heads = shape.kv_heads;
    job.shape.head_dim = shape.dim / shape.heads;
    job.shape.vocab = shape.vocab;
    job.shape.max_context = 8192 + 512;
    job.workload.context = job.shape.max_context;
    job.kv.kind = kind;
    job.kv.budget = 2048;
    job.kv.window = 1024;
    job.kv.sinks = 10;
    job.kv.view_bits = 4;
    job.kv.recompute = LEVEE_KV_RECOMPUTE_ALL;
    job.kv_edram_bytes = 4u << 20;
    job.edram_roles = LEVEE_ROLE_KV_RING;
    job.sram_bytes = 2u << 20;
    job.sram_roles = LEVEE_ROLE_STATE | LEVEE_ROLE_WEIGHTS_RING;
    job.dram_bytes = 4ull << 40;
    job.heap_bytes = 4u << 20;
    job.queue_depth = 256;
    job.queues = 2;
    job.scheduler = "kelle";
    set_batch(job, batch);
    job.steps = 3;
    job.recorded_from = 2;
    return job;
}

/// A loop over an operand: its number of iterations and the bytes from one to the next.
struct Loop {
    std::uint64_t count;
    std::int64_t stride;
};

struct Operand {
    const char* what;
    std::uint64_t address;
    std::uint64_t bytes; ///< Bytes of the innermost loop, which has no gaps.
    std::vector<Loop> loops;
};

/// Returns the distance from the first to the last byte, or 0 if iterations overlap, which the test
/// treats as an error.
std::uint64_t extent(const Operand& operand)
{
    std::vector<Loop> loops;
    for (const Loop& loop : operand.loops)
        if (loop.count > 1 && loop.stride != 0)
            loops.push_back(loop);
    std::sort(loops.begin(), loops.end(),
              [](const Loop& a, const Loop& b) { return a.stride < b.stride; });
    std::uint64_t bytes = operand.bytes;
    for (const Loop& loop : loops) {
        if (loop.stride < 0 || static_cast<std::uint64_t>(loop.stride) < bytes)
            return 0;
        bytes += (loop.count - 1) * static_cast<std::uint64_t>(loop.stride);
    }
    return bytes;
}

std::uint64_t bytes_of(std::uint64_t elements, unsigned type)
{
    switch (type) {
    case LEVEE_TYPE_INT8:
        return elements;
    case LEVEE_TYPE_INT16:
        return 2 * elements;
    default:
        return 4 * elements;
    }
}

std::vector<Operand> of_array(const levee_rsa_operation& op)
{
    const bool turned = op.flags & LEVEE_RSA_B_TRANSPOSED;
    const std::vector<Loop> a{{op.outer[0], op.a_stride[0]},
                              {op.outer[1], op.a_stride[1]},
                              {op.m1, op.a_stride[2]},
                              {op.m0, op.a_stride[3]}};
    const std::vector<Loop> out{{op.outer[0], op.out_stride[0]},
                                {op.outer[1], op.out_stride[1]},
                                {op.m1, op.out_stride[2]},
                                {op.m0, op.out_stride[3]}};
    const std::vector<Loop> b{{op.outer[0], op.b_stride[0]},
                              {op.outer[1], op.b_stride[1]},
                              {turned ? op.n : op.k, op.b_stride[2]}};
    const std::vector<Loop> scales{{op.outer[0], op.b_scale_stride[0]},
                                   {op.outer[1], op.b_scale_stride[1]},
                                   {op.n, op.b_scale_stride[2]}};
    return {{"a", op.a, bytes_of(op.k, op.a_type), a},
            {"b", op.b, bytes_of(turned ? op.k : op.n, op.b_type), b},
            {"a_scale",
             op.a_scale,
             4,
             {{op.outer[0], op.a_scale_stride[0]},
              {op.outer[1], op.a_scale_stride[1]},
              {op.m1, op.a_scale_stride[2]},
              {op.m0, op.a_scale_stride[3]}}},
            {"b_scale", op.b_scale, 4, scales},
            {"out", op.out, 4ull * op.n, out}};
}

std::vector<Operand> of_functions(const levee_sfu_operation& op, std::uint8_t opcode)
{
    const auto loops = [&](const auto& stride) {
        return std::vector<Loop>{{op.outer[0], static_cast<std::int64_t>(stride[0])},
                                 {op.outer[1], static_cast<std::int64_t>(stride[1])},
                                 {op.rows, static_cast<std::int64_t>(stride[2])}};
    };
    const bool picks = opcode >= LEVEE_SFU_ARGMAX && opcode <= LEVEE_SFU_LOG_PROB;
    const bool scatters = op.flags & LEVEE_SFU_SCATTER;
    std::vector<Operand> found;
    if (opcode != LEVEE_SFU_EMBED)
        found.push_back({"x", op.x, 4ull * op.n, loops(op.x_stride)});
    found.push_back({"out", op.out, picks ? sizeof(levee_sfu_pick) : bytes_of(op.n, op.out_type),
                     loops(op.out_stride)});
    if (scatters && (op.flags & LEVEE_SFU_ROW_WORDS))
        found.push_back(
            {"indices",
             op.indices,
             4ull * op.rows,
             {{op.outer[0], op.indices_stride[0]}, {op.outer[1], op.indices_stride[1]}}});
    if (!scatters)
        found.push_back({"out_scale", op.out_scale, 4, loops(op.out_scale_stride)});
    if (opcode == LEVEE_SFU_SOFTMAX_PART || opcode == LEVEE_SFU_SOFTMAX_KNOWN) {
        const std::int64_t twice[] = {0, 2 * op.out_scale_stride[1], 2 * op.out_scale_stride[2]};
        found.push_back({"running", op.gain, sizeof(levee_sfu_running), loops(twice)});
        found.push_back({"keep", op.bias, 4, loops(op.out_scale_stride)});
    }
    return found;
}

std::vector<Operand> of_copies(const levee_dma_operation& op, std::uint8_t opcode)
{
    std::vector<Operand> found;
    const auto loops = [&](const std::int64_t* stride) {
        return std::vector<Loop>{
            {op.count[0], stride[0]}, {op.count[1], stride[1]}, {op.count[2], stride[2]}};
    };
    if (opcode == LEVEE_DMA_COPY && op.source_index == 0)
        found.push_back({"source", op.source, op.run_bytes, loops(op.source_stride)});
    if (op.destination_index == 0)
        found.push_back(
            {"destination", op.destination, op.run_bytes, loops(op.destination_stride)});
    return found;
}

std::vector<Operand> of_evictor(const levee_se_operation& op)
{
    const auto loops = [&](const std::int32_t* stride) {
        return std::vector<Loop>{{op.outer[0], stride[0]}, {op.outer[1], stride[1]}};
    };
    if (op.importance == 0)
        return {};
    return {{"importance", op.importance, 2ull * op.n, loops(op.importance_stride)},
            {"positions", op.positions, 4ull * op.n, loops(op.positions_stride)}};
}

std::vector<Operand> operands_of(const fake_executed& executed)
{
    const levee_descriptor& descriptor = executed.descriptor;
    switch (executed.unit) {
    case FAKE_SFU:
        return of_functions(operation_of<levee_sfu_operation>(descriptor), descriptor.opcode);
    case FAKE_DMA:
        return of_copies(operation_of<levee_dma_operation>(descriptor), descriptor.opcode);
    case FAKE_SE:
        return of_evictor(operation_of<levee_se_operation>(descriptor));
    default:
        return of_array(operation_of<levee_rsa_operation>(descriptor));
    }
}

bool in_memory(const fake_outcome& outcome, std::uint64_t address, std::uint64_t bytes)
{
    return std::any_of(outcome.memories, outcome.memories + outcome.memory_count,
                       [&](const fake_region& memory) {
                           return address >= memory.base && bytes <= memory.bytes &&
                                  address - memory.base <= memory.bytes - bytes;
                       });
}

void check_operands(const fake_outcome& outcome)
{
    REQUIRE(outcome.executed_count > 0);
    REQUIRE(outcome.executed_count < FAKE_MAX_EXECUTED); // All operations were recorded.
    for (std::uint32_t i = 0; i < outcome.executed_count; ++i)
        for (const Operand& operand : operands_of(outcome.executed[i])) {
            // The firmware's own constants are outside the fake's memories.
            if (operand.address == 0 || operand.address >= LEVEE_STREAM_BASE ||
                (outcome.executed[i].unit == FAKE_DMA && operand.bytes == 4))
                continue;
            const std::uint64_t bytes = extent(operand);
            const bool fits = bytes != 0 && in_memory(outcome, operand.address, bytes);
            if (!fits)
                FAIL("unit " << outcome.executed[i].unit << ", tag "
                             << outcome.executed[i].descriptor.tag << ": " << operand.what);
        }
}

/// Returns the queries, scores, probabilities and partial sums of an attention operation.
std::vector<std::uint64_t> of_tile(const levee_descriptor& descriptor)
{
    const unsigned operation = descriptor.tag & 0xFF;
    if (operation == OPERATION_SOFTMAX) {
        const auto op = operation_of<levee_sfu_operation>(descriptor);
        return {op.x, op.out, op.out_scale};
    }
    if (operation != OPERATION_SCORES && operation != OPERATION_MIX)
        return {};
    const auto op = operation_of<levee_rsa_operation>(descriptor);
    if (operation == OPERATION_SCORES)
        return {op.a, op.a_scale, op.out};
    if (op.flags & LEVEE_RSA_ACCUMULATE)
        return {op.a, op.a_scale, op.out, op.bias};
    return {op.a, op.a_scale};
}

} // namespace

TEST_CASE("large models: every operand of every policy is inside a memory")
{
    for (const Shape& shape : shapes)
        for (const std::uint32_t batch : {1u, 16u, 32u})
            for (std::uint32_t kind = LEVEE_KV_FULL; kind <= LEVEE_KV_AERP; ++kind) {
                fake_job job = large(shape, batch, kind);
                job.input_rows_used = std::min(job.kv.budget + 1, 0xFFFFu / batch - 1);
                const auto outcome = run(job);
                INFO(shape.name << " batch " << batch << " policy " << kind << ": "
                                << outcome->message);
                REQUIRE(outcome->exit_code == 0);
                check_operands(*outcome);
            }
}

TEST_CASE("large models: operands that the array reads with weights are on chip")
{
    constexpr std::uint64_t sram_base = 0x20000000;
    for (const std::uint32_t chunk : {0u, 512u}) {
        fake_job job = large(shapes[0], 16, LEVEE_KV_FULL);
        job.workload.prefill_chunk = chunk;
        if (chunk == 0) // When the firmware chooses the chunk, the tiles of a prefill are on chip,
                        // too.
            job.recorded_from = -1;
        const auto outcome = run(job);
        REQUIRE(outcome->exit_code == 0);
        CHECK(outcome->chunk == (chunk != 0 ? chunk : 32));
        std::uint32_t products = 0;
        for (std::uint32_t i = 0; i < outcome->executed_count; ++i) {
            const fake_executed& executed = outcome->executed[i];
            if ((executed.descriptor.tag & 0xFF) != OPERATION_LINEAR)
                continue;
            const auto op = operation_of<levee_rsa_operation>(executed.descriptor);
            CHECK(op.a - sram_base < job.sram_bytes);
            ++products;
        }
        CHECK(products > job.shape.layers);
    }
}

TEST_CASE("large models: the same holds for a prefill in chunks of 512")
{
    for (const Shape& shape : shapes)
        for (const std::uint32_t kind : {LEVEE_KV_FULL, LEVEE_KV_AERP}) {
            fake_job job = large(shape, 1, kind);
            job.sequences[0].token_count = job.sequences[0].prefill_count = 1024;
            job.shape.layers = 1;
            job.recorded_from = -1;
            job.workload.prefill_chunk = 512;
            job.steps = 0;
            const auto outcome = run(job);
            INFO(shape.name << " policy " << kind << ": " << outcome->message);
            REQUIRE(outcome->exit_code == 0);
            CHECK(outcome->chunk == 512);
            check_operands(*outcome);
        }
}

TEST_CASE(
    "large models: only keys, values, queries and results of a prefill's attention are off chip")
{
    constexpr std::uint64_t sram_base = 0x20000000;
    for (const Shape& shape : shapes)
        for (const std::uint32_t kind : {LEVEE_KV_FULL, LEVEE_KV_AEP})
            for (const std::uint32_t score : {LEVEE_KV_SCORE_LOGIT, LEVEE_KV_SCORE_SOFTMAX}) {
                fake_job job = large(shape, 1, kind);
                job.kv.score = score;
                job.sequences[0].token_count = job.sequences[0].prefill_count = 1024;
                job.shape.layers = 1;
                job.recorded_from = -1;
                job.workload.prefill_chunk = 128;
                job.steps = 0;
                const auto outcome = run(job);
                INFO(shape.name << " policy " << kind << ": " << outcome->message);
                REQUIRE(outcome->exit_code == 0);
                check_operands(*outcome);
                std::uint32_t softmaxes = 0, off_chip = 0;
                for (std::uint32_t i = 0; i < outcome->executed_count; ++i) {
                    const levee_descriptor& descriptor = outcome->executed[i].descriptor;
                    softmaxes += (descriptor.tag & 0xFF) == OPERATION_SOFTMAX ? 1 : 0;
                    for (const std::uint64_t address : of_tile(descriptor))
                        if (address - sram_base >= job.sram_bytes && address < LEVEE_STREAM_BASE)
                            ++off_chip;
                }
                CHECK(off_chip == 0);
                CHECK(softmaxes > 8); // There are 8 chunks, so scores are divided into tiles.
            }
}
