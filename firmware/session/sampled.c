// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/sampled.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#define FILLS 3u
#define LEAD_IN 2u /* Number of steps that run without being counted before a sample. */

void sampled_begin_left_out(int32_t times)
{
    hostlink_times(times);
    hostlink_begin(LEVEE_MARK_LEFT_OUT, 0);
}

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

/* The layers whose slots are filled for omitted work: those that passes execute, all others, or one
 * half of either. A part stores rows in one layer after another, so on average half of the rows are
 * already stored during the part. Slots of EARLY layers are therefore filled before a sampled part,
 * and those of LATE layers after it. */
enum choice { PASSED, OTHERS, EARLY, LATE };

static bool is_chosen(const struct session* session, uint32_t layer, enum choice choice)
{
    if (session->shares == NULL)
        return choice == PASSED;
    const enum layer_share share = session->shares[layer];
    switch (choice) {
    case PASSED:
        return share == LAYER_PASSED || share == LAYER_PASSED_EARLY;
    case OTHERS:
        return share == LAYER_LEFT_OUT || share == LAYER_LEFT_OUT_EARLY;
    case EARLY:
        return share == LAYER_PASSED_EARLY || share == LAYER_LEFT_OUT_EARLY;
    default:
        return share == LAYER_LEFT_OUT;
    }
}

/* Slots [from, to). */
struct skipped {
    uint32_t from, to;
};

/* Entries [first, first + count). */
struct entries {
    uint32_t first, count;
};

/* Fills slots of some entries as if tokens had been stored there. Local layers use other slots.
 * Operations run one at a time, because a longer list would need memory that a run without sampling
 * does not use. */
static void fill_layers(struct session* session, struct entries of, const struct skipped* full,
                        const struct skipped* local, enum choice choice)
{
    static const struct operation fills[FILLS] = {
        {.kind = OPERATION_FILL_VIEWS, .writes = VALUE_TABLES},
        {.kind = OPERATION_FILL_KEYS, .writes = VALUE_KEYS},
        {.kind = OPERATION_FILL_VALUES, .writes = VALUE_VALUES},
    };
    const struct cache* cache = &session->placement.cache;
    const uint32_t count = cache->value_bytes != 0 ? FILLS - 1 : FILLS; /* values are the ends of
                                                                           keys, so the last fill
                                                                           is not needed */
    struct pass pass = session_pass(session, of.first, of.count, 1), of_local;
    if (!sampled_steps(session) || cache->refreshed == 0)
        return;
    pass.shape.form = cache->decode_forms.full;
    pass.fill_from = full->from;
    pass.fill_to = full->to;
    session_set_local(session, &cache->decode_forms, &pass, &of_local);
    of_local.fill_from = local->from;
    of_local.fill_to = local->to;
    for (uint32_t layer = 0; layer < session->model.header.layers; ++layer) {
        const struct pass* mine = cache_pass(cache, &pass, layer);
        if (!is_chosen(session, layer, choice))
            continue;
        for (uint32_t i = 0; i < count && mine->fill_from < mine->fill_to; ++i) {
            struct operation operation = fills[i];
            operation.layer = layer;
            session_list(session, mine, &(struct operation_list){&operation, 1, 1});
            session_run_listed(session);
        }
    }
}

/* Returns the slots of a ring that the tokens [from, to) are the first to use. */
static struct skipped new_in_ring(const struct session* session, uint32_t from, uint32_t to)
{
    const uint32_t ring = session->policy.ring;
    return (struct skipped){from < ring ? from : ring, to < ring ? to : ring};
}

/* Fills the slots that an omitted part would have stored in the layers of this choice. The time for
 * the fill belongs to no part, because a complete run has no such fill. */
static void fill_left_out(struct session* session, struct entries of, const struct skipped* full,
                          const struct skipped* local, enum choice choice)
{
    if (session->shares == NULL || session->placement.cache.refreshed == 0)
        return;
    session_end_part(session);
    sampled_begin_left_out(0);
    fill_layers(session, of, full, local, choice);
    hostlink_end();
}

/* Sets the slots that the chunks at positions [from, to) store. If the policy selects tokens from
 * prompts, chunks store nothing in the layers that follow the policy. */
static void stored_by_chunks(const struct session* session, uint32_t from, uint32_t to,
                             struct skipped* full, struct skipped* local)
{
    *full = (struct skipped){from, policy_selects(&session->policy) ? from : to};
    *local = new_in_ring(session, from, to);
    if (session->policy.banded)
        local->to = local->from;
}

/* Skips chunks: the entry's prefill continues at `position`, a multiple of placement.chunk. */
static void skip_chunks(struct session* session, uint32_t index, uint32_t position)
{
    struct entry* entry = &session->entries[index];
    const uint32_t chunk = session->placement.chunk;
    const uint32_t skipped = (position - entry->position + chunk - 1) / chunk;
    struct skipped full, local;
    if (skipped == 0)
        return;
    stored_by_chunks(session, entry->position, position, &full, &local);
    fill_layers(session, (struct entries){index, 1}, &full, &local, PASSED);
    fill_left_out(session, (struct entries){index, 1}, &full, &local, OTHERS);
    session->chunks += skipped;
    session->passes += skipped;
    if (session->policy.banded && session->policy.ring != 0)
        session->local.origin =
            position < session->policy.ring ? 0 : position - session->policy.ring;
    entry->position = position;
}

/* Selects the variant that executes a part in this turn. Turn 0 is the variant that checks the
 * others. */
static void take_way(struct session* session, uint32_t turn)
{
    session->way = &session->ways[turn == 0 ? session->way_count : turn - 1];
    if (session->way->times != LEVEE_MARK_ONCE)
        hostlink_times(session->way->times);
}

static uint32_t first_turn(const struct session* session, bool checks)
{
    return checks && session->way_count > 1 ? 0 : 1;
}

/* Runs the selection of the prompt's tokens to keep, in every variant, including the one that
 * checks the others. */
static void select_kept(struct session* session, uint32_t index)
{
    const uint32_t tokens = session->lengths[index];
    const uint32_t capacity = session->policy.capacity, ring = session->policy.ring;
    const struct skipped full = {0, tokens < capacity ? tokens : capacity};
    const struct skipped local = {0, !session->policy.banded ? 0 : tokens < ring ? tokens : ring};
    fill_left_out(session, (struct entries){index, 1}, &full, &local, EARLY);
    for (uint32_t turn = first_turn(session, true); turn <= session->way_count; ++turn) {
        take_way(session, turn);
        session_select_kept(session, index);
    }
    fill_left_out(session, (struct entries){index, 1}, &full, &local, LATE);
}

/* Skips an entry's prefill, except the selection. */
static void skip_prefill(struct session* session, uint32_t index)
{
    const uint32_t tokens = session->entries[index].sequence.prefill_count;
    skip_chunks(session, index, tokens);
    session->lengths[index] = tokens;
    if (policy_stages_prefill(&session->policy))
        select_kept(session, index);
}

/* Runs a chunk in every variant. A variant moves the tokens in the cache of a window, so each
 * variant starts from the same token. */
static void prefill_chunk(struct session* session, uint32_t index, uint32_t rows, bool last)
{
    struct entry* entry = &session->entries[index];
    const uint32_t from = entry->position, origin = session->local.origin;
    const bool checks = last && index == 0;
    struct skipped full, local;
    stored_by_chunks(session, from, from + rows, &full, &local);
    fill_left_out(session, (struct entries){index, 1}, &full, &local, EARLY);
    for (uint32_t turn = first_turn(session, checks); turn <= session->way_count; ++turn) {
        take_way(session, turn);
        session->local.origin = origin;
        session_prefill_pass(session, index, rows, last);
    }
    ++session->chunks;
    entry->position += rows;
    if (last && policy_stages_prefill(&session->policy)) {
        select_kept(session, index);
        return;
    }
    if (!last)
        session_end_part(session);
    fill_left_out(session, (struct entries){index, 1}, &full, &local, LATE);
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
        prefill_chunk(session, index, rows, rows == rest);
    }
}

/* Skips decode steps of the whole batch. All of its entries must be active. */
static void skip_steps(struct session* session, uint32_t steps)
{
    const uint32_t position = session->entries[0].position;
    for (uint32_t i = 0; i < session->count; ++i)
        session->entries[i].position += steps;
    session->steps += steps;
    session->passes += steps;
    /* The next token goes into the slot that the policy chose for the first skipped token. The slot
     * that it would otherwise get is also filled. */
    const uint32_t last = session->policy.evicts ? position + steps : position + steps - 1;
    const struct skipped full = {policy_valid(&session->policy, position - 1),
                                 policy_valid(&session->policy, last)};
    const struct skipped local = new_in_ring(session, position, position + steps);
    const struct entries all = {0, session->count};
    fill_layers(session, all, &full, &local, PASSED);
    fill_left_out(session, all, &full, &local, OTHERS);
}

/* Skips steps. With stored inputs, the last few steps before the sample run, but do not count as
 * samples. There are two reasons: a step recomputes rows that earlier steps have stored, and its
 * tables are patched with the changes of the previous step. The first of these few steps restores
 * the state after the skipped steps. */
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

/* Fills the slot of the last step's token in the layers that no variant executes. */
static void follow_step(struct session* session)
{
    const uint32_t next = session->entries[0].position;
    const struct skipped full = {policy_valid(&session->policy, next - 2),
                                 policy_valid(&session->policy, next - 1)};
    const struct skipped local = new_in_ring(session, next - 1, next);
    fill_left_out(session, (struct entries){0, session->count}, &full, &local, OTHERS);
}

uint32_t sampled_skip_steps(struct session* session)
{
    session_end_part(session);
    if (session->samples_done != 0)
        follow_step(session);
    const uint32_t step = sample(session->workload->sample_step_address, session->samples_done++);
    const uint32_t skipped = step - session->steps;
    if (skipped != 0)
        lead_in(session, skipped);
    return skipped;
}

void sampled_try_ways(struct session* session, void (*meanwhile)(void))
{
    const bool checks =
        session->samples_done == 1 || session->samples_done == session->workload->sample_steps;
    for (uint32_t turn = first_turn(session, checks); turn < session->way_count; ++turn) {
        take_way(session, turn);
        session_try_step(session, meanwhile);
    }
    take_way(session, session->way_count);
}
