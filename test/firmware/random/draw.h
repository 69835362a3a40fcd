/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations of a type of block, and their descriptors. */
#pragma once

#include "core/abi/descriptor.h"
#include "random_table.h"
#include "test/firmware/random/types.h"

#include <stdbool.h>
#include <stdint.h>

struct drawn {
    const struct random_type* type;
    uint8_t opcode;
    bool is_long;  /* a descriptor of version 2, whatever the operation's size */
    uint32_t most; /* limit of sizes, which bounds the operands' extents */
    uint8_t operation[RANDOM_OPERATION_BYTES];
};

/* A descriptor with what is behind it in memory if it is of version 2. */
struct submission {
    struct levee_descriptor descriptor;
    uint8_t continuation[RANDOM_OPERATION_BYTES];
} __attribute__((aligned(8)));

void draw_seed(uint32_t seed);
uint32_t draw(void);
uint32_t draw_below(uint32_t limit);
bool draw_chance(uint32_t percent);

/* The type of a block with a queue; NULL: it has none. */
const struct random_type* draw_type(uint32_t number);

/* An operation whose operands begin at ARENA_OPERAND_AT of their slots or later, and, if the block
 * accepts it, do not reach beyond them. */
void draw_operation(struct drawn* drawn, const struct random_type* type, uint8_t opcode);
/* Draws one field again. */
void draw_any(struct drawn* drawn);
/* Draws the field with that byte of the descriptor again, and maybe others. */
void draw_again(struct drawn* drawn, uint32_t descriptor_byte);
/* Bounds extents that fields drawn by their kinds do not bound. */
void draw_bounded(struct drawn* drawn);
/* Puts anything into some of the fields. */
void draw_wrong(struct drawn* drawn);
/* Puts a stream port into one field, if that may have one. */
void draw_stream(struct drawn* drawn);
/* Moves operands from the core's memory to other memories, since wrong strides would overwrite the
 * program. Returns false if there are no others. */
bool draw_move_away(struct drawn* drawn);

/* The set of slots of an arena that the operation's addresses name. */
uint32_t draw_slots(const struct drawn* drawn, uint32_t arena);
/* Prints the opcode, and the fields that are not 0. */
void draw_print(const struct drawn* drawn);

void draw_encode(const struct drawn* drawn, uint32_t tag, struct submission* submission);
