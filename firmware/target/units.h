// SPDX-License-Identifier: Apache-2.0
/* The units a program runs on: blocks of the system with a command queue each, found class by class
 * in boot_info. A unit's number is also that of the sync counter that counts its completed
 * descriptors. */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "firmware/target/target.h"

#include <stdbool.h>
#include <stdint.h>

#define UNITS_MAX LEVEE_MAX_BLOCKS
#define UNIT_CLASSES_MAX 16u

/* Units [first, first + count). */
struct unit_range {
    uint32_t first, count;
};

struct units {
    struct command_queue* queues; /* by unit */
    uint32_t* capacities;         /* by unit: in what ratio those of a class share operations */
    uint32_t count;
    struct unit_range classes[UNIT_CLASSES_MAX]; /* by class of the machine */
    bool invalidates; /* activations lie in memory that is refreshed: say what is read last */
    const struct machine* machine;
};

/* Opens the blocks that the target's programs use, and the sync unit. Ends the run, naming what is
 * missing. */
void units_open(struct units* units, const struct target* target, const struct lowering* lowering);

/* Whether the class has a unit: it is used. */
static inline bool units_have(const struct units* units, unsigned unit_class)
{
    return units->classes[unit_class].count != 0;
}
