// SPDX-License-Identifier: Apache-2.0
/* Continues every sequence of the workload, or holds the workload's conversation, and prints the
 * text. */
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/llm/tokenizer.h"
#include "firmware/session/drafts.h"
#include "firmware/session/open.h"
#include "firmware/session/sampled.h"
#include "firmware/session/tag_names.h"
#include "firmware/session/turns.h"

#include <stddef.h>
#include <stdio.h>

/* Output of one sequence of the batch. */
struct output {
    uint32_t* tokens; /* all new tokens of workload.max_new_tokens, or only the last one if none
                         are printed */
    uint32_t count;
    uint32_t reported; /* Tokens reported to the platform. */
    uint32_t printed;
    uint32_t prompt;   /* number of tokens before the first new one */
    uint32_t previous; /* token printed last */
};

static struct session session;
static struct tokenizer tokenizer;
static struct output* outputs;
static uint64_t tokens_generated;
static uint32_t most_new; /* tokens of a sequence, or of the running turn */
static struct drafts drafts;
static bool has_drafts;

static uint32_t* token_at(struct output* output, uint32_t index)
{
    return &output->tokens[tokenizer.silent ? 0 : index];
}

static void print_prompt(const struct entry* entry, uint32_t first, struct output* output)
{
    if (first == 0)
        output->previous = LEVEE_NO_TOKEN;
    for (uint32_t i = first; i < output->prompt; ++i) {
        uint32_t token = session_token(entry, i);
        tokenizer_print(&tokenizer, output->previous, token);
        output->previous = token;
    }
}

static void begin_output(struct output* output, const struct entry* entry)
{
    output->count = output->reported = output->printed = 0;
    output->prompt = entry->sequence.token_count;
}

static bool ends_text(uint32_t token)
{
    return session_ends_text(&session, token);
}

static void print_new(struct output* output)
{
    for (; output->printed < output->count; ++output->printed) {
        uint32_t token = *token_at(output, output->printed);
        if (!ends_text(token))
            tokenizer_print(&tokenizer, output->previous, token);
        output->previous = token;
    }
}

static void report_new(uint32_t index)
{
    struct output* output = &outputs[index];
    for (; output->reported < output->count; ++output->reported)
        hostlink_token(session.entries[index].index, *token_at(output, output->reported));
}

/* Takes as long as report_new. It is for a repeated step, whose tokens belong to no sequence.
 * Repeated steps thus take the same time as steps that count. */
static void report_to_nobody(void)
{
    for (uint32_t i = 0; i < session.count; ++i) {
        const uint32_t reported = outputs[i].reported;
        for (; outputs[i].reported < outputs[i].count; ++outputs[i].reported)
            hostlink_token(UINT32_MAX, *token_at(&outputs[i], outputs[i].reported));
        outputs[i].reported = reported;
    }
}

static void take(struct entry* entry, struct output* output, uint32_t token)
{
    *token_at(output, output->count++) = token;
    ++tokens_generated;
    if (ends_text(token) || output->count == most_new)
        entry->active = false;
}

/* Records the token that the model picked for the entry. The token is new only if the whole prompt
 * has been processed. */
static void accept(uint32_t index)
{
    struct entry* entry = &session.entries[index];
    struct output* output = &outputs[index];
    if (!entry->active || entry->position < entry->sequence.token_count)
        return;
    take(entry, output, session.picks[index].index);
}

/* Moves on to the next decode step that is sampled. Tokens of skipped steps are not reported. */
static void skip_to_sample(void)
{
    const uint32_t skipped = sampled_skip_steps(&session);
    for (uint32_t i = 0; skipped != 0 && i < session.count; ++i) {
        outputs[i].count += skipped;
        outputs[i].reported = outputs[i].count - 1;
    }
    tokens_generated += (uint64_t)skipped * session.count;
    sampled_try_ways(&session, report_to_nobody);
}

static void prefill(uint32_t index)
{
    struct entry* entry = &session.entries[index];
    const uint32_t end = entry->sequence.prefill_count;
    while (entry->position < end) {
        uint32_t rest = end - entry->position;
        uint32_t rows = rest < session.placement.chunk ? rest : session.placement.chunk;
        session_prefill(&session, index, rows, rows == rest);
    }
}

static bool any_active(void)
{
    for (uint32_t i = 0; i < session.count; ++i)
        if (session.entries[i].active)
            return true;
    return false;
}

static void show(bool streaming)
{
    for (uint32_t i = 0; i < session.count; ++i)
        report_new(i);
    if (streaming && !tokenizer.silent)
        print_new(&outputs[0]);
}

/* Runs decode steps. While the units compute a step, the core prints the previous token. */
static void decode(bool streaming)
{
    while (any_active()) {
        if (sampled_steps(&session))
            skip_to_sample();
        session_start_step(&session);
        show(streaming);
        session_finish_step(&session);
        for (uint32_t i = 0; i < session.count; ++i)
            accept(i);
    }
    session_end_part(&session);
    show(streaming);
}

/* Decodes in steps that verify drafts (guessed tokens). The prefill made the first token, which is
 * not in the cache yet. */
static void decode_by_guesses(bool streaming)
{
    struct entry* entry = &session.entries[0];
    struct output* output = &outputs[0];
    if (output->count != 0)
        session_add_token(&session, *token_at(output, 0));
    if (drafts.model != NULL && entry->active) {
        show(streaming);
        drafts_hear(&session, &drafts);
    }
    while (entry->active) {
        drafts_start(&session, &drafts, most_new - output->count - 1);
        show(streaming);
        const uint32_t made = drafts_finish(&session, &drafts);
        uint32_t kept = 0;
        while (kept < made && entry->active)
            take(entry, output, drafts_token(&session, &drafts, kept++));
        drafts_keep(&session, &drafts, kept);
    }
    session_end_part(&session);
    show(streaming);
}

static void print_batch(bool streaming)
{
    if (tokenizer.silent)
        return;
    for (uint32_t i = 0; i < session.count; ++i) {
        if (!streaming) {
            printf("[sequence %lu]\n", (unsigned long)session.entries[i].index);
            print_prompt(&session.entries[i], 0, &outputs[i]);
        }
        print_new(&outputs[i]);
        putchar('\n');
    }
}

static void run_batch(uint32_t first, uint32_t count, bool streaming)
{
    session_begin_batch(&session, first, count);
    for (uint32_t i = 0; i < count; ++i) {
        begin_output(&outputs[i], &session.entries[i]);
        session.entries[i].active = session.workload->max_new_tokens != 0;
    }
    if (streaming && !tokenizer.silent)
        print_prompt(&session.entries[0], 0, &outputs[0]);
    hostlink_phase(LEVEE_PHASE_PREFILL);
    for (uint32_t i = 0; i < count; ++i)
        if (sampled_chunks(&session))
            sampled_prefill(&session, i);
        else
            prefill(i);
    session_end_part(&session);
    hostlink_phase(LEVEE_PHASE_DECODE);
    most_new = session.workload->max_new_tokens; /* a run with another number may continue
                                                  * here, after this run's prefill */
    for (uint32_t i = 0; i < count; ++i)
        accept(i);
    if (has_drafts)
        decode_by_guesses(streaming);
    else
        decode(streaming);
    hostlink_phase(LEVEE_PHASE_OTHER);
    print_batch(streaming);
}

/* Runs the prompt's remaining tokens, which no prefill has processed, through the model one by
 * one. */
static void feed(void)
{
    const struct entry* entry = &session.entries[0];
    while (entry->position < entry->sequence.token_count) {
        session_start_step(&session);
        session_finish_step(&session);
    }
}

static void run_turn(uint32_t number)
{
    struct output* output = &outputs[0];
    const struct turn turn = turns_hear(&session, number);
    begin_output(output, &session.entries[0]);
    most_new = turn.max_new_tokens;
    if (!tokenizer.silent)
        print_prompt(&session.entries[0], turn.first, output);
    turns_wait(&session, &turn);
    hostlink_phase(LEVEE_PHASE_PREFILL);
    prefill(0);
    feed();
    session_end_part(&session);
    session.entries[0].active = most_new != 0;
    hostlink_phase(LEVEE_PHASE_DECODE);
    accept(0);
    if (has_drafts)
        decode_by_guesses(true);
    else
        decode(true);
    hostlink_phase(LEVEE_PHASE_OTHER);
    turns_end();
    for (uint32_t i = 0; !has_drafts && i < output->count; ++i)
        session_add_token(&session, *token_at(output, i));
}

static void converse(void)
{
    session_begin_batch(&session, 0, 1);
    for (uint32_t number = 0; number < session.workload->turn_count; ++number)
        run_turn(number);
    if (!tokenizer.silent)
        putchar('\n');
}

static void run_batches(void)
{
    const struct levee_workload* work = session.workload;
    for (uint32_t first = 0; first < work->sequence_count; first += work->batch) {
        uint32_t rest = work->sequence_count - first;
        run_batch(first, rest < work->batch ? rest : work->batch, work->sequence_count == 1);
    }
}

int main(void)
{
    session_open(&session, SESSION_GENERATE);
    tokenizer_open(&tokenizer, &session.model);
    const struct levee_workload* work = session.workload;
    const uint32_t kept = tokenizer.silent ? 1 : work->max_new_tokens;
    outputs = heap_take(work->batch * sizeof *outputs, "the outputs");
    for (uint32_t i = 0; i < work->batch; ++i)
        outputs[i].tokens = heap_take(kept * sizeof *outputs[i].tokens, "the generated tokens");
    has_drafts = drafts_open(&drafts, &session);

    if (work->turn_count != 0)
        converse();
    else
        run_batches();
    session_report(&session);
    turns_report(&session);
    hostlink_metric_u64("generate.tokens", tokens_generated);
    if (has_drafts)
        drafts_report(&drafts);
    hostlink_metric_u64("generate.prefill_chunk", session.placement.chunk);
    if (!has_drafts) /* With drafts, a run has two kinds of steps, so this figure has no single
                      * value. */
        hostlink_metric_u64("generate.descriptors_per_layer_step",
                            session_descriptors_per_layer_step(&session));
    return 0;
}
