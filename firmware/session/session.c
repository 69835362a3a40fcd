// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/session.h"

#include "firmware/cache/hooks.h"
#include "firmware/cache/kelle/inputs.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "firmware/target/opening.h"

#include <stddef.h>

/* Tokens that go through the model: all but a scored text's last one, or the last one generated,
 * after which nothing comes. */
static uint64_t slots_needed(const struct session* session, const struct levee_sequence* sequence)
{
    if (session->mode == SESSION_SCORE)
        return sequence->token_count - 1;
    const uint32_t fed_back =
        session->workload->max_new_tokens != 0 ? session->workload->max_new_tokens - 1 : 0;
    return (uint64_t)sequence->token_count + fed_back;
}

static void check_sequence(const struct session* session, const struct entry* entry)
{
    const struct levee_sequence* sequence = &entry->sequence;
    if (sequence->token_count == 0 || sequence->prefill_count > sequence->token_count)
        fatal(EXIT_REFUSED, "sequence %lu: %lu tokens, %lu of them to prefill",
              (unsigned long)entry->index, (unsigned long)sequence->token_count,
              (unsigned long)sequence->prefill_count);
    if (core_window(sequence->token_address, 4ull * sequence->token_count) == 0)
        fatal(EXIT_REFUSED, "sequence %lu: its tokens lie outside what the core can see",
              (unsigned long)entry->index);
    const uint64_t slots = slots_needed(session, sequence);
    if (slots > session->placement.context)
        fatal(EXIT_REFUSED, "sequence %lu needs %lu key/value slots; workload.context gives it %lu",
              (unsigned long)entry->index, (unsigned long)slots,
              (unsigned long)session->placement.context);
}

uint32_t session_token(const struct entry* entry, uint32_t index)
{
    return mmio_read32(core_window(entry->sequence.token_address + 4ull * index, 4));
}

static enum pick_kind pick_kind(const struct session* session)
{
    if (session->mode == SESSION_SCORE)
        return PICK_LOG_PROB;
    return session->workload->sampling == LEVEE_SAMPLING_TEMPERATURE ? PICK_SAMPLE : PICK_ARGMAX;
}

/* A seed of its own for every pass (Knuth's multiplicative hash spreads the count's bits). */
static uint32_t next_seed(struct session* session)
{
    return session->workload->seed ^ (++session->passes * 2654435761u);
}

struct pass session_pass(struct session* session, uint32_t first_entry, uint32_t entries,
                         uint32_t rows)
{
    return (struct pass){
        .shape = {.entries = entries,
                  .rows = rows,
                  .first_entry = first_entry,
                  .logit_rows = 1,
                  .pick = pick_kind(session),
                  .separate = session->lowering.separate},
        .positions = bus_address(&session->positions[first_entry]),
        .lengths = bus_address(&session->lengths[first_entry]),
        .slots = bus_address(&session->slots[first_entry]),
        .now = bus_address(&session->now[first_entry]),
        .listed = bus_address(&session->listed[first_entry]),
        .written = bus_address(&session->written[first_entry]),
        .picks = bus_address(&session->picks[first_entry]),
        .temperature = session->workload->temperature,
    };
}

void session_list(struct session* session, const struct pass* pass, struct operation_list* list)
{
    issue_list(&session->issuer, &session->between, &session->lowering, pass, list, false);
}

void session_run_listed(struct session* session)
{
    if (program_count(&session->between) == 0)
        return;
    program_begin(&session->between);
    program_push(&session->between);
    program_wait(&session->between);
    program_clear(&session->between);
}

/* A list that a hook fills, for the layer. */
static void list_for(struct session* session, const struct pass* pass, uint32_t layer,
                     void (*fill)(const struct cache_step*, struct operation_list*))
{
    struct operation operations[CACHE_MAX_OPERATIONS];
    struct operation_list list = {operations, 0, CACHE_MAX_OPERATIONS};
    const struct cache_step step = {&session->placement.cache, pass, layer};
    fill(&step, &list);
    session_list(session, pass, &list);
}

static void list_for_layers(struct session* session, const struct pass* pass,
                            void (*fill)(const struct cache_step*, struct operation_list*))
{
    for (uint32_t layer = 0; layer < session->model.header.layers; ++layer)
        list_for(session, pass, layer, fill);
}

/* What the machine adds to a new batch. */
static void list_of_machine(struct session* session, const struct pass* pass)
{
    struct operation operations[MACHINE_MAX_OPERATIONS];
    struct operation_list list = {operations, 0, MACHINE_MAX_OPERATIONS};
    machine_list_new_batch(&session->lowering, &list);
    session_list(session, pass, &list);
}

static void empty_cache(struct session* session)
{
    const struct pass pass = session_pass(session, 0, session->count, 1);
    list_for(session, &pass, LEVEE_NO_LAYER, cache_list_new_batch);
    list_for_layers(session, &pass, cache_list_new_batch);
    session_run_listed(session);
    machine_new_batch(&session->lowering);
    inputs_clear(&session->placement.cache);
    list_of_machine(session, &pass);
    session_run_listed(session);
}

void session_select_kept(struct session* session, uint32_t index)
{
    hostlink_begin(LEVEE_MARK_SELECTION, index);
    struct pass pass = session_pass(session, index, 1, 1);
    const uint32_t tokens = session->lengths[index];
    session->now[index] = tokens - 1; /* goes on from there even if the entry takes no step */
    pass.longest = tokens < session->policy.capacity ? tokens : session->policy.capacity;
    session->written[index] = pass.longest;
    list_for_layers(session, &pass, cache_list_selection);
    session_run_listed(session);
}

void session_begin_batch(struct session* session, uint32_t first, uint32_t count)
{
    const size_t bytes = sizeof(struct levee_sequence);
    session->count = count;
    session->chunks = session->steps = 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct entry* entry = &session->entries[i];
        entry->index = first + i;
        entry->position = 0;
        session->written[i] = 0;
        entry->active = true;
        copy_in(&entry->sequence,
                session->workload->sequence_address + (uint64_t)entry->index * bytes, bytes,
                "a sequence");
        check_sequence(session, entry);
    }
    empty_cache(session);
    session->step = session_pass(session, 0, count, 1);
    session->step.shape.form = session->placement.cache.decode_form;
    session->step.recomputed = session->recomputed;
    session->step.tokens = (struct word_table){session->step.picks, sizeof(struct pick), 0};
    if (session->workload->no_logits)
        session->step.shape.logit_rows = 0;
    session->step.targets = (struct word_table){bus_address(session->targets), 4, 0};
}

void session_leave_out(struct session* session, uint32_t index)
{
    session->entries[index].active = false;
    session->positions[index] = session->slots[index] = 0;
    session->lengths[index] = 1;
    session->now[index] = UINT32_MAX; /* the first step's is 0 */
}

void session_prefill(struct session* session, uint32_t index, uint32_t rows, bool last)
{
    hostlink_begin(LEVEE_MARK_PREFILL_CHUNK, session->chunks++);
    struct entry* entry = &session->entries[index];
    struct pass pass = session_pass(session, index, 1, rows);
    pass.shape.form = session->placement.cache.prefill_form;
    if (entry->position == 0) {
        list_for(session, &pass, LEVEE_NO_LAYER, cache_list_new_prefill);
        session_run_listed(session);
    }
    session->positions[index] = entry->position;
    session->slots[index] = entry->position;
    session->lengths[index] = entry->position + rows;
    pass.longest = entry->position + rows;
    pass.seed = next_seed(session);
    pass.tokens = (struct word_table){entry->sequence.token_address + 4ull * entry->position, 0, 4};
    if (session->mode == SESSION_SCORE) {
        pass.shape.logit_rows = rows;
        pass.targets = (struct word_table){pass.tokens.address + 4, 0, 4};
        pass.picks = bus_address(session->chunk_picks);
    } else {
        pass.shape.logit_first = rows - 1;
        pass.shape.logit_rows = last ? 1 : 0;
    }
    issue_start(&session->issuer, &session->prefill, &session->prefill_lowering, &pass);
    program_wait(&session->prefill);
    entry->position += rows;
    if (last && policy_selects(&session->policy))
        session_select_kept(session, index);
}

/* Fills the entry's row of the tables. An inactive entry keeps its last one: it computes again what
 * nobody reads. For the policy its tokens go on, so that there is always one that may leave. */
static void prepare(struct session* session, uint32_t index)
{
    const struct entry* entry = &session->entries[index];
    if (!entry->active) {
        if (session->policy.evicts)
            session->lengths[index] = policy_valid(&session->policy, ++session->now[index]);
        return;
    }
    session->positions[index] = entry->position;
    session->now[index] = entry->position;
    session->slots[index] = entry->position;
    session->lengths[index] = policy_valid(&session->policy, entry->position);
    if (entry->position < entry->sequence.token_count)
        session->picks[index].index = session_token(entry, entry->position);
    if (session->mode == SESSION_SCORE)
        session->targets[index] = session_token(entry, entry->position + 1);
}

/* How many of its cached tokens the entry attends to. */
static void list(struct session* session, uint32_t index)
{
    struct pass* pass = &session->step;
    session->listed[index] = policy_listed(&session->policy, session->lengths[index]);
    if (session->listed[index] > pass->longest_listed)
        pass->longest_listed = session->listed[index];
}

/* What a sampled run is to sum up over the steps that are left out. */
static void report_counts(const struct session* session)
{
    if (session->workload->sample_steps != 0 && session->policy.input_rows != 0)
        hostlink_metric_u64("kelle.recompute_rows", session->recomputed_rows);
}

/* How many rows of stored inputs the step recomputes in each layer. */
static void count_recomputed(struct session* session)
{
    struct cache_form* form = &session->step.shape.form;
    form->recomputes =
        inputs_in_use(&session->placement.cache, session->count, session->recomputed);
    for (uint32_t layer = 0; form->recomputes && layer < session->model.header.layers; ++layer)
        session->recomputed_rows += (uint64_t)session->count * session->recomputed[layer];
}

void session_start_step(struct session* session)
{
    report_counts(session);
    hostlink_begin(LEVEE_MARK_DECODE_STEP, session->steps);
    session_start_unmarked_step(session);
}

void session_start_unmarked_step(struct session* session)
{
    struct pass* pass = &session->step;
    ++session->steps;
    pass->seed = next_seed(session);
    count_recomputed(session);
    for (uint32_t i = 0; i < session->count; ++i) {
        prepare(session, i);
        if (session->lengths[i] > pass->longest)
            pass->longest = session->lengths[i];
        if (pass->shape.form.listed)
            list(session, i);
    }
    issue_start(&session->issuer, &session->decode, &session->lowering, pass);
}

void session_finish_step(struct session* session)
{
    program_wait(&session->decode);
    for (uint32_t i = 0; i < session->count; ++i) {
        if (session->entries[i].active)
            ++session->entries[i].position;
        if (session->written[i] < session->policy.slots)
            ++session->written[i];
    }
}

void session_end_part(const struct session* session)
{
    report_counts(session);
    hostlink_end();
}

uint32_t session_descriptors_per_layer_step(const struct session* session)
{
    return session->decode.most_in_a_layer;
}

void session_report(const struct session* session)
{
    const struct cache* cache = &session->placement.cache;
    model_report(&session->model);
    placement_report(&session->placement);
    machine_report(&session->lowering);
    hostlink_metric_u64("kv.bytes_per_token", cache_bytes_per_token(cache));
    if (!session->policy.evicts && cache->refreshed == 0)
        return;
    cache_report(cache);
    hostlink_metric_u64("kelle.recompute_rows", session->recomputed_rows);
}
