// SPDX-License-Identifier: Apache-2.0
/* Asks each story's question, and counts the correct answers. */
#include "firmware/hal/hostlink.h"
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
    hostlink_metric_u64("recall.questions", score.questions);
    hostlink_metric_u64("recall.answered", score.answered);
    printf("answered %lu of %lu questions\n", (unsigned long)score.answered,
           (unsigned long)score.questions);
    return 0;
}
