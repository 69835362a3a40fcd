// SPDX-License-Identifier: Apache-2.0
/* Scores of given texts: how well the model predicts them. */
#pragma once

#include "firmware/session/session.h"

#include <stdint.h>

struct score {
    double nll;      /* -sum of natural log-probabilities, added in order, sequence by sequence */
    uint64_t tokens; /* predicted: all after each sequence's first */
    uint64_t top1;   /* predictions whose most probable token was the text's */
    uint64_t questions; /* sequences with an answer_index */
    uint64_t answered;  /* questions of whose answers every token was the most probable one */
    uint64_t missed;    /* tokens of answers that were not */
};

/* Scores every sequence of the workload: its first prefill_count tokens through prefill, the others
 * fed through decode, workload.batch sequences at a time. The session is open in SESSION_SCORE. */
void score_workload(struct session* session, struct score* score);

/* Reports score.nll, score.tokens, score.top1 and the decode step's descriptor count.
 */
void score_report(const struct session* session, const struct score* score);
