// SPDX-License-Identifier: Apache-2.0
/* Last accesses to each value and slice, which determine the waits of an operation. A unit's
 * queue works in order, so only each unit's last access to a value counts, with all slices that
 * it has accessed since the value was last written as a whole. */
#pragma once

#include "firmware/cache/operations.h"
#include "firmware/target/part.h"

#include <stdint.h>

/* A unit's last touch of a value. */
struct touch {
    uint32_t count; /* value of the unit's counter once that has happened; 0: never */
    struct slice slice;
};

struct hazard {
    struct touch* written; /* Last writes by unit. */
    struct touch* read;    /* Last reads by unit. */
};

struct hazards {
    struct hazard values[CACHE_VALUES];
    uint32_t units;
};

/* One operation, or its part on one unit, among the others. */
struct ordering {
    uint32_t unit;
    struct slice slice; /* slice of the written value; also of the read one, if that is heads */
    uint32_t* need;     /* Counter to wait for, by unit; 0: none. */
};

void hazards_open(struct hazards* hazards, uint32_t units);

/* Treats each value and its `ordered_with` value (struct machine) as the same; NULL: no such
 * values. Called once, after hazards_open. */
void hazards_unite(struct hazards* hazards, const uint8_t* ordered_with);

/* Forgets all accesses. */
void hazards_clear(struct hazards* hazards);

/* Both of the following, for an operation that one unit does all of. */
void hazards_order(struct hazards* hazards, const struct ordering* ordering,
                   const struct operation* operation, uint32_t own);

/* Adds the waits of the operation for other units to `ordering->need`. */
void hazards_wait(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation);

/* Records the operation's inputs and writes; `own` is its unit's counter after the operation.
 * Parts of one operation wait before any of them is recorded. */
void hazards_note(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation, uint32_t own);
