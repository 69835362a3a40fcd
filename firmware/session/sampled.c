// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/sampled.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#define FILLS 3u
#define LEAD_IN 2u /* steps */

bool sampled_chunks(const struct session* session)
{
    return session->workload->sample_chunks != 0;
}

bool sampled_steps(const struct session* session)
{
    return session->workload->sample_steps != 0;
}

static uint32_t sample(uint64_t list, uint32_t index)
{
    return mmio_read32(core_window(list + 4ull * index, 4));
}

/* Fills slots [from, to) of some entries, as if tokens had been stored there. One operation at a
 * time, as room for more would be memory that a whole run does not take. */
static void fill_skipped(struct session* session, uint32_t first, uint32_t entries, uint32_t from,
                         uint32_t to)
{
    static const struct operation fills[FILLS] = {
        {.kind = OPERATION_FILL_VIEWS, .writes = VALUE_TABLES},
        {.kind = OPERATION_FILL_KEYS, .writes = VALUE_KEYS},
        {.kind = OPERATION_FILL_VALUES, .writes = VALUE_VALUES},
    };
    struct pass pass = session_pass(session, first, entries, 1);
    if (!sampled_steps(session) || session->placement.cache.refreshed == 0 || from >= to)
        return;
    pass.shape.form = session->placement.cache.decode_form;
    pass.fill_from = from;
    pass.fill_to = to;
    for (uint32_t layer = 0; layer < session->model.header.layers; ++layer)
        for (uint32_t i = 0; i < FILLS; ++i) {
            struct operation operation = fills[i];
            operation.layer = layer;
            session_list(session, &pass, &(struct operation_list){&operation, 1, 1});
            session_run_listed(session);
        }
}

/* The entry's prefill goes on at `position`, a multiple of placement.chunk. */
static void skip_chunks(struct session* session, uint32_t index, uint32_t position)
{
    struct entry* entry = &session->entries[index];
    const uint32_t chunk = session->placement.chunk;
    const uint32_t skipped = (position - entry->position + chunk - 1) / chunk;
    if (!policy_selects(&session->policy))
        fill_skipped(session, index, 1, entry->position, position);
    session->chunks += skipped;
    session->passes += skipped;
    entry->position = position;
}

/* All of the entry's prefill but the selection. */
static void skip_prefill(struct session* session, uint32_t index)
{
    const uint32_t tokens = session->entries[index].sequence.prefill_count;
    skip_chunks(session, index, tokens);
    session->lengths[index] = tokens;
    if (policy_selects(&session->policy))
        session_select_kept(session, index);
}

void sampled_prefill(struct session* session, uint32_t index)
{
    const struct levee_workload* work = session->workload;
    const uint32_t end = session->entries[index].sequence.prefill_count;
    session_end_part(session);
    if (index > 1 && index + 1 != session->count) {
        skip_prefill(session, index);
        return;
    }
    for (uint32_t i = 0; i < work->sample_chunks; ++i) {
        const uint32_t from = sample(work->sample_chunk_address, i) * session->placement.chunk;
        const uint32_t rest = end - from;
        const uint32_t rows = rest < session->placement.chunk ? rest : session->placement.chunk;
        skip_chunks(session, index, from);
        session_prefill(session, index, rows, rows == rest);
        if (rows != rest)
            session_end_part(session);
    }
}

/* Leaves out decode steps of the whole batch, all of whose entries are active. */
static void skip_steps(struct session* session, uint32_t steps)
{
    const uint32_t position = session->entries[0].position;
    for (uint32_t i = 0; i < session->count; ++i)
        session->entries[i].position += steps;
    session->steps += steps;
    session->passes += steps;
    /* The next token goes into the slot that the policy chose for the first of those left out; the
     * slot that it would have had is filled, too. */
    const uint32_t last = session->policy.evicts ? position + steps : position + steps - 1;
    fill_skipped(session, 0, session->count, policy_valid(&session->policy, position - 1),
                 policy_valid(&session->policy, last));
}

/* Leaves out steps but for the last few, which are done as well and are no samples: a step
 * recomputes what earlier steps have left, its tables are patched by what the last one has changed,
 * and the first of them catches up with those left out. */
static void lead_in(struct session* session, uint32_t skipped)
{
    if (session->policy.input_rows == 0) {
        skip_steps(session, skipped);
        return;
    }
    const uint32_t done = skipped < LEAD_IN ? skipped : LEAD_IN;
    if (skipped != done)
        skip_steps(session, skipped - done);
    for (uint32_t i = 0; i < done; ++i) {
        session_start_unmarked_step(session);
        session_finish_step(session);
    }
}

uint32_t sampled_next_step(struct session* session)
{
    session_end_part(session);
    const uint32_t step = sample(session->workload->sample_step_address, session->samples_done++);
    const uint32_t skipped = step - session->steps;
    if (skipped != 0)
        lead_in(session, skipped);
    return skipped;
}
