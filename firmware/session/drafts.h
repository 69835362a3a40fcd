// SPDX-License-Identifier: Apache-2.0
/* Speculative decoding without a second model (prompt lookup): the tokens that followed an earlier
 * occurrence of the last ones are guessed to follow again. A pass verifies all guesses at once, so
 * the text is that of one token a step. */
#pragma once

#include "firmware/session/history.h"
#include "firmware/session/session.h"

struct drafts {
    uint64_t passes, guessed, right; /* so far */
    uint32_t count;                  /* guesses of the running pass that count */
    struct history history;
};

/* Whether the workload asks for guesses. Ends the run where policy or machine cannot take them
 * back. */
bool drafts_open(struct drafts* drafts, const struct session* session);

/* Guesses up to `most` tokens and starts the pass that verifies them, or a step if there are none.
 */
void drafts_start(struct session* session, struct drafts* drafts, uint32_t most);

/* Sleeps until the pass has ended. Returns how many tokens it has made: the right guesses, and one
 * more. drafts_token() has them. */
uint32_t drafts_finish(struct session* session, struct drafts* drafts);

uint32_t drafts_token(const struct session* session, const struct drafts* drafts, uint32_t index);

/* Goes on behind the first `count` of these tokens, at least one. */
void drafts_keep(struct session* session, struct drafts* drafts, uint32_t count);

void drafts_report(const struct drafts* drafts);
