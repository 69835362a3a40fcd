// SPDX-License-Identifier: Apache-2.0
/* A conversation: prompts and answers in turn, over one cache. Its tokens are one sequence, which
 * grows turn by turn. */
#pragma once

#include "firmware/session/session.h"

struct turn {
    uint32_t first;          /* token of the sequence with which its prompt begins */
    uint32_t max_new_tokens; /* of the answer */
    uint64_t pause_ticks;    /* before it arrives, since the answer before */
};

/* Adds the prompt of turn `number` to the sequence, to be prefilled or, where the policy selects
 * from a prefill, to be fed token by token. After session_begin_batch. */
struct turn turns_hear(struct session* session, uint32_t number);

/* Sleeps until the turn's prompt arrives. */
void turns_wait(const struct turn* turn);

/* The answer has ended, from which the next turn's pause counts. */
void turns_end(void);
