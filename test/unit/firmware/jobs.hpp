// SPDX-License-Identifier: Apache-2.0
// Jobs for the firmware on the fake platform, and functions that examine the executed operations.
#pragma once

#include "test/unit/firmware/fake_platform.h"

#include <cstdint>
#include <cstring>
#include <memory>

namespace levee::test {

inline fake_job llama()
{
    fake_job job{};
    job.shape.magic = LEVEE_MODEL_MAGIC;
    job.shape.version = LEVEE_MODEL_VERSION;
    job.shape.header_bytes = sizeof job.shape;
    job.shape.dim = 64;
    job.shape.hidden = 172;
    job.shape.layers = 5;
    job.shape.heads = 8;
    job.shape.kv_heads = 4;
    job.shape.head_dim = 8;
    job.shape.vocab = 512;
    job.shape.max_context = 512;
    job.shape.norm = LEVEE_NORM_RMS;
    job.shape.activation = LEVEE_ACTIVATION_SILU_GLU;
    job.shape.position = LEVEE_POSITION_ROPE_PAIRS;
    job.shape.norm_epsilon = 1e-5f;
    job.shape.weight_type = LEVEE_TYPE_INT8;
    job.scheduler = "baseline";
    job.queue_depth = 64;
    job.sram_bytes = 4u << 20;
    job.dram_bytes = 64u << 20;
    job.workload.context = 128;
    job.workload.batch = 1;
    job.workload.sequence_count = 1;
    job.workload.max_new_tokens = 4;
    job.sequences[0].token_count = 5;
    job.sequences[0].prefill_count = 5;
    job.steps = 3;
    job.recorded_from = -1;
    return job;
}

inline fake_job opt()
{
    fake_job job = llama();
    job.shape.norm = LEVEE_NORM_LAYER;
    job.shape.activation = LEVEE_ACTIVATION_RELU;
    job.shape.position = LEVEE_POSITION_LEARNED;
    job.shape.kv_heads = job.shape.heads;
    return job;
}

inline void set_batch(fake_job& job, std::uint32_t batch)
{
    job.workload.batch = batch;
    job.workload.sequence_count = batch;
    for (std::uint32_t i = 0; i < batch; ++i) {
        job.sequences[i].token_count = 3 + 7 * (i % 5);
        job.sequences[i].prefill_count = job.sequences[i].token_count;
    }
}

inline std::unique_ptr<fake_outcome> run(const fake_job& job)
{
    auto outcome = std::make_unique<fake_outcome>();
    fake_run(&job, outcome.get());
    return outcome;
}

inline std::uint32_t layer_of(const levee_descriptor& descriptor)
{
    return descriptor.tag >> 8;
}

inline bool of_a_layer(const levee_descriptor& descriptor)
{
    return layer_of(descriptor) != (LEVEE_NO_LAYER & 0xFFFFFFu);
}

template <typename Operation> Operation operation_of(const levee_descriptor& descriptor)
{
    Operation operation;
    std::memcpy(&operation, descriptor.operation, sizeof operation);
    return operation;
}

} // namespace levee::test
