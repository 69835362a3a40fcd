// SPDX-License-Identifier: Apache-2.0
/* The parts, and their named compositions. A new part or name is a line in compositions.c. */
#pragma once

#include "firmware/target/part.h"

#include <stdbool.h>
#include <stdint.h>

struct composition {
    const char* name; /* Name in workload.scheduler. */
    const struct machine_part* parts[PART_ROLES];
    bool separate, staged, kv_queue; /* struct machine */
};

/* The compositions, ended by one without a name; and the parts for a role, in the order of
 * selection for the cache, ended by NULL. */
extern const struct composition compositions[];
extern const struct machine_part* const machine_parts[];
