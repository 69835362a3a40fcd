/* A scheduler turns a pass of the transformer into a program: it decides which block does which
 * operation and in what order. To add one: write sched/<name>.c and list it in scheduler.c. */
#pragma once

#include "firmware/sched/lower.h"
#include "firmware/sched/program.h"

struct scheduler {
    const char* name; /* as boot_info.scheduler says it */

    /* Descriptors per unit that a pass through this model takes at most. */
    void (*capacity)(const struct model* model, uint32_t capacity[UNIT_COUNT]);

    /* Builds the (cleared) program for the pass, pushing what is ready as it goes. */
    void (*build)(struct program* program, const struct lowering* lowering,
                  const struct pass* pass);

    /* Patches a program built for this shape. */
    void (*refresh)(struct program* program, const struct lowering* lowering,
                    const struct pass* pass);
};

extern const struct scheduler scheduler_baseline;

/* The scheduler of this name; ends the run, listing those there are, if there is none. */
const struct scheduler* scheduler_find(const char* name);

/* Starts the pass on the blocks; program_wait() ends it. The pass before has ended. */
void scheduler_start(const struct scheduler* scheduler, struct program* program,
                     const struct lowering* lowering, const struct pass* pass);
