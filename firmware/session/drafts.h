// SPDX-License-Identifier: Apache-2.0
/* Speculative decoding. A draft, which is a second model, guesses the next tokens. Without a draft,
 * the tokens that followed an earlier occurrence of the last tokens are guessed to follow again
 * (prompt lookup). One pass verifies all guesses, so the text is the same as with one token in each
 * step. */
#pragma once

#include "firmware/session/history.h"
#include "firmware/session/session.h"

struct drafts {
    uint64_t passes, guessed, right; /* Counts so far. */
    uint32_t count;                  /* guesses of the running pass that count */
    struct session* model;           /* the draft; NULL: guesses are looked up, or drawn */
    struct history history;
};

/* Whether the workload asks for guesses. Ends the run if the policy or the machine cannot take
 * them back. */
bool drafts_open(struct drafts* drafts, struct session* session);

/* Puts the prompt through the draft, which exists. */
void drafts_hear(const struct session* session, const struct drafts* drafts);

/* Guesses up to `most` tokens and starts the pass that verifies them, or a step if there are no
 * guesses. */
void drafts_start(struct session* session, struct drafts* drafts, uint32_t most);

/* Sleeps until the pass has ended. Returns the number of its tokens: the right guesses, and one
 * more. drafts_token() returns them. */
uint32_t drafts_finish(struct session* session, struct drafts* drafts);

uint32_t drafts_token(const struct session* session, const struct drafts* drafts, uint32_t index);

/* Continues after the first `count` of these tokens, at least one. */
void drafts_keep(struct session* session, struct drafts* drafts, uint32_t count);

void drafts_report(const struct drafts* drafts);
