// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/drafts.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "firmware/session/draft_model.h"

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Checks that guesses are verified with a softmax over all keys at once, as in a decode step. A
 * softmax in parts gives different bits. */
static void check_exact(const struct session* session)
{
    const struct placement* placement = &session->placement;
    const struct tiling_request request = {&session->model, 1, placement->context};
    if (placement->tile_bytes != 0 &&
        !session->machine.tiling->holds_whole(&request, placement->tile_bytes))
        fatal(EXIT_REFUSED,
              "workload.speculation: the scores of %lu tokens do not fit the %lu on-chip bytes for "
              "verifying guesses, and splitting them could change the text; expected a smaller "
              "workload.context or more memory with the role activations",
              (unsigned long)placement->context, (unsigned long)placement->tile_bytes);
}

/* Returns whether guesses are looked up in the text. */
static bool looks_up(const struct drafts* drafts, const struct levee_workload* work)
{
    return drafts->model == NULL && work->draft_acceptance == 0;
}

bool drafts_open(struct drafts* drafts, struct session* session)
{
    const struct levee_workload* work = session->workload;
    if (work->draft_tokens == 0)
        return false;
    if (!session_prefills_anywhere(session))
        fatal(EXIT_REFUSED, "workload.speculation does not work with a kv_cache.policy that evicts "
                            "tokens, with cpq, or with a workload.context above the model's "
                            "window; expected kv_cache.policy full, no cpq and a workload.context "
                            "of at most the window (if the model has one)");
    if (session->placement.cache.decode_forms.full.listed)
        fatal(EXIT_REFUSED,
              "workload.speculation: a pass that verifies guesses attends to every token, but "
              "kv_cache.policy retrieval only to some; expected kv_cache.policy full");
    if (work->draft_tokens + 1 > session->placement.chunk)
        fatal(EXIT_REFUSED,
              "workload.speculation.tokens is %lu, but a pass has at most %lu tokens, one of which "
              "is not a guess; expected fewer, or a workload.prefill_chunk of %lu",
              (unsigned long)work->draft_tokens, (unsigned long)session->placement.chunk,
              (unsigned long)work->draft_tokens + 1);
    check_exact(session);
    drafts->model = draft_model_open(session);
    if (looks_up(drafts, work)) /* The text may be one token longer than the context, because its
                                 * last token takes no slot. */
        history_open(&drafts->history, work->draft_match,
                     session->placement.context + 1 + work->draft_tokens);
    return true;
}

static uint32_t token_at(const struct levee_sequence* sequence, uint32_t index)
{
    return mmio_read32(core_window(sequence->token_address + 4ull * index, 4));
}

static void put_token(const struct levee_sequence* sequence, uint32_t index, uint32_t token)
{
    mmio_write32(core_window(sequence->token_address + 4ull * index, 4), token);
}

/* Guesses that the tokens after the position `place` will follow again. If the text ends before
 * there are enough guesses, the guesses so far count as its continuation. */
static void guess_again(const struct session* session, struct history* history, uint32_t place)
{
    const struct levee_sequence* sequence = &session->entries[0].sequence;
    const uint32_t count = session->workload->draft_tokens;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t token = history->tokens[place + i];
        history->tokens[sequence->token_count + i] = token;
        put_token(sequence, sequence->token_count + i, token);
    }
}

void drafts_hear(const struct session* session, const struct drafts* drafts)
{
    draft_model_hear(drafts->model, session);
}

/* Makes `count` guesses or more. Returns whether there are any. */
static bool guess(const struct session* session, struct drafts* drafts, uint32_t count)
{
    const struct levee_sequence* sequence = &session->entries[0].sequence;
    if (drafts->model != NULL) {
        draft_model_guess(drafts->model, session, count);
        return true;
    }
    if (session->workload->draft_acceptance != 0)
        return true;
    history_follow(&drafts->history, sequence->token_address, sequence->token_count);
    const uint32_t place = history_find(&drafts->history);
    if (place == sequence->token_count)
        return false;
    guess_again(session, &drafts->history, place);
    return true;
}

/* Returns the number of tokens in a pass that verifies guesses. The number is always the same, even
 * if fewer guesses are wanted, because every other shape of pass would need its own program. It is
 * limited by the space in the cache. */
static uint32_t rows_of_pass(const struct session* session)
{
    const uint32_t room = session->placement.context - session->entries[0].position;
    return lesser(session->workload->draft_tokens + 1, room);
}

void drafts_start(struct session* session, struct drafts* drafts, uint32_t most)
{
    const uint32_t wanted = lesser(session->workload->draft_tokens, most);
    drafts->count = wanted != 0 && guess(session, drafts, wanted) ? wanted : 0;
    if (drafts->count == 0)
        session_start_step(session);
    else
        session_start_verifying(session, rows_of_pass(session));
}

/* Draws how many guesses are right. There is one draw for each guess, up to the first wrong
 * guess. */
static uint32_t drawn_right(const struct session* session, const struct drafts* drafts)
{
    uint32_t right = 0;
    while (right < drafts->count) {
        const uint32_t number = (uint32_t)(drafts->guessed + right + 1);
        uint32_t draw = (session->workload->seed ^ number) * 2654435761u;
        draw = (draw ^ draw >> 15) * 2246822519u;
        if ((draw ^ draw >> 13) % LEVEE_DRAFT_ALWAYS >= session->workload->draft_acceptance)
            break;
        ++right;
    }
    return right;
}

static uint32_t compared_right(const struct session* session, const struct drafts* drafts)
{
    const struct levee_sequence* sequence = &session->entries[0].sequence;
    uint32_t right = 0;
    while (right < drafts->count && drafts_token(session, drafts, right) ==
                                        token_at(sequence, sequence->token_count + right))
        ++right;
    return right;
}

/* Finishes the pass. A normal step advances the entry's position, but a pass that verifies guesses
 * does not. To treat both alike, the advance of a normal step is undone. */
static void finish_pass(struct session* session, const struct drafts* drafts)
{
    if (drafts->count != 0) {
        session_finish_verifying(session);
        return;
    }
    session_finish_step(session);
    --session->entries[0].position;
}

uint32_t drafts_finish(struct session* session, struct drafts* drafts)
{
    finish_pass(session, drafts);
    const uint32_t right = session->workload->draft_acceptance != 0
                               ? drawn_right(session, drafts)
                               : compared_right(session, drafts);
    ++drafts->passes;
    drafts->guessed += drafts->count;
    drafts->right += right;
    return right + 1;
}

uint32_t drafts_token(const struct session* session, const struct drafts* drafts, uint32_t index)
{
    return drafts->count == 0 ? session->picks[0].index : session->chunk_picks[index].index;
}

void drafts_keep(struct session* session, struct drafts* drafts, uint32_t count)
{
    struct entry* entry = &session->entries[0];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t token = drafts_token(session, drafts, i);
        session_add_token(session, token);
        if (looks_up(drafts, session->workload))
            history_add(&drafts->history, token);
    }
    entry->position += count;
}

void drafts_report(const struct drafts* drafts)
{
    hostlink_metric_u64("speculation.passes", drafts->passes);
    hostlink_metric_u64("speculation.guessed", drafts->guessed);
    hostlink_metric_u64("speculation.right", drafts->right);
}
