// SPDX-License-Identifier: Apache-2.0
/* A conversation: prompts and answers in turn, over one cache. Its tokens are one sequence, which
 * grows turn by turn. */
#pragma once

#include "firmware/session/session.h"

struct turn {
    uint32_t first;          /* token of the sequence with which its prompt begins */
    uint32_t max_new_tokens; /* of the answer */
    uint64_t pause_ticks;    /* before it arrives, since the answer before */
    uint64_t kept_ticks;     /* of these, after which the cache is given up; pause_ticks: never */
};

/* Adds the prompt of turn `number` to the sequence, to be prefilled or, where the policy selects
 * from a prefill, to be fed token by token. After session_begin_batch. */
struct turn turns_hear(struct session* session, uint32_t number);

/* Sleeps until the turn's prompt arrives. Gives up the cache where the pause is too long: the whole
 * text is to be prefilled. */
void turns_wait(struct session* session, const struct turn* turn);

/* Reports, if caches may be given up, how often that was done. */
void turns_report(const struct session* session);

/* The answer has ended, from which the next turn's pause counts. */
void turns_end(void);
