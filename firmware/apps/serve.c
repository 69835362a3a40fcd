// SPDX-License-Identifier: Apache-2.0
/* Answers requests in the order of their arrival (continuous batching). Up to workload.batch
 * requests run together. A request joins when an entry of the batch is free. Its prompt is
 * processed in chunks between the decode steps of other requests. The request leaves after its last
 * token. */
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"
#include "firmware/session/open.h"
#include "firmware/session/prefixes.h"
#include "firmware/session/tag_names.h"

struct seat {
    struct levee_request request;
    uint32_t made; /* number of tokens generated */
    bool taken;
    bool shared; /* Whether its prompt has been compared with those of other entries. */
};

static struct session session;
static struct prefixes prefixes;
static struct seat* seats; /* Running requests, by entry. */
static uint32_t next;      /* next request to admit */
static uint32_t taken;     /* entries in use */
static uint64_t tokens_generated;
static uint64_t step_rows, idle_rows; /* Number of rows processed so far, and the number of these
                                       * rows that produced no token. */
static enum levee_phase phase;
static bool seeded; /* whether each request has its own seed */

static void enter(enum levee_phase new_phase)
{
    if (phase != new_phase)
        hostlink_phase(new_phase);
    phase = new_phase;
}

static struct levee_request request_at(uint32_t number)
{
    struct levee_request request;
    copy_in(&request, session.workload->request_address + (uint64_t)number * sizeof request,
            sizeof request, "a request");
    return request;
}

static bool has_arrived(uint32_t number)
{
    return number < session.workload->sequence_count &&
           request_at(number).arrival_ticks <= timer_ticks();
}

static void take(uint32_t index)
{
    seats[index] = (struct seat){.request = request_at(next), .taken = true};
    const uint32_t new_tokens = seats[index].request.max_new_tokens;
    if (prefixes.block != 0)
        prefixes_take(&prefixes, index, next, new_tokens);
    else
        session_take(&session, index, next, new_tokens);
    ++next;
    ++taken;
}

/* Admits requests to entries whose cache already has the beginning of their prompts. */
static void admit_sharing(void)
{
    while (taken != session.count && has_arrived(next)) {
        hostlink_request(LEVEE_REQUEST_TAKEN, next);
        take(prefixes_choose(&prefixes, next));
    }
}

static void admit(void)
{
    if (prefixes.block != 0) {
        admit_sharing();
        return;
    }
    for (uint32_t i = 0; i < session.count; ++i) {
        if (seats[i].taken)
            continue;
        if (!has_arrived(next))
            return;
        hostlink_request(LEVEE_REQUEST_TAKEN, next);
        take(i);
    }
}

static void leave(uint32_t index)
{
    hostlink_request(LEVEE_REQUEST_LEFT, session.entries[index].index);
    session_leave_out(&session, index);
    if (prefixes.block != 0)
        prefixes_keep(&prefixes, index);
    seats[index].taken = false;
    --taken;
}

/* Records the token that the model picked for the entry's answer. */
static void accept(uint32_t index)
{
    struct seat* seat = &seats[index];
    const uint32_t token = session.picks[index].index;
    hostlink_token(session.entries[index].index, token);
    ++tokens_generated;
    if (++seat->made == seat->request.max_new_tokens || session_ends_text(&session, token))
        leave(index);
}

static void share(uint32_t index)
{
    if (prefixes.block == 0 || seats[index].shared)
        return;
    seats[index].shared = true;
    prefixes_share(&prefixes, index);
}

static void prefill_chunk(uint32_t index)
{
    struct entry* entry = &session.entries[index];
    enter(LEVEE_PHASE_PREFILL);
    hostlink_request(LEVEE_REQUEST_PREFILL, entry->index);
    share(index);
    const uint32_t rest = entry->sequence.token_count - entry->position;
    const uint32_t rows = rest < session.placement.chunk ? rest : session.placement.chunk;
    if (seeded && rows == rest)
        session_seed_prefill(&session, index);
    session_prefill(&session, index, rows, rows == rest);
    session_end_part(&session);
    if (rows != rest) {
        session_set_aside(&session, index);
        return;
    }
    entry->active = true;
    if (seats[index].request.max_new_tokens != 0)
        accept(index);
    else
        leave(index);
}

/* Returns the earliest running request whose prompt is not yet processed; if there is none, the
 * number of entries. */
static uint32_t first_waiting(void)
{
    uint32_t first = session.count;
    for (uint32_t i = 0; i < session.count; ++i)
        if (seats[i].taken && !session.entries[i].active &&
            (first == session.count || session.entries[i].index < session.entries[first].index))
            first = i;
    return first;
}

/* Returns the number of entries up to and including the last one that produces tokens. */
static uint32_t active_end(void)
{
    uint32_t end = session.count;
    while (end != 0 && !session.entries[end - 1].active)
        --end;
    return end;
}

static void count_rows(uint32_t entries)
{
    step_rows += entries;
    for (uint32_t i = 0; i < entries; ++i)
        idle_rows += session.entries[i].active ? 0 : 1;
}

static void step(uint32_t entries)
{
    enter(LEVEE_PHASE_DECODE);
    hostlink_request(LEVEE_REQUEST_STEP, entries);
    session_set_step_entries(&session, entries);
    count_rows(entries);
    if (seeded)
        session_seed_step(&session);
    session_start_step(&session);
    session_finish_step(&session);
    session_end_part(&session);
    for (uint32_t i = 0; i < entries; ++i)
        if (session.entries[i].active)
            accept(i);
}

static void serve(void)
{
    while (next < session.workload->sequence_count || taken != 0) {
        admit();
        if (taken == 0) {
            enter(LEVEE_PHASE_OTHER);
            timer_sleep_until(request_at(next).arrival_ticks);
            continue;
        }
        const uint32_t waiting = first_waiting();
        if (waiting != session.count)
            prefill_chunk(waiting);
        const uint32_t entries = active_end();
        if (entries != 0)
            step(entries);
    }
}

int main(void)
{
    session_open(&session, SESSION_GENERATE);
    if (!session_prefills_anywhere(&session))
        fatal(EXIT_REFUSED, "workload.requests: a prefill that pauses for decode steps does not "
                            "work with a kv_cache.policy that evicts tokens, with cpq, or with a "
                            "workload.context above the model's window; expected kv_cache.policy "
                            "full, no cpq and a workload.context of at most the window (if the "
                            "model has one)");
    seats = heap_take(session.workload->batch * sizeof *seats, "the requests");
    session_begin_serving(&session, session.workload->batch);
    seeded = session.workload->sampling == LEVEE_SAMPLING_TEMPERATURE;
    if (seeded)
        session_open_seeds(&session);
    prefixes_open(&prefixes, &session, request_at(0).prefix_block);
    serve();
    enter(LEVEE_PHASE_OTHER);
    session_report(&session);
    hostlink_metric_u64("generate.tokens", tokens_generated);
    hostlink_metric_u64("requests.step_rows", step_rows);
    hostlink_metric_u64("requests.idle_rows", idle_rows);
    hostlink_metric_u64("generate.prefill_chunk", session.placement.chunk);
    return 0;
}
