// SPDX-License-Identifier: Apache-2.0
/* Log-probabilities of the workload's texts under the model; the platform derives perplexity from
 * their sums. Tokens beyond a sequence's prefill_count are decoded, each through the cache. */
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
