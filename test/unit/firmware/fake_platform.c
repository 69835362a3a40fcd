// SPDX-License-Identifier: Apache-2.0
#include "test/unit/firmware/fake_platform.h"

#include "firmware/session/open.h"
#include "firmware/session/score.h"
#include "test/unit/firmware/fake_image.h"
#include "test/unit/firmware/fake_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_BYTES (1u << 20)

struct fake_state fake;

static void set_up_policy(const struct fake_job* job)
{
    fake.info.kv = job->kv;
    fake.info.voting = job->voting;
    fake.voting_capacity = job->voting_capacity;
    fake.info.retrieval = job->retrieval;
    fake.cam_rows = job->cam_rows;
    fake.info.cpq = job->cpq;
    fake.sz_bytes = job->sz_bytes;
    fake.info.codes.bits = job->code_bits;
    fake.info.rotation.hadamard = job->hadamard;
    fake.info.random = job->random;
}

static void set_up(const struct fake_job* job)
{
    memset(&fake, 0, sizeof fake);
    fake.backing = aligned_alloc(4096, IMAGE_BYTES + TOKENS_BYTES);
    fake.heap_bytes = job->heap_bytes != 0 ? job->heap_bytes : HEAP_BYTES;
    fake.heap = aligned_alloc(64, fake.heap_bytes);
    memset(fake.backing, 0, IMAGE_BYTES + TOKENS_BYTES);
    memset(fake.heap, 0, fake.heap_bytes);
    if (fake_image(job, fake.backing, IMAGE_BYTES) == 0)
        abort();
    struct levee_sequence* sequences = (void*)(fake.backing + IMAGE_BYTES);
    memcpy(sequences, job->sequences, sizeof job->sequences);
    for (uint32_t i = 0; i < job->workload.sequence_count; ++i)
        sequences[i].token_address = (uintptr_t)(sequences + FAKE_MAX_SEQUENCES);
    fake.info.workload = job->workload;
    fake.info.workload.model_address = (uintptr_t)fake.backing;
    fake.info.workload.sequence_address = (uintptr_t)sequences;
    fake.rsa_first = job->rsa_first;
    fake.recorded_from = job->recorded_from;
    fake.queue_depth = job->queue_depth;
    fake.info.stream_ports = (LEVEE_PORT_WEIGHTS + 1) * (job->groups > 1 ? job->groups : 1);
    snprintf(fake.info.scheduler, sizeof fake.info.scheduler, "%s", job->scheduler);
    set_up_policy(job);
    fake.info.core_hz = 1000000000;
    fake.input_rows_used = job->input_rows_used;
    fake.input_rows_grow = job->input_rows_grow;
    fake.activation_edram = job->activation_edram;
    fake.first_kv_undivided = job->first_kv_undivided;
    fake.plain = job->kv_edram_plain != 0;
    fake.flash_ns = job->flash_ns;
    fake.flash_fetch_ns = job->flash_fetch_ns;
    fake.passes = job->passes != 0 ? job->passes : 2;
    fake.elements_per_second =
        job->elements_per_second != 0 ? job->elements_per_second : 32000000000ull;
    fake.load_bytes_per_second =
        job->load_bytes_per_second != 0 ? job->load_bytes_per_second : 128000000000ull;
    fake_describe_memories(job);
    fake_describe_blocks(job);
}

static void run_batch(const struct fake_job* job, struct session* session)
{
    session_begin_batch(session, 0, job->workload.batch);
    fake.step = -1;
    for (uint32_t i = 0; i < session->count; ++i) {
        struct entry* entry = &session->entries[i];
        while (entry->position < entry->sequence.prefill_count) {
            uint32_t rest = entry->sequence.prefill_count - entry->position;
            uint32_t rows = rest < session->placement.chunk ? rest : session->placement.chunk;
            session_prefill(session, i, rows, rows == rest);
        }
    }
    for (uint32_t step = 0; step < job->steps; ++step) {
        fake.step = (int32_t)step;
        session_start_step(session);
        session_finish_step(session);
    }
}

static void score_all(struct session* session)
{
    struct score score = {0};
    score_workload(session, &score);
}

static void record(uint64_t base)
{
    if (base != 0)
        fake.outcome->regions[fake.outcome->region_count++] = (struct fake_region){base, 0};
}

static void record_regions(const struct session* session)
{
    struct fake_outcome* outcome = fake.outcome;
    const struct cache* cache = &session->placement.cache;
    for (int value = VALUE_X; value < CACHE_VALUES; ++value) {
        record(session->placement.values[value].data);
        record(session->placement.values[value].scale);
    }
    record(cache->layers[0].parts[0].keys);
    record(cache->layers[0].parts[0].values);
    record(cache->key_scales);
    record(cache->value_scales);
    record(cache->prefill.keys);
    record(cache->prefill.values);
    record(cache->prefill.key_scales);
    record(cache->prefill.value_scales);
    record(cache->prefill.importance);
    record(cache->importance);
    /* A region ends where the next one begins, or at the end of its memory. */
    for (uint32_t i = 0; i < outcome->region_count; ++i) {
        const uint64_t base = outcome->regions[i].base;
        uint64_t end = 0;
        for (uint32_t m = 0; m < fake.info.memory_count; ++m)
            if (base - fake.info.memories[m].base < fake.info.memories[m].size)
                end = fake.info.memories[m].base + fake.info.memories[m].size;
        for (uint32_t j = 0; j < outcome->region_count; ++j)
            if (outcome->regions[j].base > base && outcome->regions[j].base < end)
                end = outcome->regions[j].base;
        outcome->regions[i].bytes = end - base;
    }
}

static void record_memories(struct fake_outcome* outcome)
{
    const uint64_t heap = (uintptr_t)fake.heap;
    outcome->memories[outcome->memory_count++] = (struct fake_region){heap, fake.heap_bytes};
    for (uint32_t i = 0; i < fake.info.memory_count; ++i) {
        const struct levee_memory_info* memory = &fake.info.memories[i];
        const uint64_t behind = memory->base == EDRAM_BASE ? memory->size / ENTRY_BYTES : 0;
        outcome->memories[outcome->memory_count++] =
            (struct fake_region){memory->base, memory->size + behind};
    }
}

void fake_run(const struct fake_job* job, struct fake_outcome* outcome)
{
    static struct session session;
    memset(outcome, 0, sizeof *outcome);
    memset(&session, 0, sizeof session);
    set_up(job);
    fake.outcome = outcome;
    outcome->least_length = UINT32_MAX;
    record_memories(outcome);
    outcome->exit_code = setjmp(fake.end);
    if (outcome->exit_code == 0) {
        session_open(&session, job->score ? SESSION_SCORE : SESSION_GENERATE);
        outcome->chunk = session.placement.chunk;
        record_regions(&session);
        if (job->score == FAKE_SCORE_WORKLOAD)
            score_all(&session);
        else
            run_batch(job, &session);
        session_report(&session);
    }
    free(fake.backing);
    free(fake.heap);
}
