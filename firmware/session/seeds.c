// SPDX-License-Identifier: Apache-2.0
/* Seeds of requests. A step has a table of them; a prefill is of one request, so that the
 * workload's seed is that one's. */
#include "firmware/hal/system.h"
#include "firmware/session/session.h"

static struct levee_workload* workload; /* the session's own copy */

void session_open_seeds(struct session* session)
{
    workload = heap_take(sizeof *workload, "the workload");
    *workload = *session->workload;
    session->workload = workload;
    session->step.shape.pick = PICK_SEEDED;
}

void session_seed_step(struct session* session)
{
    for (uint32_t i = 0; i < session->step.shape.entries; ++i) {
        const struct entry* entry = &session->entries[i];
        session->targets[i] = entry->sequence.seed ^ ((entry->position + 1) * SESSION_SEED_STEP);
    }
}

void session_seed_prefill(struct session* session, uint32_t index)
{
    const struct levee_sequence* sequence = &session->entries[index].sequence;
    workload->seed = sequence->seed;
    session->passes = sequence->token_count - 1; /* the chunk counts one more */
}
