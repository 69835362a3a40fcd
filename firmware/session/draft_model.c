// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/draft_model.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "firmware/session/open.h"

#include <stddef.h>

/* Makes the workload of the draft: it has its own image, and does not itself use speculative
 * decoding. */
static const struct levee_workload* workload_of_draft(const struct levee_workload* target)
{
    const uint64_t place =
        target->sequence_address + (uint64_t)target->sequence_count * sizeof(struct levee_sequence);
    struct levee_workload* workload = heap_take(sizeof *workload, "the draft's workload");
    struct levee_sequence image;
    copy_in(&image, place, sizeof image, "the draft's place");
    *workload = *target;
    workload->model_address = image.token_address;
    workload->draft_tokens = 0;
    return workload;
}

struct session* draft_model_open(struct session* target)
{
    if (target->workload->draft_match != 0)
        return NULL;
    struct session* draft = heap_take(sizeof *draft, "the draft");
    session_open_beside(draft, target, workload_of_draft(target->workload));
    return draft;
}

/* Makes the draft's text equal to the target's text, which has grown or has been replaced. The
 * draft drops tokens that the target has rejected. */
static struct entry* follow(struct session* draft, const struct session* target)
{
    const struct entry* text = &target->entries[0];
    struct entry* entry = &draft->entries[0];
    if (draft->count == 0 || entry->sequence.token_address != text->sequence.token_address)
        session_begin_beside(draft, target);
    entry->sequence = text->sequence;
    if (entry->position > text->position)
        entry->position = text->position;
    return entry;
}

static void hear(struct session* draft, struct entry* entry)
{
    while (entry->position < entry->sequence.prefill_count) {
        const uint32_t rest = entry->sequence.prefill_count - entry->position;
        const uint32_t chunk = draft->placement.chunk;
        session_read_rows(draft, rest < chunk ? rest : chunk);
    }
}

void draft_model_hear(struct session* draft, const struct session* target)
{
    struct entry* entry = follow(draft, target);
    hostlink_request(LEVEE_REQUEST_DRAFT, 0);
    hear(draft, entry);
    hostlink_request(LEVEE_REQUEST_DRAFTED, 0);
}

/* Guesses tokens, one step for each token that the draft processes. The first steps process the
 * target's last tokens, which the draft has not processed yet. Each later step processes the
 * draft's previous guess. */
void draft_model_guess(struct session* draft, const struct session* target, uint32_t count)
{
    struct entry* entry = follow(draft, target);
    const struct levee_sequence* text = &entry->sequence;
    const uint32_t end = text->token_count + count;
    hostlink_request(LEVEE_REQUEST_DRAFT, count);
    for (uint32_t next = text->token_count; next < end;) {
        session_start_unmarked_step(draft);
        session_finish_step(draft);
        if (entry->position >= text->token_count)
            mmio_write32(core_window(text->token_address + 4ull * next++, 4),
                         draft->picks[0].index);
    }
    hostlink_request(LEVEE_REQUEST_DRAFTED, count);
}
