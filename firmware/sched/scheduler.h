// SPDX-License-Identifier: Apache-2.0
/* A scheduler turns a pass of the transformer into a program: it decides which block does which
 * operation and in what order. To add one: write sched/<name>.c and list it in scheduler.c. */
#pragma once

#include "firmware/sched/lower.h"
#include "firmware/sched/program.h"

struct scheduler {
    const char* name; /* as boot_info.scheduler says it */
    bool separate;    /* Q, K and V by a product each */
    bool held;        /* arriving keys and values stay beside the cache until they have been used */
    bool kv_queue;    /* uses the array's second queue */
    enum unit (*unit_of)(const struct operation* operation);
};

extern const struct scheduler scheduler_baseline;
extern const struct scheduler scheduler_kelle;
extern const struct scheduler scheduler_kelle_baseline;

/* The scheduler of this name; ends the run, listing those there are, if there is none. */
const struct scheduler* scheduler_find(const char* name);

/* Starts the pass on the blocks; program_wait() ends it. The pass before has ended. */
void scheduler_start(const struct scheduler* scheduler, struct program* program,
                     const struct lowering* lowering, const struct pass* pass);
