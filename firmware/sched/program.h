/* A pass as descriptors: one array per block, chained by one sync counter per block that counts the
 * block's completed descriptors. It is built once for a shape and replayed, with the few fields
 * that differ from pass to pass patched; nothing in it changes because time went by. */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "firmware/llm/operation.h"
#include "firmware/llm/pass.h"

#include <stdbool.h>
#include <stdint.h>

/* The blocks a program runs on; also the sync counter of each. */
enum unit { UNIT_RSA = 0, UNIT_SFU = 1, UNIT_COUNT = 2 };

struct engines {
    struct command_queue queues[UNIT_COUNT];
};

/* Opens the blocks and the sync unit. */
void engines_open(struct engines* engines);

struct unit_program {
    struct levee_descriptor* descriptors;
    uint32_t capacity;
    uint32_t count;     /* built */
    uint32_t submitted; /* in this run */
};

/* Who touched a value last: the unit's counter once that has happened, 0 = nobody. */
struct hazard {
    uint16_t written[UNIT_COUNT];
    uint16_t read[UNIT_COUNT];
};

struct program {
    struct engines* engines;
    struct unit_program units[UNIT_COUNT];
    struct hazard hazards[VALUE_COUNT];
    enum unit last;           /* unit of the last descriptor */
    uint32_t most_in_a_layer; /* descriptors */
    struct pass shape;
    bool built;

    /* Descriptors with fields to patch. */
    struct levee_descriptor* embed;
    struct levee_descriptor* pick;     /* NULL if the pass wants no logits */
    struct levee_descriptor** softmax; /* per layer */
};

/* Makes room for `capacity[unit]` descriptors and for `layers` softmaxes. */
void program_open(struct program* program, struct engines* engines,
                  const uint32_t capacity[UNIT_COUNT], uint32_t layers);

/* Starts a run: sets the counters to 0 and arms the core's interrupt for nothing yet. The run
 * before has ended. */
void program_begin(struct program* program);

/* Forgets all descriptors, to build others. Between program_begin and program_push. */
void program_clear(struct program* program);

/* Appends a descriptor for `operation` on `unit`, ordered after whatever wrote what it reads and
 * whatever touched what it writes. The caller fills in the block's operation. */
struct levee_descriptor* program_add(struct program* program, enum unit unit, uint8_t opcode,
                                     const struct operation* operation);

/* Hands what has been built and not submitted to the blocks, as far as their queues have room. */
void program_push(struct program* program);

/* Sleeps until everything has completed, refilling the queues on the way. */
void program_wait(struct program* program);
