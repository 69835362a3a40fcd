// SPDX-License-Identifier: Apache-2.0
/* The parts, and their compositions that have a name of their own. A new part,
 * and a new name, is a line in compositions.c. */
#pragma once

#include "firmware/target/part.h"

#include <stdbool.h>
#include <stdint.h>

struct composition {
    const char* name; /* Name in workload.scheduler. */
    const struct machine_part* parts[PART_ROLES];
    bool separate, staged, kv_queue; /* struct machine */
};

/* The compositions, and the parts for a role in the order in which the cache's are asked; ended by
 * one without a name, and by NULL. */
extern const struct composition compositions[];
extern const struct machine_part* const machine_parts[];
