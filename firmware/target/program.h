// SPDX-License-Identifier: Apache-2.0
/* A pass as descriptors, with one array of descriptors per unit. Each unit has a sync counter of
 * its completed descriptors, and waits on these counters order the units. A program is built once
 * for each shape. It is then reused, with patches to the few fields that differ from pass to pass.
 * No field depends on time. */
#pragma once

#include "firmware/cache/pass.h"
#include "firmware/target/hazards.h"
#include "firmware/target/placement.h"
#include "firmware/target/units.h"

#include <stdbool.h>
#include <stdint.h>

/* The layers that a pass executes, in ascending order. */
struct layer_list {
    const uint32_t* numbers; /* numbers of the layers; NULL: layers 0 to count - 1 */
    uint32_t count;
};

static inline uint32_t layer_at(const struct layer_list* layers, uint32_t index)
{
    return layers->numbers == NULL ? index : layers->numbers[index];
}

struct unit_program {
    struct levee_descriptor* descriptors; /* a ring buffer, if the program rolls */
    uint32_t capacity;
    uint32_t next, waiting; /* index of the next descriptor to build, and of the next to submit */
    uint32_t count;         /* number of built descriptors */
    uint32_t submitted;     /* descriptors submitted in this run */
    uint32_t before_list;   /* number built before the current list */
    uint32_t completed;     /* lower bound of completed descriptors while the program is built */
};

/* The last operation that read a value. It has one descriptor for each part of the layer's cache.
 * If the operation is tiled, these are the last tile's descriptors. */
struct last_readers {
    struct levee_descriptor* descriptors[CACHE_MAX_PARTS];
    uint8_t count;
    uint8_t operands; /* LEVEE_DESC_LAST_READ_* */
    uint8_t unit;
};

/* A descriptor that must be patched from pass to pass. */
struct patch {
    struct levee_descriptor* descriptor;
    lower_operation* patch;
    struct operation operation;
};

struct program {
    struct layer_list layers; /* layers that its passes execute */
    struct units* units;
    struct unit_program* by_unit;
    struct hazards hazards;
    uint32_t* need; /* waits of the operation that is being added, by unit */
    struct last_readers readers[CACHE_VALUES];
    struct patch* patches;
    uint32_t patch_capacity, patch_count;
    uint32_t last;                      /* the unit of the last descriptor */
    uint32_t most_in_a_layer;           /* greatest number of descriptors in a layer */
    uint32_t refreshed;                 /* VALUE_BITs of values in memory that needs refresh */
    const struct operand* refreshed_of; /* the places to which `refreshed` applies */
    struct pass_shape shape;
    bool built;
    bool rolls;           /* the program is longer than its memory, so new descriptors replace
                           * completed ones */
    bool holds;           /* the current list is not submitted yet */
    uint32_t* recomputed; /* number of recomputed rows by layer, as last set in the descriptors */
};

/* The space that a program needs. */
struct program_capacity {
    uint32_t* units; /* number of descriptors, by unit */
    uint32_t patches;
    uint32_t layers;
};

void program_open(struct program* program, struct units* units,
                  const struct program_capacity* capacity);

/* Starts a run: sets the counters to 0, and disarms the core's interrupt. The previous run must
 * have ended. */
void program_begin(struct program* program);

/* Drops all descriptors, so that others can be built. Call it between program_begin and
 * program_push. */
void program_clear(struct program* program);

/* Number of descriptors of a unit in a program that is built while it runs. They are in addition to
 * those of whole programs. When memory is full, program_add sleeps until descriptors have
 * completed. A program of this kind runs once and is never patched. */
#define ROLLING_DESCRIPTORS                                                                        \
    128u /* Descriptors of a unit, in addition to those of a program that is built as a whole. */

/* Returns how many fences program_add would need before a descriptor that waits for all units. */
static inline uint32_t program_fences(const struct units* units)
{
    return units->count > 5 ? (units->count - 2) / 4 : 0;
}

/* An operation to add to a program, possibly for only one part of a layer's cache. */
struct addition {
    const struct operation* operation;
    const struct row* row;
    const struct lowering* lowering;
    const struct pass* pass;
    bool one_of_many; /* other parts of the layer's cache follow or precede */
    bool patched;     /* patches update it for later passes */
};

/* Appends descriptors for an operation, one for each unit that takes part. Each descriptor waits
 * for the writers of its inputs and for all users of the values that it overwrites, part by
 * part. */
void program_add(struct program* program, const struct addition* addition);

/* Begins a list, which program_retire ends. */
void program_begin_list(struct program* program);

/* Sets the places of activations. `values`, indexed by value, must stay valid. Call it before
 * program_add. Only reads in memory that needs refresh are marked as last reads. */
void program_place(struct program* program, const struct operand* values);

/* Declares that all activations except X (if `x` is set, also X) are no longer used, and marks
 * their last readers. Operations that follow must write these activations before they read them. */
void program_retire(struct program* program, bool x);

/* Returns the number of descriptors built so far. */
uint32_t program_count(const struct program* program);

/* Submits descriptors to the units, as many as their queues have space for. */
void program_push(struct program* program);

/* Sleeps until the unit has completed this many descriptors of the run. Meanwhile it refills the
 * queues. */
void program_wait_for(struct program* program, uint32_t unit, uint32_t count);

/* Sleeps until all descriptors have completed. Meanwhile it refills the queues. */
void program_wait(struct program* program);

/* Appends an empty descriptor on the unit, for the operation or for the unit's share of it. The
 * descriptor waits for `program->need`. `shared` states that other units have a share. `patch` sets
 * the fields that differ from pass to pass, or is NULL. */
struct levee_descriptor* program_append(struct program* program, const struct addition* addition,
                                        uint32_t unit, bool shared, lower_operation* patch);
