// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/session.h"

#include "firmware/cache/kelle/inputs.h"
#include "firmware/cache/slots.h"
#include "firmware/cache/weave.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/inlining.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "firmware/policies/figures.h"
#include "firmware/target/opening.h"

#include <stddef.h>

/* Returns the number of tokens that go through the model. The last token of a scored text, or the
 * last generated token, does not: no token follows it. */
static uint64_t slots_needed(const struct session* session, const struct levee_sequence* sequence,
                             uint32_t new_tokens)
{
    if (session->mode == SESSION_SCORE)
        return sequence->token_count - 1;
    return (uint64_t)sequence->token_count + (new_tokens != 0 ? new_tokens - 1 : 0);
}

static void check_sequence(const struct session* session, const struct entry* entry,
                           uint32_t new_tokens)
{
    const struct levee_sequence* sequence = &entry->sequence;
    if (sequence->token_count == 0 || sequence->prefill_count > sequence->token_count)
        fatal(EXIT_REFUSED,
              "sequence %lu has %lu tokens, and %lu tokens to prefill; expected at least 1 token, "
              "and at least the tokens to prefill",
              (unsigned long)entry->index, (unsigned long)sequence->token_count,
              (unsigned long)sequence->prefill_count);
    if (core_window(sequence->token_address, 4ull * sequence->token_count) == 0)
        fatal(EXIT_REFUSED, "sequence %lu: its tokens are at addresses that the core cannot access",
              (unsigned long)entry->index);
    const uint64_t slots = slots_needed(session, sequence, new_tokens);
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

/* Returns a new seed for each pass. */
static uint32_t next_seed(struct session* session)
{
    return session->workload->seed ^ (++session->passes * SESSION_SEED_STEP);
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

static void set_local(const struct session* session, const struct cache_forms* forms,
                      struct pass* pass, struct pass* local)
{
    const uint32_t first = pass->shape.first_entry;
    *local = *pass;
    local->shape.form = forms->local;
    local->lengths = bus_address(&session->local.lengths[first]);
    local->slots = bus_address(&session->local.slots[first]);
    pass->local = local;
}

void session_set_local(struct session* session, const struct cache_forms* forms, struct pass* pass,
                       struct pass* local)
{
    if (session->policy.ring != 0)
        set_local(session, forms, pass, local);
}

/* Puts the entry's token at `position` into the slot of the token that now leaves the window. */
static void take_local_slot(struct session* session, uint32_t index, uint32_t position)
{
    const uint32_t ring = session->policy.ring;
    session->local.slots[index] = (position - session->local.first[index]) % ring;
    session->local.lengths[index] = position < ring ? position + 1 : ring;
}

/* Calls a hook that makes a list of operations for the layer. */
static void list_for(struct session* session, const struct pass* pass, uint32_t layer,
                     void (*fill)(const struct cache_step*, struct operation_list*))
{
    struct operation operations[CACHE_MAX_OPERATIONS];
    struct operation_list list = {operations, 0, CACHE_MAX_OPERATIONS};
    const struct cache* cache = &session->placement.cache;
    const struct cache_step step = {cache, cache_pass(cache, pass, layer), layer};
    fill(&step, &list);
    session_list(session, step.pass, &list);
}

static void list_for_layers(struct session* session, const struct pass* pass,
                            const struct layer_list* layers,
                            void (*fill)(const struct cache_step*, struct operation_list*))
{
    for (uint32_t i = 0; i < layers->count; ++i)
        list_for(session, pass, layer_at(layers, i), fill);
}

/* Lists the machine's operations for a new batch. */
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
    list_for_layers(session, &pass, &(struct layer_list){NULL, session->model.header.layers},
                    cache_list_new_batch);
    session_run_listed(session);
    machine_new_batch(&session->lowering);
    inputs_clear(&session->placement.cache);
    list_of_machine(session, &pass);
    session_run_listed(session);
}

void session_select_kept(struct session* session, uint32_t index)
{
    hostlink_begin(LEVEE_MARK_SELECTION, index);
    struct pass pass = session_pass(session, index, 1, 1), local;
    const uint32_t tokens = session->lengths[index];
    const uint32_t ring = session->policy.ring;
    session_set_local(session, &session->placement.cache.decode_forms, &pass, &local);
    local.longest = tokens < ring ? tokens : ring;
    local.shape.start = tokens - local.longest - session->local.origin;
    if (ring != 0)
        session->local.first[index] = tokens < ring ? 0 : tokens;
    session->now[index] = tokens - 1; /* The position continues from there even if the entry
                                       * takes no step. */
    pass.longest = tokens < session->policy.capacity ? tokens : session->policy.capacity;
    session->written[index] = pass.longest;
    list_for_layers(session, &pass, &session->way->layers, cache_list_selection);
    session_run_listed(session);
    if (ring != 0) { /* Local layers: sets the values that a step expects, even if the entry takes
                        no part. */
        session->local.slots[index] = local.longest - 1;
        session->local.lengths[index] = local.longest;
    }
}

void session_forget(const struct session* session)
{
    machine_new_batch(&session->lowering);
}

void session_begin_again(struct session* session)
{
    empty_cache(session);
    for (uint32_t i = 0; i < session->count; ++i)
        session->entries[i].position = session->written[i] = 0;
}

/* Puts sequence `number` at the beginning of an entry. */
static void take_sequence(struct session* session, uint32_t index, uint32_t number,
                          uint32_t new_tokens)
{
    const size_t bytes = sizeof(struct levee_sequence);
    struct entry* entry = &session->entries[index];
    entry->index = number;
    entry->position = 0;
    session->written[index] = 0;
    if (session->policy.ring != 0)
        session->local.first[index] = 0;
    copy_in(&entry->sequence, session->workload->sequence_address + (uint64_t)number * bytes, bytes,
            "a sequence");
    check_sequence(session, entry, new_tokens);
}

static ALWAYS_INLINE void begin_steps(struct session* session, uint32_t count)
{
    session->step = session_pass(session, 0, count, 1);
    session->step.shape.form = session->placement.cache.decode_forms.full;
    session->step.recomputed = session->recomputed;
    session->step.tokens = (struct word_table){session->step.picks, sizeof(struct pick), 0};
    if (session->workload->no_logits)
        session->step.shape.logit_rows = 0;
    session->step.targets = (struct word_table){bus_address(session->targets), 4, 0};
    session_set_local(session, &session->placement.cache.decode_forms, &session->step,
                      &session->local_step);
}

static void begin_batch(struct session* session, uint32_t first, uint32_t count,
                        uint32_t new_tokens)
{
    session->count = count;
    session->chunks = session->steps = 0;
    for (uint32_t i = 0; i < count; ++i) {
        take_sequence(session, i, first + i, new_tokens);
        session->entries[i].active = true;
    }
    empty_cache(session);
    begin_steps(session, count);
}

void session_begin_beside(struct session* session, const struct session* first)
{
    session->count = 1;
    session->entries[0] = first->entries[0];
    session->entries[0].position = 0;
    session->entries[0].active = true;
    begin_steps(session, 1);
}

void session_begin_batch(struct session* session, uint32_t first, uint32_t count)
{
    begin_batch(session, first, count, session->workload->max_new_tokens);
}

void session_leave_out(struct session* session, uint32_t index)
{
    session->entries[index].active = false;
    session->positions[index] = session->slots[index] = 0;
    session->lengths[index] = 1;
    session->now[index] = UINT32_MAX; /* the first step increments it to 0 */
    if (session->policy.ring != 0)
        take_local_slot(session, index, 0);
}

void session_begin_serving(struct session* session, uint32_t count)
{
    begin_batch(session, 0, count, 0);
    for (uint32_t i = 0; i < count; ++i)
        session_leave_out(session, i);
}

void session_set_step_entries(struct session* session, uint32_t count)
{
    session->step.shape.entries = session->local_step.shape.entries = count;
}

void session_take(struct session* session, uint32_t index, uint32_t number, uint32_t new_tokens)
{
    take_sequence(session, index, number, new_tokens);
    session_set_aside(session, index);
}

/* Lets other entries run steps between the chunks of this entry's prefill. During these steps, this
 * entry's unused results are stored where its next chunk will overwrite them. They attend to as few
 * tokens as possible. */
void session_set_aside(struct session* session, uint32_t index)
{
    const uint32_t position = session->entries[index].position;
    const bool by_length = machine_attention(&session->machine)->stores_by_length;
    session->positions[index] = session->slots[index] = position;
    session->lengths[index] = by_length ? position + 1 : 1;
    if (session->policy.ring != 0)
        take_local_slot(session, index, position);
}

bool session_ends_text(const struct session* session, uint32_t token)
{
    const struct levee_stops* stops = &system_info()->stops;
    if (token == session->workload->stop_token)
        return true;
    for (uint32_t i = 0; i < stops->count; ++i)
        if (token == stops->tokens[i])
            return true;
    return false;
}

/* Moves the tokens that the next windows need to the front of the prefill's own cache. The range
 * from which they move does not overlap the range to which they move. */
static NEVER_INLINE void make_room(struct session* session, uint32_t index)
{
    const struct cache* cache = &session->placement.cache;
    const uint32_t before = session->policy.ring - 1;
    const uint32_t origin = session->entries[index].position - before;
    struct pass pass = session_pass(session, index, 1, 1), local;
    session_set_local(session, &cache->prefill_forms, &pass, &local);
    local.longest = before;
    local.shape.start = origin - session->local.origin;
    session->local.origin = origin;
    const struct layer_list* layers = &session->way->layers;
    for (uint32_t i = 0; before != 0 && i < layers->count; ++i)
        if (cache->layers[layer_at(layers, i)].local)
            list_for(session, &pass, layer_at(layers, i), slots_gather);
    session_run_listed(session);
}

/* Sets the tables of local layers for `rows` tokens, beginning at the entry's position. If the
 * cache is indexed by position, attention also starts at the first token's window; tiles find this
 * start by themselves. */
static NEVER_INLINE void set_local_prefill(struct session* session, uint32_t index,
                                           struct pass* pass, struct pass* local)
{
    const uint32_t position = session->entries[index].position;
    const uint32_t window = policy_window(&session->policy), before = window - 1;
    const bool skips = !session->prefill_lowering.tiled && position > before;
    uint32_t origin = 0;
    if (window == 0)
        return;
    if (session->policy.banded) {
        if (position == 0)
            session->local.origin = 0;
        if (pass->longest - session->local.origin > session->placement.cache.prefilled)
            make_room(session, index);
        origin = skips ? position - before : session->local.origin;
        pass->shape.start = origin - session->local.origin;
        session->local.slots[index] = position - origin;
        session->local.lengths[index] = pass->longest - origin;
    } else {
        take_local_slot(session, index, position);
    }
    set_local(session, &session->placement.cache.prefill_forms, pass, local);
    if (session->policy.reach != 0)
        local->shape.form = pass->shape.form;
    local->window = session->policy.banded ? window : 0;
    local->longest = session->local.lengths[index];
    local->origin = origin;
}

/* Returns the pass for the entry's next `rows` tokens. */
static struct pass chunk_pass(struct session* session, uint32_t index, uint32_t rows)
{
    const struct entry* entry = &session->entries[index];
    struct pass pass = session_pass(session, index, 1, rows);
    pass.shape.form = session->placement.cache.prefill_forms.full;
    session->positions[index] = entry->position;
    session->slots[index] = entry->position;
    session->lengths[index] = entry->position + rows;
    pass.longest = entry->position + rows;
    pass.seed = next_seed(session);
    pass.tokens = (struct word_table){entry->sequence.token_address + 4ull * entry->position, 0, 4};
    return pass;
}

static ALWAYS_INLINE void start_chunk(struct session* session, uint32_t index,
                                      const struct lowering* lowering, struct pass* pass)
{
    struct pass local;
    set_local_prefill(session, index, pass, &local);
    issue_start(&session->issuer, &session->way->prefill, lowering, pass);
}

void session_prefill_pass(struct session* session, uint32_t index, uint32_t rows, bool last)
{
    hostlink_begin(LEVEE_MARK_PREFILL_CHUNK, session->chunks);
    struct pass pass = chunk_pass(session, index, rows);
    if (session->entries[index].position == 0) {
        list_for(session, &pass, LEVEE_NO_LAYER, cache_list_new_prefill);
        session_run_listed(session);
    }
    if (session->mode == SESSION_SCORE) {
        pass.shape.logit_rows = rows;
        pass.targets = (struct word_table){pass.tokens.address + 4, 0, 4};
        pass.picks = bus_address(session->chunk_picks);
    } else {
        pass.shape.logit_first = rows - 1;
        pass.shape.logit_rows = last ? 1 : 0;
    }
    start_chunk(session, index, &session->prefill_lowering, &pass);
    program_wait(&session->way->prefill);
}

void session_add_token(const struct session* session, uint32_t token)
{
    struct levee_sequence* sequence = &session->entries[0].sequence;
    mmio_write32(core_window(sequence->token_address + 4ull * sequence->token_count++, 4), token);
}

bool session_prefills_anywhere(const struct session* session)
{
    return !policy_stages_prefill(&session->policy) && session->policy.input_rows == 0;
}

void session_start_verifying(struct session* session, uint32_t rows)
{
    hostlink_begin(LEVEE_MARK_DECODE_STEP, session->steps++);
    struct pass pass = chunk_pass(session, 0, rows);
    pass.shape.logit_rows = session->workload->no_logits ? 0 : rows;
    pass.shape.whole_softmax = true;
    pass.picks = bus_address(session->chunk_picks);
    start_chunk(session, 0, &session->verifying_lowering, &pass);
}

void session_read_rows(struct session* session, uint32_t rows)
{
    struct pass pass = chunk_pass(session, 0, rows);
    pass.shape.logit_rows = 0;
    start_chunk(session, 0, &session->prefill_lowering, &pass);
    program_wait(&session->way->prefill);
    session->entries[0].position += rows;
}

void session_finish_verifying(struct session* session)
{
    program_wait(&session->way->prefill);
}

void session_prefill(struct session* session, uint32_t index, uint32_t rows, bool last)
{
    session_prefill_pass(session, index, rows, last);
    ++session->chunks;
    session->entries[index].position += rows;
    if (last && policy_stages_prefill(&session->policy))
        session_select_kept(session, index);
}

/* Fills in the entry's row of the tables. An inactive entry keeps its last row, and its unused
 * results are computed again. The policy is given an advancing position, so that it can always
 * evict a token. */
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
    if (session->policy.ring != 0)
        take_local_slot(session, index, entry->position);
    if (entry->position < entry->sequence.token_count)
        session->picks[index].index = session_token(entry, entry->position);
    if (session->mode == SESSION_SCORE)
        session->targets[index] = session_token(entry, entry->position + 1);
}

/* Sets the number of cached tokens to which the entry attends. */
static void list(struct session* session, uint32_t index)
{
    struct pass* pass = &session->step;
    session->listed[index] = policy_listed(&session->policy, session->lengths[index]);
    if (session->listed[index] > pass->longest_listed)
        pass->longest_listed = session->listed[index];
}

/* Reports counts that a sampled run extrapolates over the skipped steps. */
static void report_counts(const struct session* session)
{
    if (session->workload->sample_steps != 0 && session->policy.input_rows != 0)
        hostlink_metric_u64(LEVEE_FIGURE_RECOMPUTED_ROWS, session->recomputed_rows);
}

/* Counts the rows of stored inputs that the step recomputes in each layer. */
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

static void start_step(struct session* session)
{
    struct pass* pass = &session->step;
    pass->seed = next_seed(session);
    pass->longest = pass->longest_listed = session->local_step.longest = 0;
    count_recomputed(session);
    for (uint32_t i = 0; i < pass->shape.entries; ++i) {
        prepare(session, i);
        if (session->lengths[i] > pass->longest)
            pass->longest = session->lengths[i];
        if (pass->shape.form.listed)
            list(session, i);
        if (pass->local != NULL && session->local.lengths[i] > session->local_step.longest)
            session->local_step.longest = session->local.lengths[i];
    }
    issue_start(&session->issuer, &session->way->decode, &session->lowering, pass);
}

void session_start_unmarked_step(struct session* session)
{
    ++session->steps;
    start_step(session);
}

void session_try_step(struct session* session, void (*meanwhile)(void))
{
    hostlink_begin(LEVEE_MARK_DECODE_STEP, session->steps);
    start_step(session);
    meanwhile();
    program_wait(&session->way->decode);
    session_end_part(session);
}

void session_finish_step(struct session* session)
{
    program_wait(&session->way->decode);
    if (session->way_count >
        1) /* All variants end a step here, since the rest does not involve layers. */
        session_end_part(session);
    for (uint32_t i = 0; i < session->step.shape.entries; ++i) {
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
    return session->way->decode.most_in_a_layer;
}

void session_report(const struct session* session)
{
    const struct cache* cache = &session->placement.cache;
    model_report(&session->model);
    placement_report(&session->placement);
    machine_report(&session->lowering);
    hostlink_metric_u64("kv.bytes_per_token", cache_bytes_per_token(cache));
    if (!session->policy.evicts && session->policy.ring == 0 && cache->refreshed == 0)
        return;
    cache_report(cache);
    hostlink_metric_u64(LEVEE_FIGURE_RECOMPUTED_ROWS, session->recomputed_rows);
}
