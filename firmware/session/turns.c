// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/turns.h"

#include "core/abi/pauses.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/inlining.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"
#include "firmware/session/saves.h"

#include <stddef.h>

static uint64_t answered_at; /* In ticks. The first turn's pause counts from the beginning of the
                              * run. */

/* State for a long pause. workload.forgets states which member is valid. */
static union {
    uint32_t given_up; /* number of released caches */
    struct saves* saves;
} pauses;

/* Called when a prompt has arrived. */
static void arrive(void* arrived)
{
    hostlink_phase(LEVEE_PHASE_PREFILL);
    *(volatile bool*)arrived = true;
}

static bool has_arrived(void* arrived)
{
    return *(volatile bool*)arrived;
}

static NEVER_INLINE void wait_saved(struct session* session, const struct turn* turn)
{
    bool arrived = false;
    timer_sleep_until(answered_at + turn->kept_ticks);
    timer_alarm(answered_at + turn->pause_ticks, arrive, &arrived);
    saves_put(pauses.saves, session);
    irq_wait_until(has_arrived, &arrived);
    saves_get(pauses.saves, session);
}

static bool saves(const struct session* session)
{
    return session->workload->forgets == LEVEE_PAUSE_SAVES;
}

void turns_wait(struct session* session, const struct turn* turn)
{
    const bool is_long = turn->kept_ticks < turn->pause_ticks;
    if (is_long && saves(session)) {
        wait_saved(session, turn);
        return;
    }
    if (is_long) {
        timer_sleep_until(answered_at + turn->kept_ticks);
        session_forget(session);
        session_begin_again(session);
        ++pauses.given_up;
    }
    if (turn->pause_ticks != 0)
        timer_sleep_until(answered_at + turn->pause_ticks);
}

static NEVER_INLINE void report_pauses(const struct session* session)
{
    if (saves(session))
        saves_report(pauses.saves);
    else
        hostlink_metric_u64("turns.given_up", pauses.given_up);
}

void turns_report(const struct session* session)
{
    if (session->workload->forgets)
        report_pauses(session);
}

static struct levee_turn turn_at(const struct session* session, uint32_t number)
{
    struct levee_turn turn;
    copy_in(&turn, session->workload->turn_address + (uint64_t)number * sizeof turn, sizeof turn,
            "a turn");
    return turn;
}

/* Opens the state that a long pause needs. */
static NEVER_INLINE uint64_t open_pauses(struct session* session, uint32_t number)
{
    const struct levee_workload* work = session->workload;
    if (!session_prefills_anywhere(session) || session->placement.cache.decode_forms.full.listed)
        fatal(EXIT_REFUSED,
              "workload.%s does not work with a kv_cache.policy that evicts or retrieves tokens, "
              "with cpq, or with a workload.context above the model's window; expected "
              "kv_cache.policy full, no cpq and a workload.context of at most the window (if the "
              "model has one)",
              saves(session) ? "save" : "forget_after");
    const struct levee_turn longest = turn_at(session, work->turn_count);
    if (saves(session) && number == 0)
        pauses.saves = saves_open(session, longest.token_address);
    return longest.pause_ticks;
}

static uint64_t kept_ticks(struct session* session, uint32_t number, const struct levee_turn* turn)
{
    return session->workload->forgets ? open_pauses(session, number) : turn->pause_ticks;
}

/* Returns the end token if the prompt must begin with it, because the previous answer does not end
 * with it. Otherwise returns LEVEE_NO_TOKEN. */
static uint32_t missing_end(const struct entry* entry, const struct levee_turn* turn)
{
    const bool ended = session_token(entry, entry->sequence.token_count - 1) == turn->end_token;
    return ended ? LEVEE_NO_TOKEN : turn->end_token;
}

/* Checks that the sequence fits into the cache. The answer's last token takes a slot only when the
 * next turn's prompt follows. */
static void check_room(const struct session* session, const struct levee_sequence* sequence,
                       uint32_t number, const struct levee_turn* turn)
{
    const uint32_t fed_back = turn->max_new_tokens != 0 ? turn->max_new_tokens - 1 : 0;
    const uint64_t slots = (uint64_t)sequence->token_count + turn->token_count + fed_back;
    if (slots > session->placement.context)
        fatal(EXIT_REFUSED, "turn %lu needs %lu key/value slots; workload.context gives it %lu",
              (unsigned long)number, (unsigned long)slots,
              (unsigned long)session->placement.context);
}

struct turn turns_hear(struct session* session, uint32_t number)
{
    struct levee_sequence* sequence = &session->entries[0].sequence;
    const struct levee_turn turn = turn_at(session, number);
    const uint64_t kept = kept_ticks(session, number, &turn);
    session->entries[0].index = number;
    session->entries[0].active = true;
    if (number == 0)
        return (struct turn){0, turn.max_new_tokens, turn.pause_ticks, turn.pause_ticks};
    const uint32_t end = missing_end(&session->entries[0], &turn);
    if (end != LEVEE_NO_TOKEN)
        session_add_token(session, end);
    const uint32_t first = sequence->token_count;
    check_room(session, sequence, number, &turn);
    for (uint32_t i = 0; i < turn.token_count; ++i)
        session_add_token(session, mmio_read32(core_window(turn.token_address + 4ull * i, 4)));
    if (session_prefills_anywhere(session))
        sequence->prefill_count = sequence->token_count;
    return (struct turn){first, turn.max_new_tokens, turn.pause_ticks, kept};
}

void turns_end(void)
{
    answered_at = timer_ticks();
}
