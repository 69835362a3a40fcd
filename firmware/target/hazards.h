// SPDX-License-Identifier: Apache-2.0
/* Who touched which value last, and which slice of it: from that follows what an operation has to
 * wait for. A unit's queue works in order, so of each unit only its last touch of a value counts,
 * with all slices it has touched since the value was last written as a whole. */
#pragma once

#include "firmware/cache/operations.h"
#include "firmware/target/part.h"

#include <stdint.h>

/* A unit's last touch of a value. */
struct touch {
    uint32_t count; /* of the unit's counter once that has happened; 0: never */
    struct slice slice;
};

struct hazard {
    struct touch* written; /* by unit */
    struct touch* read;    /* by unit */
};

struct hazards {
    struct hazard values[CACHE_VALUES];
    uint32_t units;
};

/* One operation, or its part on one unit, among the others. */
struct ordering {
    uint32_t unit;
    struct slice slice; /* of what it writes; of what it reads, too, if that is heads */
    uint32_t* need;     /* by unit: the counter to wait for; 0: none */
};

void hazards_open(struct hazards* hazards, uint32_t units);

/* Treats each value and the one that `ordered_with` (struct machine) names for it as the same.
 * NULL: there is none. Once, after hazards_open. */
void hazards_unite(struct hazards* hazards, const uint8_t* ordered_with);

/* Nobody has touched anything. */
void hazards_clear(struct hazards* hazards);

/* Both of the following, for an operation that one unit does all of. */
void hazards_order(struct hazards* hazards, const struct ordering* ordering,
                   const struct operation* operation, uint32_t own);

/* Adds to `ordering->need` what the operation must wait for of other units. */
void hazards_wait(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation);

/* Notes that the operation touches what it reads and writes; `own` is its unit's counter once it is
 * done. Parts of one operation wait before any of them is noted. */
void hazards_note(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation, uint32_t own);
