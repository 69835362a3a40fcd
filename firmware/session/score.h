// SPDX-License-Identifier: Apache-2.0
/* Scores of given texts. They state how well the model predicts these texts. */
#pragma once

#include "firmware/session/session.h"

#include <stdint.h>

struct score {
    double nll;         /* negative sum of natural log-probabilities, added in order, sequence by
                         * sequence */
    uint64_t tokens;    /* predicted tokens: all except the first of each sequence */
    uint64_t top1;      /* predictions whose most probable token is the text's */
    uint64_t questions; /* sequences with an answer_index */
    uint64_t answered;  /* questions whose answers consist of most probable tokens only */
    uint64_t missed;    /* tokens of answers that were not the most probable ones */
};

/* Scores every sequence of the workload, workload.batch sequences at a time. A prefill processes
 * the first prefill_count tokens, and decode steps process the rest. The session must be open in
 * mode SESSION_SCORE. */
void score_workload(struct session* session, struct score* score);

/* Reports score.nll, score.tokens, score.top1 and the number of descriptors of a decode step. */
void score_report(const struct session* session, const struct score* score);
