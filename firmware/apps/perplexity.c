// SPDX-License-Identifier: Apache-2.0
/* Computes log-probabilities of the workload's texts; the platform derives the perplexity from
 * their sums. A prefill processes the first prefill_count tokens of a sequence. Decode steps
 * process the rest, and read earlier tokens from the cache. */
#include "firmware/session/open.h"
#include "firmware/session/score.h"
#include "firmware/session/tag_names.h"

#include <stdio.h>

static struct session session;

int main(void)
{
    struct score score = {0};
    session_open(&session, SESSION_SCORE);
    score_workload(&session, &score);
    score_report(&session, &score);
    printf("scored %lu tokens, most probable token right for %lu\n", (unsigned long)score.tokens,
           (unsigned long)score.top1);
    return 0;
}
