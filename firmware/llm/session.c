// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/session.h"

#include "firmware/drivers/edram.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "firmware/llm/settle.h"
#include "firmware/llm/transformer.h"
#include "firmware/sched/issue.h"

#include <math.h>
#include <stddef.h>

static void check_workload(const struct session* session)
{
    const struct levee_workload* work = session->workload;
    if (work->sequence_count == 0)
        fatal(EXIT_REFUSED, "the workload has no sequences");
    if (work->batch == 0 || work->batch > UINT16_MAX)
        fatal(EXIT_REFUSED, "workload.batch is %lu; expected 1 to %u", (unsigned long)work->batch,
              UINT16_MAX);
    if (work->context == 0 || work->context > session->model.header.max_context)
        fatal(EXIT_REFUSED, "workload.context is %lu; this model takes 1 to %lu",
              (unsigned long)work->context, (unsigned long)session->model.header.max_context);
    if (work->prefill_chunk > UINT16_MAX)
        fatal(EXIT_REFUSED, "workload.prefill_chunk is %lu; expected at most %u",
              (unsigned long)work->prefill_chunk, UINT16_MAX);
}

static void open_tables(struct session* session)
{
    const uint32_t batch = session->workload->batch;
    session->entries = heap_take(batch * sizeof *session->entries, "the batch");
    session->positions = heap_take(batch * sizeof *session->positions, "a table");
    session->lengths = heap_take(batch * sizeof *session->lengths, "a table");
    session->slots = heap_take(batch * sizeof *session->slots, "a table");
    session->now = heap_take(batch * sizeof *session->now, "a table");
    session->recalled =
        heap_take(session->model.header.layers * sizeof *session->recalled, "a table");
    session->targets = heap_take(batch * sizeof *session->targets, "a table");
    session->picks = heap_take(batch * sizeof *session->picks, "a table");
    if (session->mode == SESSION_SCORE)
        session->chunk_picks =
            heap_take(session->placement.chunk * sizeof *session->chunk_picks, "a table");
}

/* What passes are made of under this policy and scheduler. */
static void open_forms(struct session* session)
{
    const struct policy* policy = &session->policy;
    const bool separate = session->scheduler->separate || policy->x_rows != 0;
    session->prefill_form = session->decode_form = (struct pass_form){.separate = separate};
    session->decode_form.held = session->scheduler->held;
    if (!policy->evicts)
        return;
    session->prefill_form.prefill = session->decode_form.indexed = true;
    session->prefill_form.scored = session->decode_form.scored = policy->scores;
    session->decode_form.search_after = policy->search_after;
    session->prefill_form.keeps_x = session->decode_form.keeps_x = policy->x_rows != 0;
    session->decode_form.recalls = policy->x_rows != 0;
}

static uint32_t longest_prefill(const struct levee_workload* work)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < work->sequence_count; ++i) {
        const uint64_t address = work->sequence_address + i * sizeof(struct levee_sequence) +
                                 offsetof(struct levee_sequence, prefill_count);
        uint32_t count;
        copy_in(&count, address, sizeof count, "a sequence");
        if (count > longest)
            longest = count;
    }
    return longest;
}

static void open_placement(struct session* session)
{
    const struct levee_workload* work = session->workload;
    const struct placement_request request = {
        .batch = work->batch,
        .context = work->context,
        .prefill = longest_prefill(work),
        .chunk = work->prefill_chunk,
        .all_logits = session->mode == SESSION_SCORE,
        .separate = session->decode_form.separate,
        .held = session->decode_form.held,
    };
    placement_open(&session->placement, &session->model, &session->policy, &request);
    session->lowering = (struct lowering){
        .model = &session->model,
        .policy = &session->policy,
        .placement = &session->placement,
        .values = session->placement.values,
        .score_scale = 1.0f / sqrtf((float)session->model.header.head_dim),
    };
    session->prefill_lowering = session->lowering;
    session->prefill_lowering.values = session->placement.prefill_values;
}

/* Whether there is anything to put in place of what a sampled run leaves out. */
static bool fills_skipped(const struct session* session)
{
    return session->workload->sample_steps != 0 && session->placement.cache.edram.block != NULL;
}

static void open_engines(struct session* session)
{
    struct edram activations;
    edram_open(&activations, system_memory(LEVEE_ROLE_ACTIVATIONS));
    const struct engine_needs needs = {
        .evictor = session->policy.evicts,
        .dma = session->policy.evicts || session->decode_form.held ||
               rings_are_refreshed(&session->placement.rings) || fills_skipped(session),
        .kv_queue = session->scheduler->kv_queue,
        .forgets = activations.block != NULL,
    };
    engines_open(&session->engines, &needs);
}

static void open_program(struct session* session, struct program* program,
                         const struct pass_form* form)
{
    struct program_capacity capacity;
    issue_capacity(session->scheduler, &session->lowering, form, &capacity);
    program_open(program, &session->engines, &capacity);
}

static void open_settle(struct session* session)
{
    const uint32_t layers = session->model.header.layers;
    struct program_capacity capacity = {.layers = 0};
    if (session->policy.evicts) {
        capacity.units[UNIT_SE] = layers * (CACHE_MAX_PARTS + 1);
        capacity.units[UNIT_DMA] = layers * (2 * CACHE_MAX_PARTS + 4);
    }
    if (session->engines.open[UNIT_DMA])
        capacity.units[UNIT_DMA] += SETTLE_MAX_OPERATIONS;
    program_open(&session->settle, &session->engines, &capacity);
}

void session_open(struct session* session, enum session_mode mode)
{
    const struct levee_workload* work = &system_info()->workload;
    session->workload = work;
    session->mode = mode;
    model_open(&session->model, work->model_address);
    check_workload(session);
    session->scheduler = scheduler_find(system_info()->scheduler);
    policy_open(&session->policy, &session->model, work->batch, work->context);
    open_forms(session);
    open_placement(session);
    open_engines(session);
    cache_open_edram(&session->placement.cache);
    rings_open(&session->placement.rings, &session->placement.cache);
    open_program(session, &session->prefill, &session->prefill_form);
    open_program(session, &session->decode, &session->decode_form);
    open_settle(session);
    open_tables(session);
}

/* Tokens that go through the model: nothing comes after a scored text's last one, nor after the
 * last one generated. */
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

static struct pass new_pass(struct session* session, uint32_t first_entry, uint32_t entries,
                            uint32_t rows)
{
    return (struct pass){
        .entries = entries,
        .rows = rows,
        .first_entry = first_entry,
        .logit_rows = 1,
        .pick = pick_kind(session),
        .positions = bus_address(&session->positions[first_entry]),
        .lengths = bus_address(&session->lengths[first_entry]),
        .slots = bus_address(&session->slots[first_entry]),
        .now = bus_address(&session->now[first_entry]),
        .picks = bus_address(&session->picks[first_entry]),
        .temperature = session->workload->temperature,
    };
}

/* A list for the settle program. */
static void settle(struct session* session, const struct pass* pass, const struct operation* list,
                   size_t operations)
{
    issue_list(&session->settle, session->scheduler, &session->lowering, pass, list, operations,
               false);
}

/* Runs what has been listed. */
static void settle_now(struct session* session)
{
    if (program_count(&session->settle) == 0)
        return;
    program_begin(&session->settle);
    program_push(&session->settle);
    program_wait(&session->settle);
    program_clear(&session->settle);
}

static void empty_cache(struct session* session)
{
    const struct cache* cache = &session->placement.cache;
    const struct pass pass = new_pass(session, 0, session->count, 1);
    struct operation list[SETTLE_MAX_OPERATIONS];
    settle(session, &pass, list, settle_new_batch(cache, list));
    for (uint32_t layer = 0; layer < session->model.header.layers; ++layer)
        settle(session, &pass, list, settle_new_batch_layer(cache, layer, list));
    settle_now(session);
    cache_new_batch(cache);
    settle(session, &pass, list, settle_new_ring(&session->placement.rings, list));
    settle_now(session);
}

/* Moves what the policy keeps of the entry's prefill into the cache. */
static void select_kept(struct session* session, uint32_t index)
{
    hostlink_begin(LEVEE_MARK_SELECTION, index);
    const struct cache* cache = &session->placement.cache;
    struct pass pass = new_pass(session, index, 1, 1);
    struct operation list[SETTLE_MAX_OPERATIONS];
    const uint32_t tokens = session->lengths[index];
    session->now[index] = tokens - 1; /* goes on from there even if the entry takes no step */
    pass.longest = tokens < session->policy.capacity ? tokens : session->policy.capacity;
    for (uint32_t layer = 0; layer < session->model.header.layers; ++layer)
        settle(session, &pass, list, settle_selection(cache, layer, list));
    settle_now(session);
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
        entry->active = true;
        copy_in(&entry->sequence,
                session->workload->sequence_address + (uint64_t)entry->index * bytes, bytes,
                "a sequence");
        check_sequence(session, entry);
    }
    empty_cache(session);
    session->step = new_pass(session, 0, count, 1);
    session->step.form = session->decode_form;
    session->step.recalled = session->recalled;
    session->step.tokens =
        (struct word_table){session->step.picks, sizeof(struct levee_sfu_pick), 0};
    session->step.targets = (struct word_table){bus_address(session->targets), 4, 0};
}

void session_prefill(struct session* session, uint32_t index, uint32_t rows, bool last)
{
    hostlink_begin(LEVEE_MARK_PREFILL_CHUNK, session->chunks++);
    struct entry* entry = &session->entries[index];
    struct pass pass = new_pass(session, index, 1, rows);
    struct operation list[SETTLE_MAX_OPERATIONS];
    pass.form = session->prefill_form;
    if (entry->position == 0) {
        settle(session, &pass, list, settle_new_prefill(&session->placement.cache, list));
        settle_now(session);
    }
    session->positions[index] = entry->position;
    session->slots[index] = entry->position;
    session->lengths[index] = entry->position + rows;
    pass.longest = entry->position + rows;
    pass.seed = next_seed(session);
    pass.tokens = (struct word_table){entry->sequence.token_address + 4ull * entry->position, 0, 4};
    if (session->mode == SESSION_SCORE) {
        pass.logit_rows = rows;
        pass.targets = (struct word_table){pass.tokens.address + 4, 0, 4};
        pass.picks = bus_address(session->chunk_picks);
    } else {
        pass.logit_first = rows - 1;
        pass.logit_rows = last ? 1 : 0;
    }
    scheduler_start(session->scheduler, &session->prefill, &session->prefill_lowering, &pass);
    program_wait(&session->prefill);
    entry->position += rows;
    if (last && session->policy.evicts)
        select_kept(session, index);
}

/* Fills the entry's row of the tables. An inactive entry keeps its last one: it computes again what
 * nobody reads. To the evictor its tokens go on, so that there is always one that may leave. */
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

/* What a sampled run is to sum up over the steps that are left out. */
static void report_counts(const struct session* session)
{
    if (session->workload->sample_steps != 0 && session->policy.x_rows != 0)
        hostlink_metric_u64("kelle.recompute_rows", session->recomputed);
}

void session_start_step(struct session* session)
{
    struct pass* pass = &session->step;
    report_counts(session);
    hostlink_begin(LEVEE_MARK_DECODE_STEP, session->steps++);
    pass->seed = next_seed(session);
    pass->form.recalls =
        cache_recalled(&session->placement.cache, session->count, session->recalled);
    for (uint32_t layer = 0; pass->form.recalls && layer < session->model.header.layers; ++layer)
        session->recomputed += (uint64_t)session->count * session->recalled[layer];
    for (uint32_t i = 0; i < session->count; ++i) {
        prepare(session, i);
        if (session->lengths[i] > pass->longest)
            pass->longest = session->lengths[i];
    }
    scheduler_start(session->scheduler, &session->decode, &session->lowering, pass);
}

void session_finish_step(struct session* session)
{
    program_wait(&session->decode);
    for (uint32_t i = 0; i < session->count; ++i)
        if (session->entries[i].active)
            ++session->entries[i].position;
}

void session_end_part(const struct session* session)
{
    report_counts(session);
    hostlink_end();
}

/* Of slots [from, to) of some entries, as if tokens had come to be there. One operation at a time:
 * room for more would be room that a whole run does not take. */
static void fill_skipped(struct session* session, uint32_t first, uint32_t entries, uint32_t from,
                         uint32_t to)
{
    struct pass pass = new_pass(session, first, entries, 1);
    struct operation list[SETTLE_MAX_OPERATIONS];
    if (!fills_skipped(session) || from >= to)
        return;
    pass.form = session->decode_form;
    pass.fill_from = from;
    pass.fill_to = to;
    for (uint32_t layer = 0; layer < session->model.header.layers; ++layer) {
        const size_t operations = settle_skipped(layer, list);
        for (size_t i = 0; i < operations; ++i) {
            settle(session, &pass, &list[i], 1);
            settle_now(session);
        }
    }
}

void session_skip_chunks(struct session* session, uint32_t index, uint32_t position)
{
    struct entry* entry = &session->entries[index];
    const uint32_t chunk = session->placement.chunk;
    const uint32_t skipped = (position - entry->position + chunk - 1) / chunk;
    if (!session->policy.evicts)
        fill_skipped(session, index, 1, entry->position, position);
    session->chunks += skipped;
    session->passes += skipped;
    entry->position = position;
}

void session_skip_prefill(struct session* session, uint32_t index)
{
    const uint32_t tokens = session->entries[index].sequence.prefill_count;
    session_skip_chunks(session, index, tokens);
    session->lengths[index] = tokens;
    if (session->policy.evicts)
        select_kept(session, index);
}

void session_skip_steps(struct session* session, uint32_t steps)
{
    const uint32_t position = session->entries[0].position;
    for (uint32_t i = 0; i < session->count; ++i)
        session->entries[i].position += steps;
    session->steps += steps;
    session->passes += steps;
    /* The next token goes where the first of those left out would have gone, into a slot that
     * evictors choose: the one it would have taken is filled, too. */
    const uint32_t last = session->policy.evicts ? position + steps : position + steps - 1;
    fill_skipped(session, 0, session->count, policy_valid(&session->policy, position - 1),
                 policy_valid(&session->policy, last));
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
    hostlink_metric_u64("kv.bytes_per_token", cache_bytes_per_token(cache));
    if (!session->policy.evicts && cache->edram.block == NULL)
        return;
    cache_report(cache);
    hostlink_metric_u64("kelle.recompute_rows", session->recomputed);
}
