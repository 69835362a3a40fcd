// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/score.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/inlining.h"
#include "firmware/hal/system.h"

/* Counts the pick for the row at `position`, which is the prediction of the next token. It is
 * inlined, because a call for each token would take 0.2 % of a small model's run. */
static ALWAYS_INLINE void count_pick(const struct entry* entry, uint32_t position,
                                     const struct pick* pick, struct score* score)
{
    const uint32_t target = session_token(entry, position + 1);
    const bool hit = pick->index == target;
    score->nll -= (double)pick->log_prob;
    score->tokens += 1;
    score->top1 += hit;
    if (entry->sequence.answer_index == 0 || entry->sequence.answer_index > position + 1)
        return;
    score->missed += !hit;
    if (position + 2 == entry->sequence.token_count) {
        score->questions += 1;
        score->answered += score->missed == 0;
    }
}

/* Returns the number of tokens that have a next token. */
static uint32_t predicting(const struct entry* entry)
{
    return entry->sequence.token_count - 1;
}

static void prefill(struct session* session, uint32_t index, struct score* score)
{
    const struct entry* entry = &session->entries[index];
    const uint32_t prompt = entry->sequence.prefill_count;
    const uint32_t end = prompt < predicting(entry) ? prompt : predicting(entry);
    if (predicting(entry) == 0)
        session_leave_out(session, index);
    while (entry->position < end) {
        const uint32_t first = entry->position;
        const uint32_t rest = end - first;
        const uint32_t rows = rest < session->placement.chunk ? rest : session->placement.chunk;
        session_prefill(session, index, rows, rows == rest);
        for (uint32_t i = 0; i < rows; ++i)
            count_pick(entry, first + i, &session->chunk_picks[i], score);
    }
}

static bool update_active(struct session* session)
{
    bool any = false;
    for (uint32_t i = 0; i < session->count; ++i) {
        struct entry* entry = &session->entries[i];
        entry->active = entry->position < predicting(entry);
        any |= entry->active;
    }
    return any;
}

static void decode(struct session* session, struct score* scores)
{
    while (update_active(session)) {
        session_start_step(session);
        session_finish_step(session);
        for (uint32_t i = 0; i < session->count; ++i) {
            const struct entry* entry = &session->entries[i];
            if (entry->active)
                count_pick(entry, entry->position - 1, &session->picks[i], &scores[i]);
        }
    }
}

static void add(struct score* sum, const struct score* part)
{
    sum->nll += part->nll;
    sum->tokens += part->tokens;
    sum->top1 += part->top1;
    sum->questions += part->questions;
    sum->answered += part->answered;
}

void score_workload(struct session* session, struct score* score)
{
    const struct levee_workload* work = session->workload;
    struct score* scores = heap_take(work->batch * sizeof *scores, "the scores");
    for (uint32_t first = 0; first < work->sequence_count; first += work->batch) {
        const uint32_t rest = work->sequence_count - first;
        const uint32_t count = rest < work->batch ? rest : work->batch;
        session_begin_batch(session, first, count);
        for (uint32_t i = 0; i < count; ++i)
            scores[i] = (struct score){0};
        hostlink_phase(LEVEE_PHASE_PREFILL);
        for (uint32_t i = 0; i < count; ++i)
            prefill(session, i, &scores[i]);
        session_end_part(session);
        hostlink_phase(LEVEE_PHASE_DECODE);
        decode(session, scores);
        session_end_part(session);
        hostlink_phase(LEVEE_PHASE_OTHER);
        for (uint32_t i = 0; i < count; ++i)
            add(score, &scores[i]);
    }
}

void score_report(const struct session* session, const struct score* score)
{
    session_report(session);
    hostlink_metric_f64("score.nll", score->nll);
    hostlink_metric_u64("score.tokens", score->tokens);
    hostlink_metric_u64("score.top1", score->top1);
    if (session_descriptors_per_layer_step(session) != 0)
        hostlink_metric_u64("score.descriptors_per_layer_step",
                            session_descriptors_per_layer_step(session));
}
