// SPDX-License-Identifier: Apache-2.0
/* The units a program runs on: blocks of the system with a command queue each, found class by class
 * in boot_info. A unit's number is also that of the sync counter that counts its completed
 * descriptors. */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "firmware/target/machine.h"

#include <stddef.h>
#include <stdint.h>

#define UNITS_MAX LEVEE_MAX_BLOCKS
#define UNIT_CLASSES_MAX 16u

/* Units [first, first + count). */
struct unit_range {
    uint32_t first, count;
};

struct units {
    struct command_queue* queues; /* Queues by unit. */
    uint32_t* capacities; /* speed of each unit: units of a class share operations in this ratio */
    uint32_t count;
    const struct unit_class*
        classes[UNIT_CLASSES_MAX]; /* classes of the units that rows of the machine name */
    struct unit_range ranges[UNIT_CLASSES_MAX];
    uint32_t class_count;
    const struct unit_range* by_operation[PART_OPERATIONS]; /* units of a row; or NULL */
    const struct machine* machine;
};

/* Opens the blocks that the machine's programs use, and the sync unit. Ends the run, naming what is
 * missing. */
void units_open(struct units* units, const struct lowering* lowering);

/* The units of a second machine, whose programs run when none of the first one's do: the same ones.
 */
void units_open_beside(struct units* units, const struct units* first,
                       const struct machine* machine);

/* The units of a class; NULL: no row of the machine names it. */
static inline const struct unit_range* units_of(const struct units* units,
                                                const struct unit_class* unit_class)
{
    for (uint32_t i = 0; i < units->class_count; ++i)
        if (units->classes[i] == unit_class)
            return &units->ranges[i];
    return NULL;
}
