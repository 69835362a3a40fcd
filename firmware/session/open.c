// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/open.h"

#include "firmware/cache/weave.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/inlining.h"
#include "firmware/hal/system.h"
#include "firmware/session/sampled.h"
#include "firmware/target/opening.h"
#include "firmware/target/placing_open.h"

#include <stddef.h>
#include <string.h>

static ALWAYS_INLINE void check_workload(const struct session* session)
{
    const struct levee_workload* work = session->workload;
    if (work->sequence_count == 0)
        fatal(EXIT_REFUSED, "the workload has no sequences");
    if (work->batch == 0 || work->batch > UINT16_MAX)
        fatal(EXIT_REFUSED, "workload.batch is %lu; expected 1 to %u", (unsigned long)work->batch,
              UINT16_MAX);
    if (work->context == 0 || work->context > session->model.header.max_context)
        fatal(EXIT_REFUSED, "workload.context is %lu; expected 1 to %lu for this model",
              (unsigned long)work->context, (unsigned long)session->model.header.max_context);
    if (work->prefill_chunk > UINT16_MAX)
        fatal(EXIT_REFUSED, "workload.prefill_chunk is %lu; expected at most %u",
              (unsigned long)work->prefill_chunk, UINT16_MAX);
}

/* Returns the number of tokens in a pass that verifies guesses: the guesses and the token before
 * them. */
static uint32_t most_verified(const struct session* session)
{
    const uint32_t guesses = session->workload->draft_tokens;
    return guesses != 0 ? guesses + 1 : 0;
}

static ALWAYS_INLINE void open_tables(struct session* session)
{
    const uint32_t batch = session->workload->batch;
    session->entries = heap_take(batch * sizeof *session->entries, "the batch");
    session->positions = heap_take(batch * sizeof *session->positions, "a table");
    session->lengths = heap_take(batch * sizeof *session->lengths, "a table");
    session->slots = heap_take(batch * sizeof *session->slots, "a table");
    session->now = heap_take(batch * sizeof *session->now, "a table");
    session->listed = heap_take(batch * sizeof *session->listed, "a table");
    session->written = heap_take(batch * sizeof *session->written, "a table");
    session->recomputed =
        heap_take(session->model.header.layers * sizeof *session->recomputed, "a table");
    session->targets = heap_take(batch * sizeof *session->targets, "a table");
    session->picks = heap_take(batch * sizeof *session->picks, "a table");
    if (policy_window(&session->policy) != 0) {
        session->local.lengths = heap_take(batch * sizeof *session->local.lengths, "a table");
        session->local.slots = heap_take(batch * sizeof *session->local.slots, "a table");
        session->local.first = heap_take(batch * sizeof *session->local.first, "a table");
    }
    const uint32_t picked =
        session->mode == SESSION_SCORE ? session->placement.chunk : most_verified(session);
    if (picked != 0)
        session->chunk_picks = heap_take(picked * sizeof *session->chunk_picks, "a table");
}

static ALWAYS_INLINE uint32_t longest_prefill(const struct levee_workload* work)
{
    uint32_t longest = 0; /* guesses are verified by a pass like a prefill's */
    for (uint32_t i = 0; i < work->sequence_count; ++i) {
        const uint64_t address = work->sequence_address + i * sizeof(struct levee_sequence) +
                                 offsetof(struct levee_sequence, prefill_count);
        uint32_t count;
        copy_in(&count, address, sizeof count, "a sequence");
        if (count > longest)
            longest = count;
    }
    return longest > work->draft_tokens ? longest : work->draft_tokens + 1;
}

static bool is_separate(const struct session* session)
{
    return session->machine.separate || session->policy.computed_rows != 0;
}

/* Passes that verify guesses use the settings of a prefill, except for the place of logits. */
static ALWAYS_INLINE void open_verifying(struct session* session)
{
    struct operand* values = session->verified_values;
    memcpy(values, session->placement.prefill_values, sizeof session->verified_values);
    values[VALUE_LOGITS] = session->placement.verified_logits;
    session->verifying_lowering = session->prefill_lowering;
    session->verifying_lowering.values = values;
}

static ALWAYS_INLINE void open_placement(struct session* session, struct session* first)
{
    const struct levee_workload* work = session->workload;
    const struct placement_request request = {
        .batch = work->batch,
        .context = work->context,
        .prefill = longest_prefill(work),
        .chunk = work->prefill_chunk,
        .verified = most_verified(session),
        .all_logits = session->mode == SESSION_SCORE,
        .separate = is_separate(session),
    };
    if (first == NULL)
        placement_open(&session->placement, &session->machine, &session->model, &session->policy,
                       &request);
    else
        placement_open_beside(&session->placement, &first->placement, &session->machine,
                              &session->model, &session->policy, &request);
    session->lowering = (struct lowering){
        .model = &session->model,
        .policy = &session->policy,
        .placement = &session->placement,
        .values = session->placement.values,
        .separate = request.separate,
    };
    machine_open(&session->machine, &session->lowering);
    session->prefill_lowering = session->lowering;
    session->prefill_lowering.values = session->placement.prefill_values;
    session->prefill_lowering.tiled = session->placement.tile_bytes != 0;
    open_verifying(session);
}

/* Adds the capacity that a list of operations needs. `fill` makes the list. The capacity is added
 * `times` times, because all layers have the same list. */
static void count_for(struct session* session, const struct pass* pass, uint32_t layer,
                      uint32_t times,
                      void (*fill)(const struct cache_step*, struct operation_list*),
                      struct program_capacity* capacity)
{
    struct operation operations[CACHE_MAX_OPERATIONS];
    struct operation_list list = {operations, 0, CACHE_MAX_OPERATIONS};
    fill(&(struct cache_step){&session->placement.cache, pass, layer}, &list);
    for (uint32_t i = 0; list.count != 0 && i < times; ++i)
        issue_count(&session->issuer, &session->lowering, pass, &list, layer, CACHE_MAX_PARTS,
                    capacity);
}

/* Opens the program that runs between passes. It has room for the operations that begin a new
 * batch or end a prefill. In addition, every unit has room for one operation of the machine or
 * of a sampled run. */
static NEVER_INLINE void open_between(struct session* session)
{
    const struct cache* cache = &session->placement.cache;
    const uint32_t layers = session->model.header.layers;
    const struct pass pass = session_pass(session, 0, session->workload->batch, 1);
    uint32_t counts[UNITS_MAX];
    struct program_capacity capacity = {.units = counts};
    for (uint32_t unit = 0; unit < session->units.count; ++unit)
        counts[unit] = CACHE_MAX_PARTS;
    count_for(session, &pass, LEVEE_NO_LAYER, 1, cache_list_new_batch, &capacity);
    count_for(session, &pass, LEVEE_NO_LAYER, 1, cache_list_new_prefill, &capacity);
    for (uint32_t local = 0; local < 2; ++local) {
        const uint32_t count = local ? layers - cache->full_layers : cache->full_layers;
        uint32_t layer = 0;
        while (count != 0 && cache->layers[layer].local != local)
            ++layer;
        count_for(session, &pass, layer, count, cache_list_new_batch, &capacity);
        count_for(session, &pass, layer, count, cache_list_selection, &capacity);
    }
    program_open(&session->between, &session->units, &capacity);
}

/* Opens model and machine. `first` is a session that is already open, or NULL. Only the first
 * model's matrices can be in components' own memories, so a second model reads its matrices by
 * address. */
static ALWAYS_INLINE void open_model(struct session* session, const struct session* first)
{
    const struct levee_workload* work = session->workload;
    model_open(&session->model, work->model_address);
    check_workload(session);
    if (first != NULL && first->model.header.kept_count != 0)
        machine_choose_plain(&session->machine);
    else
        machine_choose(&session->machine);
    machine_check_model(&session->machine, &session->model);
    session->issuer = (struct issuer){&session->machine, &session->units};
    const struct machine_part* weights = machine_weights(&session->machine);
    const struct recompute_room room = weights->recompute_room != NULL
                                           ? weights->recompute_room(&session->model, work->batch)
                                           : (struct recompute_room){0, 0};
    policy_open(&session->policy, &session->model, work->context, &room);
    policy_open_local(&session->policy, &session->model, work->context,
                      machine_masks(&session->machine));
    machine_complete(&session->machine, &session->model, &session->policy);
}

static ALWAYS_INLINE void open_ways(struct session* session)
{
    if (session->workload->sample_layers != 0) {
        sampled_open_ways(session);
        return;
    }
    session->way_count = 1;
    session->ways = session->way = heap_take(sizeof *session->way, "a program");
    session->way->layers = (struct layer_list){NULL, session->model.header.layers};
    session->way->times = LEVEE_MARK_ONCE;
    session_open_way(session, session->way);
}

void session_open(struct session* session, enum session_mode mode)
{
    session->workload = &system_info()->workload;
    session->mode = mode;
    open_model(session, NULL);
    open_placement(session, NULL);
    units_open(&session->units, &session->lowering);
    machine_start(&session->lowering);
    open_ways(session);
    open_between(session);
    open_tables(session);
}

/* Opens a second session. The machine's registers are not set again, since the first session has
 * set them. */
void session_open_beside(struct session* session, struct session* first,
                         const struct levee_workload* workload)
{
    session->workload = workload;
    session->mode = SESSION_GENERATE;
    open_model(session, first);
    open_placement(session, first);
    units_open_beside(&session->units, &first->units, &session->machine);
    open_ways(session);
    open_between(session);
    open_tables(session);
}
