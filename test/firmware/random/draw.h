/* SPDX-License-Identifier: Apache-2.0 */
/* Draws random operations for a type of block, and their descriptors. */
#pragma once

#include "core/abi/descriptor.h"
#include "random_table.h"
#include "test/firmware/random/types.h"

#include <stdbool.h>
#include <stdint.h>

struct drawn {
    const struct random_type* type;
    uint8_t opcode;
    bool is_long;  /* The descriptor has version 2, whatever the size of the operation. */
    uint32_t most; /* Limit of sizes, which bounds the extents of operands. */
    uint8_t operation[RANDOM_OPERATION_BYTES];
};

/* A descriptor, with its continuation if it is of version 2. */
struct submission {
    struct levee_descriptor descriptor;
    uint8_t continuation[RANDOM_OPERATION_BYTES];
} __attribute__((aligned(8)));

void draw_seed(uint32_t seed);
uint32_t draw(void);
uint32_t draw_below(uint32_t limit);
bool draw_chance(uint32_t percent);

/* Returns the type of a block with a queue, or NULL if the block has none. */
const struct random_type* draw_type(uint32_t number);

/* Draws an operation whose operands begin at ARENA_OPERAND_AT of their slots or later. If the
 * block accepts it, they do not reach beyond their slots. */
void draw_operation(struct drawn* drawn, const struct random_type* type, uint8_t opcode);
/* Draws one field again. */
void draw_any(struct drawn* drawn);
/* Draws again the field that contains that byte of the descriptor, and possibly others. */
void draw_again(struct drawn* drawn, uint32_t descriptor_byte);
/* Bounds extents that randomly drawn fields do not bound. */
void draw_bounded(struct drawn* drawn);
/* Sets some of the fields to random values. */
void draw_wrong(struct drawn* drawn);
/* Sets one field to a stream port, if the field may have one. */
void draw_stream(struct drawn* drawn);
/* Moves operands from the core's memory to other memories, because wrong strides in the core's
 * memory would overwrite the program. Returns false if there are no others. */
bool draw_move_away(struct drawn* drawn);

/* Returns the set of an arena's slots in which the operation's addresses lie. */
uint32_t draw_slots(const struct drawn* drawn, uint32_t arena);
/* Prints the opcode, and the fields that are not 0. */
void draw_print(const struct drawn* drawn);

void draw_encode(const struct drawn* drawn, uint32_t tag, struct submission* submission);
