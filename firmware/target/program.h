// SPDX-License-Identifier: Apache-2.0
/* A pass as descriptors: one array per unit, chained by one sync counter per unit that counts the
 * unit's completed descriptors. It is built once for a shape and replayed, with the few fields that
 * differ from pass to pass patched; nothing in it changes because time went by. */
#pragma once

#include "firmware/cache/pass.h"
#include "firmware/target/hazards.h"
#include "firmware/target/placement.h"
#include "firmware/target/units.h"

#include <stdbool.h>
#include <stdint.h>

/* Layers that a pass goes through, in ascending order. */
struct layer_list {
    const uint32_t* numbers; /* NULL: the first `count` */
    uint32_t count;
};

static inline uint32_t layer_at(const struct layer_list* layers, uint32_t index)
{
    return layers->numbers == NULL ? index : layers->numbers[index];
}

struct unit_program {
    struct levee_descriptor* descriptors; /* a ring, where the program rolls */
    uint32_t capacity;
    uint32_t next, waiting; /* index of the next descriptor to build, and of the next to submit */
    uint32_t count;         /* built */
    uint32_t submitted;     /* Descriptors submitted in this run. */
    uint32_t before_list;   /* built before the list that is being added */
    uint32_t completed;     /* Lower bound of completed descriptors while the program is built. */
};

/* The operation that read a value last: a descriptor for each part of the layer's cache. For an
 * operation done tile by tile it is the last tile's. */
struct last_readers {
    struct levee_descriptor* descriptors[CACHE_MAX_PARTS];
    uint8_t count;
    uint8_t operands; /* LEVEE_DESC_LAST_READ_* */
    uint8_t unit;
};

/* A descriptor with fields that differ from pass to pass. */
struct patch {
    struct levee_descriptor* descriptor;
    lower_operation* patch;
    struct operation operation;
};

struct program {
    struct layer_list layers; /* Layers of its passes. */
    struct units* units;
    struct unit_program* by_unit;
    struct hazards hazards;
    uint32_t* need; /* Needs of the operation being added, by unit. */
    struct last_readers readers[CACHE_VALUES];
    struct patch* patches;
    uint32_t patch_capacity, patch_count;
    uint32_t last;                      /* unit of the last descriptor */
    uint32_t most_in_a_layer;           /* descriptors */
    uint32_t refreshed;                 /* VALUE_BITs: they lie in memory that must refresh them */
    const struct operand* refreshed_of; /* places that `refreshed` is of */
    struct pass_shape shape;
    bool built;
    bool rolls;           /* longer than its memory: new descriptors replace completed ones */
    bool holds;           /* the list that is being added is not submitted */
    uint32_t* recomputed; /* Recomputed rows by layer, as built or patched. */
};

/* Room a program needs. */
struct program_capacity {
    uint32_t* units; /* descriptors, by unit */
    uint32_t patches;
    uint32_t layers;
};

void program_open(struct program* program, struct units* units,
                  const struct program_capacity* capacity);

/* Starts a run: sets the counters to 0 and disarms the core's interrupt. The previous run has
 * ended. */
void program_begin(struct program* program);

/* Drops all descriptors, to build others. Between program_begin and program_push. */
void program_clear(struct program* program);

/* A program that is built while it runs, once: program_add sleeps when memory is full until
 * descriptors have completed. It is never patched. */
#define ROLLING_DESCRIPTORS                                                                        \
    128u /* Descriptors of a unit, in addition to those of a program that is built as a whole. */

/* Fences that program_add would put before a descriptor that waits for all units. */
static inline uint32_t program_fences(const struct units* units)
{
    return units->count > 5 ? (units->count - 2) / 4 : 0;
}

/* An operation that is added, or its share of a layer's cache. */
struct addition {
    const struct operation* operation;
    const struct row* row;
    const struct lowering* lowering;
    const struct pass* pass;
    bool one_of_many; /* other parts of the layer's cache are added, too */
    bool patched;     /* differences between passes are patched when it runs again */
};

/* Appends descriptors for an operation, one for each participating unit. They are ordered after
 * the writers of their inputs and after all users of their results, part by part. */
void program_add(struct program* program, const struct addition* addition);

/* Begins a list, which program_retire ends. */
void program_begin_list(struct program* program);

/* Sets the places of activations: `values` is an array by value that must stay valid. Call it
 * before program_add. Descriptors mark no last reads of values whose memory needs no refresh. */
void program_place(struct program* program, const struct operand* values);

/* Declares all activations except X (and X, too, if `x`) as used: their last readers are marked.
 * The following operations write them first. */
void program_retire(struct program* program, bool x);

/* Descriptors built so far. */
uint32_t program_count(const struct program* program);

/* Passes unsubmitted descriptors to the units, as far as their queues have room. */
void program_push(struct program* program);

/* Sleeps until the unit has completed this many descriptors of the run, and refills the queues
 * meanwhile. */
void program_wait_for(struct program* program, uint32_t unit, uint32_t count);

/* Sleeps until everything has completed, refilling the queues on the way. */
void program_wait(struct program* program);

/* Appends a descriptor for the operation, or for a share of it, on the unit; it waits for
 * `program->need` and is not filled in. `shared`: other units have a share. `patch`: for the
 * fields that differ from pass to pass, or NULL. */
struct levee_descriptor* program_append(struct program* program, const struct addition* addition,
                                        uint32_t unit, bool shared, lower_operation* patch);
