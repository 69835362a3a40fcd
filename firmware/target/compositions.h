// SPDX-License-Identifier: Apache-2.0
/* The parts, and named compositions of parts. A new part or a new name is one more line in
 * compositions.c. */
#pragma once

#include "firmware/target/part.h"

#include <stdbool.h>
#include <stdint.h>

struct composition {
    const char* name; /* name in workload.scheduler */
    const struct machine_part* parts[PART_ROLES];
    bool separate, staged, kv_queue; /* as in struct machine */
};

/* `compositions` ends with an entry without a name. `machine_parts` ends with NULL. Parts for
 * caches are tried in the order of this list. */
extern const struct composition compositions[];
extern const struct machine_part* const machine_parts[];
