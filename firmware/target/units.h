// SPDX-License-Identifier: Apache-2.0
/* The units on which a program runs: blocks with a command queue, found class by class in
 * boot_info. A unit has the same number as the sync counter of its completed descriptors. */
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
    struct command_queue* queues; /* queues, by unit */
    uint32_t* capacities; /* speed of each unit; the units of a class share operations in this
                             ratio */
    uint32_t count;
    const struct unit_class*
        classes[UNIT_CLASSES_MAX]; /* unit classes that the machine's rows name */
    struct unit_range ranges[UNIT_CLASSES_MAX];
    uint32_t class_count;
    const struct unit_range* by_operation[PART_OPERATIONS]; /* units of a row, or NULL */
    const struct machine* machine;
};

/* Opens the sync unit and the blocks that the machine's programs use. Ends the run with a
 * message if any is missing. */
void units_open(struct units* units, const struct lowering* lowering);

/* Opens the same units for a second machine. Its programs never run at the same time as those of
 * the first machine. */
void units_open_beside(struct units* units, const struct units* first,
                       const struct machine* machine);

/* Returns the units of a class; NULL: no row of the machine names the class. */
static inline const struct unit_range* units_of(const struct units* units,
                                                const struct unit_class* unit_class)
{
    for (uint32_t i = 0; i < units->class_count; ++i)
        if (units->classes[i] == unit_class)
            return &units->ranges[i];
    return NULL;
}
