#include "firmware/llm/session.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

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
    session->targets = heap_take(batch * sizeof *session->targets, "a table");
    session->picks = heap_take(batch * sizeof *session->picks, "a table");
    if (session->mode == SESSION_SCORE)
        session->chunk_picks =
            heap_take(session->placement.chunk * sizeof *session->chunk_picks, "a table");
}

void session_open(struct session* session, enum session_mode mode)
{
    const struct levee_workload* work = &system_info()->workload;
    session->workload = work;
    session->mode = mode;
    model_open(&session->model, work->model_address);
    check_workload(session);
    placement_open(&session->placement, &session->model, work->batch, work->context,
                   work->prefill_chunk, mode == SESSION_SCORE);
    session->lowering = (struct lowering){
        .model = &session->model,
        .placement = &session->placement,
        .score_scale = 1.0f / sqrtf((float)session->model.header.head_dim),
    };
    session->scheduler = scheduler_find(system_info()->scheduler);
    engines_open(&session->engines);
    uint32_t capacity[UNIT_COUNT];
    session->scheduler->capacity(&session->model, capacity);
    const uint32_t layers = session->model.header.layers;
    program_open(&session->prefill, &session->engines, capacity, layers);
    program_open(&session->decode, &session->engines, capacity, layers);
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
        .picks = bus_address(&session->picks[first_entry]),
        .temperature = session->workload->temperature,
    };
}

void session_begin_batch(struct session* session, uint32_t first, uint32_t count)
{
    const size_t bytes = sizeof(struct levee_sequence);
    session->count = count;
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
    session->step = new_pass(session, 0, count, 1);
    session->step.tokens =
        (struct word_table){session->step.picks, sizeof(struct levee_sfu_pick), 0};
    session->step.targets = (struct word_table){bus_address(session->targets), 4, 0};
}

void session_prefill(struct session* session, uint32_t index, uint32_t rows, bool last)
{
    struct entry* entry = &session->entries[index];
    struct pass pass = new_pass(session, index, 1, rows);
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
    scheduler_start(session->scheduler, &session->prefill, &session->lowering, &pass);
    program_wait(&session->prefill);
    entry->position += rows;
}

/* Fills the entry's row of the tables. An inactive entry keeps its last one: it computes again what
 * nobody reads. */
static void prepare(struct session* session, uint32_t index)
{
    const struct entry* entry = &session->entries[index];
    if (!entry->active)
        return;
    session->positions[index] = entry->position;
    session->slots[index] = entry->position;
    session->lengths[index] = entry->position + 1;
    if (entry->position < entry->sequence.token_count)
        session->picks[index].index = session_token(entry, entry->position);
    if (session->mode == SESSION_SCORE)
        session->targets[index] = session_token(entry, entry->position + 1);
}

void session_start_step(struct session* session)
{
    struct pass* pass = &session->step;
    pass->seed = next_seed(session);
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

uint32_t session_descriptors_per_layer_step(const struct session* session)
{
    return session->decode.most_in_a_layer;
}
