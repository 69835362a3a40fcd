// SPDX-License-Identifier: Apache-2.0
/* Records the last accesses to each value and slice. The waits of an operation follow from them. A
 * unit's queue executes in order, so only each unit's last access to a value matters. The record
 * covers all slices that the unit has accessed since the value was last written as a whole. */
#pragma once

#include "firmware/cache/operations.h"
#include "firmware/target/part.h"

#include <stdint.h>

/* A unit's last access to a value. */
struct touch {
    uint32_t count; /* value of the unit's counter after that access; 0: no access */
    struct slice slice;
};

struct hazard {
    struct touch* written; /* last writes, by unit */
    struct touch* read;    /* last reads, by unit */
};

struct hazards {
    struct hazard values[CACHE_VALUES];
    uint32_t units;
};

/* One operation, or one unit's share of an operation, and the waits that order it. */
struct ordering {
    uint32_t unit;
    struct slice slice; /* slice of the written value; if it consists of heads, also slice of the
                         * read value */
    uint32_t* need;     /* counter value to wait for, by unit; 0: none */
};

void hazards_open(struct hazards* hazards, uint32_t units);

/* Treats each value and the value in its `ordered_with` entry (struct machine) as one; NULL: all
 * values are separate. Call it once, after hazards_open. */
void hazards_unite(struct hazards* hazards, const uint8_t* ordered_with);

/* Forgets all accesses. */
void hazards_clear(struct hazards* hazards);

/* Calls hazards_wait and then hazards_note, for an operation that a single unit executes. */
void hazards_order(struct hazards* hazards, const struct ordering* ordering,
                   const struct operation* operation, uint32_t own);

/* Adds the operation's waits for other units to `ordering->need`. */
void hazards_wait(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation);

/* Records what the operation reads and writes. `own` is the value of its unit's counter after the
 * operation. For a divided operation, compute the waits of all shares before any share is
 * recorded. */
void hazards_note(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation, uint32_t own);
