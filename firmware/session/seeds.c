// SPDX-License-Identifier: Apache-2.0
/* Seeds and temperatures of requests. A decode step has a table of them. A prefill belongs to one
 * request, so its seed and temperature become those of the workload. */
#include "firmware/hal/system.h"
#include "firmware/session/session.h"

static struct levee_workload* workload; /* The session's own copy of the workload. */
static struct draw* draws;              /* Draws of the next step, by entry. */

void session_open_seeds(struct session* session)
{
    workload = heap_take(sizeof *workload, "the workload");
    *workload = *session->workload;
    session->workload = workload;
    draws = heap_take(session->count * sizeof *draws, "draws");
    session->step.shape.pick = PICK_SEEDED;
    session->step.targets = (struct word_table){bus_address(draws), sizeof *draws, 0};
}

void session_seed_step(struct session* session)
{
    for (uint32_t i = 0; i < session->step.shape.entries; ++i) {
        const struct entry* entry = &session->entries[i];
        draws[i].seed = entry->sequence.seed ^ ((entry->position + 1) * SESSION_SEED_STEP);
        draws[i].temperature = entry->sequence.temperature;
    }
}

/* Sets the temperature. Programs that were built with another temperature are built again. */
static void set_temperature(struct session* session, float temperature)
{
    if (workload->temperature == temperature)
        return;
    workload->temperature = temperature;
    session->way->prefill.built = false;
}

void session_seed_prefill(struct session* session, uint32_t index)
{
    const struct levee_sequence* sequence = &session->entries[index].sequence;
    set_temperature(session, sequence->temperature);
    workload->seed = sequence->seed;
    session->passes = sequence->token_count - 1; /* The prefill's chunk adds one pass. */
}
