// SPDX-License-Identifier: Apache-2.0
/* A conversation: prompts and answers in turn, with one cache. All tokens form one sequence, which
 * grows with each turn. */
#pragma once

#include "firmware/session/session.h"

struct turn {
    uint32_t first;          /* index in the sequence of the prompt's first token */
    uint32_t max_new_tokens; /* length of the answer */
    uint64_t pause_ticks;    /* pause between the previous answer and this prompt */
    uint64_t kept_ticks;     /* time after the previous answer at which the cache is released or
                              * saved; pause_ticks or more: it is kept */
};

/* Appends the prompt of turn `number` to the sequence and processes it by a prefill. If the policy
 * selects tokens from a prefill, decode steps process the prompt token by token instead. Call this
 * function after session_begin_batch. */
struct turn turns_hear(struct session* session, uint32_t number);

/* Sleeps until the turn's prompt arrives. If the pause is too long, the cache is released
 * meanwhile. The whole text must then be prefilled again. */
void turns_wait(struct session* session, const struct turn* turn);

/* Reports the number of released caches, if caches may be released. */
void turns_report(const struct session* session);

/* Marks the end of the answer, from which the next turn's pause counts. */
void turns_end(void);
