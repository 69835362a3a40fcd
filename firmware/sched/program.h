// SPDX-License-Identifier: Apache-2.0
/* A pass as descriptors: one array per block, chained by one sync counter per block that counts the
 * block's completed descriptors. It is built once for a shape and replayed, with the few fields
 * that differ from pass to pass patched; nothing in it changes because time went by. */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "firmware/llm/operation.h"
#include "firmware/llm/pass.h"
#include "firmware/llm/placement.h"

#include <stdbool.h>
#include <stdint.h>

/* The blocks a program runs on; also the sync counter of each. */
enum unit {
    UNIT_RSA = 0,
    UNIT_SFU = 1,
    UNIT_RSA_KV =
        2, /* the array's second queue, for keys and values; UNIT_RSA if it has one only */
    UNIT_SE = 3,
    UNIT_DMA = 4,
    UNIT_COUNT = 5
};

struct engines {
    struct command_queue queues[UNIT_COUNT];
    bool open[UNIT_COUNT];
    unsigned units; /* from 0 on, that may be open */
    enum unit kv;   /* UNIT_RSA_KV or UNIT_RSA */
    bool forgets;   /* activations lie in memory that is refreshed: say what is read last */
};

/* What a program asks of the system, beyond an array and a function unit. */
struct engine_needs {
    bool evictor;
    bool dma;
    bool kv_queue; /* uses the array's second queue, if there is one */
    bool forgets;
};

/* Opens the blocks and the sync unit. Ends the run, naming what is missing. */
void engines_open(struct engines* engines, const struct engine_needs* needs);

struct unit_program {
    struct levee_descriptor* descriptors;
    uint32_t capacity;
    uint32_t count;     /* built */
    uint32_t submitted; /* in this run */
};

#define HAZARD_READERS 4 /* parts of a layer's cache, CACHE_MAX_PARTS */

/* Who touched a value last: the unit's counter once that has happened, 0 = nobody. */
struct hazard {
    uint16_t written[UNIT_COUNT];
    uint16_t read[UNIT_COUNT];
    /* The operation that read it last: a descriptor for each part of it. */
    struct levee_descriptor* readers[HAZARD_READERS];
    uint8_t reader_count;
    uint8_t reader_operands; /* LEVEE_DESC_LAST_READ_* */
    uint8_t reader_unit;
};

/* A descriptor with fields that differ from pass to pass. */
struct patch {
    struct levee_descriptor* descriptor;
    struct operation operation;
};

struct program {
    struct engines* engines;
    struct unit_program units[UNIT_COUNT];
    struct hazard hazards[VALUE_COUNT];
    struct patch* patches;
    uint32_t patch_capacity, patch_count;
    enum unit last;           /* unit of the last descriptor */
    uint32_t most_in_a_layer; /* descriptors */
    uint32_t refreshed;       /* VALUE_BITs: memory forgets them unless it refreshes them */
    const struct operand* refreshed_of; /* places that `refreshed` is of */
    struct pass shape;
    bool built;
    uint32_t* recalled; /* by layer, as built or patched */
};

/* Room a program needs. */
struct program_capacity {
    uint32_t units[UNIT_COUNT];
    uint32_t patches;
    uint32_t layers;
};

void program_open(struct program* program, struct engines* engines,
                  const struct program_capacity* capacity);

/* Starts a run: sets the counters to 0 and arms the core's interrupt for nothing yet. The run
 * before has ended. */
void program_begin(struct program* program);

/* Forgets all descriptors, to build others. Between program_begin and program_push. */
void program_clear(struct program* program);

/* Appends a descriptor for `operation` on `unit`, ordered after whatever wrote what it reads and
 * whatever touched what it writes. The caller fills in the block's operation. */
struct levee_descriptor* program_add(struct program* program, enum unit unit,
                                     const struct operation* operation);

/* Says that the descriptor's fields differ from pass to pass. */
void program_patch(struct program* program, struct levee_descriptor* descriptor,
                   const struct operation* operation);

/* Where activations lie: `values` is an array by enum value that stays. Before program_add; one
 * that memory need not refresh is nothing to be said about when it is read last. */
void program_place(struct program* program, const struct operand* values);

/* All activations but X, and X too if `x`, have been used: whoever read one last says so. What
 * comes next writes them first. */
void program_retire(struct program* program, bool x);

/* Descriptors built so far. */
uint32_t program_count(const struct program* program);

/* Hands what has been built and not submitted to the blocks, as far as their queues have room. */
void program_push(struct program* program);

/* Sleeps until everything has completed, refilling the queues on the way. */
void program_wait(struct program* program);
