// SPDX-License-Identifier: Apache-2.0
#include "firmware/sched/scheduler.h"

#include "firmware/hal/fatal.h"
#include "firmware/sched/issue.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct scheduler* const schedulers[] = {&scheduler_baseline, &scheduler_kelle,
                                                     &scheduler_kelle_baseline};
#define SCHEDULERS (sizeof schedulers / sizeof *schedulers)

const struct scheduler* scheduler_find(const char* name)
{
    for (size_t i = 0; i < SCHEDULERS; ++i)
        if (strcmp(schedulers[i]->name, name) == 0)
            return schedulers[i];
    printf("schedulers of this firmware:");
    for (size_t i = 0; i < SCHEDULERS; ++i)
        printf(" %s", schedulers[i]->name);
    fatal(EXIT_REFUSED, "no scheduler \"%s\"", name);
}

void scheduler_start(const struct scheduler* scheduler, struct program* program,
                     const struct lowering* lowering, const struct pass* pass)
{
    program_begin(program);
    if (program->built && pass_same_shape(&program->shape, pass)) {
        issue_refresh(program, lowering, pass);
    } else {
        program_clear(program);
        issue_pass(program, scheduler, lowering, pass);
        program->shape = *pass;
        program->built = true;
    }
    program_push(program);
}
