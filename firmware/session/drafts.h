// SPDX-License-Identifier: Apache-2.0
/* Speculative decoding. A draft, which is a second model, guesses the next tokens. Without a draft,
 * prompt lookup searches for an earlier occurrence of the last tokens, and guesses that the same
 * tokens will follow again. One pass verifies all guesses, so the text is the same as with one
 * token per step. */
#pragma once

#include "firmware/session/history.h"
#include "firmware/session/session.h"

struct drafts {
    uint64_t passes, guessed, right; /* passes, guesses and right guesses so far */
    uint32_t count;                  /* number of valid guesses in the running pass */
    struct session* model;           /* the draft; NULL: guesses come from prompt lookup, or are
                                        drawn at random */
    struct history history;
};

/* Returns whether the workload asks for guesses. Ends the run if the policy or the machine cannot
 * undo rejected guesses. */
bool drafts_open(struct drafts* drafts, struct session* session);

/* Processes the prompt in the draft model, which must exist. */
void drafts_hear(const struct session* session, const struct drafts* drafts);

/* Guesses up to `most` tokens, and starts the pass that verifies them. If there is no guess, it
 * starts a normal step. */
void drafts_start(struct session* session, struct drafts* drafts, uint32_t most);

/* Sleeps until the pass has ended. Returns the number of new tokens: the right guesses and one
 * more. drafts_token() returns each of these tokens. */
uint32_t drafts_finish(struct session* session, struct drafts* drafts);

uint32_t drafts_token(const struct session* session, const struct drafts* drafts, uint32_t index);

/* Keeps the first `count` of the new tokens (at least one), and continues the text after them. */
void drafts_keep(struct session* session, struct drafts* drafts, uint32_t count);

void drafts_report(const struct drafts* drafts);
